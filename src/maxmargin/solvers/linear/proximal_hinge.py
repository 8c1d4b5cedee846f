r"""The hinge made smooth around given duals, so that Newton's method can be used on it.

With g = 1 - t f, the hinge is max(0, g) = max_{0 <= a <= 1} a g. A proximal term keeps a near a0:

    psi(g) = max_{0 <= a <= 1} a g - width (a - a0)^2 / 2,     a(g) = clip(a0 + g / width, 0, 1),

which has the derivative a(g), and the curvature 1 / width where a is strictly between its bounds.
Solving the smooth problem, then moving a0 to the duals found, is the proximal point algorithm on
the dual (Rockafellar, "Monotone operators and the proximal point algorithm", 1976): it converges
for any width, and faster for smaller ones. Newton's method inside it is the semismooth one
(Yan and Li, "An efficient augmented Lagrangian method for support vector machine", 2020).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import LinearProblem

Vector = NDArray[np.float64]
Rows = slice | NDArray[np.intp]


@dataclass(frozen=True)
class ProximalHinge:
    """The smooth loss of one proximal step; duals and curvatures as ``LinearProblem`` has them."""

    problem: LinearProblem
    width: float
    centre: Vector

    def slopes(self, values: Vector, rows: Rows = slice(None)) -> Vector:
        """beta_i = c_i t_i a(g_i)."""
        a = self._unclipped(values, rows)
        np.clip(a, 0.0, 1.0, out=a)
        a *= self.problem.t[rows]
        a *= self.problem.cost[rows]
        return a

    def curvatures(self, values: Vector, rows: Rows = slice(None)) -> Vector:
        """c_i psi''(g_i)."""
        a = self._unclipped(values, rows)
        inside = (a > 0.0) & (a < 1.0)
        return np.where(inside, self.problem.cost[rows] / self.width, 0.0)

    def _unclipped(self, values: Vector, rows: Rows) -> Vector:
        a = values * self.problem.t[rows]
        np.subtract(1.0, a, out=a)
        a /= self.width
        a += self.centre[rows]
        return a

    @classmethod
    def around(cls, problem: LinearProblem, width: float, values: Vector) -> ProximalHinge:
        """Begin with the duals of rows short of their margin at their bound, if values are any."""
        short = problem.t * values < 1.0
        return cls(problem, width, np.where(short & bool(values.any()), 1.0, 0.0))

    def hidden(self, values: Vector, beta: Vector) -> float:
        """How much the smoothing adds to the gap: each row's hinge minus the line of its dual."""
        t = self.problem.t
        short = 1.0 - t * values
        return float(self.problem.cost @ np.maximum(short, 0.0) - (beta * t) @ short)

    def sharpened(self, values: Vector, factor: float) -> ProximalHinge:
        """Move the centre to the duals at these values, and narrow."""
        a = self._unclipped(values, slice(None))
        return ProximalHinge(self.problem, factor * self.width, np.clip(a, 0.0, 1.0))
