"""How soon the studio answers: from the command to the page, and from a moved point to a boundary.

``python -m benchmarks.studio``. The first is the time until the page has been sent. The second is
the time of the worker's call with 500 points on a grid of 96 x 72, which is what a drag waits for;
the page adds its own drawing (``canvas.dataset.milliseconds`` holds the whole).
"""

from __future__ import annotations

import subprocess
import sys
import urllib.request
from time import perf_counter, process_time

import numpy as np

from maxmargin.datasets import make_rings
from maxmargin.studio.calls import answer

POINTS, REPEATS, BAR = 500, 25, 0.060
MODELS = {
    "SVC, RBF": {"kind": "svc", "kernel": "rbf", "C": 1.0, "gamma": 1.0},
    "AdaBoost of 100 rounds": {"kind": "adaboost", "rounds": 100},
}


def first_page() -> float:
    """Return the seconds from the command to the page."""
    begun = perf_counter()
    command = [sys.executable, "-m", "maxmargin", "studio", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = [process.stdout.readline().strip() for _ in range(2)][1]
        with urllib.request.urlopen(address) as page:
            page.read()
        seconds = perf_counter() - begun
        process.terminate()
    return seconds


def drag(model: dict[str, object]) -> tuple[float, float]:
    """Return the medians of wall and processor seconds of a call, as one point moves."""
    X, y = make_rings(POINTS, random_state=0)
    points = np.column_stack([X[:, :2], (y > 0).astype(int)]).tolist()
    walls, processors = [], []
    for k in range(REPEATS + 3):
        points[0][0] += 0.01
        wall, processor = perf_counter(), process_time()
        kind, found = answer("play", {"points": points, "model": model})
        assert kind == "value", found
        if k >= 3:  # the first ones load compiled loops
            walls.append(perf_counter() - wall)
            processors.append(process_time() - processor)
    return float(np.median(walls)), float(np.median(processors))


def main() -> None:
    print(f"command to first page: {min(first_page() for _ in range(3)):.2f} s (bar 1 s)")
    for name, model in MODELS.items():
        wall, processor = drag(model)
        print(
            f"{name}, {POINTS} points: {1e3 * wall:.0f} ms, "
            f"{1e3 * processor:.0f} ms of processor (bar {1e3 * BAR:.0f} ms)"
        )


if __name__ == "__main__":
    main()
