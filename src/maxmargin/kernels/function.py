"""Kernels from the user's own functions, on items of any kind."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.inputs.container import by_position, count_rows
from maxmargin.inputs.vectors import find_nonfinite
from maxmargin.kernels.base import Kernel, Takes, precision_of, shown
from maxmargin.kernels.dot import DotProduct
from maxmargin.kernels.points import FloatArray, Points, Rows, as_matrix
from maxmargin.ops.clock import stop_if_over

_CALLS = 16  # of a function that may take long, between two looks at the clock


@dataclass(frozen=True, eq=False, slots=True)
class Items:
    """Items of any kind: the rows of an array or a sparse matrix, or the members of a list."""

    items: Any
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        return count_rows(self.items)

    def __getitem__(self, rows: Rows) -> Items:
        if hasattr(self.items, "shape") or isinstance(rows, slice):
            return Items(self.items[rows], self.dtype)
        return Items([self.items[i] for i in np.arange(len(self))[rows]], self.dtype)

    def __iter__(self) -> Any:
        return (self.items[i] for i in range(len(self)))


def _looking(count: int) -> Iterator[int]:
    """Count so far, and look at the clock now and then."""
    for i in range(count):
        if i % _CALLS == 0:
            stop_if_over()
        yield i


def as_items(X: Any) -> Items:
    """Take X as items, by position; only what has no order or no length is refused."""
    items = by_position(X)
    if count_rows(items) == 0:
        raise ValueError("Found no items; a kernel needs at least one.")
    return Items(items.tocsr() if sparse.issparse(items) else items, precision_of(items))


class FromFunction(Kernel):
    """The kernel that a function computes.

    Parameters
    ----------
    f : callable
        ``f(x, y)`` gives one number for two items. With ``batch=True``, ``f(X, Y)`` gets two
        collections of items and gives the whole matrix, which is much faster; scikit-learn's kernel
        functions have this form.
    psd : bool or None, default=None
        What you know: True if f is positive semidefinite, False if it is not, None if you cannot
        say.
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
    def takes(self) -> Takes:
        """Whatever the function takes."""
        return Takes.ITEMS

    @property
    def psd(self) -> bool | None:
        """What the user said."""
        return self._psd

    @psd.setter
    def psd(self, value: bool | None) -> None:
        self._psd = value

    def prepare(self, X: Any) -> Items:
        """Take the items as they are."""
        return as_items(X)

    def fill(self, A: Items, B: Items, out: FloatArray) -> None:
        """Call the function, once or for every pair."""
        if self.batch:
            out[...] = self._matrix(A, B)
        else:
            others = list(B)
            for i, x in enumerate(A):
                out[i] = [self.f(x, others[j]) for j in _looking(len(others))]
        if (place := find_nonfinite(out)) is not None:
            self._blame(place[0], A.items[place[1]], B.items[place[2]])

    def diagonal(self, A: Items) -> FloatArray:
        """Call the function on each item with itself."""
        if self.batch:
            own = [self._matrix(A[i : i + 1], A[i : i + 1])[0, 0] for i in _looking(len(A))]
        else:
            items = list(A)
            own = [self.f(items[i], items[i]) for i in _looking(len(A))]
        values = np.array(own, A.dtype)
        if (place := find_nonfinite(values[:, None])) is not None:
            self._blame(place[0], A.items[place[1]], A.items[place[1]])
        return values

    def errors(self, A: Items) -> NDArray[np.float64]:
        """None in double precision, where values are what the function says; else their own."""
        return np.zeros(len(A)) if A.dtype == np.float64 else super().errors(A)

    def _matrix(self, A: Items, B: Items) -> FloatArray:
        K, wanted = np.asarray(self.f(A.items, B.items)), (len(A), len(B))
        if K.shape != wanted:
            raise ValueError(
                f"The kernel function gave shape {K.shape}, it should be {wanted}; a function of "
                "two items is given as FromFunction(f)."
            )
        return K

    def _blame(self, found: str, x: Any, y: Any) -> None:
        """Raise an error that blames the function, not the data."""
        raise ValueError(
            f"The kernel function {shown(self.f)} gave {found} for {_short(x)} and {_short(y)}; it "
            "must give a finite number for every pair of items."
        )

    def _given_params(self) -> dict[str, Any]:
        given = super()._given_params()
        return given if self.batch else {name: given[name] for name in given if name != "batch"}


class FeatureMap(DotProduct):
    """<phi(x), phi(y)> for any explicit phi: positive semidefinite whatever phi is.

    Parameters
    ----------
    phi : callable
        Maps the array X of shape (n, d) to features of shape (n, m), or to n numbers f(x), which
        gives f(x) f(y). With ``batch=False`` it maps a single item to a vector or a number.
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
    def takes(self) -> Takes:
        """Whatever phi takes."""
        return Takes.ITEMS

    @property
    def psd(self) -> bool:
        """True: |sum z_i phi(x_i)|^2 >= 0."""
        return True

    def prepare(self, X: Any) -> Points:
        """Map all items to their features."""
        items = as_items(X)
        features = self.phi(items.items) if self.batch else [self.phi(x) for x in items]
        points = Points(as_matrix(_one_row_each(features, len(items)), finite=False))
        if (place := find_nonfinite(points.X)) is not None:
            item = _short(items.items[place[1]])
            raise ValueError(f"phi gave {place[0]} for {item}; it must give finite numbers.")
        return points.astype(items.dtype) if items.dtype == np.float32 else points

    def _given_params(self) -> dict[str, Any]:
        return {"phi": self.phi} if self.batch else {"phi": self.phi, "batch": self.batch}


def _short(item: Any) -> str:
    """Print an item in a few letters."""
    return " ".join(reprlib.repr(item).split())


def _one_row_each(features: Any, n: int) -> Any:
    """Check what phi gave, and make a column of one number an item."""
    if not sparse.issparse(features):
        features = np.asarray(features)
        features = features[:, None] if features.ndim == 1 else features
    if features.ndim != 2 or features.shape[0] != n:
        raise ValueError(
            f"phi gave shape {features.shape} for {n} items; it needs one row an item."
        )
    return features
