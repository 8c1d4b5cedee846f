"""Nearest neighbours in tables of numbers and words, by a mixed distance."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.labels import check_labels, find_classes
from maxmargin.inputs.parameters import (
    ParameterError,
    all_or_nothing,
    check_choice,
    check_number,
    check_shared,
)
from maxmargin.inputs.table import FROM_DTYPE, read
from maxmargin.neighbors.attribute import SELECTIONS, AttributeSearch, search_attributes
from maxmargin.neighbors.distance import MixedDistance, Ruler, Terms, chunks, dense
from maxmargin.neighbors.table import NeighborTable, nearest
from maxmargin.neighbors.vote import WEIGHTS, class_shares, mean_for_each_k, vote_for_each_k, weigh
from maxmargin.ops.clock import stop_if_over, watch
from maxmargin.progress.callbacks import CallbackSupport

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

_KEPT = 1 << 24  # terms of pairs that a search keeps: 128 MiB


class _MixedNeighbors(CallbackSupport, BaseEstimator):
    """What both share: the table, its distance, the search for weights of columns."""

    distance_: MixedDistance
    attribute_search_: AttributeSearch | None
    _rows: Vector
    _target: NDArray[Any]
    _ruler: Ruler

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: str = "uniform",
        distance: MixedDistance | None = None,
        selection: str | None = None,
        categorical_features: Any = FROM_DTYPE,
        time_limit: float | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.distance = distance
        self.selection = selection
        self.categorical_features = categorical_features
        self.time_limit = time_limit

    def __sklearn_tags__(self) -> Any:
        """Return the input tags."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows, and choose the weights of columns if asked to.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)
            Numbers, NaN where missing, and words.
        y : array-like of shape (rows,)
            Class labels, or numbers for a regressor.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        self._read(X, y)
        distance = MixedDistance() if self.distance is None else clone(self.distance)
        names = getattr(self, "feature_names_in_", None)
        self._ruler = distance.measure(self._rows, self.is_categorical_, names)
        self.attribute_search_ = None
        if self.selection is not None:
            self.attribute_search_ = self._select(distance)
            distance.set_params(weights=self.attribute_search_.weights)
            self._ruler = distance.measure(self._rows, self.is_categorical_)
        self.distance_ = distance
        return self

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_number(owner, "n_neighbors", self.n_neighbors, 1, whole=True)
        check_choice(owner, "weights", self.weights, WEIGHTS)
        check_shared(self)
        if self.selection is not None:
            check_choice(owner, "selection", self.selection, SELECTIONS, "or None")
        if not (self.distance is None or isinstance(self.distance, MixedDistance)):
            raise ParameterError(
                f"The 'distance' parameter of {owner} must be a MixedDistance or None. "
                f"Got {self.distance!r} instead."
            )

    def _read(self, X: Any, y: Any) -> None:
        raise NotImplementedError

    def _losses(self, table: NeighborTable, target: NDArray[Any]) -> Vector:
        """Return the loss of rows predicted by their neighbours."""
        raise NotImplementedError

    # neighbours

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Find the nearest rows; of equal distances the first.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns), default=None
            None stands for the rows of ``fit``, each without itself.
        n_neighbors : int, default=None
            None is that of the model.
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of shape (rows, n_neighbors)
            If asked for.
        indices : ndarray of shape (rows, n_neighbors)
        """
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        check_number(type(self).__name__, "n_neighbors", k, 1, whole=True)
        rows = None if X is None else dense(read(self, X, reset=False))
        table = self._nearest(rows, k)
        return (table.distances, table.indices) if return_distance else table.indices

    def _nearest(self, rows: Vector | None, k: int) -> NeighborTable:
        others = len(self._rows) - (rows is None)
        if k > others:
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = "
                f"{len(self._rows)}; ask for at most {others}."
            )
        found = []
        for part, block in self._ruler.blocks(self._rows if rows is None else rows, self._rows):
            if rows is None:
                _leave_out_own(block, part)
            found.append(nearest(block, k))
        return NeighborTable(
            np.vstack([table.distances for table in found]),
            np.vstack([table.indices for table in found]),
        )

    def _neighbors(self, X: Any) -> NeighborTable:
        check_is_fitted(self)
        return self._nearest(dense(read(self, X, reset=False)), self.n_neighbors)

    # weights of columns

    def _select(self, distance: MixedDistance) -> AttributeSearch:
        n_columns = self._rows.shape[1]
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(n_columns)])
        _refuse_selection(distance, self.n_neighbors, len(self._rows))
        with watch(self.time_limit) as clock:
            judge = partial(self._judge, self._kept_terms())
            start = self._ruler.weights
            return search_attributes(str(self.selection), judge, start, list(names), clock)

    def _terms(self) -> Iterator[tuple[slice, Terms]]:
        """Yield the contributions of columns to distances, a few rows at a time."""
        for part in chunks(len(self._rows), self._rows.size):
            yield part, self._ruler.terms(self._rows[part], self._rows)

    def _kept_terms(self) -> list[tuple[slice, Terms]]:
        """Keep them where there is room for those of all rows; they are the same in every step."""
        return list(self._terms()) if self._rows.size * len(self._rows) <= _KEPT else []

    def _judge(self, kept: list[tuple[slice, Terms]], candidates: list[Vector]) -> Vector:
        """Return the leave-one-out loss for each of some weights of columns."""
        losses = np.zeros(len(candidates))
        for part, terms in kept or self._terms():
            for k, weights in enumerate(candidates):
                stop_if_over()
                block = self._ruler.combine(terms, weights)
                _leave_out_own(block, part)
                table = nearest(block, self.n_neighbors)
                losses[k] += self._losses(table, self._target[part]).sum()
        return losses / len(self._rows)


class MixedNeighborsClassifier(ClassifierMixin, _MixedNeighbors):
    """k nearest neighbours in a table of numbers and categories.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours. Ties go to the first class; rows at equal distances count in the order
        of the data.
    weights : {"uniform", "distance"}, default="uniform"
        Weights of the votes: equal, or 1 / distance.
    distance : MixedDistance, default=None
        None means ``MixedDistance()``: numbers scaled by their range, categories equal or
        different.
    selection : {"eliminate", "weigh"}, default=None
        How to choose the weights of columns by leave-one-out: "eliminate" drops one column after
        another, "weigh" tries 0, 1/4, 1/2, 1, 2 and 4 for each; None keeps them.
    categorical_features : "from_dtype", indices, names, a mask or None
        The categorical columns; "from_dtype" takes the columns of a DataFrame that hold categories
        or strings.
    time_limit : float, default=None
        Seconds for the selection, which then keeps the best weights so far.

    Attributes
    ----------
    distance_ : MixedDistance
        The distance with the chosen weights.
    attribute_search_ : AttributeSearch or None
        The record of the selection.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    is_categorical_ : ndarray of bool or None
        Which columns are categorical.

    Examples
    --------
    >>> import polars as pl
    >>> from maxmargin.datasets import load_heart
    >>> from maxmargin.neighbors import MixedNeighborsClassifier
    >>> heart = pl.DataFrame(load_heart(complete=False, as_table=True), strict=False)
    >>> X, y = heart.drop("AHD"), heart["AHD"].to_numpy()
    >>> model = MixedNeighborsClassifier(15).fit(X, y)
    >>> model.predict(X[:3]).tolist()
    ['No', 'Yes', 'Yes']
    """

    def _read(self, X: Any, y: Any) -> None:
        rows, given = read(self, X, y, reset=True)
        self.classes_, self._target = find_classes(check_labels(given))
        self._rows = dense(rows)

    def _losses(self, table: NeighborTable, target: NDArray[Any]) -> Vector:
        return np.asarray(self._winners(table) != target, np.float64)

    def _winners(self, table: NeighborTable) -> Index:
        weight = weigh(table.distances, self.weights)
        return vote_for_each_k(self._target[table.indices], weight, len(self.classes_))[:, -1]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with most votes.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        labels : ndarray of shape (rows,)
        """
        found = self._neighbors(X)
        return np.asarray(self.classes_[self._winners(found)])

    def predict_proba(self, X: Any) -> Vector:
        """Return the shares of the votes.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        probabilities : ndarray of shape (rows, classes)
        """
        table = self._neighbors(X)
        weight = weigh(table.distances, self.weights)
        return class_shares(self._target[table.indices], weight, len(self.classes_))


class MixedNeighborsRegressor(RegressorMixin, _MixedNeighbors):
    """The mean of the k nearest neighbours in a table of numbers and categories.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours. Rows at equal distances count in the order of the data.
    weights : {"uniform", "distance"}, default="uniform"
        Weights of the neighbours: equal, or 1 / distance.
    distance, selection, categorical_features, time_limit
        As in ``MixedNeighborsClassifier``; the loss of the selection is the mean square.

    Attributes
    ----------
    distance_, attribute_search_, is_categorical_, n_features_in_, feature_names_in_
        As in ``MixedNeighborsClassifier``.

    Examples
    --------
    >>> import polars as pl
    >>> from maxmargin.neighbors import MixedNeighborsRegressor
    >>> X = pl.DataFrame({"rooms": [1.0, 2.0, 3.0, 4.0], "town": ["A", "A", "B", "B"]})
    >>> MixedNeighborsRegressor(1).fit(X, [10.0, 20.0, 25.0, 35.0]).predict(X[1:2])
    array([20.])
    """

    def _read(self, X: Any, y: Any) -> None:
        rows, target = read(self, X, y, reset=True, y_numeric=True)
        self._rows, self._target = dense(rows), np.asarray(target, np.float64)

    def _losses(self, table: NeighborTable, target: NDArray[Any]) -> Vector:
        return np.square(self._means(table) - target)

    def _means(self, table: NeighborTable) -> Vector:
        weight = weigh(table.distances, self.weights)
        return np.asarray(mean_for_each_k(self._target[table.indices], weight)[:, -1])

    def predict(self, X: Any) -> Vector:
        """Return the mean of the neighbours.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        values : ndarray of shape (rows,)
        """
        return self._means(self._neighbors(X))


def _leave_out_own(block: Vector, part: slice) -> None:
    """Set the distance of every row to itself to infinity."""
    rows = np.arange(len(block))
    block[rows, part.start + rows] = np.inf


def _refuse_selection(distance: MixedDistance, k: int, n_rows: int) -> None:
    if distance.numbers == "mahalanobis":
        raise ParameterError(
            "The 'selection' parameter must be None with numbers='mahalanobis', whose scale takes "
            "all columns together."
        )
    if k >= n_rows:
        raise ValueError(
            f"A selection by leave-one-out needs n_neighbors < n_samples, but n_neighbors = {k}, "
            f"n_samples = {n_rows}; ask for fewer neighbours."
        )
