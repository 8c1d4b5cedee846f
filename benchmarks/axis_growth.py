"""Seconds of a fit against its number of columns and of classes, and the exponents that fit them.

Columns: 4,000 rows of 10 to 10,000 generated columns, float32, a third of them informative.
Classes: 10,000 rows of 20 columns in 2 to 100 classes, as many rows each. Medians of repeated fits
on all cores; the exponent is the slope of log seconds by least squares over the larger half.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.preprocessing import StandardScaler

from benchmarks.growth import exponent
from benchmarks.record import Row
from benchmarks.source import Arrays

COLUMNS = [10, 30, 100, 300, 1_000, 3_000, 10_000]
CLASSES = [2, 5, 10, 20, 50, 100]
_ROWS = {"columns": 4_000, "classes": 10_000}


def measure(repeats: int, small: bool) -> list[Row]:
    """One row of the table an axis and an estimator."""
    return [_row(axis, who, repeats, small) for axis in _ROWS for who in _makers()]


def _makers() -> dict[str, Callable[[], Any]]:
    from maxmargin import SVC, AdaBoostClassifier, BoostingClassifier, LinearSVC

    return {
        "SVC": SVC,
        "LinearSVC": LinearSVC,
        "AdaBoostClassifier": partial(AdaBoostClassifier, n_estimators=100),
        "BoostingClassifier": partial(BoostingClassifier, n_estimators=20),
    }


def _row(axis: str, who: str, repeats: int, small: bool) -> Row:
    points = []
    for size, (X, y) in _sets(axis, small):
        make = _makers()[who]
        make().fit(X[:500], y[:500])
        points.append([size, float(np.median([_timed(make(), X, y) for _ in range(repeats)]))])
    told = ", ".join(f"{size}: {seconds:.3g} s" for size, seconds in points)
    print(f"  {who} by {axis}: {told}", flush=True)
    return {"axis": axis, "estimator": who, "points": points, "exponent": exponent(points)}


def _sets(axis: str, small: bool) -> Iterator[tuple[int, Arrays]]:
    sizes = COLUMNS if axis == "columns" else CLASSES
    for size in sizes[:3] if small else sizes:
        rows = 1_000 if small else _ROWS[axis]
        yield size, _generated(rows, size, 2) if axis == "columns" else _generated(rows, 20, size)


def _generated(rows: int, columns: int, classes: int) -> Arrays:
    informative = max(2, columns // 3) if classes == 2 else columns // 2
    shape = {"n_informative": informative, "n_redundant": 0, "n_clusters_per_class": 1}
    X, y = make_classification(rows, columns, n_classes=classes, random_state=0, **shape)
    return StandardScaler().fit_transform(X).astype(np.float32), y


def _timed(model: Any, X: Any, y: Any) -> float:
    start = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - start
