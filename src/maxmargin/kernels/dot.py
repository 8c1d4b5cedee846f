"""Kernels of the dot product <x, y>: linear, polynomial, sigmoid.

The family shares its work: the dot products of a block are formed once here, and each kernel only
says how a block of them becomes a block of its values, in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.kernels.base import Kernel, check_count, check_finite
from maxmargin.kernels.gamma import HasGamma
from maxmargin.kernels.points import (
    FloatArray,
    Points,
    as_factor,
    dot,
    row_major,
    squared_norms,
)
from maxmargin.ops.cpu.kernel_epilogue import affine_power


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
    def psd(self) -> bool:
        """True for coef0 >= 0.

        For coef0 < 0 the expansion in powers of <x, y> has a negative coefficient, and monomials
        are independent: on some X a negative eigenvalue shows.
        """
        if self.gamma == 0 or self.degree == 0:
            return bool(self.coef0**self.degree >= 0)
        return bool(self.coef0 >= 0)

    def _apply(self, values: FloatArray) -> None:
        raise_power(values, self.degree, self.rate, self.coef0)


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
    def psd(self) -> bool:
        """False: around any point, some coefficient of the expansion of tanh is negative."""
        return bool(self.gamma == 0 and self.coef0 >= 0)

    def _apply(self, values: FloatArray) -> None:
        # NumPy's tanh is already vectorised, so nothing needs compiling here.
        values *= values.dtype.type(self.rate)
        values += values.dtype.type(self.coef0)
        np.tanh(values, out=values)


def raise_power(out: FloatArray, degree: int, gamma: float = 1.0, coef0: float = 0.0) -> None:
    """Set out <- (gamma out + coef0) ** degree in place."""
    number = out.dtype.type
    affine_power(number(gamma), number(coef0), int(degree), *out.shape, *row_major(out))
