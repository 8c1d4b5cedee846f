"""Linear fits of 200 to 5,000 rows, where what is done once a fit counts: milliseconds, warm.

Dense and sparse rows, two to ten classes; the same problems and the same judge as ``linear_svc``
and ``logistic``: a peer enters with the loosest tolerance at which it reaches the target. Calls
are repeated until they have taken half a second, turn about, and the median of the ratios counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.preprocessing import StandardScaler

from benchmarks import linear_svc, logistic
from benchmarks.contest import OURS, SKLEARN, medians
from benchmarks.data import Data
from benchmarks.ladder import climb, fit
from benchmarks.linear_contest import Match, _wrapped
from benchmarks.linear_judge import primal_of, signs
from benchmarks.optimum import Bounds, solve
from benchmarks.record import Row
from benchmarks.source import Arrays

TARGET = 1e-3
_SECONDS, _FEWEST, _BUDGET = 0.5, 5, 5.0


def _dense(rows: int, columns: int, classes: int = 2) -> Arrays:
    shape = {"n_informative": min(columns, 10), "n_redundant": 0}
    clusters = {"n_clusters_per_class": 2 if classes == 2 else 1}
    return make_classification(
        rows, columns, n_classes=classes, random_state=0, **shape, **clusters
    )


def _sparse(rows: int, columns: int, each: int) -> Arrays:
    """Binary rows, with labels of a random plane and noise."""
    random = np.random.default_rng(0)
    X = sparse.random(rows, columns, each / columns, format="csr", random_state=0)
    X = sparse.csr_matrix((np.ones(X.nnz), X.indices.astype(np.int32), X.indptr.astype(np.int32)))
    X.resize(rows, columns)
    return X, (X @ random.normal(size=columns) + random.normal(size=rows) > 0).astype(int)


def _scaled(load: Callable[..., Arrays]) -> Arrays:
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


SETS: dict[str, Callable[[], Arrays]] = {
    "200 x 20": partial(_dense, 200, 20),
    "500 x 10": partial(_dense, 500, 10),
    "768 x 8": partial(_dense, 768, 8),
    "300 x 100": partial(_dense, 300, 100),
    "400 x 2,000": partial(_dense, 400, 2_000),
    "2,000 x 20": partial(_dense, 2_000, 20),
    "5,000 x 30": partial(_dense, 5_000, 30),
    "breast cancer": partial(_scaled, load_breast_cancer),
    "800 x 10, 5 classes": partial(_dense, 800, 10, 5),
    "2,000 x 30, 10 classes": partial(_dense, 2_000, 30, 10),
    "digits, 10 classes": partial(_scaled, load_digits),
    "500 x 100, 10 a row": partial(_sparse, 500, 100, 10),
    "2,000 x 1,000, 20 a row": partial(_sparse, 2_000, 1_000, 20),
    "5,000 x 300, 15 a row": partial(_sparse, 5_000, 300, 15),
}
MATCHES = [*map(linear_svc.match, linear_svc.LOSSES), *map(logistic.match, logistic.SOLVERS)]


def measure(repeats: int, small: bool) -> list[Row]:
    """One row of the table a data set and an estimator."""
    rows = []
    for name in list(SETS)[:2] if small else SETS:
        X, y = SETS[name]()
        data = Data(name, X, np.asarray(y, np.int64))
        for match in MATCHES:
            rows.append(_measure(match, data, repeats))
            print(f"  {name}, {match.task}: {rows[-1]['ratio']:.3g} times", flush=True)
    return rows


def _bounds(match: Match, data: Data) -> Bounds:
    """Both values of a precise solution; small, so that it need not be kept."""
    X, problem = data.X, match.problem
    solutions = [(t, *solve(problem, X, t)) for t in signs(data.y)]
    lower = sum(problem.dual(X, t, alpha) for t, _, _, alpha in solutions)
    return Bounds(lower, sum(problem.primal(X, t, w, b) for t, w, b, _ in solutions))


def _measure(match: Match, data: Data, repeats: int) -> Row:
    known, (match, _) = _bounds(match, data), _wrapped(match, data)

    def judge(model: Any) -> float:
        primal = primal_of(model, match.problem, data)
        return (primal - known.lower) / primal

    last = climb(match.peer, data.X, data.y, _BUDGET, judge, TARGET)[-1]
    calls = {
        OURS: lambda: match.ours(TARGET).fit(data.X, data.y),
        SKLEARN: lambda: fit(match.peer(last.tol, last.max_iter), data.X, data.y),
    }
    model, spent = calls[OURS](), _turns(calls, repeats)
    return {
        "data": data.name,
        "task": match.task,
        "rows": data.X.shape[0],
        "columns": data.X.shape[1],
        "classes": len(np.unique(data.y)),
        "seconds": medians(spent),
        "ratio": float(np.median(np.divide(spent[SKLEARN], spent[OURS]))),
        "calls": len(spent[OURS]),
        "error": {OURS: judge(model), SKLEARN: last.suboptimality},
        "status": model.certificate_.status.name,
    }


def _turns(calls: dict[str, Callable[[], Any]], repeats: int) -> dict[str, list[float]]:
    spent: dict[str, list[float]] = {who: [] for who in calls}
    begun = time.perf_counter()
    while len(spent[OURS]) < max(repeats, _FEWEST) or time.perf_counter() - begun < _SECONDS:
        for who in list(calls)[:: -1 if len(spent[OURS]) % 2 else 1]:
            start = time.perf_counter()
            calls[who]()
            spent[who].append(time.perf_counter() - start)
    return spent
