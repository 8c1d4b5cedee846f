"""Condensing: of all rows only those that the boundary of one nearest neighbour needs.

Hart's rule ("The condensed nearest neighbor rule", IEEE Transactions on Information Theory 14,
1968) goes through the rows in turn and stores each that the rows stored so far get wrong, again and
again until a whole pass stores none. The store then gets every row right; it is small where classes
are apart, and which rows it holds depends on the order.

Voronoi condensing keeps the rows with a Delaunay neighbour of another class. No prediction changes
anywhere; see ``tessellation``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_random_state

from maxmargin.inputs.parameters import all_or_nothing, check_choice, check_flag
from maxmargin.neighbors.reduced import ReducedNeighbors
from maxmargin.neighbors.table import (
    centre_of,
    has_products,
    relative_rounding,
    rounding_of_squares,
)
from maxmargin.neighbors.tessellation import delaunay_pairs, distinct
from maxmargin.ops.aside import aside
from maxmargin.ops.clock import Clock, TimeUp, watch
from maxmargin.progress import advance

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]

_METHODS = ("hart", "voronoi")
# Simplices of the Delaunay triangulation of random points, a point, for 1, 2, ... columns.
_CORNERS = (1.0, 2.0, 6.8, 31.8, 187.0, 1297.0)
_MOST_SIMPLICES = 4e6


class CondensedNeighbors(ReducedNeighbors):
    """A nearest-neighbour classifier on few rows that classifies all training rows correctly.

    Equal rows with different labels contradict each other, and no distance rule can classify all of
    them. They count for the most frequent of their labels (ties: the first class). Rows with
    another label are never kept; ``contradicted_indices_`` lists them. All other training rows are
    classified correctly. A row at equal distances from kept rows of two classes counts as
    misclassified, so the result does not depend on how ties are broken.

    Parameters
    ----------
    method : {"hart", "voronoi"}, default="hart"
        "hart" stores misclassified rows until there is none. "voronoi" keeps the rows with a
        Delaunay neighbour of another class, which changes no prediction, for Euclidean distances of
        at most 6 columns. The triangulation grows by a factor of about 5 with each column. Numbers
        of rows that would take many minutes raise an error: millions in the plane, 3,000 in 6
        columns.
    shuffle : bool, default=False
        Go through the rows in random order in Hart's passes.
    random_state : int, RandomState or None, default=None
        Seed for the random order.
    algorithm, leaf_size, p, metric, metric_params, n_jobs
        As in ``KNeighborsClassifier``, which predicts.
    time_limit : float, default=None
        Seconds after which Hart's rule ends with the rows stored so far, which may misclassify some
        training rows; "voronoi" then keeps all rows, which changes no prediction either.
        Its triangulation cannot be stopped in the middle: it is left to end by itself.

    Attributes
    ----------
    condensed_indices_ : ndarray of shape (rows kept,)
        The rows kept, by place; of Hart's rule in the order in which they were stored.
    n_kept_ : int
    contradicted_indices_ : ndarray
        Rows equal to others with a more frequent label.
    complete_ : bool
        Whether there was time for all rows.
    estimator_ : KNeighborsClassifier
        One neighbour among the rows kept, minus ``centre_``; its classes are indices.
    centre_ : ndarray of shape (columns,) or None
        The median of the rows if brute force computes Euclidean distances from products, which
        would lose digits far from 0; otherwise None.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from maxmargin.datasets import make_overlapping
    >>> from maxmargin.neighbors import CondensedNeighbors
    >>> X, y = make_overlapping(200, separation=4.0, random_state=0)
    >>> model = CondensedNeighbors().fit(X, y)
    >>> model.n_kept_, bool((model.predict(X) == y).all())
    (17, True)
    """

    _indices = "condensed_indices_"

    def __init__(
        self,
        *,
        method: str = "hart",
        shuffle: bool = False,
        random_state: Any = None,
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.method = method
        self.shuffle = shuffle
        self.random_state = random_state
        super().__init__(algorithm, leaf_size, p, metric, metric_params, n_jobs, time_limit)

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Self:
        """Choose the rows to keep.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)
        y : array-like of shape (rows,)
            Class labels.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        with watch(self.time_limit) as clock:
            rows, numbers = self._read(X, y)
            right = _uncontradicted(rows, numbers)
            places = np.flatnonzero(right)
            self.contradicted_indices_ = np.flatnonzero(~right)
            search = self._search(rows[places], numbers[places], 1)
            chosen, self.complete_ = self._choose(search, rows[places], numbers[places], clock)
        self._keep(rows, numbers, places[chosen], search)
        return self

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        super()._check_parameters()
        check_choice(owner, "method", self.method, _METHODS)
        check_flag(owner, "shuffle", self.shuffle)

    def _choose(self, search: Any, rows: Any, numbers: Index, clock: Clock) -> tuple[Index, bool]:
        """Return the rows to keep, and whether there was time to find them all."""
        if self.method == "voronoi":
            return _beside_another_class_in_time(rows, numbers, search.effective_metric_, clock)
        order = np.arange(len(numbers))
        if self.shuffle:
            order = check_random_state(self.random_state).permutation(len(numbers))
        if clock.over():  # reading many rows takes its time too
            return order[:1], len(order) == 1
        measure = _Measure.of(search, rows[order])
        stored, complete = _store(measure, numbers[order], clock)
        return order[stored], complete


class _Measure(NamedTuple):
    """Squared distances of all rows from one, and how far those that predict may be off."""

    squares: Callable[[int], Vector]
    rounding: float
    relative: float

    @classmethod
    def of(cls, search: Any, rows: Any) -> _Measure:
        metric, params = search.effective_metric_, search.effective_metric_params_ or {}
        if metric == "euclidean" and not sparse.issparse(rows):
            near = rows - centre_of(rows) if has_products(search) else rows
            rounding = rounding_of_squares(near) if has_products(search) else 0.0
            return cls(partial(_squares, near), rounding, relative_rounding(rows.shape[1]))

        def squares(place: int) -> Vector:
            found = pairwise_distances(rows, rows[[place]], metric=metric, **params)
            return np.asarray(found[:, 0], np.float64) ** 2

        rounding = rounding_of_squares(rows) if metric == "euclidean" else 0.0
        return cls(squares, rounding, 0.0)


def _squares(rows: Vector, place: int) -> Vector:
    gaps = rows - rows[place]
    return np.asarray(np.einsum("ij,ij->i", gaps, gaps))


def _store(measure: _Measure, numbers: Index, clock: Clock) -> tuple[Index, bool]:
    """Store rows in turn as Hart does; says too whether there was time to end.

    The nearest stored row of the same class and of another class is known of each row, and a
    new one is compared with all rows at once.
    """
    n = len(numbers)
    same, other = np.full(n, np.inf), np.full(n, np.inf)
    stored: list[int] = []
    waiting = np.ones(n, dtype=bool)
    place, late = 0, False
    while not late:
        stored.append(place)
        waiting[place] = False
        squares, alike = measure.squares(place), numbers == numbers[place]
        np.minimum(same, squares, out=same, where=alike)
        np.minimum(other, squares, out=other, where=~alike)
        limit = (1.0 + measure.relative) * same + measure.rounding
        wrong = np.flatnonzero(waiting & ~(limit < other))
        if len(wrong) == 0:
            break
        later = np.searchsorted(wrong, place)
        place = int(wrong[later % len(wrong)])  # from the start again after the last
        late = clock.over()
        advance(1.0 - len(wrong) / n)  # some of these will be right once others are stored
    return np.array(stored, dtype=np.intp), not late


def _uncontradicted(rows: Any, numbers: Index) -> Mask:
    """Return which rows have the most frequent label among the rows equal to them."""
    place = _equal_sparse(rows) if sparse.issparse(rows) else _equal_dense(rows)
    counts = np.zeros((place.max() + 1, numbers.max() + 1), dtype=np.intp)
    np.add.at(counts, (place, numbers), 1)
    return np.asarray(counts.argmax(axis=1)[place] == numbers)


def _equal_dense(rows: Vector) -> Index:
    """Assign numbers to rows, equal ones to equal rows: by sums of their bits if these differ.

    Sorting the rows themselves took seconds where there are many.
    """
    bits = (rows + 0.0).view(np.uint64)  # -0.0 is 0.0
    factors = np.random.default_rng(0).integers(1, 2**63, rows.shape[1], np.uint64)
    _, first, place = np.unique(bits @ factors, return_index=True, return_inverse=True)
    place = place.ravel().astype(np.intp)
    return place if np.array_equal(bits, bits[first[place]]) else distinct(rows)[1]


def _equal_sparse(rows: Any) -> Index:
    """Assign numbers to sparse rows, equal ones to equal rows."""
    clean = rows.copy()
    clean.eliminate_zeros()
    clean.sort_indices()
    known: dict[bytes, int] = {}
    parts = zip(clean.indptr[:-1].tolist(), clean.indptr[1:].tolist(), strict=True)
    keys = (clean.indices[a:b].tobytes() + clean.data[a:b].tobytes() for a, b in parts)
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.intp)


def _beside_another_class_in_time(
    rows: Any, numbers: Index, metric: Any, clock: Clock
) -> tuple[Index, bool]:
    """Keep rows with a Delaunay neighbour of another class; all if there is no time for that."""
    _refuse_voronoi(rows, metric)
    try:
        return aside(partial(_beside_another_class, rows, numbers)), True
    except TimeUp:
        if not clock.expired:  # a search around this one has ended
            raise
        return np.arange(len(numbers)), False


def _beside_another_class(rows: Vector, numbers: Index) -> Index:
    """Keep rows with a Delaunay neighbour of another class, of equal ones the first."""
    points, place = distinct(rows)
    first = np.full(len(points), len(place))
    np.minimum.at(first, place, np.arange(len(place)))
    label = numbers[first]
    pairs = delaunay_pairs(points)
    apart = pairs[label[pairs[:, 0]] != label[pairs[:, 1]]]
    kept = np.unique(apart) if len(apart) else np.array([0])
    return np.sort(first[kept])


def _refuse_voronoi(rows: Any, metric: Any) -> None:
    if sparse.issparse(rows) or rows.shape[1] > len(_CORNERS) or metric != "euclidean":
        raise ValueError(
            f"method='voronoi' takes Euclidean distances of dense rows with at most "
            f"{len(_CORNERS)} columns; use method='hart'."
        )
    most = int(_MOST_SIMPLICES / _CORNERS[rows.shape[1] - 1])
    if len(rows) > most:
        raise ValueError(
            f"method='voronoi' takes at most {most:,} rows of {rows.shape[1]} columns, and there "
            f"are {len(rows):,}: their triangulation would be too large; use method='hart'."
        )
