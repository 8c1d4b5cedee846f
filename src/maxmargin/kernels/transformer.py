"""The features of a kernel as a step of a pipeline."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.container import column_names
from maxmargin.inputs.items import check_items
from maxmargin.inputs.vectors import check_vectors
from maxmargin.kernels.base import Kernel
from maxmargin.kernels.dot import Linear


class KernelFeatures(TransformerMixin, BaseEstimator):
    """Write out phi(x) with k(x, y) = <phi(x), phi(y)>, so that linear models learn from it.

    Made by :meth:`Kernel.features`. Kernels of strings and categories give sparse rows, in the
    columns of what occurs in the items of ``fit``; what else a later item has is left out, as it
    meets nothing of theirs.

    Parameters
    ----------
    kernel : Kernel, default=Linear()
        One of finitely many features, or a combination of such.

    Attributes
    ----------
    kernel_ : Kernel
        With numbers for all that the items of ``fit`` decide.
    n_features_in_ : int
        Columns of X, of vectors and tables.
    feature_names_in_ : ndarray of str
        Names of the columns of X, where it has such.

    Examples
    --------
    >>> from maxmargin.kernels import Spectrum
    >>> counts = Spectrum(2).features().fit(["abab", "bb"])
    >>> counts.get_feature_names_out().tolist()
    ['ab', 'ba', 'bb']
    >>> counts.transform(["babb", "zz"]).toarray().tolist()
    [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
    """

    def __init__(self, kernel: Kernel | None = None) -> None:
        self.kernel = kernel

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: rows may be sparse."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn which features there are.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or list of items
        y : ignored

        Returns
        -------
        self : KernelFeatures
        """
        prepared = self._learn(X)
        self.kernel_._features(prepared[:1])  # says here, not in transform, if there are none
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # noqa: ARG002
        """Learn which features there are, and write them out.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or list of items
        y : ignored

        Returns
        -------
        features : ndarray or CSR matrix of shape (items, features)
        """
        prepared = self._learn(X)
        return self.kernel_._features(prepared)

    def transform(self, X: Any) -> Any:
        """Write out the features of items.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or list of items

        Returns
        -------
        features : ndarray or CSR matrix of shape (items, features)
        """
        check_is_fitted(self)
        items = self._checked(X, self.kernel_, reset=False)
        return self.kernel_._features(self.kernel_.prepare_new(items, self._known))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Name the features: substrings by themselves, categories as column=category.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self)
        columns = getattr(self, "feature_names_in_", None)
        names = None if columns is None else columns.tolist()
        return np.array(self.kernel_._feature_names(self._known, names), dtype=object)

    def _learn(self, X: Any) -> Any:
        """Prepare the items, and keep what new ones share with them: a choice of none of them."""
        kernel = Linear() if self.kernel is None else self.kernel
        if not isinstance(kernel, Kernel):
            raise TypeError(f"KernelFeatures needs a kernel such as Spectrum(3), got {kernel!r}.")
        items = self._checked(X, kernel, reset=True)
        self.kernel_ = kernel.resolved(items if column_names(X) is None else X)
        prepared = self.kernel_.prepare(items)
        self._known = prepared[:0]
        return prepared

    def _checked(self, X: Any, kernel: Kernel, reset: bool) -> Any:
        if kernel.takes_items(X):
            return check_items(self, X, reset)
        return check_vectors(self, X, reset=reset)
