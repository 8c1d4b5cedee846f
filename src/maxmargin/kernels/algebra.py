"""Kernels made of kernels: sums, products, powers, exponentials, restrictions, normalisation.

Each of these keeps positive semidefiniteness; none of them can be relied upon to create it, so the
``psd`` fact of a combination is True when all its parts are, and unknown otherwise.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.container import as_table, column_names, listed, take_columns
from maxmargin.inputs.vectors import NonFiniteError
from maxmargin.kernels.base import (
    Columns,
    Kernel,
    Prepared,
    Shift,
    Takes,
    check_count,
    check_nonnegative,
    shown,
)
from maxmargin.kernels.dot import power_spread, raise_power
from maxmargin.kernels.features import (
    beside,
    count_monomials,
    monomials,
    products,
    scaled_rows,
)
from maxmargin.kernels.points import FloatArray, Rows
from maxmargin.kernels.static import Constant

Vector: TypeAlias = NDArray[np.float64]


def as_term(other: Any) -> Kernel | None:
    """Make a summand of a kernel or a number; None for anything else."""
    if isinstance(other, Kernel):
        return other
    return Constant(other) if isinstance(other, Real) else None  # type: ignore[arg-type]


def exp(kernel: Kernel) -> Kernel:
    """exp(k(x, y)): a kernel whenever k is, being a sum of powers with positive weights.

    Examples
    --------
    >>> from maxmargin.kernels import Linear, exp
    >>> exp(Linear())([[0.0], [1.0]]).round(3).tolist()
    [[1.0, 1.0], [1.0, 2.718]]
    """
    return Exponential(kernel)


@dataclass(frozen=True, eq=False, slots=True)
class Pair:
    """The same rows, prepared for two kernels."""

    left: Prepared
    right: Prepared

    def __len__(self) -> int:
        return len(self.left)

    def __getitem__(self, rows: Rows) -> Pair:
        return Pair(self.left[rows], self.right[rows])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The wider of the two precisions."""
        return np.result_type(self.left.dtype, self.right.dtype)


class Binary(Kernel):
    """Two kernels on the same rows; a subclass says how their values are combined."""

    _sign: str

    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left = left
        self.right = right
        self._check_params()

    def _check_params(self) -> None:
        _check_kernel(self, self.left)
        _check_kernel(self, self.right)

    @property
    def takes(self) -> Takes:
        """What both parts take; what a part takes that only it can check comes first."""
        both = {part.takes for part in (self.left, self.right) if not isinstance(part, Constant)}
        ranked = (Takes.MATRIX, Takes.ITEMS, Takes.VECTORS)
        return next((one for one in ranked if one in both), Takes.ITEMS)

    @property
    def concurrent(self) -> bool:
        """Whether both parts are."""
        return self.left.concurrent and self.right.concurrent

    @property
    def selective(self) -> bool:
        """Whether both parts are."""
        parts = [part for part in (self.left, self.right) if not isinstance(part, Constant)]
        return bool(parts) and all(part.selective for part in parts)

    @property
    def adds_columns(self) -> bool:
        """Whether one of the parts does."""
        return self.left.adds_columns or self.right.adds_columns

    @property
    def psd(self) -> bool | None:
        """True when both parts are, otherwise unknown."""
        return True if self.left.psd and self.right.psd else None

    def prepare(self, X: Any) -> Pair:
        """Prepare X for both."""
        return Pair(self.left.prepare(X), self.right.prepare(X))

    def prepare_new(self, X: Any, training: Pair) -> Pair:
        """Prepare X for both, each with its own vocabulary."""
        left = self.left.prepare_new(X, training.left)
        return Pair(left, self.right.prepare_new(X, training.right))

    def n_features(self, columns: int) -> float | None:
        """Combine those of both parts, if they are known."""
        left, right = self.left.n_features(columns), self.right.n_features(columns)
        return None if left is None or right is None else self._n_features(left, right)

    @abstractmethod
    def _n_features(self, left: float, right: float) -> float:
        """Count the features of the combination."""

    def _lengths(self, A: Pair) -> tuple[Vector, Vector]:
        """Roots of |k(x, x)| of both: no value of theirs is larger than the product of two."""
        return _lengths(self.left, A.left), _lengths(self.right, A.right)

    def __repr__(self) -> str:
        right = _inside(
            self.right, self._precedence + 1
        )  # a + (b + c) is another value than (a + b) + c
        return f"{_inside(self.left, self._precedence)} {self._sign} {right}"


class Sum(Binary):
    """k1(x, y) + k2(x, y); its features are those of k1 beside those of k2."""

    _sign, _precedence = "+", 0

    @property
    def shift(self) -> Shift:
        """That of the part which notices more."""
        return max(self.left.shift, self.right.shift)

    def _n_features(self, left: float, right: float) -> float:
        return left + right

    def _features(self, A: Pair) -> Any:
        return beside(self.left._features(A.left), self.right._features(A.right))

    def _feature_names(self, A: Pair, columns: Columns = None) -> list[str]:
        return self.left._feature_names(A.left, columns) + self.right._feature_names(
            A.right, columns
        )

    def fill(self, A: Pair, B: Pair, out: FloatArray) -> None:
        """Add the two blocks."""
        self.left.block(A.left, B.left, out)
        out += self.right.block(A.right, B.right)

    def diagonal(self, A: Pair) -> FloatArray:
        """Add the two diagonals."""
        return self.left.diagonal(A.left) + self.right.diagonal(A.right)

    def errors(self, A: Pair) -> Vector:
        """Those of both parts, and of their sum."""
        own = np.hypot(self.left.errors(A.left), self.right.errors(A.right))
        return np.hypot(own, np.hypot(*self._lengths(A)))


class Product(Binary):
    """k1(x, y) k2(x, y); its features are all products of a feature of k1 and one of k2."""

    _sign, _precedence = "*", 1

    @property
    def shift(self) -> Shift:
        """Nothing where neither part notices."""
        still = self.left.shift == self.right.shift == Shift.NOTHING
        return Shift.NOTHING if still else Shift.CHANGES

    def _n_features(self, left: float, right: float) -> float:
        return left * right

    def _features(self, A: Pair) -> FloatArray:
        return products(self.left._features(A.left), self.right._features(A.right))

    def _feature_names(self, A: Pair, columns: Columns = None) -> list[str]:
        left, right = (
            self.left._feature_names(A.left, columns),
            self.right._feature_names(A.right, columns),
        )
        return [f"{one} * {other}" for one in left for other in right]

    def fill(self, A: Pair, B: Pair, out: FloatArray) -> None:
        """Multiply the two blocks."""
        self.left.block(A.left, B.left, out)
        out *= self.right.block(A.right, B.right)

    def diagonal(self, A: Pair) -> FloatArray:
        """Multiply the two diagonals."""
        return self.left.diagonal(A.left) * self.right.diagonal(A.right)

    def errors(self, A: Pair) -> Vector:
        """Those of each part times the other part, and of the product."""
        left, right = self._lengths(A)
        own = np.hypot(self.left.errors(A.left) * right, self.right.errors(A.right) * left)
        return np.hypot(own, left * right)


class Unary(Kernel):
    """One kernel, changed."""

    kernel: Kernel

    def _check_params(self) -> None:
        _check_kernel(self, self.kernel)

    @property
    def takes(self) -> Takes:
        """What the kernel inside takes."""
        return self.kernel.takes

    @property
    def shift(self) -> Shift:
        """Nothing where the kernel inside does not notice."""
        return Shift.NOTHING if self.kernel.shift == Shift.NOTHING else Shift.CHANGES

    @property
    def concurrent(self) -> bool:
        """Whether the kernel inside is."""
        return self.kernel.concurrent

    @property
    def selective(self) -> bool:
        """Whether the kernel inside is."""
        return self.kernel.selective

    @property
    def adds_columns(self) -> bool:
        """Whether the kernel inside does."""
        return self.kernel.adds_columns

    @property
    def psd(self) -> bool | None:
        """True when the kernel inside is, otherwise unknown."""
        return True if self.kernel.psd else None

    def n_features(self, columns: int) -> float | None:
        """As many as the kernel inside has."""
        return self.kernel.n_features(columns)


class Mapped(Unary):
    """A kernel changed value by value, in place; it prepares as the kernel inside does."""

    @abstractmethod
    def _apply(self, values: FloatArray) -> None:
        """Change a block of values."""

    def prepare(self, X: Any) -> Any:
        """Prepare X as the kernel inside does."""
        return self.kernel.prepare(X)

    def prepare_new(self, X: Any, training: Any) -> Any:
        """Prepare X as the kernel inside does."""
        return self.kernel.prepare_new(X, training)

    def fill(self, A: Any, B: Any, out: FloatArray) -> None:
        """Change the block of the kernel inside."""
        self.kernel.fill(A, B, out)
        self._apply(out)

    def diagonal(self, A: Any) -> FloatArray:
        """Change the diagonal of the kernel inside."""
        values = self.kernel.diagonal(A)
        self._apply(values[:, None])
        return values


class Scaled(Mapped):
    """weight k(x, y) with a weight >= 0."""

    _precedence = 1

    def __init__(self, weight: float, kernel: Kernel) -> None:
        self.weight = weight
        self.kernel = kernel
        self._check_params()

    def _check_params(self) -> None:
        super()._check_params()
        check_nonnegative(self, "weight", self.weight)

    @property
    def shift(self) -> Shift:
        """That of the kernel inside."""
        return self.kernel.shift

    @property
    def psd(self) -> bool | None:
        """That of the kernel inside; zero times anything is positive semidefinite."""
        return self.kernel.psd if self.weight > 0 else True

    def _features(self, A: Any) -> Any:
        return np.sqrt(self.weight) * self.kernel._features(A)

    def _feature_names(self, A: Any, columns: Columns = None) -> list[str]:
        return self.kernel._feature_names(A, columns)

    def _apply(self, values: FloatArray) -> None:
        values *= values.dtype.type(self.weight)

    def errors(self, A: Any) -> Vector:
        """Those of the kernel inside, and of one multiplication."""
        own = np.hypot(self.kernel.errors(A), _lengths(self.kernel, A))
        return np.sqrt(self.weight) * own

    def __repr__(self) -> str:
        return f"{shown(self.weight)} * {_inside(self.kernel, 2)}"


class Power(Mapped):
    """k(x, y) ** exponent for a whole exponent >= 0."""

    _precedence = 2

    def __init__(self, kernel: Kernel, exponent: int) -> None:
        self.kernel = kernel
        self.exponent = exponent
        self._check_params()

    @property
    def adds_columns(self) -> bool:
        """Whether it is of a sum over columns."""
        return self.kernel.linear or self.kernel.adds_columns

    def _check_params(self) -> None:
        super()._check_params()
        check_count(self, "exponent", self.exponent)  # other powers need not be kernels

    def n_features(self, columns: int) -> float | None:
        """Count the monomials of the features inside."""
        inside = self.kernel.n_features(columns)
        return None if inside is None else count_monomials(inside, self.exponent)

    def _features(self, A: Any) -> FloatArray:
        return monomials(self.kernel._features(A), self.exponent)

    def _apply(self, values: FloatArray) -> None:
        raise_power(values, self.exponent)

    def errors(self, A: Any) -> Vector:
        """Those of the kernel inside times the slope of the power, and of multiplications."""
        sizes = _lengths(self.kernel, A) ** 2
        return np.sqrt(power_spread(self.kernel.errors(A) ** 2, sizes, self.exponent))

    def __repr__(self) -> str:
        return f"{_inside(self.kernel, 3)} ** {shown(self.exponent)}"


class Exponential(Mapped):
    """exp(k(x, y)); made by :func:`exp`."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self._check_params()

    @property
    def adds_columns(self) -> bool:
        """Whether it is of a sum over columns."""
        return self.kernel.linear or self.kernel.adds_columns

    def n_features(self, columns: int) -> float | None:
        """Infinitely many: all powers of the features inside."""
        return None if self.kernel.n_features(columns) is None else np.inf

    def _apply(self, values: FloatArray) -> None:
        with np.errstate(over="ignore"):  # infinity is for the judge to see, who says so better
            np.exp(values, out=values)

    def errors(self, A: Any) -> Vector:
        """Those of the kernel inside times exp(k), which is at most exp(k(x, x) / 2) a row."""
        with np.errstate(over="ignore"):  # infinity is a true bound
            size = np.exp(0.5 * _lengths(self.kernel, A) ** 2)
            return size * np.hypot(self.kernel.errors(A), 1.0)

    def __repr__(self) -> str:
        return f"exp({self.kernel!r})"


class Restricted(Unary):
    """k on some columns of X; made by :meth:`Kernel.restrict`."""

    def __init__(self, kernel: Kernel, columns: Any) -> None:
        self.kernel = kernel
        self.columns = columns
        self._check_params()

    def _check_params(self) -> None:
        super()._check_params()
        if not isinstance(self.columns, slice | str) and np.ndim(self.columns) != 1:
            raise ValueError(
                f"restrict needs a name, a slice or a list of columns, got {self.columns!r}."
            )

    @property
    def selective(self) -> bool:
        """True."""
        return True

    @property
    def adds_columns(self) -> bool:
        """False: which columns belong together was chosen."""
        return False

    def prepare(self, X: Any) -> Any:
        """Select the columns; the kernel inside sees nothing else."""
        part, places = self._select(X)
        with _at_places(places):
            return self.kernel.prepare(part)

    def prepare_new(self, X: Any, training: Any) -> Any:
        """Select the columns; the kernel inside sees nothing else."""
        part, places = self._select(X)
        with _at_places(places):
            return self.kernel.prepare_new(part, training)

    def n_features(self, columns: int) -> float | None:
        """As many as the kernel inside has on the columns it sees."""
        return self.kernel.n_features(self.width(columns))

    def width(self, columns: int) -> int:
        """Count the columns that the kernel inside sees of so many."""
        return len(self._listed()) if self._by_name() else len(self._places(columns))

    def _features(self, A: Any) -> Any:
        return self.kernel._features(A)

    def _feature_names(self, A: Any, columns: Columns = None) -> list[str]:
        """Return in which column a feature is found."""
        seen = self._seen(columns)
        names = self.kernel._feature_names(A, seen)
        if self.kernel._names_columns or seen is None or len(seen) != 1:
            return names
        return [f"{seen[0]}: {name}" for name in names]

    def _seen(self, columns: Columns) -> Columns:
        """Name the columns that the kernel inside sees, by numbers where nobody names them."""
        if columns is not None:
            return [columns[place] for place in self._places(len(columns))]
        return None if isinstance(self.columns, slice) else self._listed()

    @property
    def _names_columns(self) -> bool:
        return True

    def resolved(self, X: Any, weight: NDArray[np.float64] | None = None) -> Restricted:
        """Resolve the kernel inside on the columns it sees, and names into their places."""
        part, places = self._select(X)
        columns = places.tolist() if self._by_name() else self.columns
        with _at_places(places):
            return Restricted(self.kernel.resolved(part, weight), columns)

    @property
    def shift(self) -> Shift:
        """That of the kernel inside."""
        return self.kernel.shift

    def _select(self, X: Any) -> tuple[Any, NDArray[np.intp]]:
        """Take the columns, and say where they stand."""
        table = as_table(X)
        if len(table.shape) != 2:
            raise ValueError(f"restrict needs rows and columns, got data of shape {table.shape}.")
        places = self._named_places(table) if self._by_name() else self._places(table.shape[1])
        return take_columns(table, places), places

    def _listed(self) -> list[Any]:
        """List the columns; a name by itself is a list of one."""
        return [self.columns] if isinstance(self.columns, str) else list(self.columns)

    def _by_name(self) -> bool:
        sliced = isinstance(self.columns, slice)
        return not sliced and any(isinstance(name, str) for name in self._listed())

    def _places(self, width: int) -> NDArray[np.intp]:
        columns = self.columns if isinstance(self.columns, slice) else np.asarray(self._listed())
        try:
            return np.arange(width)[columns]
        except (IndexError, TypeError):
            raise ValueError(
                f"X has {width} columns, which do not include {self.columns!r}."
            ) from None

    def _named_places(self, table: Any) -> NDArray[np.intp]:
        names = column_names(table)
        if names is None:
            raise ValueError(
                f"restrict({shown(self.columns)}) names columns, and X is without names; give a "
                "DataFrame, or the numbers of the columns."
            )
        absent = [name for name in self._listed() if name not in names]
        if absent:
            raise ValueError(f"X has no column {absent[0]!r}; it has {listed(names)}.")
        return np.array([names.index(name) for name in self._listed()], dtype=np.intp)

    def fill(self, A: Any, B: Any, out: FloatArray) -> None:
        """Take the block of the kernel inside, whose rows these are."""
        self.kernel.fill(A, B, out)

    def diagonal(self, A: Any) -> FloatArray:
        """Take the diagonal of the kernel inside."""
        return self.kernel.diagonal(A)

    def errors(self, A: Any) -> Vector:
        """Those of the kernel inside."""
        return self.kernel.errors(A)

    def __repr__(self) -> str:
        return f"{_inside(self.kernel, 3)}.restrict({shown(self.columns)})"


@contextmanager
def _at_places(places: NDArray[np.intp]) -> Iterator[None]:
    """Report a broken number by its column in the whole table, not among the chosen ones."""
    try:
        yield
    except NonFiniteError as error:
        if error.named:
            raise
        raise NonFiniteError(error.found, error.row, int(places[error.column])) from None


@dataclass(frozen=True, eq=False, slots=True)
class Weighted:
    """Prepared rows, each with a factor."""

    rows: Prepared
    factors: FloatArray

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: Rows) -> Weighted:
        return Weighted(self.rows[rows], self.factors[rows])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the rows."""
        return self.rows.dtype


class Normalized(Unary):
    """k(x, y) / sqrt(k(x, x) k(y, y)); made by :meth:`Kernel.normalized`."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self._check_params()

    def prepare(self, X: Any) -> Weighted:
        """Prepare X and take the length of each row in feature space."""
        return self._weighted(self.kernel.prepare(X))

    def prepare_new(self, X: Any, training: Weighted) -> Weighted:
        """Prepare X and take the length of each row in feature space."""
        return self._weighted(self.kernel.prepare_new(X, training.rows))

    def _features(self, A: Weighted) -> Any:
        return scaled_rows(A.factors.astype(np.float64), self.kernel._features(A.rows))

    def _feature_names(self, A: Weighted, columns: Columns = None) -> list[str]:
        return self.kernel._feature_names(A.rows, columns)

    def _weighted(self, rows: Prepared) -> Weighted:
        lengths = self.kernel.diagonal(rows)
        if lengths.min() < 0:
            row = int(lengths.argmin())
            found = f"k(x, x) = {lengths[row]:.3g} at row {row}"
            raise ValueError(f"{self.kernel!r} cannot be normalized: {found}, and it needs >= 0.")
        with np.errstate(divide="ignore"):
            return Weighted(
                rows, np.where(lengths > 0, 1 / np.sqrt(lengths), 0).astype(lengths.dtype)
            )

    def fill(self, A: Weighted, B: Weighted, out: FloatArray) -> None:
        """Divide the block by the lengths of its rows and columns."""
        self.kernel.fill(A.rows, B.rows, out)
        out *= A.factors[:, None].astype(out.dtype, copy=False)
        out *= B.factors.astype(out.dtype, copy=False)

    def diagonal(self, A: Weighted) -> FloatArray:
        """Ones, but zeros where k(x, x) = 0."""
        return (A.factors > 0).astype(A.dtype)

    def errors(self, A: Weighted) -> Vector:
        """Those of the kernel inside divided by the lengths, and of the divisions.

        A length is off by half of what k(x, x) is.
        """
        inside = self.kernel.errors(A.rows) * A.factors
        return np.hypot(np.sqrt(2.0) * inside, 2.0)

    def __repr__(self) -> str:
        return f"{_inside(self.kernel, 3)}.normalized()"


def _lengths(kernel: Kernel, A: Any) -> Vector:
    return np.sqrt(np.abs(kernel.diagonal(A).astype(np.float64)))


def _inside(kernel: Kernel, precedence: int) -> str:
    """Print a part of an expression, in brackets when it binds less tightly than its context."""
    return repr(kernel) if kernel._precedence >= precedence else f"({kernel!r})"


def _check_kernel(owner: Kernel, part: object) -> None:
    if not isinstance(part, Kernel):
        made = f"{type(owner).__name__} is made of kernels such as RBF(gamma='scale')"
        raise TypeError(f"{made}, got {part!r}.")
