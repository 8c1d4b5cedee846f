r"""Support vector machines with a mixture of kernels whose weights are learned with them.

With Gram matrices K_1, ..., K_M, weights d >= 0 of |d|_p <= 1, p >= 1, and the box QPs of one or
several pairs of classes, which share the weights (Lanckriet et al., JMLR 5, 2004; Rakotomamonjy,
Bach, Canu and Grandvalet, "SimpleMKL", JMLR 9, 2008; Kloft, Brefeld, Sonnenburg and Zien,
"l_p-norm multiple kernel learning", JMLR 12, 2011):

    primal   min_{d,f,b}  sum_m |f_m|^2 / (2 d_m) + sum_i C_i max(0, 1 - t_i (sum_m f_m(x_i) + b))

    dual     max_beta     t'beta - |s|_q / 2,    s_m = beta'K_m beta,    1 / p + 1 / q = 1,

over the box of the soft margin: whatever beta, the worst weights give max_d d's = |s|_q. For p = 1
that is the largest s_m, and most weights are 0 at the optimum. For fixed weights f_m is
d_m sum_i beta_i k_m(., x_i) and the problem that of the kernel sum_m d_m k_m; for fixed functions
the best weights are

    d_m = |f_m|^(2 / (p + 1)) / (sum_l |f_l|^(2 p / (p + 1)))^(1 / p),    |f_m|^2 = d_m^2 s_m

(Kloft et al., eq. 10). Several problems add up their objectives and their s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems.box_qp import BoxQP

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Mixed:
    """Duals of one problem with K_m beta for every kernel, a line each."""

    problem: BoxQP
    beta: Vector
    products: NDArray[np.float64]

    @property
    def squares(self) -> Vector:
        """s_m = beta'K_m beta."""
        return np.maximum(self.products @ self.beta, 0.0)


@dataclass(frozen=True)
class MultipleKernel:
    """Which weights are allowed: d >= 0 of |d|_p <= 1."""

    p: float = 1.0

    def even(self, count: int) -> Vector:
        """Return the same weight to all kernels."""
        return np.full(count, count ** (-1.0 / self.p))

    def best_weights(self, weights: Vector, squares: Vector) -> Vector:
        """Find the best weights of functions of these lengths, |f_m|^2 = d_m^2 s_m."""
        lengths = weights * np.sqrt(squares)
        if not lengths.any():
            return weights
        powers = (lengths / lengths.max()) ** (2.0 / (self.p + 1.0))
        return powers / np.linalg.norm(powers, self.p)

    def primal(self, weights: Vector, parts: Sequence[Mixed]) -> float:
        """Add up the problems of the mixed kernel."""
        total = 0.0
        for part in parts:
            product = weights @ part.products
            b = part.problem.intercept(part.beta, part.problem.p - product)
            total += part.problem.primal(part.beta, product, b)
        return total

    def dual(self, parts: Sequence[Mixed]) -> float:
        """T'beta less half the norm of the s_m."""
        linear = sum(float(part.problem.p @ part.beta) for part in parts)
        return linear - 0.5 * self.norm(sum_of_squares(parts))

    def norm(self, squares: Vector) -> float:
        """|s|_q, the most that allowed weights can make of the s_m."""
        q = np.inf if self.p == 1.0 else self.p / (self.p - 1.0)
        return float(np.linalg.norm(squares, q))


def sum_of_squares(parts: Sequence[Mixed]) -> Vector:
    """Add up the s_m of all problems."""
    total: Vector = np.sum([part.squares for part in parts], axis=0)
    return total
