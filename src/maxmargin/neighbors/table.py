"""The neighbour table: each row's nearest other rows, in one order for everybody.

Rows of one distance stand in the order of the data. Which of them a search finds first is otherwise
an accident of its heap, of blocks of a product or of threads; here it is a rule, so that the first
k columns of a wide table are the table of k.

The search is scikit-learn's. Its Euclidean distances may come from |a|² − 2 a·b + |b|², which
rounds, so those in the table are worked out again from a − b; and where rows at the end of a line
are as near as rows beyond it, up to that rounding, all rows as near are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import pairwise_distances

from maxmargin.ops.clock import stop_if_over

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

_PAIRS = 1 << 20  # distances, or differences of numbers, that are worked on at a time
_SAME = 1e-9  # by which two ways to work out a distance may differ
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class NeighborTable:
    """Neighbours of rows, the nearest first.

    Attributes
    ----------
    distances : ndarray of shape (rows, k)
    indices : ndarray of shape (rows, k)
        Places of the neighbours in the data; the smaller first where distances are equal.
    """

    distances: Vector
    indices: Index


def leave_one_out_table(search: Any, X: Any, k: int) -> NeighborTable:
    """Give each row's k nearest other rows.

    Parameters
    ----------
    search : fitted estimator of sklearn.neighbors
        With ``kneighbors``.
    X : ndarray or sparse matrix of shape (rows, columns), of float64
        What it was fitted to.
    k : int
        Less than the number of rows.

    Returns
    -------
    NeighborTable
        A row is never its own neighbour; another one equal to it may be.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import NearestNeighbors
    >>> X = np.array([[0.0], [1.0], [1.0], [2.0]])
    >>> leave_one_out_table(NearestNeighbors().fit(X), X, 2).indices.tolist()
    [[1, 2], [2, 0], [1, 0], [1, 2]]
    """
    n, ruler = X.shape[0], _Ruler.of(search, X)
    wide = min(k + 1, n - 1)  # one more column tells whether a line ends among equals
    distances, indices = search.kneighbors(n_neighbors=wide)
    stop_if_over()
    table = _in_order(*ruler.exact(distances, indices))
    if wide > k:
        _complete(table, ruler, k)
    return NeighborTable(table.distances[:, :k], table.indices[:, :k])


def nearest(distances: Vector, k: int) -> NeighborTable:
    """Give the k nearest of all columns, for each row of a matrix of distances.

    Parameters
    ----------
    distances : ndarray of shape (rows, columns)
    k : int
        At most the number of columns.

    Returns
    -------
    NeighborTable

    Examples
    --------
    >>> nearest(np.array([[2.0, 1.0, 1.0]]), 2).indices.tolist()
    [[1, 2]]
    """
    limits = np.partition(distances, k - 1, axis=1)[:, k - 1]
    rows, columns = np.nonzero(distances <= limits[:, None])
    return _first(rows, columns, distances[rows, columns], k)


@dataclass(frozen=True)
class _Ruler:
    """Distances of pairs of rows, and how far those of a search may be off."""

    X: Any
    metric: Any
    params: dict[str, Any]

    @classmethod
    def of(cls, search: Any, X: Any) -> _Ruler:
        return cls(X, search.effective_metric_, search.effective_metric_params_ or {})

    @property
    def slack(self) -> float:
        """Up to which difference of squared distances a search may have erred."""
        return rounding_of_squares(self.X) if self.metric == "euclidean" else 0.0

    def exact(self, distances: Vector, indices: Index) -> tuple[Vector, Index]:
        if self.metric != "euclidean":
            return np.asarray(distances, np.float64), indices
        left = np.repeat(np.arange(len(indices)), indices.shape[1])
        found = euclidean_pairs(self.X, left, indices.ravel())
        return found.reshape(indices.shape), indices

    def as_near(self, rows: Index, limits: Vector) -> tuple[Index, Index, Vector]:
        """Find all pairs of one of these rows with another, up to a limit a row."""
        block = pairwise_distances(self.X[rows], self.X, metric=self.metric, **self.params)
        block[np.arange(len(rows)), rows] = np.inf
        lines, others = np.nonzero(block <= (1.0 + _SAME) * limits[:, None])
        found = block[lines, others]
        if self.metric == "euclidean":
            found = euclidean_pairs(self.X, rows[lines], others)
        return lines, others, found


def euclidean_pairs(X: Any, left: Index, right: Index) -> Vector:
    """Give the distances of pairs of rows, from their differences.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (rows, columns)
    left, right : ndarray of shape (pairs,)
        Places of rows.

    Returns
    -------
    distances : ndarray of shape (pairs,)

    Examples
    --------
    >>> euclidean_pairs(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([0]), np.array([1]))
    array([5.])
    """
    squares = np.empty(len(left))
    step = max(1, _PAIRS // max(1, X.shape[1]))
    for start in range(0, len(left), step):
        part = slice(start, start + step)
        squares[part] = _row_squares(X[left[part]] - X[right[part]])
    return np.sqrt(squares)


def rounding_of_squares(X: Any) -> float:
    """Bound by how much two squared distances may be off together, when products gave them.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (rows, columns)

    Returns
    -------
    bound : float

    Examples
    --------
    >>> 0.0 < rounding_of_squares(np.ones((3, 2))) < 1e-12
    True
    """
    return 16.0 * (X.shape[1] + 4) * _EPS * float(_row_squares(X).max())


def _row_squares(rows: Any) -> Vector:
    if sparse.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1), np.float64).ravel()
    return np.asarray(np.square(rows, dtype=np.float64).sum(axis=1))


def _in_order(distances: Vector, indices: Index) -> NeighborTable:
    order = np.lexsort((indices, distances))
    return NeighborTable(
        np.take_along_axis(distances, order, axis=1), np.take_along_axis(indices, order, axis=1)
    )


def _complete(table: NeighborTable, ruler: _Ruler, k: int) -> None:
    """Look at all rows where the k-th neighbour is no nearer than others may be."""
    squares, slack = table.distances[:, k - 1 :] ** 2, ruler.slack
    unsure = np.flatnonzero(squares[:, 1] - squares[:, 0] <= slack)
    step = max(1, _PAIRS // len(table.distances))
    for start in range(0, len(unsure), step):
        rows = unsure[start : start + step]
        found = _first(*ruler.as_near(rows, np.sqrt(squares[rows, 0] + slack)), k)
        table.distances[rows, :k], table.indices[rows, :k] = found.distances, found.indices
        stop_if_over()


def _first(lines: Index, others: Index, distances: Vector, k: int) -> NeighborTable:
    """Give the first k of each line; every line has as many."""
    order = np.lexsort((others, distances, lines))
    ends = np.cumsum(np.bincount(lines))
    places = order[np.r_[0, ends[:-1]][:, None] + np.arange(k)]
    return NeighborTable(distances[places], others[places])
