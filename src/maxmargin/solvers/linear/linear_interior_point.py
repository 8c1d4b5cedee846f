r"""A primal-dual interior-point method for linear SVMs with few columns, whatever their scale.

Problem: that of ``problems.linear`` with the hinge or the squared hinge and the penalty "l2". In
alpha_i = t_i beta_i its dual has the bounds 0 <= alpha_i <= u_i and the diagonal d_i of
``dual_coordinate``; with multipliers z of the lower and v of the upper bounds an iteration makes a
Newton step on

    t_i f_i - 1 + d_i alpha_i - z_i + v_i = 0,   P theta = X'beta,
    z_i alpha_i = mu,   v_i (u_i - alpha_i) = mu

where P is the second derivative of the penalty: the last row of the second equation is the equality
that a free intercept asks for. Written in the change of theta it is a system of the columns,

    (P + sum_i x_i x_i' / D_i) dtheta = r,    D_i = d_i + z_i / alpha_i + v_i / (u_i - alpha_i)

(Ferris and Munson, "Interior-point methods for massive support vector machines", SIAM J. Optim. 13,
2002), with a mu that ``predictor_corrector`` chooses. It takes some thirty steps where coordinates
need thousands and Newton's parabolas are too flat or too steep: costs, scales and offsets far from
1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs

from maxmargin.certify import LinearPoint
from maxmargin.losses import SquaredHinge
from maxmargin.ops.design import Design
from maxmargin.problems import LinearProblem
from maxmargin.solvers.linear.propose import propose
from maxmargin.solvers.linear.rotation import Rotation
from maxmargin.solvers.predictor_corrector import INSIDE, TINY, InteriorSolver, reach

Vector = NDArray[np.float64]

# Added to a diagonal of ones: columns that repeat others make the matrix singular.
_JITTER = 1e-15


@dataclass(frozen=True)
class _Way:
    """A change of duals, coefficients and multipliers."""

    alpha: Vector
    theta: Vector
    z: Vector
    v: Vector


class LinearInteriorPoint(InteriorSolver[_Way]):
    """Steps from inside the box, on rows turned so that their mean is one column."""

    def __init__(
        self, problem: LinearProblem, design: Design, start: None = None, seed: int = 0
    ) -> None:
        del start, seed  # it begins inside the box, and nothing is random
        self.problem, self._design, self.iterations, self.spent = problem, design, 0, False
        self._rotation = Rotation.of(design, turn=not problem.free)
        self._rows = self._rotation.design
        squared = problem.loss == SquaredHinge()
        self._bounded = not squared
        self._d = 0.5 / problem.cost if squared else np.zeros(len(problem))
        self._penalty = problem.curvature_of_penalty(design.width)
        self._begin()

    def _begin(self) -> None:
        """Start with values far below 1, half a cost away from every bound at most."""
        n, cost = len(self.problem), self.problem.cost
        longest = max(float(self._rows.row_norms().max(initial=0.0)), TINY)
        self._alpha = np.minimum(0.5 * cost, 1.0 / (n * longest))
        self._z, self._v = np.ones(n), np.ones(n) * self._bounded
        self._theta = np.zeros(self._rows.width)
        self._look()

    def _look(self) -> None:
        problem, rows = self.problem, self._rows
        beta = problem.t * self._alpha
        self._back, self._values = rows.back(beta), rows.values(self._theta)
        self._primal = problem.primal(self._theta, self._values)
        self._dual = problem.dual(beta, self._back)

    def _factorise(self) -> Any:
        low, high = self._gaps()
        D = self._d + self._z / low + self._v / high
        factor = factorise(self._rows, D, self._penalty)
        return None if factor is None else (factor, D)

    def _gaps(self) -> tuple[Vector, Vector]:
        """Distances to the bounds, 1 where there is none above."""
        high = self.problem.cost - self._alpha if self._bounded else np.ones(len(self._alpha))
        return np.maximum(self._alpha, TINY), np.maximum(high, TINY)

    def _products(self, change: _Way | None = None) -> list[Vector]:
        if change is not None:
            return [change.z * change.alpha, -change.v * change.alpha]
        low, high = self._gaps()
        return [self._z * low, self._v * high]

    def _mean(self, change: _Way | None = None) -> float:
        (low, high), z, v = self._gaps(), self._z, self._v
        if change is not None:
            a, b = self._lengths(change, 1.0)
            low, high = low + a * change.alpha, high - a * change.alpha
            z, v = z + b * change.z, v + b * change.v
        return float(z @ low + v @ high) / (len(z) * (1 + self._bounded))

    def _newton(self, factor: Any, aims: list[Vector]) -> _Way:
        factor, D = factor
        t, (low, high), z_side = self.problem.t, self._gaps(), aims[0]
        v_side = aims[1] if self._bounded else np.zeros_like(z_side)
        short = 1.0 - t * self._values - self._d * self._alpha + self._z - self._v
        right = short + z_side / low - v_side / high
        off = self._back - self._penalty * self._theta
        theta = solve(factor, off + self._rows.back(t * right / D))
        alpha = (right - t * self._rows.values(theta)) / D
        z, v = (z_side - self._z * alpha) / low, (v_side + self._v * alpha) / high
        return _Way(alpha, theta, z, v)

    def _lengths(self, way: _Way, inside: float) -> tuple[float, float]:
        """How far the duals and their multipliers can go without leaving their bounds."""
        low, high = self._gaps()
        above = reach(high, -way.alpha) if self._bounded else np.inf
        dual = min(reach(low, way.alpha), above)
        other = min(reach(self._z, way.z), reach(self._v, way.v) if self._bounded else np.inf)
        return min(1.0, inside * dual), min(1.0, inside * other)

    def _move(self, change: _Way) -> None:
        a, b = self._lengths(change, INSIDE)
        if not self._bounded:  # its diagonal ties duals and coefficients together
            a = b = min(a, b)
        self._alpha = self._alpha + a * change.alpha
        self._theta, self._z, self._v = (
            self._theta + b * change.theta,
            self._z + b * change.z,
            self._v + b * change.v,
        )
        self._look()

    def point(self) -> LinearPoint:
        """Return coefficients and duals for the rows as they are."""
        theta, beta = self._rotation.back(self._theta), self.problem.t * self._alpha
        return propose(self.problem, self._design, theta, self.problem.balanced(beta))


def factorise(rows: Design, D: Vector, penalty: Vector) -> tuple[Vector, Vector] | None:
    """Factorise P + sum_i x_i x_i' / D_i, its diagonal brought to 1; None if that fails."""
    matrix = rows.products(1.0 / D)
    matrix[np.diag_indices_from(matrix)] += penalty
    scale = 1.0 / np.sqrt(np.maximum(matrix.diagonal(), TINY))
    matrix *= scale * scale[:, None]
    matrix[np.diag_indices_from(matrix)] += _JITTER * len(matrix)
    if not np.isfinite(matrix).all():
        return None
    factor, failed = dpotrf(matrix, lower=1, clean=0)
    return None if failed else (factor, scale)


def solve(factor: tuple[Vector, Vector], right: Vector) -> Vector:
    """Solve the factorised system."""
    lower, scale = factor
    solution: Vector = scale * dpotrs(lower, scale * right, lower=1)[0]
    return solution
