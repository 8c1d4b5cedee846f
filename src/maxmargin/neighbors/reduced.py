"""A nearest neighbour classifier of some of its rows: what condensing and editing share."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.container import by_position, take_rows
from maxmargin.inputs.labels import check_labels, find_classes
from maxmargin.inputs.parameters import ParameterError, check_shared
from maxmargin.neighbors.numbers import read_numbers

Index = NDArray[np.intp]

_OF_SEARCH = ("algorithm", "leaf_size", "p", "metric", "metric_params", "n_jobs")


class ReducedNeighbors(ClassifierMixin, BaseEstimator):
    """One nearest neighbour among the rows that were kept.

    A subclass reads rows (``_read``), chooses, and keeps (``_keep``).
    """

    _indices: ClassVar[str]
    """The attribute with the places of the rows kept."""

    classes_: NDArray[Any]
    estimator_: KNeighborsClassifier

    def __sklearn_tags__(self) -> Any:
        """Say what input is taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_parameters(self) -> None:
        check_shared(self)
        if isinstance(self.metric, str) and self.metric == "precomputed":
            raise ParameterError(
                f"The 'metric' parameter of {type(self).__name__} must be one of rows, not "
                "'precomputed': give the rows themselves."
            )

    def _read(self, X: Any, y: Any, at_least: int = 1) -> tuple[Any, Index]:
        """Give rows and the numbers of their classes."""
        rows, given = read_numbers(self, X, y=y, dtype=np.float64, ensure_min_samples=at_least)
        self.classes_, numbers = find_classes(check_labels(given))
        return rows, numbers

    def _search(self, n_neighbors: int) -> KNeighborsClassifier:
        given = {name: getattr(self, name) for name in _OF_SEARCH}
        return KNeighborsClassifier(n_neighbors, **given)

    def _keep(self, rows: Any, numbers: Index, kept: Index) -> None:
        setattr(self, self._indices, kept)
        self.estimator_ = self._search(1).fit(rows[kept], numbers[kept])

    @property
    def n_kept_(self) -> int:
        """How many rows were kept."""
        return len(getattr(self, self._indices))

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Fit, and give the rows kept, in the container that they came in.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)
        y : array-like of shape (rows,)
            Class labels.

        Returns
        -------
        X_kept : like X
        y_kept : ndarray of shape (rows kept,)
        """
        kept = getattr(self.fit(X, y), self._indices)
        rows = X if hasattr(X, "columns") else by_position(X)
        return take_rows(rows, kept), np.asarray(y)[kept]

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the label of the nearest row kept.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        labels : ndarray of shape (rows,)
        """
        check_is_fitted(self)
        rows = read_numbers(self, X, reset=False)
        return np.asarray(self.classes_[self.estimator_.predict(rows)])
