"""Leave-one-out for every k: one table of neighbours against one search for each k.

The loop is scikit-learn's fastest plain one: its classifier, fitted once, predicts the rows that it
holds from the others (``predict(None)``), k after k. Scores for each k are compared; a few rows may
lie at equal distances from others, whose order scikit-learn leaves open.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from benchmarks import contest, source
from benchmarks.contest import OURS, SKLEARN
from benchmarks.record import Row

LARGEST = 100
SETS = {"generated, 20 columns": lambda: source.generated(20_000, 20)}


def measure(repeats: int, sklearn_repeats: int, small: bool) -> list[Row]:
    """One row of the table a job: classes, and numbers."""
    rows = []
    for name, X, y in source.float64_sets(SETS, 1_000 if small else None):
        numbers = X[:, 0] + np.random.default_rng(0).normal(size=len(X))
        for job, target in (("classes", y), ("numbers", numbers)):
            rows.append(_measure(f"{name}, {job}", X, target, repeats, sklearn_repeats))
            print(f"  {name}, {job}: {rows[-1]['seconds']} {rows[-1]['objection']}", flush=True)
    return rows


def _measure(name: str, X: Any, y: Any, repeats: int, sklearn_repeats: int) -> Row:
    calls: dict[str, Any] = {OURS: lambda: _one_table(X, y)}
    if sklearn_repeats > 0:
        calls[SKLEARN] = lambda: _loop(X, y)
    _one_table(X[:500], y[:500])
    times = {OURS: repeats, SKLEARN: sklearn_repeats}
    seconds, scores = contest.interleave(calls, {one: times[one] for one in calls})
    apart = max(float(np.abs(scores[OURS] - s).max()) for s in scores.values())
    return {
        "data": name,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "largest": LARGEST,
        "seconds": contest.medians(seconds),
        "apart": apart,
        "objection": "" if apart < 1e-3 else f"scores differ by {apart:.2g}",
    }


def _is_numbers(y: Any) -> bool:
    return bool(np.asarray(y).dtype.kind == "f")


def _one_table(X: Any, y: Any) -> Any:
    from maxmargin.neighbors import KNeighborsClassifierCV, KNeighborsRegressorCV

    kind = KNeighborsRegressorCV if _is_numbers(y) else KNeighborsClassifierCV
    return kind(LARGEST).fit(X, y).cv_results_["mean_test_score"]


def _loop(X: Any, y: Any) -> Any:
    numbers = _is_numbers(y)
    model = (KNeighborsRegressor if numbers else KNeighborsClassifier)().fit(X, y)
    scores = []
    for k in range(1, LARGEST + 1):
        said = model.set_params(n_neighbors=k).predict(None)
        scores.append(-np.square(said - y).mean() if numbers else (said == y).mean())
    return np.array(scores)
