"""Searches over C and gamma: SVCCV against GridSearchCV on two processes, judged by their scores.

Everybody tries the same 6 x 6 points on the same five folds. Scores of a fold may differ by rows
that lie within the solver's tolerance of the boundary: the table shows the largest number of rows
by which any of the 180 scores differs, in 500 validation rows, and whether the best point is the
same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_classification
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler

from benchmarks import contest, source
from benchmarks.contest import MAKERS, OURS
from benchmarks.record import Row

TOL, POINTS, FOLDS, JOBS = 1e-3, 6, 5, 2


def _generated() -> source.Arrays:
    made = make_classification(
        3_000, 30, n_informative=10, n_redundant=5, flip_y=0.05, random_state=0
    )
    return StandardScaler().fit_transform(made[0]), made[1]


def _digits() -> source.Arrays:
    X, y = load_digits(return_X_y=True)
    return X / 16.0, y


def _a9a() -> source.Arrays:
    X, y = source.libsvm("a9a", 123)
    return X[:5_000], y[:5_000]


def _spam() -> source.Arrays:
    X, y = source.spam()
    return StandardScaler().fit_transform(np.log1p(X)), y


SETS = {
    "generated, 3,000 rows": _generated,
    "digits": _digits,
    "a9a, 5,000 rows": _a9a,
    "spam": _spam,
}


def measure(repeats: int, sklearn_repeats: int, small: bool) -> list[Row]:
    """One row of the table a data set; float64."""
    rows = []
    for name, X, y in source.float64_sets(SETS, 400 if small else None):
        rows.append(_measure(name, X, y, repeats, sklearn_repeats))
        print(f"  {name}: {rows[-1]['seconds']} {rows[-1]['objection']}", flush=True)
    return rows


def _measure(name: str, X: Any, y: Any, repeats: int, sklearn_repeats: int) -> Row:
    Cs = np.geomspace(0.1, 1000.0, POINTS)
    gammas = np.geomspace(0.01, 10.0, POINTS) / (X.shape[1] * X.var())
    names = contest.contestants(sklearn_repeats > 0)
    calls = {one: _search(one, Cs, gammas, X, y) for one in names}
    few = slice(None, None, max(1, len(X) // 300))
    _search(OURS, Cs[:2], gammas[:2], X[few], y[few])()
    times = {one: repeats if one == OURS else max(1, sklearn_repeats) for one in names}
    seconds, found = contest.interleave(calls, times)
    apart = {one: _apart(found[OURS], found[one]) for one in names if one != OURS}
    same = {one: found[one].best_params_ == found[OURS].best_params_ for one in names}
    return {
        "data": name,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "classes": len(np.unique(y)),
        "seconds": contest.medians(seconds),
        "apart": apart,
        "same": same,
        "best": {"C": found[OURS].best_params_["C"], "gamma": found[OURS].best_params_["gamma"]},
        "score": found[OURS].best_score_,
        "objection": _objection(same),
    }


def _search(one: str, Cs: Any, gammas: Any, X: Any, y: Any) -> Any:
    def run() -> Any:
        cv = StratifiedKFold(FOLDS)
        if one == OURS:
            from maxmargin import SVCCV

            return SVCCV(Cs, list(gammas), cv=cv, tol=TOL, n_jobs=JOBS).fit(X, y)
        grid = {"C": list(Cs), "gamma": list(gammas)}
        return GridSearchCV(MAKERS[one]()(tol=TOL), grid, cv=cv, n_jobs=JOBS).fit(X, y)

    return run


def _apart(ours: Any, theirs: Any) -> float:
    """Give the largest difference of a fold's score, in rows of 500."""
    names = [f"split{fold}_test_score" for fold in range(FOLDS)]
    return 500 * max(
        float(np.abs(ours.cv_results_[n] - np.asarray(theirs.cv_results_[n])).max()) for n in names
    )


def _objection(same: dict[str, bool]) -> str:
    other = [one for one, equal in same.items() if not equal]
    return f"another best point than {' and '.join(other)}" if other else ""
