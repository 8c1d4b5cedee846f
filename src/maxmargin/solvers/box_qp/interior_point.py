r"""A primal-dual interior-point method for box QPs in memory: slow, and hard to stop.

Problem: the box QP of ``problems.box_qp``, as a minimum,

    min_beta  beta'K beta / 2 - p'beta,   l <= beta <= u,   E'beta = s with a bias,

where E has a column of ones and zeros for every group of variables, and s their sums; without
groups sum beta = s. With multipliers y of the equalities, z >= 0 of beta >= l and v >= 0 of
beta <= u, each iteration makes a Newton step on

    K beta - p + E y - z + v = 0,   E'beta = s,   z (beta - l) = mu,   v (u - beta) = mu

for a mu that a first trial of mu = 0 suggests (Mehrotra, "On the implementation of a primal-dual
interior point method", SIAM J. Optim. 2, 1992; for support vector machines Fine and Scheinberg,
JMLR 2, 2001). A step is a factorisation of K + diag(z / (beta - l) + v / (u - beta)), scaled so
that its diagonal is 1: O(n^3), some twenty to sixty times, whatever the scale of the data and the
costs. SMO is faster wherever it converges; this is for problems where it does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs

from maxmargin.problems import BoxQP
from maxmargin.solvers.run import Limits

Vector = NDArray[np.float64]

_STEPS = 100
_INSIDE = 0.995  # of the way to the nearest bound
_DONE = 1e-14  # complementarity, relative to the first
_TINY = float(np.finfo(np.float64).tiny)


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


class InteriorPoint:
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
        state = self._start()
        first = best = self._complementarity(state)
        found = state.beta
        for _ in range(_STEPS):
            if limits.clock.over() or best <= _DONE * first:
                break
            with np.errstate(over="ignore", invalid="ignore"):  # such a step is not taken
                moved = self._step(state)
            if moved is None:
                break
            state, mu = moved, self._complementarity(moved)
            if not np.isfinite(mu):
                break
            if mu < best:
                best, found = mu, state.beta
        return found if np.isfinite(found).all() else None

    def _start(self) -> _State:
        """Begin in the middle of the box, or a unit of curvature away from its only bound."""
        problem = self._problem
        reach = 1.0 / np.maximum(self._K.diagonal(), _TINY)
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
        return np.maximum(low, _TINY), np.maximum(high, _TINY)

    def _complementarity(self, state: _State) -> float:
        low, high = self._gaps(state)
        bounds = max(1, int(self._below.sum() + self._above.sum()))
        return float(state.z @ low + state.v @ high) / bounds

    def _step(self, state: _State) -> _State | None:
        """Predict, centre, correct."""
        low, high = self._gaps(state)
        factor = _Factor.of(self._K, state.z / low + state.v / high)
        if factor is None:
            return None
        mu = self._complementarity(state)
        trial = self._newton(state, factor, -state.z * low, -state.v * high)
        ahead = state.moved(trial, *self._lengths(state, trial, 1.0))
        centre = mu * (self._complementarity(ahead) / mu) ** 3 if mu > 0 else 0.0
        z_side = np.where(self._below, centre - state.z * low - trial.z * trial.beta, 0.0)
        v_side = np.where(self._above, centre - state.v * high + trial.v * trial.beta, 0.0)
        step = self._newton(state, factor, z_side, v_side)
        return state.moved(step, *self._lengths(state, step, _INSIDE))

    def _newton(self, state: _State, factor: _Factor, z_side: Vector, v_side: Vector) -> _State:
        """Solve the linearised conditions with these changes of the complementarities."""
        problem, (low, high) = self._problem, self._gaps(state)
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

    def _lengths(self, state: _State, step: _State, inside: float) -> tuple[float, float]:
        """How far beta and the multipliers can go without leaving their bounds."""
        low, high = self._gaps(state)
        primal = min(
            _reach(low, np.where(self._below, step.beta, 0.0)),
            _reach(high, np.where(self._above, -step.beta, 0.0)),
        )
        dual = min(_reach(state.z, step.z), _reach(state.v, step.v))
        return min(1.0, inside * primal), min(1.0, inside * dual)


def _reach(room: Vector, change: Vector) -> float:
    """How many times a change fits into the room."""
    falls = change < 0
    return float((-room[falls] / change[falls]).min(initial=np.inf))


@dataclass(frozen=True)
class _Factor:
    """A Cholesky factor of K + diag(d), of which the diagonal was brought to 1."""

    scale: Vector
    factor: Vector
    matrix: Vector

    @classmethod
    def of(cls, K: Vector, d: Vector) -> _Factor | None:
        scale = 1.0 / np.sqrt(np.maximum(K.diagonal() + d, _TINY))
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
