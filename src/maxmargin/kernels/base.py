"""What a kernel is: a value that turns two sets of prepared rows into a block of similarities."""

# The operators import the algebra when they are used, because the algebra is made of kernels.
# ruff: noqa: PLC0415

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import Enum, IntEnum
from functools import cache
from numbers import Integral, Real
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.container import refuse_other_columns
from maxmargin.inputs.items import holds_other_than_numbers
from maxmargin.kernels.pieces import evaluate
from maxmargin.kernels.points import FloatArray, Rows

_BLOCK_ROWS, _BLOCK_COLUMNS = 512, 2048  # a block of float32 values is 4 MB
Columns: TypeAlias = list[Any] | None  # names of the columns of X, where they are known
_UNITS = 8.0  # in the last place that an evaluation of which nothing is known may be off


class Prepared(Protocol):
    """Rows as a kernel wants them: immutable, with a length, a precision, a choice of rows."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision in which blocks of these rows come."""
        ...

    def __len__(self) -> int: ...
    def __getitem__(self, rows: Rows) -> Prepared: ...


class Takes(Enum):
    """What the items of a kernel are."""

    VECTORS = "rows of numbers"
    ITEMS = "anything, which only the kernel can check"
    MATRIX = "rows of the kernel matrix itself"


class Shift(IntEnum):
    """What becomes of a kernel's values, and of machines, when all rows move by the same vector."""

    NOTHING = 0
    """Values stay as they are."""
    BIAS = 1
    """Values change, but by no more than a free bias makes good."""
    CHANGES = 2
    """Values change."""


@cache
def _parameters_of(kind: type) -> tuple[str, ...]:
    return tuple(inspect.signature(kind).parameters)


class Kernel(ABC):
    """A similarity of two items, with an algebra.

    Kernels are values: equal when their type and parameters are equal, printed as the expression
    that makes them, and combined by ``+``, ``*``, ``**``, ``exp``, ``restrict`` and ``normalized``.
    Parameters are read and replaced by ``get_params`` and ``set_params`` as in scikit-learn, so a
    grid search reaches ``kernel__left__gamma``.

    To write one, give ``psd``, ``prepare``, ``fill`` and ``diagonal``; everything else follows.

    Examples
    --------
    >>> from maxmargin.kernels import Linear, RBF
    >>> k = 2.0 * RBF(gamma=0.5) + Linear() ** 2
    >>> k
    2.0 * RBF(gamma=0.5) + Linear() ** 2
    >>> k.psd
    True
    >>> k([[0.0, 0.0], [1.0, 1.0]]).round(3).tolist()
    [[2.0, 0.736], [0.736, 6.0]]
    """

    __array_ufunc__ = None  # so that NumPy scalars on the left leave arithmetic to the kernel
    _precedence = 3  # of the expression in repr: 0 sum, 1 product, 2 power, 3 call

    # What is true of a kernel

    @property
    def takes(self) -> Takes:
        """What its items are."""
        return Takes.VECTORS

    @property
    def shift(self) -> Shift:
        """What becomes of its values when all rows move by the same vector."""
        return Shift.CHANGES

    @property
    def linear(self) -> bool:
        """Whether k(x, y) = <x, y>, so that a machine of it has weights on the columns."""
        return False

    @property
    def distance(self) -> str | None:
        """The distance that its values are made of, by which kernels of other rates are served.

        A kernel that has one fills tiles with it (``distances``) and from it (``of_distances``).
        """
        return None

    @property
    def adds_columns(self) -> bool:
        """Whether columns count by their scale alone, so that large ones drown small ones.

        They do in distances and in powers of products. A linear machine weighs its columns itself.
        """
        return False

    @property
    def formula(self) -> tuple[int, NDArray[np.float64]] | None:
        """By which formula of ``ops.kinds`` compiled loops evaluate it, and with which numbers."""
        return None

    @property
    def concurrent(self) -> bool:
        """Whether several threads evaluate a matrix in pieces; else BLAS has threads of its own."""
        return False

    @property
    def selective(self) -> bool:
        """Whether it looks at some columns only, so that others may hold anything."""
        return False

    @property
    def _names_columns(self) -> bool:
        """Whether names of features begin with the column they belong to."""
        return False

    def takes_items(self, X: Any) -> bool:
        """Whether only the kernel can check X, as it alone knows which columns are numbers."""
        return self.takes is Takes.ITEMS or (self.selective and holds_other_than_numbers(X))

    def n_features(self, columns: int) -> float | None:  # noqa: ARG002
        """Count what ``features`` writes out of so many columns; None where nobody knows.

        Examples
        --------
        >>> from maxmargin.kernels import RBF, Polynomial
        >>> Polynomial(degree=2).n_features(2), RBF(gamma=1.0).n_features(2)
        (6, inf)
        """
        return None

    # What a kernel gives

    @property
    @abstractmethod
    def psd(self) -> bool | None:
        """True: positive semidefinite on all inputs; False: on some inputs not; None: unknown."""

    @abstractmethod
    def prepare(self, X: Any) -> Any:
        """Check X and do once what every block would repeat."""

    def prepare_new(self, X: Any, training: Any) -> Any:  # noqa: ARG002
        """Prepare items that are compared with prepared ones, whose vocabulary they share.

        Here as any others: rows of numbers have no vocabulary.
        """
        return self.prepare(X)

    def features(self, X: Any = None) -> Any:
        """Write out phi(x) for every item, with k(x, y) = <phi(x), phi(y)>.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or list of items, optional

        Returns
        -------
        features : ndarray or CSR matrix of shape (items, features)
            Without X a transformer, ``KernelFeatures(kernel)``, that learns the features of a
            training set and writes out those of new items.

        Raises
        ------
        ValueError
            Where the features are infinitely many, or not known.

        Examples
        --------
        >>> from maxmargin.kernels import Polynomial
        >>> Polynomial(degree=2, coef0=0.0).features([[2.0, 3.0]]).round(3).tolist()
        [[4.0, 8.485, 9.0]]
        """
        if X is None:
            from maxmargin.kernels.transformer import KernelFeatures

            return KernelFeatures(self)
        kernel = self.resolved(X)
        return kernel._features(kernel.prepare(X))

    def _features(self, A: Any) -> Any:  # noqa: ARG002
        """Write out phi of prepared items, in columns that all items of a vocabulary share."""
        raise ValueError(f"{self!r} has no features that could be written out.")

    def _feature_names(self, A: Any, columns: Columns = None) -> list[str]:  # noqa: ARG002
        """Name the features of prepared items, each in a word; the columns of X have names too."""
        return [f"{type(self).__name__.lower()}{j}" for j in range(self._features(A).shape[1])]

    @abstractmethod
    def fill(self, A: Any, B: Any, out: FloatArray) -> None:
        """Write k(A, B) into ``out``, whose rows are contiguous and whose precision is A's."""

    @abstractmethod
    def diagonal(self, A: Any) -> FloatArray:
        """k(x, x) for every prepared row."""

    def errors(self, A: Any) -> NDArray[np.float64]:
        """Sizes e of the rounding: k(x_i, x_j) is off by at most u e_i e_j (``kernels.rounding``).

        Here a few units in the last place of what k can be at most.
        """
        return np.sqrt(_UNITS * np.abs(self.diagonal(A).astype(np.float64)))

    def units(self, A: Any) -> float:  # noqa: ARG002
        """Units in the last place of |x| |y| that <x, y> may be off, for a linear kernel."""
        return 0.0

    def _check_params(self) -> None:  # noqa: B027  (most kernels have nothing to refuse)
        """Raise ValueError or TypeError with a sentence if the parameters do not make a kernel."""

    # What every kernel has

    def block(self, A: Any, B: Any, out: FloatArray | None = None) -> FloatArray:
        """k(A, B) of prepared rows, in A's precision, written into ``out`` if it is given."""
        if out is None:
            out = np.empty((len(A), len(B)), A.dtype)
        if _has_contiguous_rows(out) and out.dtype == A.dtype:
            self.fill(A, B, out)
        else:
            out[...] = self.block(A, B)
        return out

    def resolved(self, X: Any, weight: NDArray[np.float64] | None = None) -> Kernel:
        """Return the same kernel with numbers for all that rows decide.

        A gamma of "scale" or "auto" becomes what it means on X, and names of columns become their
        places. A model resolves its kernel on the rows it is fitted to; new rows then see the same
        numbers. Calling a kernel, k(X, Y), resolves it on X.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or list of items
            The rows of a fit.
        weight : ndarray of shape (rows,), optional
            How often each of them counts.

        Returns
        -------
        Kernel
            Itself where nothing is left to decide.

        Examples
        --------
        >>> from maxmargin.kernels import RBF, Linear
        >>> (RBF(gamma="scale") + Linear()).resolved([[0.0], [1.0]])
        RBF(gamma=4.0) + Linear()
        """
        params = self.get_params(deep=False)
        parts = {k: v.resolved(X, weight) for k, v in params.items() if isinstance(v, Kernel)}
        return type(self)(**params | parts) if parts else self

    def __call__(self, X: Any, Y: Any = None) -> FloatArray:
        """Evaluate the matrix k(X, Y) in blocks; Y = X when it is not given."""
        refuse_other_columns(X, Y)
        kernel = self.resolved(X)
        A = kernel.prepare(X)
        B = A if Y is None else kernel.prepare_new(Y, A)
        return kernel._evaluate(A, B)

    def _evaluate(self, A: Any, B: Any) -> FloatArray:
        if self.concurrent:
            return evaluate(self, A, B)
        out = np.empty((len(A), len(B)), A.dtype)
        for i in range(0, len(A), _BLOCK_ROWS):
            rows = slice(i, i + _BLOCK_ROWS)
            for j in range(0, len(B), _BLOCK_COLUMNS):
                columns = slice(j, j + _BLOCK_COLUMNS)
                self.block(A[rows], B[columns], out[rows, columns])
        return out

    def diag(self, X: Any) -> FloatArray:
        """k(x, x) for every row of X, without the matrix."""
        kernel = self.resolved(X)
        return kernel.diagonal(kernel.prepare(X))

    # Parameters

    @classmethod
    def _param_names(cls) -> list[str]:
        return list(_parameters_of(cls))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get parameters by name; with ``deep``, of the kernels inside too, as ``left__gamma``."""
        params = {name: getattr(self, name) for name in self._param_names()}
        if deep:
            inner = {name: value for name, value in params.items() if isinstance(value, Kernel)}
            for name, kernel in inner.items():
                params |= {f"{name}__{key}": value for key, value in kernel.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Replace parameters in place; if the new ones are refused, the kernel stays as it was."""
        before = self.get_params(deep=False)
        try:
            self._replace(params)
            self._check_params()
        except (TypeError, ValueError):
            for name, value in before.items():
                setattr(self, name, value)
            raise
        return self

    def _replace(self, params: Mapping[str, Any]) -> None:
        nested: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name not in self._param_names():
                raise ValueError(self._unknown(name))
            if rest:
                nested.setdefault(name, {})[rest] = value
            else:
                setattr(self, name, value)
        for name, inner in nested.items():
            getattr(self, name).set_params(**inner)

    def _unknown(self, name: str) -> str:
        known = ", ".join(self._param_names()) or "none"
        return f"Invalid parameter {name!r} for {type(self).__name__}; valid ones are: {known}."

    def _key(self) -> tuple[Any, ...]:
        return (
            type(self),
            *((name, _frozen(value)) for name, value in self.get_params(deep=False).items()),
        )

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Kernel) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        given = (f"{name}={shown(value)}" for name, value in self._given_params().items())
        return f"{type(self).__name__}({', '.join(given)})"

    def _given_params(self) -> dict[str, Any]:
        """Choose the parameters worth printing: None always means not given."""
        return {
            name: value for name, value in self.get_params(deep=False).items() if value is not None
        }

    # Algebra

    def __add__(self, other: Any) -> Kernel:
        from maxmargin.kernels.algebra import Sum, as_term

        return NotImplemented if (term := as_term(other)) is None else Sum(self, term)

    def __radd__(self, other: Any) -> Kernel:
        from maxmargin.kernels.algebra import Sum, as_term

        return NotImplemented if (term := as_term(other)) is None else Sum(term, self)

    def __mul__(self, other: Any) -> Kernel:
        from maxmargin.kernels.algebra import Product

        return Product(self, other) if isinstance(other, Kernel) else self.__rmul__(other)

    def __rmul__(self, other: Any) -> Kernel:
        from maxmargin.kernels.algebra import Scaled

        return Scaled(other, self) if isinstance(other, Real) else NotImplemented  # type: ignore[arg-type]

    def __pow__(self, exponent: Any) -> Kernel:
        from maxmargin.kernels.algebra import Power

        return Power(self, exponent)

    def __neg__(self) -> Kernel:
        raise ValueError(
            f"-({self!r}) is not a kernel: a kernel may only be multiplied by a number >= 0."
        )

    def __sub__(self, other: Any) -> Kernel:
        raise ValueError("A difference of kernels need not be a kernel; add or multiply them.")

    __rsub__ = __sub__

    def restrict(self, columns: Any) -> Kernel:
        """Look at some columns of X only: a slice, a name, or a list of numbers, booleans or names.

        Names are those of a DataFrame's columns.
        """
        from maxmargin.kernels.algebra import Restricted

        return Restricted(self, columns)

    def normalized(self) -> Kernel:
        """Divide by the lengths in feature space: k(x, y) / sqrt(k(x, x) k(y, y)).

        That is the cosine of the angle between the two; it is taken as 0 where k(x, x) = 0.
        """
        from maxmargin.kernels.algebra import Normalized

        return Normalized(self)


def _has_contiguous_rows(out: FloatArray) -> bool:
    rows, columns = out.shape
    unit = columns <= 1 or out.strides[1] == out.itemsize
    return unit and (
        rows <= 1
        or (out.strides[0] >= columns * out.itemsize and out.strides[0] % out.itemsize == 0)
    )


def _frozen(value: Any) -> Any:
    """Make a parameter comparable and hashable."""
    if isinstance(value, slice):
        return (slice, value.start, value.stop, value.step)
    if isinstance(value, np.ndarray):
        return tuple(value.tolist())
    return tuple(value) if isinstance(value, list) else value


def shown(value: Any) -> str:
    """Print a parameter as it would be typed: NumPy scalars as numbers, functions by name."""
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    return str(getattr(value, "__name__", None) or repr(value)) if callable(value) else repr(value)


def check_nonnegative(owner: object, name: str, value: Any) -> None:
    """Refuse what is not a finite number >= 0."""
    check_finite(owner, name, value)
    if value < 0:
        raise ValueError(f"{type(owner).__name__} needs {name} >= 0, got {shown(value)}.")


def check_finite(owner: object, name: str, value: Any) -> None:
    """Refuse what is not a finite number."""
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        raise TypeError(f"{type(owner).__name__} needs a number for {name}, got {value!r}.")
    if not np.isfinite(float(value)):
        raise ValueError(f"{type(owner).__name__} needs a finite {name}, got {shown(value)}.")


def check_count(owner: object, name: str, value: Any, low: int = 0) -> None:
    """Refuse what is not a whole number of at least ``low``."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < low:
        raise ValueError(
            f"{type(owner).__name__} needs a whole number >= {low} for {name}, got {value!r}."
        )


def precision_of(X: Any) -> np.dtype[Any]:
    """float32 for float32 input, float64 for everything else, numbers or not."""
    return np.dtype(np.float32) if getattr(X, "dtype", None) == np.float32 else np.dtype(np.float64)
