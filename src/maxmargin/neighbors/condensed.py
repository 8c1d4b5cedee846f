"""Condensing: of all rows only those that the boundary of one nearest neighbour needs.

Hart's rule ("The condensed nearest neighbor rule", IEEE Transactions on Information Theory 14,
1968) goes through the rows in turn and stores each that the rows stored so far get wrong, again and
again until a whole pass stores none. The store then gets every row right; it is small where classes
are apart, and which rows it holds depends on the order.

Voronoi condensing keeps the rows with a Delaunay neighbour of another class. No prediction changes
anywhere; see ``tessellation``.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_random_state

from maxmargin.inputs.parameters import check_choice, check_flag
from maxmargin.inputs.whole import all_or_nothing
from maxmargin.neighbors.reduced import ReducedNeighbors
from maxmargin.neighbors.table import rounding_of_squares
from maxmargin.neighbors.tessellation import delaunay_pairs, distinct
from maxmargin.ops.clock import stop_if_over

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]

_METHODS = ("hart", "voronoi")
_MOST_COLUMNS = 6  # beyond which a Delaunay triangulation has too many edges


class CondensedNeighbors(ReducedNeighbors):
    """One nearest neighbour among few rows that get all training rows right.

    Rows that are equal but have different labels contradict each other, and no rule of distances
    gets all of them right: such rows count for the most frequent of their labels (the first class
    of several), those with another label are never kept, and ``contradicted_indices_`` lists them.
    All other training rows are predicted as they are labelled. A row at equal distances from kept
    rows of two classes counts as wrong, so how ties are broken changes nothing.

    Parameters
    ----------
    method : {"hart", "voronoi"}, default="hart"
        "hart" stores rows that are wrong until none is. "voronoi" keeps the rows with a Delaunay
        neighbour of another class, which changes no prediction at all, for Euclidean distances of
        at most 6 columns.
    shuffle : bool, default=False
        Whether Hart's passes go through the rows in random order rather than in their own.
    random_state : int, RandomState or None, default=None
        For the random order.
    algorithm, leaf_size, p, metric, metric_params, n_jobs
        As in ``KNeighborsClassifier``, which predicts.

    Attributes
    ----------
    condensed_indices_ : ndarray of shape (rows kept,)
        The rows kept, by place; of Hart's rule in the order in which they were stored.
    n_kept_ : int
    contradicted_indices_ : ndarray
        Rows equal to others with a more frequent label.
    estimator_ : KNeighborsClassifier
        One neighbour among the rows kept; its classes are numbered.
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
    ) -> None:
        self.method = method
        self.shuffle = shuffle
        self.random_state = random_state
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

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
        rows, numbers = self._read(X, y)
        right = _uncontradicted(rows, numbers)
        places = np.flatnonzero(right)
        self.contradicted_indices_ = np.flatnonzero(~right)
        chosen = self._choose(rows[places], numbers[places])
        self._keep(rows, numbers, places[chosen])
        return self

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        super()._check_parameters()
        check_choice(owner, "method", self.method, _METHODS)
        check_flag(owner, "shuffle", self.shuffle)

    def _choose(self, rows: Any, numbers: Index) -> Index:
        search = self._search(1).fit(rows, numbers)  # which resolves the metric
        metric, params = search.effective_metric_, search.effective_metric_params_ or {}
        if self.method == "voronoi":
            return _beside_another_class(rows, numbers, metric)
        order = np.arange(len(numbers))
        if self.shuffle:
            order = check_random_state(self.random_state).permutation(len(numbers))

        def measure(place: int) -> Vector:
            """Give the distances of all rows from one."""
            found = pairwise_distances(rows, rows[[place]], metric=metric, **params)
            return np.asarray(found[:, 0], np.float64)

        slack = rounding_of_squares(rows) if metric == "euclidean" else 0.0
        return order[_store(lambda k: measure(int(order[k]))[order], numbers[order], slack)]


def _store(measure: Any, numbers: Index, slack: float) -> Index:
    """Store rows in turn as Hart does; ``measure(k)`` gives all distances from row k.

    The nearest stored row of its own class and of another class is known of each row, and a
    new one is compared with all rows at once.
    """
    n = len(numbers)
    same, other = np.full(n, np.inf), np.full(n, np.inf)
    stored: list[int] = []
    waiting = np.ones(n, dtype=bool)
    place = 0
    while True:
        stored.append(place)
        waiting[place] = False
        squares, alike = measure(place) ** 2, numbers == numbers[place]
        np.minimum(same, squares, out=same, where=alike)
        np.minimum(other, squares, out=other, where=~alike)
        wrong = np.flatnonzero(waiting & ~(same + slack < other))
        if len(wrong) == 0:
            return np.array(stored, dtype=np.intp)
        later = np.searchsorted(wrong, place)
        place = int(wrong[later % len(wrong)])  # from the start again after the last
        stop_if_over()


def _uncontradicted(rows: Any, numbers: Index) -> Mask:
    """Say which rows have the most frequent label of all rows equal to them."""
    place = _equal_sparse(rows) if sparse.issparse(rows) else distinct(rows)[1]
    counts = np.zeros((place.max() + 1, numbers.max() + 1), dtype=np.intp)
    np.add.at(counts, (place, numbers), 1)
    return np.asarray(counts.argmax(axis=1)[place] == numbers)


def _equal_sparse(rows: Any) -> Index:
    """Give sparse rows numbers, equal ones the same."""
    clean = rows.copy()
    clean.eliminate_zeros()
    clean.sort_indices()
    known: dict[bytes, int] = {}
    parts = zip(clean.indptr[:-1].tolist(), clean.indptr[1:].tolist(), strict=True)
    keys = (clean.indices[a:b].tobytes() + clean.data[a:b].tobytes() for a, b in parts)
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.intp)


def _beside_another_class(rows: Any, numbers: Index, metric: Any) -> Index:
    """Keep rows with a Delaunay neighbour of another class, of equal ones the first."""
    _refuse_voronoi(rows, metric)
    points, place = distinct(rows)
    first = np.full(len(points), len(place))
    np.minimum.at(first, place, np.arange(len(place)))
    label = numbers[first]
    pairs = delaunay_pairs(points)
    apart = pairs[label[pairs[:, 0]] != label[pairs[:, 1]]]
    kept = np.unique(apart) if len(apart) else np.array([0])
    return np.sort(first[kept])


def _refuse_voronoi(rows: Any, metric: Any) -> None:
    if sparse.issparse(rows) or rows.shape[1] > _MOST_COLUMNS or metric != "euclidean":
        raise ValueError(
            f"method='voronoi' takes Euclidean distances of dense rows with at most "
            f"{_MOST_COLUMNS} columns; use method='hart'."
        )
