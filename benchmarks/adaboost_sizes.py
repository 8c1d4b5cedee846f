"""AdaBoost of 100 stumps from 200 to 100,000 rows, continuous columns and columns of few values.

Small fits show what is done once a fit, few values that sorting them is quick for scikit-learn too.
Generated float64 columns, of which five and a product say the class, with noise; those of few
values are cut at their quantiles into 3 to 10. Splits are judged as in ``adaboost.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import adaboost
from benchmarks.data import Data
from benchmarks.record import Row

ROWS, COLUMNS, KINDS = (200, 1_000, 5_000, 20_000, 100_000), (10, 50), ("continuous", "few values")
_FEW = 5_000  # rows; up to these a fit is timed several times more
_OFTEN, _SEVERAL = 15, 3  # ours, scikit-learn's


def sets(small: bool) -> Iterator[Data]:
    for n in ROWS[:2] if small else ROWS:
        for p in COLUMNS[:1] if small else COLUMNS:
            yield from (generated(n, p, kind) for kind in KINDS)


def names(small: bool) -> list[str]:
    """In the order of the table."""
    return [each.name for each in sets(small)]


def generated(n: int, p: int, kind: str) -> Data:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    score = X[:, :5].sum(axis=1) + 0.5 * X[:, 0] * X[:, 1] + 1.5 * rng.standard_normal(n)
    if kind != KINDS[0]:
        X = np.stack([_cut(x, 3 + j % 8) for j, x in enumerate(X.T)], axis=1)
    return Data(f"{n:,} × {p}, {kind}", np.ascontiguousarray(X), (score > 0).astype(np.int64))


def _cut(x: NDArray[Any], values: int) -> NDArray[np.float64]:
    """Give each value the number of its quantile."""
    inner = np.quantile(x, np.arange(1, values) / values)
    return np.searchsorted(inner, x).astype(np.float64)


def measure(data: Data, rounds: int, repeats: int, sklearn_repeats: int) -> Row:
    """One row of the table."""
    few = len(data.y) <= _FEW
    often = max(repeats, _OFTEN) if few else repeats
    several = max(sklearn_repeats, _SEVERAL) if few and sklearn_repeats else sklearn_repeats
    return adaboost.measure(data, rounds, often, several)[0]
