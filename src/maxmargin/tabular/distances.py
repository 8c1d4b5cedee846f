"""Distances of all pairs of prepared rows, which every width of a kernel shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import RBF, Laplacian
from maxmargin.ops.clock import stop_if_over
from maxmargin.tabular.candidate import Candidate
from maxmargin.tabular.preparation import Rows

Matrix = NDArray[Any]

SAMPLE = 400  # rows whose distances tell the median


def trend_kernel(rows: Rows, weight: float, dtype: Any = np.float32) -> Any:
    """Return the linear kernel of all pairs of rows, times a weight; 0 for a weight of 0."""
    if not weight:
        return dtype(0.0)
    Z = rows.trend.astype(dtype) * dtype(np.sqrt(weight))
    return Z @ Z.T


class Distances:
    """Matrices of distances of each block, made when first asked for, and their weighted sums."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[tuple[int, str], Matrix] = {}
        self._trend: Matrix | None = None

    def of(self, candidate: Candidate) -> tuple[Matrix, float]:
        """Return a candidate's distances, and what they are divided by, without gamma."""
        if not candidate.columns:
            return self._weighted(candidate.weights, candidate.metric)
        X = replace(candidate, gamma=1.0, median=1.0).scaled(self._rows)
        return _measure(X, candidate.metric), 1.0

    def add_trend(self, K: Matrix, weight: float) -> Matrix:
        """Return a kernel matrix with the linear kernel of the trend added."""
        if not weight:
            return K
        if self._trend is None:
            self._trend = trend_kernel(self._rows, 1.0)
        return K + np.float32(weight) * self._trend

    def _weighted(self, weights: Sequence[float], metric: str) -> tuple[Matrix, float]:
        """Return the weighted sum of blocks, and its median over pairs of rows."""
        n = len(self._rows.X)
        D = np.zeros((n, n), np.float32)
        for number, weight in enumerate(weights):
            if weight > 0 and (self._rows.block == number).any():
                D += np.float32(weight) * self._of_block(number, metric)
        some = np.unique(np.linspace(0, n - 1, min(n, SAMPLE)).astype(np.intp))
        pairs = D[np.ix_(some, some)][np.triu_indices(len(some), 1)]
        median = float(np.median(pairs)) if len(pairs) else 1.0
        return D, median or float(pairs.mean()) or 1.0

    def _of_block(self, number: int, metric: str) -> Matrix:
        key = number, metric
        if key not in self._known:
            X = np.ascontiguousarray(self._rows.X[:, self._rows.block == number], np.float32)
            self._known[key] = _measure(X, metric)
        return self._known[key]


def _measure(X: Matrix, metric: str) -> Matrix:
    """Return the distances of all pairs of rows."""
    kernel = Laplacian(1.0) if metric == "absolute" else RBF(1.0)
    rows = kernel.prepare(X)
    D = np.empty((len(X), len(X)), np.float32)
    for first in range(0, len(X), 256):
        stop_if_over()
        part = slice(first, first + 256)
        kernel.distances(rows[part], rows, D[part])
    return np.maximum(D, D.T)
