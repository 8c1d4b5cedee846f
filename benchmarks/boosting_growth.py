"""Seconds of AdaBoost against rows and rounds, and its peak memory on a million rows.

20 generated float32 columns; fewer rows are the first of the most. Memory is measured in a process
of its own, whose high-water mark counts from when libraries and data are loaded and a small fit is
over; the bar is on the whole process, data and libraries included.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import adaboost, contest, memory
from benchmarks.data import Data, load

CRITERIA = ["error", "gini"]
MILLION, MOST_ROUNDS, BAR_MB = 1_000_000, 200, 4_000
SLOW = 2.0  # seconds; a fit that takes longer is timed once


def sizes(small: bool) -> tuple[list[int], list[int]]:
    """Rows, and rounds."""
    if small:
        return [2**k for k in range(9, 12)], [5, 10, 20]
    return [2**k for k in range(14, 21)], [50, 100, MOST_ROUNDS]


def row(criterion: str, small: bool, repeats: int) -> dict[str, Any]:
    rows, rounds = sizes(small)
    most = load("generated1m", small)
    adaboost.ours(criterion, 2).fit(most.X[:500], most.y[:500])  # compiles
    grid = [[_seconds(criterion, most.head(n), T, repeats) for T in rounds] for n in rows]
    return {
        "data": criterion,
        "columns": most.X.shape[1],
        "rows": rows,
        "rounds": rounds,
        "seconds": grid,
        "exponent_rows": [_exponent(rows, [line[k] for line in grid]) for k in range(len(rounds))],
        "exponent_rounds": [_exponent(rounds, line) for line in grid],
        "memory": _child(criterion, small) if memory.measurable() else None,
    }


def _seconds(criterion: str, data: Data, rounds: int, repeats: int) -> float:
    def call() -> Any:
        return adaboost.ours(criterion, rounds).fit(data.X, data.y)

    first, _ = contest.timed(call)
    runs = [contest.timed(call)[0] for _ in range(repeats - 1 if first < SLOW else 0)]
    found = float(np.median([first, *runs]))
    print(f"  {criterion}, {len(data.y):,} rows, {rounds} rounds: {found:.3g} s", flush=True)
    return found


def _exponent(sizes: list[int], seconds: list[float]) -> float:
    """The slope of log seconds in log size, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _child(criterion: str, small: bool) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.boosting_growth", criterion, *["--small"] * small]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def peak_of_fit(criterion: str, small: bool) -> dict[str, Any]:
    data = load("generated1m", small).head(MILLION)
    rounds = sizes(small)[1][-1]
    adaboost.ours(criterion, 2).fit(data.X[:500], data.y[:500])
    spent: list[float] = []
    before, highest = memory.peak(_timing(lambda: adaboost.ours(criterion, rounds), data, spent))
    return {
        "rows": len(data.y),
        "rounds": rounds,
        "seconds": spent[0],
        "input": data.X.nbytes / 2**20,
        "before": before,
        "peak": highest,
        "bar": BAR_MB,
    }


def _timing(make: Callable[[], Any], data: Data, spent: list[float]) -> Callable[[], None]:
    return lambda: spent.append(contest.timed(lambda: make().fit(data.X, data.y))[0])


if __name__ == "__main__":
    print(json.dumps(peak_of_fit(sys.argv[1], "--small" in sys.argv)))
