"""A nearest neighbour classifier of some of its rows: what condensing and editing share."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.container import by_position, take_rows
from maxmargin.inputs.labels import check_labels, find_classes
from maxmargin.neighbors.numbers import read_numbers
from maxmargin.neighbors.searcher import Searcher
from maxmargin.neighbors.table import centre_of, has_products

Vector = NDArray[np.float64]
Index = NDArray[np.intp]


class ReducedNeighbors(ClassifierMixin, Searcher):
    """One nearest neighbour among the rows that were kept.

    A subclass reads rows (``_read``), chooses, and keeps (``_keep``).
    """

    _indices: ClassVar[str]
    """The attribute with the places of the rows kept."""

    classes_: NDArray[Any]
    centre_: Vector | None
    complete_: bool
    estimator_: KNeighborsClassifier

    def _read(self, X: Any, y: Any, at_least: int = 1) -> tuple[Any, Index]:
        """Return rows and the numbers of their classes."""
        rows, given = read_numbers(self, X, y=y, dtype=np.float64, ensure_min_samples=at_least)
        self.classes_, numbers = find_classes(check_labels(given))
        return rows, numbers

    def _search(self, rows: Any, numbers: Index, n_neighbors: int) -> KNeighborsClassifier:
        return self._fitted(KNeighborsClassifier, rows, numbers, n_neighbors=n_neighbors)

    def _keep(self, rows: Any, numbers: Index, kept: Index, search: KNeighborsClassifier) -> None:
        """Keep these rows, searched as all were: few would be by brute force, which rounds."""
        setattr(self, self._indices, kept)
        self.centre_ = centre_of(rows) if has_products(search) else None
        few = rows[kept] if self.centre_ is None else rows[kept] - self.centre_
        given = {"algorithm": search._fit_method, "n_neighbors": 1}
        self.estimator_ = self._fitted(KNeighborsClassifier, few, numbers[kept], **given)

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
        """Return the label of the nearest stored row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        labels : ndarray of shape (rows,)
        """
        check_is_fitted(self)
        rows = read_numbers(self, X, reset=False)
        if sparse.issparse(rows) and not sparse.issparse(self.estimator_._fit_X):
            rows = rows.toarray()
        rows = rows if self.centre_ is None else rows - self.centre_
        return np.asarray(self.classes_[self.estimator_.predict(rows)])
