"""Bars of the glass box that no contest shows: size, memory, pairs, what holds exactly.

    python -m benchmarks.glass_box_bars [speed large memory pairs exact]

Times are those of the processor, all threads together, so that a busy machine changes them little.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.glass_box import OURS, measure, split, warm_up
from maxmargin import GlassBoxClassifier, GlassBoxRegressor

LARGE = {"adult": 35_000, "bank": 35_000, "california": 35_000, "diamonds": 40_000}
LARGE |= {"shuttle": 40_000, "covtype, two": 35_000}


def speed() -> None:
    """Compare with LightGBM on tables of 10,000 rows and more; bar: at most 10 times its time."""
    warm_up([OURS, "LightGBM"])
    for table, rows in LARGE.items():
        part = split(table, rows, 0)
        runs = [(who, measure(who, part)) for who in [OURS, "LightGBM"] * 3]
        cpu = {w: min(r["cpu"] for who, r in runs if who == w) for w in (OURS, "LightGBM")}
        count = int(runs[0][1]["rows"])
        shown = ", ".join(f"{who} {seconds:.2f} s" for who, seconds in cpu.items())
        print(f"{table:14s} {count:6d} rows: {shown}, ratio {cpu[OURS] / cpu['LightGBM']:.1f}")


def _rows(rows: int, columns: int) -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, columns))
    f = X[:, 0] + np.sin(X[:, 1]) + X[:, 2] * X[:, 3] + 0.7 * np.abs(X[:, 6])
    f += 0.5 * (X[:, 4] > 0) * (X[:, 5] > 0)
    return X, (random.random(rows) < 1 / (1 + np.exp(-f))).astype(int)


def _fit(rows: int, columns: int, n_bags: int | str, classes: int) -> dict[str, float]:
    """Fit to generated rows; memory is that above what was in use before the fit."""
    X, y = _rows(rows, columns)
    y = y + (X[:, 1] > 1.0) if classes > 2 else y
    GlassBoxClassifier(n_estimators=3, pairs=2).fit(X[:2000], y[:2000])
    ended, before, peak = threading.Event(), _resident(), [0.0]

    def watch() -> None:
        while not ended.wait(0.01):
            peak[0] = max(peak[0], _resident())

    thread = threading.Thread(target=watch)
    thread.start()
    cpu, wall = time.process_time(), time.perf_counter()
    GlassBoxClassifier(pairs=50, n_jobs=2, n_bags=n_bags).fit(X, y)
    times = time.process_time() - cpu, time.perf_counter() - wall
    ended.set()
    thread.join()
    return {"cpu": times[0], "wall": times[1], "MB": peak[0] - before, "binned": X.size / 2**20}


def _resident() -> float:
    with open("/proc/self/status", encoding="ascii") as lines:  # noqa: PTH123  (a hundred a second)
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def _in_a_process(*arguments: Any) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.glass_box_bars", "fit", *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def large() -> None:
    """Fit 500,000 x 30 with 50 pairs; bar: 60 s on two cores."""
    found = _in_a_process(500_000, 30, "auto", 2)
    print("500,000 x 30, 50 pairs:", {name: round(value, 1) for name, value in found.items()})


def memory() -> None:
    """Measure memory by the number of bags; bar: the binned table and 200 MB."""
    for n_bags in (2, 8, 32):
        found = _in_a_process(500_000, 30, n_bags, 2)
        print(f"{n_bags} bags:", {name: round(value, 1) for name, value in found.items()})


def pairs() -> None:
    """Find three known pairs among 100 columns of 50,000 rows; bar: first, and within 5 s."""
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, size=(50_000, 100))
    known = {(3, 71), (10, 11), (40, 90)}
    y = X[:, 0] + sum(2 * X[:, a] * X[:, b] for a, b in known) + random.normal(size=len(X))
    times = {}
    GlassBoxRegressor(pairs=2, n_estimators=2).fit(X[:500], y[:500])
    for count in (0, 3):
        model = GlassBoxRegressor(pairs=count, n_estimators=30, n_iter_no_change=None)
        cpu = time.process_time()
        model.fit(X, y)
        times[count] = time.process_time() - cpu
    found = {term.columns for term in model.terms_ if term.kind == "pair"}
    rest = times[3] - times[0]
    print(f"pairs found: {sorted(found)}, all: {found == known}; {rest:.1f} s of processor time")
    print("for ranking all 4,950 pairs and 30 rounds of three of them")


def exact() -> None:
    """Check what has to hold exactly."""
    X, y = _rows(20_000, 8)
    model = GlassBoxClassifier(monotone={0: 1, 6: -1}, pairs=[(0, 1), (6, 7)]).fit(X, y)
    print("contributions add up:", (model.explain(X).sum() == model.decision_function(X)).all())
    random = np.random.default_rng(1)
    for column, sign in ((0, 1), (6, -1)):
        low, high = random.normal(size=(2, 10**6, 8))
        high[:, [j for j in range(8) if j != column]] = low[:, [j for j in range(8) if j != column]]
        swap = low[:, column] > high[:, column]
        low[swap, column], high[swap, column] = high[swap, column], low[swap, column]
        moved = sign * (model.decision_function(high) - model.decision_function(low))
        print(f"monotone along column {column} on 10^6 pairs of rows:", (moved >= 0).all())
    bits = [GlassBoxClassifier(n_jobs=n).fit(X, y).decision_function(X) for n in (1, 2, 4)]
    print("equal bits on 1, 2, 4 threads:", all((each == bits[0]).all() for each in bits))
    weight = np.arange(2000) % 3
    again = np.repeat(np.arange(2000), weight)
    one = GlassBoxClassifier().fit(X[:2000], y[:2000], weight).decision_function(X)
    other = GlassBoxClassifier().fit(X[again], y[again]).decision_function(X)
    print(f"weights and repeats differ by {np.abs(one - other).max():.1e}")


BARS: dict[str, Callable[[], None]] = {
    each.__name__: each for each in (speed, large, memory, pairs, exact)
}


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bars", nargs="*", default=list(BARS))
    asked = parser.parse_args().bars
    if asked and asked[0] == "fit":
        n_bags = asked[3] if asked[3] == "auto" else int(asked[3])
        print(json.dumps(_fit(int(asked[1]), int(asked[2]), n_bags, int(asked[4]))))
        return
    for name in asked:
        BARS[name]()


if __name__ == "__main__":
    main()
