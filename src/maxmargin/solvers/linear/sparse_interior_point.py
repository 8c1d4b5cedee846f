r"""A primal-dual interior-point method for the l1 penalty with the squared hinge and few columns.

Problem: that of ``problems.linear``. With theta = p - q of two halves that are not negative, and a
slack s_i for each row's margin, an iteration makes a Newton step on

    t_i f_i - 1 + alpha_i / (2 c_i) = s_i,     s_i alpha_i = mu,      alpha_i = t_i beta_i
    g_j = 1 - v_j,   p_j g_j = mu,     h_j = 1 + v_j,   q_j h_j = mu,      v = sum_i beta_i x_i

Written in the change of theta it is the system of ``linear_interior_point``, whose penalty has the
second derivatives P_j = 1 / (p_j / g_j + q_j / h_j) here; a free intercept has none and v_last = 0.
It is indifferent to columns that are nearly parallel, on which coordinates descend slowly
(``primal_coordinate``), and to rows that change sides with every parabola. Nearly parallel columns
ask for a QR factorisation of the rows, because their products keep half of the digits only.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

from maxmargin.certify import LinearPoint
from maxmargin.ops.design import Design
from maxmargin.problems import LinearProblem
from maxmargin.solvers.linear.propose import propose
from maxmargin.solvers.predictor_corrector import INSIDE, TINY, InteriorSolver, reach

Vector = NDArray[np.float64]

# Solves of what rounding left: nearly parallel columns keep half of the digits in the first.
_REFINEMENTS = 2


@dataclass(frozen=True)
class _Pairs:
    """What multiplies to mu: rows alpha and s, halves p and g, q and h; or a change of them."""

    alpha: Vector
    s: Vector
    p: Vector
    g: Vector
    q: Vector
    h: Vector

    def moved(self, way: _Pairs, length: float) -> _Pairs:
        """Go along a change."""
        names = [field.name for field in fields(self)]
        return _Pairs(*(getattr(self, n) + length * getattr(way, n) for n in names))

    def products(self) -> list[Vector]:
        """Multiply the partners."""
        return [self.alpha * self.s, self.p * self.g, self.q * self.h]

    def room(self, way: _Pairs) -> float:
        """How many times a change fits before something is negative."""
        names = [field.name for field in fields(self)]
        return min(reach(getattr(self, n), getattr(way, n)) for n in names)


class SparseInteriorPoint(InteriorSolver[tuple[_Pairs, Vector]]):
    """Steps from inside the bounds."""

    def __init__(
        self, problem: LinearProblem, design: Design, start: None = None, seed: int = 0
    ) -> None:
        del start, seed  # it begins inside the box, and nothing is random
        self.problem, self._design, self.iterations, self.spent = problem, design, 0, False
        self._rows = np.full((len(design), design.width), design.constant)
        self._rows[:, : design.columns] = design.X
        self._d = 0.5 / problem.cost
        self._penalised = design.width - problem.free
        n, ones = len(problem), np.ones(self._penalised)
        norms = np.sqrt(design.squares(np.ones(n))[: self._penalised])
        small = ones / np.maximum(norms, TINY)
        alpha = np.full(n, 1.0 / max(1.0, float(norms.max(initial=0.0)) * np.sqrt(n)))
        alpha = np.minimum(alpha, problem.cost)
        self._at = _Pairs(alpha, np.ones(n), small, ones, small, ones)
        self._b = np.zeros(int(problem.free))
        self._look()

    def _look(self) -> None:
        problem, at = self.problem, self._at
        self._theta = np.append(at.p - at.q, self._b)
        self._values = self._design.values(self._theta)
        self._back = self._design.back(problem.t * at.alpha)
        beta = problem.balanced(problem.t * at.alpha)
        back = self._design.back(beta) if problem.free else self._back
        self._primal, self._dual = (
            problem.primal(self._theta, self._values),
            problem.dual(beta, back),
        )

    def _factorise(self) -> Any:
        at, P = self._at, np.zeros(self._design.width)
        P[: self._penalised] = 1.0 / (at.p / at.g + at.q / at.h)
        D = self._d + at.s / at.alpha
        factor = _Factor.of(self._rows, D, P)
        return None if factor is None else (factor, D, P)

    def _products(self, change: tuple[_Pairs, Vector] | None = None) -> list[Vector]:
        return self._at.products() if change is None else change[0].products()

    def _mean(self, change: tuple[_Pairs, Vector] | None = None) -> float:
        at = self._at
        if change is not None:
            at = at.moved(change[0], min(1.0, at.room(change[0])))
        parts = at.products()
        return float(sum(part.sum() for part in parts)) / sum(len(part) for part in parts)

    def _move(self, change: tuple[_Pairs, Vector]) -> None:
        length = min(1.0, INSIDE * self._at.room(change[0]))
        self._at, self._b = self._at.moved(change[0], length), self._b + length * change[1]
        self._look()

    def _newton(self, factor: Any, aims: list[Vector]) -> tuple[_Pairs, Vector]:
        (factor, D, P), (rows, ups, downs) = factor, aims
        at, t, k = self._at, self.problem.t, self._penalised
        v = self._back[:k]
        off_g, off_h = 1.0 - v - at.g, 1.0 + v - at.h
        right = 1.0 - t * self._values - self._d * at.alpha + at.s + rows / at.alpha
        aim = (ups - at.p * off_g) / at.g - (downs - at.q * off_h) / at.h
        off = np.append(P[:k] * aim, self._back[k:])
        theta = factor.solve(off + self._design.back(t * right / D))
        alpha = (right - t * self._design.values(theta)) / D
        dv = P[:k] * (theta[:k] - aim)  # X'd(beta), but for rounding that p / g would multiply
        g, h = off_g - dv, off_h + dv
        p, q = (ups - at.p * g) / at.g, (downs - at.q * h) / at.h
        s = (rows - at.s * alpha) / at.alpha
        return _Pairs(alpha, s, p, g, q, h), theta[k:]

    def point(self) -> LinearPoint:
        """Return coefficients and duals with fresh products."""
        beta = self.problem.balanced(self.problem.t * self._at.alpha)
        return propose(self.problem, self._design, self._cleaned(), beta)

    def _cleaned(self) -> Vector:
        """Set weights to 0 that are on their way there, unless that costs more than the gap.

        Of columns far from 0 even a tiny weight moves all rows; the other columns take that over.
        """
        at, k = self._at, self._penalised
        size = np.sqrt(self._design.squares(np.ones(len(self.problem)))[:k])
        gone = np.zeros(len(self._theta), dtype=bool)
        gone[:k] = (size * at.p < at.g) & (size * at.q < at.h)
        if not gone.any():
            return self._theta
        theta = np.where(gone, 0.0, self._theta)
        if self._affordable(theta):
            return theta
        lost = self._rows[:, gone] @ self._theta[gone]
        theta[~gone] += np.linalg.lstsq(self._rows[:, ~gone], lost)[0]
        return theta if self._affordable(theta) else self._theta

    def _affordable(self, theta: Vector) -> bool:
        rise = self.problem.primal(theta, self._design.values(theta)) - self._primal
        return rise <= abs(self._primal - self._dual)


@dataclass(frozen=True)
class _Factor:
    """The triangle R of P + X'D^-1 X = M'M = R'R, for M with columns of length 1."""

    R: Vector
    M: Vector
    scale: Vector

    @classmethod
    def of(cls, rows: Vector, D: Vector, P: Vector) -> _Factor | None:
        M = np.vstack([np.diag(np.sqrt(P)), rows / np.sqrt(D)[:, None]])
        scale = 1.0 / np.maximum(np.linalg.norm(M, axis=0), TINY)
        M *= scale
        M = M[np.argsort(-np.abs(M).max(axis=1))]  # reflections are exact to each row's own size
        if not np.isfinite(M).all():
            return None
        R = qr(M, mode="r", overwrite_a=False, check_finite=False)[0][: M.shape[1]]
        return cls(R, M, scale) if R.diagonal().all() else None

    def solve(self, right: Vector) -> Vector:
        """Solve, and again for what rounding left."""
        scaled = self.scale * right
        solution = np.zeros_like(scaled)
        for _ in range(1 + _REFINEMENTS):
            left = scaled - self.M.T @ (self.M @ solution)
            solution = solution + solve_triangular(
                self.R, solve_triangular(self.R, left, trans="T")
            )
        answer: Vector = self.scale * solution
        return answer
