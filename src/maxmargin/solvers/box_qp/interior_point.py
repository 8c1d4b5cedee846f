r"""A primal-dual interior-point method for box QPs in memory: slow, and hard to stop.

Problem: the box QP of ``problems.box_qp``, as a minimum,

    min_beta  beta'K beta / 2 - p'beta,   l <= beta <= u,   E'beta = s with a bias,

where E has a column of ones and zeros for every group of variables, and s their sums; without
groups sum beta = s. With multipliers y of the equalities, z >= 0 of beta >= l and v >= 0 of
beta <= u, each iteration makes a Newton step on

    K beta - p + E y - z + v = 0,   E'beta = s,   z (beta - l) = mu,   v (u - beta) = mu

for a mu that ``predictor_corrector`` chooses (for support vector machines Fine and Scheinberg, JMLR
2, 2001). A step is a factorisation of K + diag(z / (beta - l) + v / (u - beta)), scaled so
that its diagonal is 1: O(n^3), some twenty to sixty times, whatever the scale of the data and the
costs. SMO is faster wherever it converges; this is for problems where it does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs

from maxmargin.problems import BoxQP
from maxmargin.solvers.predictor_corrector import TINY, PredictorCorrector, reach
from maxmargin.solvers.run import Limits

Vector = NDArray[np.float64]

# Steps at most; well-behaved problems need twenty.
_STEPS = 100
# Of the way to the nearest bound.
_INSIDE = 0.995
# The mean product, relative to the first, at which rounding is all there is.
_DONE = 1e-14


@dataclass
class _State:
    """A point inside the box, with its multipliers."""

    beta: Vector
    y: Vector
    z: Vector
    v: Vector

    def moved(self, step: _State, primal: float, dual: float) -> _State:
        """Go along a step, beta by one length and the multipliers by another."""
        return _State(
            self.beta + primal * step.beta,
            self.y + dual * step.y,
            self.z + dual * step.z,
            self.v + dual * step.v,
        )


class InteriorPoint(PredictorCorrector[_State]):
    """Iterations on one problem with its matrix in double precision."""

    def __init__(self, problem: BoxQP, K: Vector) -> None:
        self._problem, self._K = problem, K
        self._below, self._above = np.isfinite(problem.lower), np.isfinite(problem.upper)
        groups = np.zeros(len(problem), np.int8) if problem.groups is None else problem.groups
        count = len(problem.totals) if problem.bias else 0
        self._sides = (groups[:, None] == np.arange(count)).astype(np.float64)
        self._totals = np.array(problem.totals[:count])

    def solve(self, limits: Limits) -> Vector | None:
        """Return a point inside the box as near to the optimum as rounding allows; None if none."""
        self._state = self._start()
        first = best = self._mean()
        found = self._state.beta
        for _ in range(_STEPS):
            if limits.clock.over() or best <= _DONE * first:
                break
            with np.errstate(over="ignore", invalid="ignore"):  # such a step is not taken
                if not self.improve():
                    break
            mu = self._mean()
            if not np.isfinite(mu):
                break
            if mu < best:
                best, found = mu, self._state.beta
        return found if np.isfinite(found).all() else None

    def _start(self) -> _State:
        """Begin in the middle of the box, or a unit of curvature away from its only bound."""
        problem = self._problem
        reach = 1.0 / np.maximum(self._K.diagonal(), TINY)
        typical = float(np.median(reach[np.isfinite(reach)]))
        lower = np.where(self._below, problem.lower, problem.upper - typical)
        upper = np.where(self._above, problem.upper, problem.lower + typical)
        away = np.minimum(0.5 * (upper - lower), typical)
        beta = np.where(problem.p > 0, lower + away, upper - away)
        return _State(beta, np.zeros(len(self._totals)), 1.0 * self._below, 1.0 * self._above)

    def _gaps(self, state: _State) -> tuple[Vector, Vector]:
        """Distances to the bounds, 1 where there is none."""
        low = np.where(self._below, state.beta - self._problem.lower, 1.0)
        high = np.where(self._above, self._problem.upper - state.beta, 1.0)
        return np.maximum(low, TINY), np.maximum(high, TINY)

    def _factorise(self) -> _Factor | None:
        low, high = self._gaps(self._state)
        return _Factor.of(self._K, self._state.z / low + self._state.v / high)

    def _products(self, change: _State | None = None) -> list[Vector]:
        if change is not None:
            return [change.z * change.beta, -change.v * change.beta]
        low, high = self._gaps(self._state)
        return [self._state.z * low, self._state.v * high]

    def _mean(self, change: _State | None = None) -> float:
        state = self._state
        if change is not None:
            state = state.moved(change, *self._lengths(state, change, 1.0))
        low, high = self._gaps(state)
        bounds = max(1, int(self._below.sum() + self._above.sum()))
        return float(state.z @ low + state.v @ high) / bounds

    def _newton(self, factor: _Factor, aims: list[Vector]) -> _State:
        problem, state, (low, high) = self._problem, self._state, self._gaps(self._state)
        z_side, v_side = np.where(self._below, aims[0], 0.0), np.where(self._above, aims[1], 0.0)
        dual = problem.p - self._K @ state.beta - self._sides @ state.y + state.z - state.v
        right = dual + z_side / low - v_side / high
        beta, y = factor.solve(right), state.y
        if problem.bias:
            ones, missing = factor.solve(self._sides), self._totals - self._sides.T @ state.beta
            y = np.linalg.lstsq(self._sides.T @ ones, self._sides.T @ beta - missing, rcond=None)[0]
            beta = beta - ones @ y
        z = np.where(self._below, (z_side - state.z * beta) / low, 0.0)
        v = np.where(self._above, (v_side + state.v * beta) / high, 0.0)
        return _State(beta, y, z, v)

    def _move(self, change: _State) -> None:
        self._state = self._state.moved(change, *self._lengths(self._state, change, _INSIDE))

    def _lengths(self, state: _State, step: _State, inside: float) -> tuple[float, float]:
        """How far beta and the multipliers can go without leaving their bounds."""
        low, high = self._gaps(state)
        primal = min(
            reach(low, np.where(self._below, step.beta, 0.0)),
            reach(high, np.where(self._above, -step.beta, 0.0)),
        )
        dual = min(reach(state.z, step.z), reach(state.v, step.v))
        return min(1.0, inside * primal), min(1.0, inside * dual)


@dataclass(frozen=True)
class _Factor:
    """A Cholesky factor of K + diag(d), of which the diagonal was brought to 1."""

    scale: Vector
    factor: Vector
    matrix: Vector

    @classmethod
    def of(cls, K: Vector, d: Vector) -> _Factor | None:
        scale = 1.0 / np.sqrt(np.maximum(K.diagonal() + d, TINY))
        if not np.isfinite(scale).all():
            return None
        matrix = K * scale * scale[:, None]
        np.fill_diagonal(matrix, 1.0 + 4 * np.finfo(np.float64).eps * len(K))
        factor, failed = dpotrf(matrix, lower=1, clean=0)
        return None if failed else cls(scale, factor, matrix)

    def solve(self, right: Vector) -> Vector:
        """Solve, and once more for what rounding left."""
        scaled = (self.scale * right.T).T
        solution = dpotrs(self.factor, scaled, lower=1)[0]
        solution = solution + dpotrs(self.factor, scaled - self.matrix @ solution, lower=1)[0]
        answer: Vector = (self.scale * solution.T).T
        return answer
