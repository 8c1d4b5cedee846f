"""How far rounded kernel values may be from the true ones.

A kernel value of rows i and j, evaluated in a precision with unit roundoff u, is off by at most
u e_i e_j for sizes e that each kernel states (``Kernel.errors``). Sizes of this product form add up
in the algebra: by Cauchy and Schwarz a_i a_j + b_i b_j <= (a_i^2 + b_i^2)^1/2 (a_j^2 + b_j^2)^1/2.

A dot product of d numbers counts ((d/3)^1/2 + 1) |x| |y|: rounding errors of a long sum are nearly
independent, and then grow with the root of its length, not with the length (Higham and Mary, "A new
approach to probabilistic rounding error analysis", SIAM J. Sci. Comput. 41, 2019, theorem 3.1);
the third is for partial sums, which are smaller than the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

_NAMES = {4: "float32", 8: "float64"}
_UNITS = {4: 2.0**-24, 8: 2.0**-53}  # unit roundoff of so many bytes
_SURE = 4.0  # standard deviations: what a sum of independent errors exceeds in one of 10,000 cases


class Parts(Protocol):
    """Parts of long vectors, one a machine."""

    @property
    def sizes(self) -> Any:
        """How long each part is."""
        ...

    def sum(self, values: Any) -> Any:
        """Add up each part."""
        ...

    def spread(self, numbers: Any) -> Any:
        """Assign every place the number of its part."""
        ...


def units(length: int) -> float:
    """Units in the last place of |x| |y| that a dot product of so many numbers may be off."""
    return float(np.sqrt(length / 3.0)) + 1.0


def of_product(length: Any, reach: Any) -> Any:
    """Bound the error of w'x for a w of this length; ``reach`` is |x| times its units."""
    return _SURE * _UNITS[8] * length * reach


@dataclass(frozen=True)
class Rounding:
    """Of the kernel values between some rows, and of a model made of them.

    Parameters
    ----------
    precision : dtype
        In which kernel values are evaluated. Sums of them are in double precision.
    errors : ndarray of shape (rows,)
        The sizes e: k(x_i, x_j) is off by at most u e_i e_j.
    lengths : ndarray of shape (rows,)
        k(x_i, x_i) ** 0.5.
    reach : ndarray of shape (rows,), optional
        Of a kernel that has weights on columns: |x_i| as the user gave x_i, times the units of a
        dot product. Who evaluates w'x + b by the weights is off by that times |w|.
    share : float
        Of what these sizes say, where a sample of exact values has shown that it is less.
    """

    precision: np.dtype[Any]
    errors: Vector
    lengths: Vector
    reach: Vector | None = None
    share: float = 1.0

    @property
    def name(self) -> str:
        """The precision in words; NumPy takes longer to find them than to judge a small model."""
        return _NAMES[self.precision.itemsize]

    @classmethod
    def none(cls, n: int) -> Rounding:
        """Of values that are exact."""
        return cls(np.dtype(np.float64), np.zeros(n), np.zeros(n))

    def of(self, rows: Any) -> Rounding:
        """Look at some of the rows."""
        reach = None if self.reach is None else self.reach[rows]
        return Rounding(self.precision, self.errors[rows], self.lengths[rows], reach, self.share)

    def of_values(self, beta: Vector, parts: Parts | None = None) -> Vector:
        """Bound the error of f(x_i) = sum_j beta_j k(x_i, x_j) for every row.

        With ``parts`` the rows are those of several machines, each with its own sums.
        """
        weights = np.abs(beta)
        with np.errstate(over="ignore", invalid="ignore"):  # infinity is a true bound
            errors = np.where(weights > 0, weights * self.errors, 0.0)
            lengths = np.where(weights > 0, weights * self.lengths, 0.0)
            if parts is None:
                squares, total, n = float(errors @ errors), float(lengths.sum()), len(beta)
            else:
                squares, total, n = parts.sum(errors * errors), parts.sum(lengths), parts.sizes
            kernel = _SURE * self.share * _UNITS[self.precision.itemsize] * np.sqrt(squares)
            sums = _SURE * _UNITS[8] * np.sqrt(n) * total
            if parts is not None:
                kernel, sums = parts.spread(kernel), parts.spread(sums)
            bound: Vector = kernel * self.errors + sums * self.lengths
            return bound

    def of_weights(self, length: Any) -> Any:
        """Bound what evaluating f by weights w on the columns adds, for a w of this length."""
        return 0.0 if self.reach is None else of_product(length, self.reach)
