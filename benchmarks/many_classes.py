"""Fits of many classes: seconds and processor seconds, all pairs judged by their objectives.

Many small problems share rows, and what is done once a problem counts. Both clocks are shown: one
of a library that runs on one thread, and one of a library that uses what there is.
"""

from __future__ import annotations

import time
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits, make_classification
from sklearn.preprocessing import StandardScaler

from benchmarks import contest, source
from benchmarks.contest import MAKERS, OURS
from benchmarks.record import Row

C, TOL = 10.0, 1e-3
DUAL_BOUND = 1e-3  # relative difference of the pairs' summed duals that counts as the same


def _segment() -> source.Arrays:
    """As many rows, columns and classes as UCI's image segmentation data."""
    made = make_classification(
        n_samples=2_310,
        n_features=19,
        n_informative=12,
        n_redundant=4,
        n_classes=7,
        class_sep=2.0,
        flip_y=0.02,
        random_state=0,
    )
    return made[0], made[1]


def _letter(rows: int) -> source.Arrays:
    X, y = source.letter()
    some = np.random.default_rng(0).permutation(len(X))[:rows]
    return StandardScaler().fit_transform(X)[some], y[some]


SETS = {
    "segment (generated)": _segment,
    "digits": lambda: load_digits(return_X_y=True),
    "vowel": source.vowel,
    "satimage": source.satimage,
    "letter, 4,000 rows": lambda: _letter(4_000),
    "letter": lambda: _letter(20_000),
}


def measure(repeats: int, sklearn_repeats: int, small: bool) -> list[Row]:
    """One row of the table a data set; float64, as the data come."""
    rows = []
    for name, X, y in source.float64_sets(SETS, 800 if small else None):
        rows.append(_measure(name, X, y, repeats, sklearn_repeats))
        print(f"  {name}: {rows[-1]['seconds']}", flush=True)
    return rows


def _measure(name: str, X: Any, y: Any, repeats: int, sklearn_repeats: int) -> Row:
    names = contest.contestants(sklearn_repeats > 0)
    gamma = 1.0 / (X.shape[1] * X.var())
    times = dict.fromkeys(names, repeats)
    spent: dict[str, list[float]] = {one: [] for one in names}

    def call(one: str) -> Any:
        def fit() -> Any:
            begun = time.process_time()
            model = MAKERS[one]()(C=C, gamma=gamma, tol=TOL).fit(X, y)
            spent[one].append(time.process_time() - begun)
            return model

        return fit

    for one in names:
        call(one)()
        spent[one].clear()
    seconds, models = contest.interleave({one: call(one) for one in names}, times)
    duals = {one: _duals(model, X, y, gamma) for one, model in models.items()}
    worst = max(abs(d - duals[OURS]) for d in duals.values()) / abs(duals[OURS])
    return {
        "data": name,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "classes": len(np.unique(y)),
        "seconds": contest.medians(seconds),
        "cpu": contest.medians(spent),
        "dual": duals,
        "status": models[OURS].certificate_.status.name,
        "objection": f"duals differ by {worst:.0e}" if worst > DUAL_BOUND else "",
    }


def _duals(model: Any, X: Any, y: Any, gamma: float) -> float:
    """Add up the dual values of all pairs, from support and dual coefficients alone."""
    number = np.searchsorted(model.classes_, y)[model.support_]
    edges = np.searchsorted(number, np.arange(len(model.classes_) + 1))
    coefficients, rows = np.asarray(model.dual_coef_), X[model.support_]
    total = 0.0
    for a, b in combinations(range(len(model.classes_)), 2):
        first, second = (slice(edges[c], edges[c + 1]) for c in (a, b))
        beta = np.concatenate([coefficients[b - 1, first], coefficients[a, second]])
        total += _dual(beta, np.concatenate([rows[first], rows[second]]), gamma)
    return total


def _dual(beta: NDArray[Any], rows: NDArray[Any], gamma: float) -> float:
    used = beta != 0
    beta, rows = beta[used], rows[used]
    norms = np.einsum("ij,ij->i", rows, rows)
    K = np.exp(-gamma * np.maximum(0.0, norms[:, None] + norms - 2.0 * rows @ rows.T))
    return float(np.abs(beta).sum() - 0.5 * beta @ K @ beta)
