"""Time and memory of kernel machines for tables, search included.

    python -m benchmarks.table_speed [--only NAME ...] [--threads 1]

Each case is fitted in a process of its own, which first fits a small table of the same kind, so
that compiled loops are loaded. Printed are the processor time of the fit (of all its threads), the
time on the clock, the accuracy or R² on rows that the fit has not seen, and the largest resident
memory of the process. "cold start" is the first fit of a small table in a process whose compiled
loops are empty, less the same fit repeated. "limit" is a fit with a time limit. The bars of the
clock are for two idle cores: 3 s at 2,000 rows, 10 s at 20,000, 60 s and 2 GB at 50,000 x 50, 6 s
for a cold start, and limits kept within 1 s.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

from maxmargin import TableSVC, TableSVR

TEST = 2000  # rows that the fit does not see
SMALL = 300  # rows of the table that is fitted first


@dataclass(frozen=True)
class Case:
    """A generated table: how many rows and columns, and what is to be learned."""

    rows: int
    columns: int
    classes: int
    """0 for a quantity."""
    bar: float
    """Seconds on the clock."""
    limit: float | None = None

    def draw(self) -> tuple[Any, Any]:
        """Generate the rows of the fit, and those that it does not see after them."""
        size = self.rows + TEST
        if not self.classes:
            random = np.random.default_rng(0)
            X = random.normal(size=(size, self.columns))
            smooth = 2.0 * np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + np.abs(X[:, 3])
            return X, smooth + (X[:, 4] > 0.3) + 0.5 * random.normal(size=size)
        return make_classification(
            size, self.columns, n_informative=self.columns // 2, n_redundant=2,
            n_classes=self.classes, n_clusters_per_class=2, flip_y=0.05, random_state=0,
        )  # fmt: skip

    def model(self, threads: int | None) -> Any:
        """Return the estimator of the case."""
        kind = TableSVC if self.classes else TableSVR
        return kind(time_limit=self.limit, n_jobs=threads)


CASES = {
    "2,000 x 20, two classes": Case(2000, 20, 2, 3.0),
    "2,000 x 20, seven classes": Case(2000, 20, 7, 3.0),
    "2,000 x 20, a quantity": Case(2000, 20, 0, 3.0),
    "20,000 x 20, two classes": Case(20_000, 20, 2, 10.0),
    "20,000 x 50, two classes": Case(20_000, 50, 2, 10.0),
    "20,000 x 20, a quantity": Case(20_000, 20, 0, 10.0),
    "20,000 x 20, seven classes": Case(20_000, 20, 7, 10.0),
    "50,000 x 50, two classes": Case(50_000, 50, 2, 60.0),
    "50,000 x 50, a quantity": Case(50_000, 50, 0, 60.0),
    "20,000 x 20, limit 2 s": Case(20_000, 20, 2, 3.0, 2.0),
    "50,000 x 50, limit 1 s": Case(50_000, 50, 2, 2.0, 1.0),
}
COLD = "cold start"
COLD_BAR = 6.0


def measure(case: Case, threads: int | None) -> dict[str, float]:
    """Fit a case in this process, after a small table of its kind."""
    warnings.filterwarnings("ignore")
    X, y = case.draw()
    case.model(threads).fit(X[:SMALL], y[:SMALL])
    cpu, clock = time.process_time(), time.perf_counter()
    model = case.model(threads).fit(X[: case.rows], y[: case.rows])
    found = {"cpu": time.process_time() - cpu, "clock": time.perf_counter() - clock}
    found["score"] = float(model.score(X[case.rows :], y[case.rows :]))
    found["MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found | {"bar": case.bar}


def measure_cold() -> dict[str, float]:
    """Fit a small table for the first time with no compiled loop, then once more."""
    X, y = Case(SMALL, 10, 2, COLD_BAR).draw()
    seconds = []
    for _ in range(2):
        cpu, clock = time.process_time(), time.perf_counter()
        TableSVC().fit(X[:SMALL], y[:SMALL])
        seconds.append((time.process_time() - cpu, time.perf_counter() - clock))
    (cpu, clock), (cpu_again, clock_again) = seconds
    return {"cpu": cpu - cpu_again, "clock": clock - clock_again, "bar": COLD_BAR}


def run(name: str, threads: int | None) -> dict[str, float]:
    """Measure a case in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.table_speed", "--alone", name]
    command += ["--threads", str(threads)] if threads else []
    with tempfile.TemporaryDirectory() as nothing:
        more = {"NUMBA_CACHE_DIR": nothing} if name == COLD else {}
        found = subprocess.run(
            command, env=os.environ | more, check=True, capture_output=True, text=True
        )
    measured: dict[str, float] = json.loads(found.stdout.splitlines()[-1])
    return measured


def main() -> None:
    names = [*CASES, COLD]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.table_speed", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--threads", type=int, help="of each fit; all cores by default")
    parser.add_argument("--alone", choices=names, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        alone: Callable[[], dict[str, float]] = measure_cold
        if options.alone != COLD:
            case = CASES[options.alone]
            print(json.dumps(measure(case, options.threads)))
        else:
            print(json.dumps(alone()))
        return
    for name in options.only:
        found = run(name, options.threads)
        parts = "  ".join(f"{what} {value:.3g}" for what, value in found.items())
        print(f"{name:28}  {parts}", flush=True)


if __name__ == "__main__":
    main()
