"""Cholesky's factorisation block by block, on all threads, with looks at the clock in between.

LAPACK's own runs to its end whatever the user presses, and on one thread here, where BLAS is held
to one so that results do not depend on their number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, solve_triangular

from maxmargin.ops.clock import stop_if_over
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]

_BLOCK = 256


class IndefiniteError(ArithmeticError):
    """A matrix with a negative eigenvalue is no kernel's: the problem may have no minimum."""


@dataclass(frozen=True)
class Cholesky:
    """L of A = L L'; what stands above its diagonal has no meaning."""

    lower: Vector

    @classmethod
    def of(cls, A: Vector, workers: Workers | None = None) -> Cholesky:
        """Factorise a symmetric matrix in place, of which the lower half is read.

        Examples
        --------
        >>> Cholesky.of(np.array([[4.0, 2.0], [2.0, 10.0]])).solve(np.array([8.0, 22.0])).tolist()
        [1.0, 2.0]
        """
        n, workers = len(A), workers or Workers(1)
        for first in range(0, n, _BLOCK):
            stop_if_over()
            own, rest = slice(first, first + _BLOCK), range(first + _BLOCK, n, _BLOCK)
            A[own, own] = _small(A[own, own])

            def divide(start: int, own: slice = own) -> None:
                rows = slice(start, start + _BLOCK)
                A[rows, own] = _divided(A[own, own], A[rows, own].T).T

            def subtract(start: int, own: slice = own) -> None:
                rows, columns = slice(start, start + _BLOCK), slice(own.stop, start + _BLOCK)
                A[rows, columns] -= A[rows, own] @ A[columns, own].T

            workers.each(divide, rest)
            workers.each(subtract, rest)
        return cls(A)

    def solve(self, right: Vector) -> Vector:
        """Solve A x = right."""
        return _divided(self.lower, _divided(self.lower, right), trans=1)

    def divide(self, right: Vector) -> Vector:
        """Solve L x = right."""
        return _divided(self.lower, right)


def _small(block: Vector) -> Vector:
    try:
        return np.asarray(np.linalg.cholesky(block), dtype=np.float64)
    except LinAlgError:
        raise IndefiniteError from None


def _divided(lower: Vector, right: Vector, **options: Any) -> Vector:
    quotient: Vector = solve_triangular(lower, right, lower=True, check_finite=False, **options)
    return quotient
