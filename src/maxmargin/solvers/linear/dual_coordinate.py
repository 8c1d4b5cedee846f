r"""Dual coordinate descent for linear SVMs: one row at a time, O(columns) a step.

Problem: that of ``problems.linear`` with the hinge or the squared hinge, the penalty "l2" and no
free intercept. In alpha_i = t_i beta_i its dual is the box QP of ``ops.cpu.dual_coordinate``, where
the losses differ by a diagonal and a bound only:

    hinge           d_i = 0,             u_i = c_i
    squared hinge   d_i = 1 / (2 c_i),   u_i = infinity

Rows are visited in a new random order each pass (Hsieh et al., ICML 2008, algorithm 3), and those
that rest at a bound are left out of the next. The coefficients theta = sum alpha_i t_i x_i are kept
up to date, so that a pass costs two readings of its rows; every step raises the dual.

An iteration is as many visits as there are rows. After a few comes a look at all rows: one product,
which gives the gap and finds rows that were left out and would move by now. That is shrinking
without a threshold. A pass over all rows in place of the look would read them in random order on
one thread, the product reads them in order on all. Where few rows move, many passes over them are
made in one call: of a9a (hinge, gap 1e-5) 245 looks took three quarters of a fit.

With ``sampling="uniform"`` every step draws one of all rows, each with the same probability, and a
pass is as many draws as there are rows (Shalev-Shwartz and Zhang, JMLR 14, 2013): nothing is left
out, and nothing is sure to be visited.

The primal of theta itself jumps up and down while the dual rises smoothly; the best point between
it and the best one before is better than both, and costs no product.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import LinearPoint
from maxmargin.losses import SquaredHinge
from maxmargin.ops.clock import WORK
from maxmargin.ops.design import Design
from maxmargin.ops.kinds import (
    DUAL_ALPHA,
    DUAL_CURVATURE,
    DUAL_DIAGONAL,
    DUAL_INVERSE,
    DUAL_LABEL,
    DUAL_LINE,
    DUAL_UPPER,
)
from maxmargin.problems import LinearProblem
from maxmargin.solvers.linear.propose import LinearStart, propose
from maxmargin.solvers.linear.sweep import Index, sweep
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import GapSolver, Scope, hinges

Vector = NDArray[np.float64]

_FIRST, _LEAST, _LAPS = 3, 0.3, 5  # times all rows are visited before a look: first, later
_LITTLE = 0.003  # of the gap: a pass that gains less says that it is to be found elsewhere
_MANY = 200  # passes at once, where few rows move
_HALVINGS = 4  # of the way between two points, to find where the primal is least


class DualCoordinate(GapSolver):
    """Coordinate ascent of the dual with explicit coefficients."""

    scope: ClassVar = Scope(hinges, ("l2",), free=(False,))

    def __init__(
        self,
        problem: LinearProblem,
        design: Design,
        start: LinearStart | None = None,
        seed: int = 0,
        *,
        sampling: str = "epochs",
    ) -> None:
        self.scope.refuse_others(self, problem)
        self.problem, self._design, self.iterations = problem, design, 0
        self._verbs = design.engine.dual_coordinate
        self._squared = problem.loss == SquaredHinge()
        self._rows, self._length = design.csr, design.stored / max(1, len(design))
        self._lines = self._known(problem, design)
        self._duals, self._alpha = self._lines.ravel(), self._lines[:, DUAL_ALPHA]
        self._theta = np.zeros(design.width)
        self._random = np.random.default_rng(seed).integers(1, 2**63, size=1, dtype=np.uint64)
        self._best_theta, self._best_values = self._theta.copy(), np.zeros(len(problem))
        self._best_primal, self._dual = problem.primal(self._theta, self._best_values), 0.0
        self._visits, self._uniform = float(_FIRST * len(problem)), sampling == "uniform"
        self._order, self._rate, self.made = np.arange(len(problem)), 0.0, 0.0
        if start is not None:
            alpha = start.alpha(problem, self._lines[:, DUAL_UPPER])
            self._alpha[:] = np.where(self._lines[:, DUAL_CURVATURE] > 0, alpha, self._alpha)
            self._theta = design.back(problem.t * self._alpha)
            self._look()

    def _known(self, problem: LinearProblem, design: Design) -> Vector:
        """Put side by side what a visit needs to know of a row."""
        lines = np.zeros((len(problem), DUAL_LINE))
        diagonal = 0.5 / problem.cost if self._squared else 0.0
        curvature = design.row_norms() + diagonal
        lines[:, DUAL_LABEL], lines[:, DUAL_DIAGONAL] = problem.t, diagonal
        lines[:, DUAL_UPPER] = np.inf if self._squared else problem.cost
        lines[:, DUAL_CURVATURE] = curvature
        np.divide(1.0, curvature, out=lines[:, DUAL_INVERSE], where=curvature > 0)
        # No weights help a row of zeros: its best dual under the hinge is the cost, from the start.
        lines[:, DUAL_ALPHA] = np.where(curvature > 0, 0.0, problem.cost)
        return lines

    def merit(self) -> float:
        """Return the dual."""
        return self._dual

    def objectives(self) -> tuple[float, float]:
        """Best primal so far, and the dual."""
        return self._best_primal, self._dual

    def step(self, limits: Limits) -> None:
        """Make some passes, then look at the gap."""
        before = self.violation()
        if self._uniform or len(self._order) * self._length > WORK:
            self._pass(limits)
        else:
            self._pass_often(limits)
        self._look()
        self._rate = _rate(before, self.violation(), self.made)
        n = len(self.problem)
        self._visits = float(np.clip(1.1 * self.needed(limits.tol), _LEAST * n, _LAPS * n))

    def needed(self, tol: float) -> float:
        """Count the visits after which the gap should be small enough, at its last decrease."""
        now = self.violation()
        if now <= tol:
            return 0.0
        return float(np.log(now / tol)) / self._rate if self._rate > 0 else np.inf

    def _pass_often(self, limits: Limits) -> None:
        """Visit the rows that move, in new orders, as long as one call should take."""
        most = limits.steps_left(self.iterations, _LAPS) * len(self.problem)
        visits = min(self._visits, WORK / self._length, max(1, most))
        goal = _LITTLE * max(0.0, self._best_primal - self._dual)
        _, kept, self.made = self._verbs.descend_often(
            *self._rows,
            self._design.constant,
            self._duals,
            self._order,
            len(self._order),
            _MANY,
            visits,
            goal,
            self._random,
            self._theta,
        )
        self._order = self._order[:kept]
        self._count(self.made)

    def _pass(self, limits: Limits) -> None:
        """Visit the rows that moved when last visited, or as many draws as there are rows."""
        if self._uniform:
            self._order = np.empty(len(self.problem), np.intp)
            self._verbs.draw(self._order, self._random)
        else:
            self._verbs.shuffle(self._order, len(self._order), self._random)
        self.made = float(len(self._order))
        work = self._length * len(self._order)
        self._order, _ = sweep(self._order, work, self._visit, limits)
        self._count(self.made)

    def _count(self, visits: float) -> None:
        """Count as an iteration what visits as many rows as there are, and every look."""
        self.iterations += max(1, int(visits / max(1, len(self.problem))))

    def _visit(self, order: Index) -> tuple[int, float]:
        constant, theta = self._design.constant, self._theta
        kept, gain = self._verbs.descend(
            *self._rows, constant, self._duals, order, len(order), theta
        )
        return kept, gain

    def _look(self) -> None:
        """Evaluate both objectives, and find the rows that a step would move."""
        theta, problem = self._theta, self.problem
        values, order = self._design.values(theta), np.empty(len(problem), np.intp)
        count, total, squares = self._verbs.gather(values, self._duals, order)
        self._order = order[:count]
        self._dual = total - 0.5 * (squares + float(theta @ theta))
        share = self._best_share(theta, values)
        self._best_theta = self._best_theta + share * (theta - self._best_theta)
        self._best_values = self._best_values + share * (values - self._best_values)
        self._best_primal = problem.primal(self._best_theta, self._best_values)

    def _best_share(self, theta: Vector, values: Vector) -> float:
        """Find where the primal is least between the best point so far (0) and this one (1)."""
        problem, way, change = self.problem, theta - self._best_theta, values - self._best_values
        before, length, squared = float(self._best_theta @ way), float(way @ way), self._squared

        def slope(share: float) -> float:
            price = self._verbs.slope_between(
                self._best_values, change, problem.t, problem.cost, squared, share
            )
            return before + share * length + price

        low, high = 0.0, 1.0
        if slope(high) <= 0:
            return high
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if slope(middle) < 0 else (low, middle)
        return low

    def point(self) -> LinearPoint:
        """Return the best coefficients and the duals with fresh products."""
        return propose(self.problem, self._design, self._best_theta, self._alpha * self.problem.t)

    def restart(self, point: LinearPoint) -> None:
        """Go on from the fresh sum of the rows, all of them."""
        self._theta, self._best_values = point.back.copy(), point.values
        self._look()


def _rate(before: float, now: float, visits: float) -> float:
    """By how much the logarithm of a gap fell with each visit."""
    return float(np.log(before / now)) / visits if 0 < now < before and visits > 0 else 0.0
