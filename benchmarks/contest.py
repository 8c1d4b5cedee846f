"""The contestants, and how a call is timed."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from benchmarks.data import Data

OURS, INTELEX, SKLEARN = "maxmargin", "intelex", "scikit-learn"
C, TOL, CACHE_MB = 1.0, 1e-3, 200
T = TypeVar("T")


def ours() -> Any:
    from maxmargin import SVC

    return SVC


def intelex() -> Any:
    from sklearnex.svm import SVC

    return SVC


def sklearn() -> Any:
    from sklearn.svm import SVC

    return SVC


MAKERS: dict[str, Callable[[], Any]] = {OURS: ours, INTELEX: intelex, SKLEARN: sklearn}


def contestants(with_sklearn: bool = True) -> list[str]:
    """Who is installed; scikit-learn's minutes can be spared."""
    names = [OURS, INTELEX] + [SKLEARN] * with_sklearn
    try:
        intelex()
    except ImportError:
        print("Left out: scikit-learn-intelex is not installed; pip install -e '.[bench]'.")
        names.remove(INTELEX)
    return names


def make(name: str, gamma: float) -> Any:
    """A classifier with the parameters that all contestants share."""
    return MAKERS[name]()(C=C, kernel="rbf", gamma=gamma, tol=TOL, cache_size=CACHE_MB)


def warm_up(names: list[str], data: Data) -> None:
    """Compile and load what is done once a process, on a few rows of the same kind of data."""
    few = data.head(2_500)
    for name in names:
        make(name, data.gamma).fit(few.X, few.y).predict(few.X[:100])


def timed(call: Callable[[], T]) -> tuple[float, T]:
    gc.collect()
    start = time.perf_counter()
    value = call()
    return time.perf_counter() - start, value


def interleave(
    calls: dict[str, Callable[[], T]], repeats: dict[str, int]
) -> tuple[dict[str, list[float]], dict[str, T]]:
    """Time every call so many times, turn about, so that a slow minute of the machine hits all.

    Every other turn goes backwards: nobody always follows the same neighbour.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    values: dict[str, T] = {}
    for turn in range(max(repeats.values())):
        order = list(calls)[:: -1 if turn % 2 else 1]
        for name in (name for name in order if turn < repeats[name]):
            spent, values[name] = timed(calls[name])
            seconds[name].append(spent)
    return seconds, values


def medians(seconds: dict[str, list[float]]) -> dict[str, float]:
    return {name: float(np.median(runs)) for name, runs in seconds.items()}
