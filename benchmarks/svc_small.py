"""Fits of 100 to 5,000 rows, where what is done once a fit counts: milliseconds, warm.

Two threads at most, float64 as the data come, parameters as both libraries have them by default.
Calls are repeated until they have taken half a second, turn about with scikit-learn's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.datasets import make_classification as made

import maxmargin
from benchmarks import many_classes, source
from benchmarks.contest import OURS, SKLEARN, medians
from benchmarks.record import Row

_SECONDS, _FEWEST = 0.5, 5
_JOBS = 2


def _binary(rows: int, columns: int) -> source.Arrays:
    X, y = made(rows, columns, n_informative=min(columns, 10), n_redundant=0, random_state=0)
    return X, y


SETS: dict[str, Callable[[], source.Arrays]] = {
    "sonar-like (generated)": partial(_binary, 208, 60),
    **{
        f"generated, {n:,} rows": partial(_binary, n, 10)
        for n in (100, 200, 500, 1_000, 2_000, 5_000)
    },
    "iris": partial(load_iris, return_X_y=True),
    "wine": partial(load_wine, return_X_y=True),
    "breast cancer": partial(load_breast_cancer, return_X_y=True),
    "digits": partial(load_digits, return_X_y=True),
    "vowel": many_classes.SETS["vowel"],
    "segment (generated)": many_classes.SETS["segment (generated)"],
    "letter, 4,000 rows": many_classes.SETS["letter, 4,000 rows"],
}
OTHERS = ("NuSVC", "SVR", "OneClassSVM")
FEW = ("generated, 200 rows", "generated, 500 rows")


def measure(repeats: int, small: bool) -> list[Row]:
    """One row of the table a data set and an estimator."""
    import sklearn.svm

    rows = []
    for name, X, y in source.float64_sets(SETS, 500 if small else None):
        for kind in ("SVC", *(OTHERS if name in FEW else ())):
            ours = partial(getattr(maxmargin, kind), n_jobs=_JOBS)
            rows.append(_measure(name, kind, (ours, getattr(sklearn.svm, kind)), X, y, repeats))
            print(f"  {name}, {kind}: {rows[-1]['seconds']}", flush=True)
    return rows


def _measure(name: str, kind: str, makers: Any, X: Any, y: Any, repeats: int) -> Row:
    calls = {who: _fit(make, X, y) for who, make in zip((OURS, SKLEARN), makers, strict=True)}
    models = {who: call() for who, call in calls.items()}
    spent: dict[str, list[float]] = {who: [] for who in calls}
    begun = time.perf_counter()
    while len(spent[OURS]) < max(repeats, _FEWEST) or time.perf_counter() - begun < _SECONDS:
        for who in list(calls)[:: -1 if len(spent[OURS]) % 2 else 1]:
            start = time.perf_counter()
            calls[who]()
            spent[who].append(time.perf_counter() - start)
    ratios = np.divide(spent[SKLEARN], spent[OURS])
    return {
        "data": name,
        "estimator": kind,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "classes": len(np.unique(y)),
        "seconds": medians(spent),
        "ratio": float(np.median(ratios)),
        "calls": len(ratios),
        "apart": _apart(models),
        "status": models[OURS].certificate_.status.name,
    }


def _fit(make: Any, X: Any, y: Any) -> Callable[[], Any]:
    return lambda: make().fit(X, y)


def _apart(models: dict[str, Any]) -> float:
    """By how much the sizes of the two models' duals differ, in all."""
    ours, theirs = (float(np.abs(models[who].dual_coef_).sum()) for who in (OURS, SKLEARN))
    return abs(ours - theirs) / max(ours, theirs)
