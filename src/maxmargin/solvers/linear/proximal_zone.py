r"""The insensitive loss made smooth around given duals, as ``proximal_hinge`` does with the hinge.

With g = t - f, the loss is max(0, |g| - e) = max_{-1 <= a <= 1} a g - e |a|. A proximal term keeps
a near a0:

    psi(g) = max_{-1 <= a <= 1} a g - e |a| - width (a - a0)^2 / 2,
    a(g) = clip(S(a0 + g / width, e / width), -1, 1),     S(x, s) = sign(x) max(0, |x| - s),

which has the derivative a(g), and the curvature 1 / width where a is strictly between its bounds
and not 0. A width is in units of the targets' spread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.losses import Insensitive
from maxmargin.problems import LinearProblem

Vector = NDArray[np.float64]
Rows = slice | NDArray[np.intp]


@dataclass(frozen=True)
class ProximalZone:
    """The smooth loss of one proximal step; duals and curvatures as ``LinearProblem`` has them."""

    problem: LinearProblem
    width: float
    centre: Vector

    @classmethod
    def around(cls, problem: LinearProblem, width: float, values: Vector) -> ProximalZone:
        """Begin with the duals of rows outside of the zone at their bound, if values are any."""
        start = -problem.loss.derivative(values, problem.t)
        scale = float(np.std(problem.t)) or 1.0
        return cls(problem, width * scale, np.where(bool(values.any()), start, 0.0))

    @property
    def _zone(self) -> float:
        assert isinstance(self.problem.loss, Insensitive)
        return float(self.problem.loss.epsilon)

    def slopes(self, values: Vector, rows: Rows = slice(None)) -> Vector:
        """beta_i = c_i a(g_i)."""
        return self.problem.cost[rows] * np.clip(self._unclipped(values, rows), -1.0, 1.0)

    def curvatures(self, values: Vector, rows: Rows = slice(None)) -> Vector:
        """c_i psi''(g_i)."""
        size = np.abs(self._unclipped(values, rows))
        return np.where((size > 0.0) & (size < 1.0), self.problem.cost[rows] / self.width, 0.0)

    def _unclipped(self, values: Vector, rows: Rows) -> Vector:
        a = self.centre[rows] + (self.problem.t[rows] - values) / self.width
        shrunk: Vector = np.sign(a) * np.maximum(np.abs(a) - self._zone / self.width, 0.0)
        return shrunk

    def hidden(self, values: Vector, beta: Vector) -> float:
        """How much the smoothing adds to the gap: each row's loss minus the line of its dual."""
        problem, g = self.problem, self.problem.t - values
        return float(problem.prices(values).sum() - beta @ g + self._zone * np.abs(beta).sum())

    def sharpened(self, values: Vector, factor: float) -> ProximalZone:
        """Move the centre to the duals at these values, and narrow."""
        a = np.clip(self._unclipped(values, slice(None)), -1.0, 1.0)
        return ProximalZone(self.problem, factor * self.width, a)
