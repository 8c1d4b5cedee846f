"""A split of the rows by one feature, with a value for each side: what a stump is.

A row goes right where x > threshold, or, for a categorical feature, where its category is one of
those that go right. A missing value goes where ``missing_right`` says, and so does a category that
was not seen when the split was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Split:
    """A split on one feature.

    Parameters
    ----------
    feature : int
        The column asked about; -1 asks nothing, and every row goes left.
    threshold : float
        Rows with larger values go right. NaN for a categorical feature.
    categories : ndarray of bool or None
        For a categorical feature, whether the rows of each code go right.
    missing_right : bool
        Whether missing values go right.
    left, right : float
        The values of the two sides.
    gain : float
        By how much the criterion is better than without the split, or the edge of the split.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.boosting import Split
    >>> split = Split(0, 2.5, left=-1.0, right=1.0)
    >>> split.values(np.array([[2.0], [3.0], [np.nan]]))
    array([-1.,  1., -1.])
    """

    feature: int = -1
    threshold: float = np.nan
    categories: Mask | None = None
    missing_right: bool = False
    left: float = 0.0
    right: float = 0.0
    gain: float = 0.0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Split):
            return NotImplemented
        same = np.array_equal(self._numbers(), other._numbers(), equal_nan=True)
        if self.categories is None or other.categories is None:
            return same and self.categories is other.categories
        return same and np.array_equal(self.categories, other.categories)

    def __hash__(self) -> int:
        return hash((self.feature, self.left, self.right))

    def _numbers(self) -> tuple[float, ...]:
        question = self.feature, self.threshold, self.missing_right
        return *question, self.left, self.right, self.gain

    def asks_like(self, other: Split) -> bool:
        """Return whether another split asks the same question about a number."""
        return (self.feature, self.threshold) == (other.feature, other.threshold)

    def right_side(self, X: Any) -> Mask:
        """Return which rows go right.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (rows, columns)

        Returns
        -------
        right : ndarray of bool of shape (rows,)
        """
        if self.feature < 0:
            return np.zeros(X.shape[0], dtype=bool)
        return self.right_of(column(X, self.feature))

    def right_of(self, x: NDArray[Any]) -> Mask:
        """Return which values of the feature go right.

        Parameters
        ----------
        x : ndarray of shape (rows,)

        Returns
        -------
        right : ndarray of bool of shape (rows,)
        """
        if self.categories is not None:
            return self._chosen(x)
        right: Mask = x > floor_as(self.threshold, x.dtype)
        return right | np.isnan(x) if self.missing_right else right

    def _chosen(self, code: NDArray[Any]) -> Mask:
        assert self.categories is not None
        known = (code >= 0) & (code < len(self.categories))
        right = np.full(len(code), self.missing_right)
        right[known] = self.categories[code[known].astype(np.intp)]
        return right

    def values(self, X: Any) -> NDArray[np.float64]:
        """Return for every row the value of its side.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (rows, columns)

        Returns
        -------
        values : ndarray of shape (rows,)
        """
        return np.where(self.right_side(X), self.right, self.left)


def floor_as(threshold: Any, dtype: Any) -> Any:
    """Round thresholds down to a precision, in which x > threshold then says the same.

    To the nearest they could land on a value of the right side.
    """
    with np.errstate(over="ignore"):  # beyond the precision's range a threshold is infinite
        nearest = np.asarray(threshold).astype(dtype)
    below = np.nextafter(nearest, nearest.dtype.type(-np.inf))
    return np.where(nearest.astype(np.float64) > threshold, below, nearest)


def midpoint(low: float, high: float) -> float:
    """Return the midpoint of two values, or the lower one if it would round to the higher."""
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


def round_gain(gain: Any) -> Any:
    """Leave off what the rounding of weights, of sum 1, makes of a gain."""
    return np.round(gain, 10)


def midpoints(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the midpoints of many pairs of values, as ``midpoint`` does."""
    middle = 0.5 * low + 0.5 * high
    return np.where((low <= middle) & (middle < high), middle, low)


def column(X: Any, feature: int) -> NDArray[Any]:
    """Return a column of a dense or sparse matrix as an array."""
    if sparse.issparse(X):
        return X[:, [feature]].toarray().ravel()
    return X[:, feature]
