r"""A primal-dual interior-point method for the machine of Crammer and Singer with few columns.

Problem: ``problems.crammer_singer``, as a minimum over alpha,

    min_alpha  sum_k |w_k|^2 / 2 + sum_ik e_ik alpha_ik,     w_k = sum_i alpha_ik x_i
    s.t.       sum_k alpha_ik = 0,   alpha_ik <= u_ik = c_i [k = y_i].

With s = u - alpha >= 0, multipliers v >= 0 of the bounds and lambda_i of the sums, an iteration
makes a Newton step on

    w_k'x_i + e_ik + lambda_i + v_ik = 0,   sum_k alpha_ik = 0,   v_ik s_ik = mu.

Written in the change of W it is a system of (classes times columns) unknowns,

    (I + sum_i G_i (x) x_i x_i') dW = r,     G_i = diag(E_i) - E_i E_i' / sum_k E_ik,   E = s / v,

which needs one product of the rows for each pair of classes. Coordinate ascent (``crammer_singer``)
is faster on scaled data and needs no such matrix; on raw data it may take thousands of epochs, and
this some thirty steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from maxmargin.certify import CrammerSingerPoint
from maxmargin.ops.design import Design
from maxmargin.problems import CrammerSinger
from maxmargin.problems.crammer_singer import Matrix, Vector
from maxmargin.solvers.linear.propose import propose_joint
from maxmargin.solvers.linear.rotation import Rotation
from maxmargin.solvers.predictor_corrector import INSIDE, TINY, InteriorSolver, reach

# Added to a diagonal of ones: columns that repeat others make the matrix singular.
_JITTER = 1e-14


@dataclass(frozen=True)
class _Change:
    """A change of the duals, their multipliers and the weights."""

    alpha: Matrix
    v: Matrix
    level: Vector
    W: Matrix


class JointInteriorPoint(InteriorSolver[_Change]):
    """Steps from inside the box; a row a training row, a column a class."""

    def __init__(
        self, problem: CrammerSinger, design: Design, start: None = None, seed: int = 0
    ) -> None:
        del start, seed  # it begins inside the box, and nothing is random
        self.problem, self._given, self.iterations, self.spent = problem, design, 0, False
        self._rotation = Rotation.of(design)
        self._design = self._rotation.design
        n, classes = len(problem), problem.classes
        longest = float(self._design.row_norms().max(initial=0.0))  # no value is far above 1
        few = np.minimum(0.5 * problem.cost, 1.0 / max(n * longest, TINY))
        self._alpha = np.repeat(-few[:, None] / max(1, classes - 1), classes, axis=1)
        self._balance()
        self._upper, self._unlike = problem.bounds(), problem.challenges(np.zeros((n, classes)))
        self._v, self._level = np.ones((n, classes)), np.full(n, -2.0)
        self._W = np.zeros((classes, self._design.width))
        self._look()

    def _balance(self) -> None:
        """Make the duals of every row sum to 0, to the last bit."""
        rows, own = np.arange(len(self.problem)), self.problem.labels
        self._alpha[rows, own] = 0.0
        self._alpha[rows, own] = -self._alpha.sum(axis=1)

    def _look(self) -> None:
        self._back = self._design.joint_back(self._alpha)
        self._values = self._design.joint_values(self._W)
        self._primal = self.problem.primal(self._W, self._values)
        self._dual = self.problem.dual(self._alpha, self._back)

    def _slack(self) -> Matrix:
        """Distances to the bounds."""
        return np.maximum(self._upper - self._alpha, TINY)

    def _factorise(self) -> Any:
        return self._factor(self._slack() / self._v)

    def _products(self, change: _Change | None = None) -> list[Matrix]:
        return [self._v * self._slack()] if change is None else [-change.v * change.alpha]

    def _mean(self, change: _Change | None = None) -> float:
        slack, v = self._slack(), self._v
        if change is not None:
            primal, dual = self._lengths(change, 1.0)
            slack, v = slack - primal * change.alpha, v + dual * change.v
        return float((slack * v).mean())

    def _factor(self, E: Matrix) -> Any:
        """Factorise the system of all classes and columns, its diagonal brought to 1."""
        classes, width = self.problem.classes, self._design.width
        total = E.sum(axis=1)
        system = np.empty((classes, width, classes, width))
        for k, m in combinations_with_replacement(range(classes), 2):
            others = np.delete(E, k, axis=1).sum(axis=1) if k == m else -E[:, m]
            block = np.sign(others[0]) * self._design.products(E[:, k] * np.abs(others) / total)
            system[k, :, m, :], system[m, :, k, :] = block, block.T
        flat = system.reshape(classes * width, -1)
        flat[np.diag_indices_from(flat)] += 1.0
        scale = 1.0 / np.sqrt(flat.diagonal())
        flat *= scale * scale[:, None]
        flat[np.diag_indices_from(flat)] += _JITTER * len(flat)
        factor, failed = dpotrf(flat, lower=1, clean=0)
        return None if failed or not np.isfinite(scale).all() else (factor, scale, E, total)

    def _newton(self, factor: Any, aims: list[Matrix]) -> _Change:
        (lower, scale, E, total), slack, side = factor, self._slack(), aims[0]
        stationary = self._values + self._unlike + self._level[:, None] + self._v
        q = -stationary - side / slack
        sums = self._alpha.sum(axis=1)
        level = ((E * q).sum(axis=1) + sums) / total
        start = E * (q - level[:, None])
        right = self._back - self._W + self._design.joint_back(start)
        solved = scale * dpotrs(lower, scale * right.ravel(), lower=1)[0]
        W = solved.reshape(right.shape)
        change = self._design.joint_values(W)
        level = level - (E * change).sum(axis=1) / total
        alpha = E * (q - change - level[:, None])
        return _Change(alpha, (side + self._v * alpha) / slack, level, W)

    def _lengths(self, change: _Change, inside: float) -> tuple[float, float]:
        """How far the duals and their multipliers can go without leaving their bounds."""
        primal, dual = reach(self._slack(), -change.alpha), reach(self._v, change.v)
        return min(1.0, inside * primal), min(1.0, inside * dual)

    def _move(self, change: _Change) -> None:
        primal, dual = self._lengths(change, INSIDE)
        self._alpha = self._alpha + primal * change.alpha
        self._balance()
        self._alpha = np.minimum(self._alpha, self._upper)
        self._v, self._level = self._v + dual * change.v, self._level + dual * change.level
        self._W = self._W + dual * change.W
        self._look()

    def point(self) -> CrammerSingerPoint:
        """Return weights and duals for the rows as they are."""
        theta = self._rotation.back(self._W)
        return propose_joint(self.problem, self._given, theta, self._alpha.copy())
