"""The neighbour table: each row's nearest other rows, in one order for everybody.

Rows of one distance stand in the order of the data. Which of them a search finds first is otherwise
an accident of its heap, of blocks of a product or of threads; here it is a rule, so that the first
k columns of a wide table are the table of k.

The search is scikit-learn's. Brute force has its Euclidean distances from |a|² − 2 a·b + |b|²,
which rounds by what the rows' norms are: so it gets rows less their median, the distances in the
table are worked out again from a − b, and where rows at the end of a line are as near as rows
beyond it, up to that rounding, all rows as near are looked at. Trees take differences themselves.

Rows are worked on in pieces, between which a fit may end. Those of a piece lie all over the data,
so that the rows of the first pieces are a fair sample of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

from maxmargin.ops.clock import stop_if_over

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

_PAIRS = 1 << 20  # distances, or differences of numbers, that are worked on at a time
_SAME = 1e-9  # by which two ways to work out a distance may differ
_FIRST = 64  # rows of the first piece of a tree, and the seconds of one
_SOON = 0.05  # seconds; a block that takes less is followed by a larger one
_LATE = 0.2  # seconds; a block that takes longer is followed by a smaller one
_AT_ONCE = 4096  # rows of a piece of brute force: of fewer its threads make little
_MOST_PAIRS = 1 << 26  # distances of a block: about half a second
_MOST_PRODUCTS = 1 << 30  # multiplications of a block: about half a second
_GOLDEN = 0.6180339887498949
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
    """Return each row's k nearest other rows.

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
    n = X.shape[0]
    distances, indices = np.empty((n, k)), np.empty((n, k), dtype=np.intp)
    for rows, table in leave_one_out_pieces(search, X, k):
        distances[rows], indices[rows] = table.distances, table.indices
        stop_if_over()
    return NeighborTable(distances, indices)


def leave_one_out_pieces(search: Any, X: Any, k: int) -> Iterator[tuple[Index, NeighborTable]]:
    """Yield each row's k nearest other rows, of some rows at a time.

    Parameters
    ----------
    search, X, k
        As for ``leave_one_out_table``.

    Yields
    ------
    rows : ndarray
        Places of rows, from all over the data.
    table : NeighborTable
        Of these rows.
    """
    ruler = _Ruler.of(search, X)
    cut = _brute_pieces(X.shape) if ruler.search._tree is None else _tree_pieces(X.shape[0])
    order = _from_all_over(X.shape[0])
    for part in cut:
        yield order[part], _others(ruler, order[part], k)


def _from_all_over(n: int) -> Index:
    """Order rows so that any that follow each other lie far apart, by steps of the golden ratio."""
    step = next(s for s in range(max(1, round(_GOLDEN * n)), n + 2) if gcd(s, n) == 1)
    return np.arange(n, dtype=np.intp) * step % n


def _brute_pieces(shape: tuple[int, int]) -> Iterator[slice]:
    n, d = shape
    size = max(1, min(_AT_ONCE, _MOST_PAIRS // n, _MOST_PRODUCTS // max(1, n * d)))
    return (slice(start, start + size) for start in range(0, n, size))


def _tree_pieces(n: int) -> Iterator[slice]:
    """Cut rows into pieces, larger ones if the last was fast: the cost is not known in advance."""
    start, size = 0, _FIRST
    while start < n:
        begun = perf_counter()
        yield slice(start, start + size)
        start, seconds = start + size, perf_counter() - begun
        size = 2 * size if seconds < _SOON else max(1, size // 2) if seconds > _LATE else size


def _others(ruler: _Ruler, rows: Index, k: int) -> NeighborTable:
    wide = min(k + 1, ruler.X.shape[0] - 1)  # one more column tells if a line ends among equals
    distances, indices = _without_own(*ruler.find(rows, wide + 1), rows)
    table = _in_order(*ruler.exact(distances, indices, rows))
    if wide > k:
        _complete(table, ruler, rows, k)
    return NeighborTable(table.distances[:, :k], table.indices[:, :k])


def _without_own(distances: Vector, indices: Index, rows: Index) -> tuple[Vector, Index]:
    """Remove every row from its own line; the last entry if too many equal rows precede it."""
    others = indices != rows[:, None]
    others[others.all(axis=1), -1] = False
    shape = len(rows), indices.shape[1] - 1
    return distances[others].reshape(shape), indices[others].reshape(shape)


def nearest(distances: Vector, k: int) -> NeighborTable:
    """Return the k nearest of all columns, for each row of a matrix of distances.

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
    near: Any
    """The rows as they are searched."""
    search: Any
    metric: Any
    params: dict[str, Any]
    rounding: float
    """By how much squared distances of the search may be off, whatever they are."""

    @classmethod
    def of(cls, search: Any, X: Any) -> _Ruler:
        metric, params = search.effective_metric_, search.effective_metric_params_ or {}
        near = X
        if has_products(search):
            near = X - centre_of(X)
            search = NearestNeighbors(algorithm="brute", n_jobs=search.n_jobs).fit(near)
        rounds = metric == "euclidean" and search._tree is None
        rounding = rounding_of_squares(near) if rounds else 0.0
        return cls(X, near, search, metric, params, rounding)

    def find(self, rows: Index, k: int) -> tuple[Vector, Index]:
        distances, indices = self.search.kneighbors(self.near[rows], n_neighbors=k)
        return np.asarray(distances, np.float64), indices

    def slack(self, squares: Vector) -> Vector:
        """Up to which difference from squared distances a search may have erred."""
        if self.metric != "euclidean":
            return np.zeros(len(squares))
        return self.rounding + relative_rounding(self.X.shape[1]) * squares

    def exact(self, distances: Vector, indices: Index, rows: Index) -> tuple[Vector, Index]:
        if self.metric != "euclidean":
            return distances, indices
        left = np.repeat(rows, indices.shape[1])
        found = euclidean_pairs(self.X, left, indices.ravel())
        return found.reshape(indices.shape), indices

    def as_near(self, rows: Index, limits: Vector) -> tuple[Index, Index, Vector]:
        """Find all pairs of one of these rows with another, up to a limit a row."""
        block = self._block(rows)
        block[np.arange(len(rows)), rows] = np.inf
        lines, others = np.nonzero(block <= (1.0 + _SAME) * limits[:, None])
        found = block[lines, others]
        if self.metric == "euclidean":
            found = euclidean_pairs(self.X, rows[lines], others)
        return lines, others, found

    def _block(self, rows: Index) -> Vector:
        if self.metric == "euclidean" and self.search._tree is not None:
            return np.asarray(cdist(self.X[rows], self.X))
        found = pairwise_distances(self.near[rows], self.near, metric=self.metric, **self.params)
        return np.asarray(found)


def has_products(search: Any) -> bool:
    """Return whether a search computes Euclidean distances of dense rows from products.

    Parameters
    ----------
    search : fitted estimator of sklearn.neighbors

    Returns
    -------
    has_products : bool

    Examples
    --------
    >>> has_products(NearestNeighbors(algorithm="kd_tree").fit(np.ones((3, 2))))
    False
    """
    brute = search._tree is None and search.effective_metric_ == "euclidean"
    return bool(brute and not sparse.issparse(search._fit_X))


def centre_of(X: Vector) -> Vector:
    """Return the median of each column: centred there, products of rows have the least rounding.

    Parameters
    ----------
    X : ndarray of shape (rows, columns)

    Returns
    -------
    centre : ndarray of shape (columns,)

    Examples
    --------
    >>> centre_of(np.array([[7.0], [9.0], [1e9]]))
    array([9.])
    """
    return np.asarray(np.median(X, axis=0), np.float64)  # a mean would follow a row far away


def euclidean_pairs(X: Any, left: Index, right: Index) -> Vector:
    """Return the distances of pairs of rows, from their differences.

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


def relative_rounding(n_columns: int) -> float:
    """Bound by which part two squared distances may be off together, when differences gave them.

    Parameters
    ----------
    n_columns : int

    Returns
    -------
    bound : float

    Examples
    --------
    >>> relative_rounding(2) < 1e-14
    True
    """
    return 4.0 * (n_columns + 4) * _EPS


def _row_squares(rows: Any) -> Vector:
    if sparse.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1), np.float64).ravel()
    return np.asarray(np.square(rows, dtype=np.float64).sum(axis=1))


def _in_order(distances: Vector, indices: Index) -> NeighborTable:
    order = np.lexsort((indices, distances))
    return NeighborTable(
        np.take_along_axis(distances, order, axis=1), np.take_along_axis(indices, order, axis=1)
    )


def _complete(table: NeighborTable, ruler: _Ruler, rows: Index, k: int) -> None:
    """Compare all rows if the k-th neighbour may not be nearer than the others."""
    squares = table.distances[:, k - 1 :] ** 2
    slack = ruler.slack(squares[:, 0])
    unsure = np.flatnonzero(squares[:, 1] - squares[:, 0] <= slack)
    step = max(1, _PAIRS // ruler.X.shape[0])
    for start in range(0, len(unsure), step):
        lines = unsure[start : start + step]
        limits = np.sqrt(squares[lines, 0] + slack[lines])
        found = _first(*ruler.as_near(rows[lines], limits), k)
        table.distances[lines, :k], table.indices[lines, :k] = found.distances, found.indices


def _first(lines: Index, others: Index, distances: Vector, k: int) -> NeighborTable:
    """Return the first k entries of each row; every row has as many."""
    order = np.lexsort((others, distances, lines))
    ends = np.cumsum(np.bincount(lines))
    places = order[np.r_[0, ends[:-1]][:, None] + np.arange(k)]
    return NeighborTable(distances[places], others[places])
