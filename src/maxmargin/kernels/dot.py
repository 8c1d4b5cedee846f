"""Kernels of the dot product <x, y>: linear, polynomial, sigmoid.

The family shares its work: the dot products of a block are formed once here, and each kernel only
says how a block of them becomes a block of its values, in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels.base import Kernel, Shift, check_count, check_finite
from maxmargin.kernels.features import count_monomials, monomials, written_out
from maxmargin.kernels.gamma import HasGamma
from maxmargin.kernels.points import (
    FloatArray,
    Points,
    as_factor,
    dot,
    dot_units,
    row_major,
    squared_lengths,
    squared_norms,
)
from maxmargin.ops.engine import engine_of
from maxmargin.ops.kinds import DOT, POWER


class DotProduct(Kernel):
    """A function of <x, y>; a subclass changes a block of dot products in place."""

    def prepare(self, X: Any) -> Points:
        """Check X; a dot product needs nothing else."""
        return as_factor(X)

    def fill(self, A: Points, B: Points, out: FloatArray) -> None:
        """One matrix product and one pass over it."""
        dot(A, B.astype(A.dtype), out)
        self._apply(out)

    def diagonal(self, A: Points) -> FloatArray:
        """Apply the kernel's function to <x, x>."""
        values = squared_norms(A.X)
        self._apply(values[:, None])
        return values

    def errors(self, A: Points) -> NDArray[np.float64]:
        """Those of the dot products, changed by the kernel's function."""
        squares = squared_lengths(A.X)
        return np.sqrt(self._spread(dot_units(A) * squares, squares))

    def _spread(self, errors: NDArray[np.float64], squares: NDArray[np.float64]) -> Any:  # noqa: ARG002
        """Turn squared error sizes of <x, y> into those of k(x, y), where |x|^2 are these."""
        return errors

    def _apply(self, values: FloatArray) -> None:
        """Turn dot products into kernel values; here they are already."""


class Linear(DotProduct):
    """<x, y>.

    Examples
    --------
    >>> Linear()([[1.0, 2.0], [3.0, 4.0]]).tolist()
    [[5.0, 11.0], [11.0, 25.0]]
    """

    @property
    def linear(self) -> bool:
        """True."""
        return True

    @property
    def formula(self) -> tuple[int, NDArray[np.float64]]:
        """Dot products as they are."""
        return DOT, np.zeros(3)

    def n_features(self, columns: int) -> float:
        """Count the columns themselves."""
        return columns

    def _features(self, A: Points) -> FloatArray:
        return written_out(A.X)

    def units(self, A: Points) -> float:
        """Those of a dot product."""
        return dot_units(A)

    @property
    def shift(self) -> Shift:
        """With <x - a, y - a> the machine's f(x) is <w, x> - <w, a> + b: b makes it good."""
        return Shift.BIAS

    @property
    def psd(self) -> bool:
        """True: |sum z_i x_i|^2 >= 0."""
        return True


class Polynomial(HasGamma, DotProduct):
    """(gamma <x, y> + coef0) ** degree.

    Parameters
    ----------
    degree : int, default=3
        A whole number >= 0.
    gamma : float, "scale" or "auto", default=1.0
        At least 0; "scale" is 1 / (columns * variance) of the rows of a fit, "auto" 1 / columns.
    coef0 : float, default=1.0
        At least 0 for a positive semidefinite kernel.

    Examples
    --------
    >>> Polynomial(degree=2)([[1.0], [2.0]]).tolist()
    [[4.0, 9.0], [9.0, 25.0]]
    """

    def __init__(self, degree: int = 3, gamma: float | str = 1.0, coef0: float = 1.0) -> None:
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self._check_params()

    def _check_params(self) -> None:
        check_count(self, "degree", self.degree)
        self._check_gamma()
        check_finite(self, "coef0", self.coef0)

    @property
    def adds_columns(self) -> bool:
        """Whether products of columns are among its features."""
        return self.degree > 1

    @property
    def psd(self) -> bool:
        """True for coef0 >= 0.

        For coef0 < 0 the expansion in powers of <x, y> has a negative coefficient, and monomials
        are independent: on some X a negative eigenvalue shows.
        """
        if self.gamma == 0 or self.degree == 0:
            return bool(self.coef0**self.degree >= 0)
        return bool(self.coef0 >= 0)

    @property
    def formula(self) -> tuple[int, NDArray[np.float64]]:
        """A power of dot products."""
        return POWER, np.array([self.rate, self.coef0, self.degree], dtype=np.float64)

    def n_features(self, columns: int) -> float:
        """Count monomials: of the columns, and of a constant beside them where coef0 > 0."""
        return count_monomials(columns + (self.coef0 != 0), self.degree)

    def _features(self, A: Points) -> FloatArray:
        if not self.psd:
            return super()._features(A)
        rows = np.sqrt(self.rate) * written_out(A.X)
        constant = [np.full((len(rows), 1), np.sqrt(self.coef0))] if self.coef0 else []
        return monomials(np.hstack([rows, *constant]), self.degree)

    def _apply(self, values: FloatArray) -> None:
        raise_power(values, self.degree, self.rate, self.coef0)

    def _spread(self, errors: NDArray[np.float64], squares: NDArray[np.float64]) -> Any:
        base = self.rate * squares + abs(self.coef0)
        return power_spread(self.rate * errors + 2 * base, base, self.degree)


class Sigmoid(HasGamma, DotProduct):
    """tanh(gamma <x, y> + coef0); not positive semidefinite, but people use it.

    Parameters
    ----------
    gamma : float, "scale" or "auto", default=1.0
        At least 0; "scale" is 1 / (columns * variance) of the rows of a fit, "auto" 1 / columns.
    coef0 : float, default=1.0

    Examples
    --------
    >>> Sigmoid(gamma=0.5, coef0=0.0)([[0.0], [1.0]]).round(3).tolist()
    [[0.0, 0.0], [0.0, 0.462]]
    >>> Sigmoid().psd
    False
    """

    def __init__(self, gamma: float | str = 1.0, coef0: float = 1.0) -> None:
        self.gamma = gamma
        self.coef0 = coef0
        self._check_params()

    def _check_params(self) -> None:
        self._check_gamma()
        check_finite(self, "coef0", self.coef0)

    @property
    def adds_columns(self) -> bool:
        """True: it bends a sum over columns."""
        return True

    @property
    def psd(self) -> bool:
        """False: around any point, some coefficient of the expansion of tanh is negative."""
        return bool(self.gamma == 0 and self.coef0 >= 0)

    def _apply(self, values: FloatArray) -> None:
        # NumPy's tanh is already vectorised, so nothing needs compiling here.
        values *= values.dtype.type(self.rate)
        values += values.dtype.type(self.coef0)
        np.tanh(values, out=values)

    def _spread(self, errors: NDArray[np.float64], squares: NDArray[np.float64]) -> Any:
        """No more than that of the argument, because tanh is nowhere steeper than 1."""
        return self.rate * (errors + 2 * squares) + 2 * abs(self.coef0) + 2


def power_spread(
    errors: NDArray[np.float64], sizes: NDArray[np.float64], exponent: int
) -> NDArray[np.float64]:
    """Squared error sizes of k ** exponent from those of k, where |k| is at most these sizes."""
    if exponent == 0:
        return np.zeros_like(errors)
    with np.errstate(over="ignore"):  # infinity is a true bound
        slope = exponent * sizes ** (exponent - 1)
        return slope * errors + (2 * np.log2(exponent) + 2) * sizes**exponent


def raise_power(out: FloatArray, degree: int, gamma: float = 1.0, coef0: float = 0.0) -> None:
    """Set out <- (gamma out + coef0) ** degree in place."""
    number, affine_power = out.dtype.type, engine_of(out).kernel_epilogue.affine_power
    affine_power(number(gamma), number(coef0), int(degree), *out.shape, *row_major(out))
