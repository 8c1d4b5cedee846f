"""Kernels of the dot product <x, y>: linear, polynomial, sigmoid."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.kernels.base import Kernel, check_count, check_finite, check_nonnegative
from maxmargin.kernels.points import FloatArray, Points, as_points, dot, row_major, squared_norms
from maxmargin.ops.cpu.kernel_epilogue import affine_power


class Linear(Kernel):
    """<x, y>.

    Examples
    --------
    >>> Linear()([[1.0, 2.0], [3.0, 4.0]]).tolist()
    [[5.0, 11.0], [11.0, 25.0]]
    """

    @property
    def psd(self) -> bool:
        return True

    def prepare(self, X: Any) -> Points:
        return as_points(X)

    def fill(self, A: Points, B: Points, out: FloatArray) -> None:
        dot(A, B.astype(A.dtype), out)

    def diagonal(self, A: Points) -> FloatArray:
        return squared_norms(A.X)


class Polynomial(Kernel):
    """(gamma <x, y> + coef0) ** degree.

    Positive semidefinite for coef0 >= 0. For coef0 < 0 the expansion in powers of <x, y> has a negative
    coefficient, and then some X exists on which it is not.

    Parameters
    ----------
    degree : int, default=3
        A whole number >= 0.
    gamma : float, default=1.0
        At least 0.
    coef0 : float, default=1.0

    Examples
    --------
    >>> Polynomial(degree=2)([[1.0], [2.0]]).tolist()
    [[4.0, 9.0], [9.0, 25.0]]
    """

    def __init__(self, degree: int = 3, gamma: float = 1.0, coef0: float = 1.0) -> None:
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self._check_params()

    def _check_params(self) -> None:
        check_count(self, "degree", self.degree)
        check_nonnegative(self, "gamma", self.gamma)
        check_finite(self, "coef0", self.coef0)

    @property
    def psd(self) -> bool:
        if self.gamma == 0:
            return bool(self.coef0**self.degree >= 0)
        return bool(self.coef0 >= 0 or self.degree == 0)

    def prepare(self, X: Any) -> Points:
        return as_points(X)

    def fill(self, A: Points, B: Points, out: FloatArray) -> None:
        dot(A, B.astype(A.dtype), out)
        raise_power(out, self.degree, self.gamma, self.coef0)

    def diagonal(self, A: Points) -> FloatArray:
        norms = squared_norms(A.X)[:, None]
        raise_power(norms, self.degree, self.gamma, self.coef0)
        return norms[:, 0]


class Sigmoid(Kernel):
    """tanh(gamma <x, y> + coef0).

    Not positive semidefinite: the expansion of tanh around any point has negative coefficients, so for every
    gamma > 0 some X exists whose Gram matrix has a negative eigenvalue. It is here because people use it.

    Parameters
    ----------
    gamma : float, default=1.0
        At least 0.
    coef0 : float, default=1.0

    Examples
    --------
    >>> Sigmoid(gamma=0.5, coef0=0.0)([[0.0], [1.0]]).round(3).tolist()
    [[0.0, 0.0], [0.0, 0.462]]
    >>> Sigmoid().psd
    False
    """

    def __init__(self, gamma: float = 1.0, coef0: float = 1.0) -> None:
        self.gamma = gamma
        self.coef0 = coef0
        self._check_params()

    def _check_params(self) -> None:
        check_nonnegative(self, "gamma", self.gamma)
        check_finite(self, "coef0", self.coef0)

    @property
    def psd(self) -> bool:
        return bool(self.gamma == 0 and self.coef0 >= 0)

    def prepare(self, X: Any) -> Points:
        return as_points(X)

    def fill(self, A: Points, B: Points, out: FloatArray) -> None:
        dot(A, B.astype(A.dtype), out)
        self._squash(out)

    def diagonal(self, A: Points) -> FloatArray:
        return self._squash(squared_norms(A.X))

    def _squash(self, values: FloatArray) -> FloatArray:
        """In place; NumPy's tanh is already vectorised, so nothing needs compiling."""
        values *= values.dtype.type(self.gamma)
        values += values.dtype.type(self.coef0)
        return np.tanh(values, out=values)


def raise_power(out: FloatArray, degree: int, gamma: float = 1.0, coef0: float = 0.0) -> None:
    """out <- (gamma out + coef0) ** degree in place."""
    number = out.dtype.type
    affine_power(number(gamma), number(coef0), int(degree), *out.shape, *row_major(out))
