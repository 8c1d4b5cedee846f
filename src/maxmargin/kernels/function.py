"""Kernels from the user's own functions, on items of any kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.kernels.base import Kernel, precision_of
from maxmargin.kernels.points import FloatArray, Points, Rows, as_points, dot, squared_norms


@dataclass(frozen=True, eq=False, slots=True)
class Items:
    """Items of any kind: the rows of an array or a sparse matrix, or the members of a list."""

    items: Any
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        return int(self.items.shape[0]) if hasattr(self.items, "shape") else len(self.items)

    def __getitem__(self, rows: Rows) -> Items:
        if hasattr(self.items, "shape") or isinstance(rows, slice):
            return Items(self.items[rows], self.dtype)
        return Items([self.items[i] for i in np.arange(len(self))[rows]], self.dtype)

    def __iter__(self) -> Any:
        return (self.items[i] for i in range(len(self)))


def as_items(X: Any) -> Items:
    """X as items; only what has no order or no length is refused."""
    if sparse.issparse(X):
        return Items(X.tocsr(), precision_of(X))
    if isinstance(X, str) or not hasattr(X, "__len__"):
        raise ValueError(
            f"Expected a list or an array of items, got {type(X).__name__}; put single items in a list."
        )
    items = (
        X if isinstance(X, np.ndarray) else np.asarray(X) if hasattr(X, "__array__") else list(X)
    )
    if len(items) == 0:
        raise ValueError("Found no items; a kernel needs at least one.")
    return Items(items, precision_of(X))


class FromFunction(Kernel):
    """The kernel that a function computes.

    Parameters
    ----------
    f : callable
        ``f(x, y)`` gives one number for two items. With ``batch=True``, ``f(X, Y)`` gets two collections of items and
        gives the whole matrix, which is much faster; scikit-learn's kernel functions have this form.
    psd : bool or None, default=None
        What you know: True if f is positive semidefinite, False if it is not, None if you cannot say.
    batch : bool, default=False

    Examples
    --------
    Items need not be vectors:

    >>> def common_letters(a, b):
    ...     return len(set(a) & set(b))
    >>> FromFunction(common_letters, psd=True)(["night", "light", "sun"]).tolist()
    [[5.0, 4.0, 1.0], [4.0, 5.0, 0.0], [1.0, 0.0, 3.0]]
    """

    def __init__(
        self, f: Callable[[Any, Any], Any], psd: bool | None = None, batch: bool = False
    ) -> None:
        self.f = f
        self._psd = psd
        self.batch = batch
        self._check_params()

    def _check_params(self) -> None:
        if not callable(self.f):
            raise TypeError(f"FromFunction needs a function of two items, got {self.f!r}.")
        if self._psd not in (True, False, None):
            raise ValueError(f"FromFunction takes True, False or None for psd, got {self._psd!r}.")

    @property
    def psd(self) -> bool | None:
        return self._psd

    @psd.setter
    def psd(self, value: bool | None) -> None:
        self._psd = value

    def prepare(self, X: Any) -> Items:
        return as_items(X)

    def fill(self, A: Items, B: Items, out: FloatArray) -> None:
        if self.batch:
            out[...] = self._matrix(A, B)
        else:
            others = list(B)
            for i, x in enumerate(A):
                out[i] = [self.f(x, y) for y in others]

    def diagonal(self, A: Items) -> FloatArray:
        if self.batch:
            singles = (A[i : i + 1] for i in range(len(A)))
            return np.array([self._matrix(x, x)[0, 0] for x in singles], A.dtype)
        return np.array([self.f(x, x) for x in A], A.dtype)

    def _matrix(self, A: Items, B: Items) -> FloatArray:
        K = np.asarray(self.f(A.items, B.items))
        if K.shape != (len(A), len(B)):
            wanted = f"a matrix of shape {(len(A), len(B))}"
            raise ValueError(
                f"The kernel function gave shape {K.shape} instead of {wanted}; is batch=True meant?"
            )
        return K

    def _given_params(self) -> dict[str, Any]:
        given = super()._given_params()
        return (
            given
            if self.batch
            else {name: value for name, value in given.items() if name != "batch"}
        )


class FeatureMap(Kernel):
    """<phi(x), phi(y)> for any explicit phi: positive semidefinite whatever phi is.

    Parameters
    ----------
    phi : callable
        Maps the array X of shape (n, d) to features of shape (n, m), or to n numbers f(x), which gives
        f(x) f(y). With ``batch=False`` it maps a single item to a vector or a number.
    batch : bool, default=True

    Examples
    --------
    >>> import numpy as np
    >>> def squares(X):
    ...     return np.column_stack([X, X**2])
    >>> FeatureMap(squares)(np.array([[1.0], [2.0]])).tolist()
    [[2.0, 6.0], [6.0, 20.0]]
    >>> FeatureMap(len, batch=False)(["a", "bcd"]).tolist()
    [[1.0, 3.0], [3.0, 9.0]]
    """

    def __init__(self, phi: Callable[[Any], Any], batch: bool = True) -> None:
        self.phi = phi
        self.batch = batch
        self._check_params()

    def _check_params(self) -> None:
        if not callable(self.phi):
            raise TypeError(f"FeatureMap needs a function of the data, got {self.phi!r}.")

    @property
    def psd(self) -> bool:
        return True

    def prepare(self, X: Any) -> Points:
        features = self._features(as_items(X))
        if not sparse.issparse(features):
            features = np.asarray(features)
            features = features[:, None] if features.ndim == 1 else features
        if features.ndim != 2 or features.shape[0] != len(as_items(X)):
            raise ValueError(
                f"phi gave shape {features.shape} for {len(as_items(X))} items; it needs one row an item."
            )
        return as_points(features)

    def _features(self, A: Items) -> Any:
        return self.phi(A.items) if self.batch else [self.phi(x) for x in A]

    def fill(self, A: Points, B: Points, out: FloatArray) -> None:
        dot(A, B.astype(A.dtype), out)

    def diagonal(self, A: Points) -> FloatArray:
        return squared_norms(A.X)

    def _given_params(self) -> dict[str, Any]:
        return {"phi": self.phi} if self.batch else {"phi": self.phi, "batch": self.batch}
