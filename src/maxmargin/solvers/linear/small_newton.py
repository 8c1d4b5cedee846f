r"""Newton's method on few rows and columns: the steps of ``newton``, all in one compiled call.

Problem: that of ``problems.linear`` with the penalty "l2" and the hinge, the squared hinge or the
logistic loss. A step on 200 rows takes a hundred times longer to say in calls of NumPy than to
make, so here ``ops.cpu.newton`` makes all of them; what they are is said in ``newton``. The point
that it ends with is proposed and judged like any other.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import LinearPoint
from maxmargin.losses import MarginLoss
from maxmargin.ops.clock import WORK
from maxmargin.ops.design import Design
from maxmargin.ops.kinds import DUAL, IDLE, PRIMAL
from maxmargin.problems import LinearProblem
from maxmargin.solvers.linear.linear_start import LinearStart
from maxmargin.solvers.linear.newton import KINDS, aim_of, damping_of, solves_exactly, width_of
from maxmargin.solvers.linear.propose import propose
from maxmargin.solvers.linear.scope import Scope
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import GapSolver, relative_gap

Vector = NDArray[np.float64]

_GRADIENTS = 15  # products with all rows of a step by conjugate gradients
_FARTHEST = 8.0  # value of the first intercept


class SmallNewton(GapSolver):
    """Newton's method with exact steps, compiled."""

    scope: ClassVar = Scope(lambda loss: loss in KINDS, ("l2",))

    def __init__(
        self,
        problem: LinearProblem,
        design: Design,
        start: LinearStart | None = None,
        seed: int = 0,
    ) -> None:
        del seed  # nothing is random
        self.problem, self._design, self.iterations = problem, design, 0
        self._exact = solves_exactly(problem.loss, design)
        self.aim = aim_of(design) if self._exact else 1.0  # steps cost next to nothing
        self._kind, n = KINDS[problem.loss], len(problem)
        self._rows, self._verbs = design.csr(), design.engine.newton
        self._theta, self._values = np.zeros(design.width), np.zeros(n)
        self._centre, self._best_dual = np.zeros(n), np.zeros(n)
        self._about = design.constant, problem.t, problem.cost, self._kind, problem.free
        warm = start is not None
        if start is None:
            self._theta[-1:] = _first_intercept(problem, design.constant)
            self._values += design.constant * self._theta[-1]
        else:
            self._theta, self._values = start.theta.copy(), design.values(start.theta)
            self._centre = start.alpha(problem, problem.cost) / problem.cost
        self._best_theta = self._theta.copy()
        primal = problem.primal(self._theta, self._values)
        width, damping = width_of(warm), damping_of(problem.loss)
        self._state = np.array([width, damping, primal, 0.0, 0.0])
        self.spent, self._told = False, np.empty((0, 2))

    def objectives(self) -> tuple[float, float]:
        """Best primal and dual value so far."""
        return float(self._state[PRIMAL]), float(self._state[DUAL])

    def step(self, limits: Limits) -> None:
        """Make as many steps as can be without a look at the clock, whoever is watching."""
        at_once = max(1, int(WORK // work_of(self._design, self._exact)))
        most = limits.steps_left(self.iterations, at_once)
        self._told = np.empty((0 if limits.callback is None else most, 2))
        made = self._verbs.newton_steps(
            *self._rows,
            *self._about,
            np.empty((0, 0) if self._exact else 0),
            limits.tol,
            most,
            self._centre,
            self._theta,
            self._values,
            self._state,
            self._best_theta,
            self._best_dual,
            self._told,
        )
        self.iterations += made
        self._told = self._told[:made]
        self.spent = made < most and self.violation() > limits.tol

    def between(self) -> list[tuple[int, float, float, float]]:
        """Return steps, primal, dual and violation at all steps of the last call but its last."""
        first = self.iterations - len(self._told) + 1
        numbers = enumerate(self._told[:-1].tolist(), first)
        return [(step, *values, relative_gap(*values)) for step, values in numbers]

    def point(self) -> LinearPoint:
        """Return the best coefficients and duals with fresh products."""
        beta = self.problem.t * self.problem.cost * self._best_dual
        return propose(self.problem, self._design, self._best_theta, beta)

    def restart(self, point: LinearPoint) -> None:
        """Go on from fresh products."""
        self._theta, self._values = point.theta.copy(), point.values.copy()
        primal, dual, _ = self.problem.judged(point.theta, point.values, point.beta, point.back)
        self._state[[PRIMAL, DUAL, IDLE]] = primal, dual, 0.0
        self.spent, self._told = False, self._told[:0]


def work_of(design: Design, exact: bool) -> float:
    """Count the multiplications of a step: of rows and Cholesky's factor, or of passes."""
    if not exact:
        return _GRADIENTS * (2.0 * design.stored + design.width)
    each = design.stored / max(1, len(design))
    return design.stored * (0.5 * each + 8.0) + design.width**3 / 6.0


def _first_intercept(problem: LinearProblem, constant: float) -> float:
    """Begin with about the best intercept alone: the same value for all rows needs none of them."""
    if not constant or not problem.loss.smooth:
        return 0.0
    positive = float(problem.cost @ (problem.t > 0)) / float(problem.cost.sum())
    assert isinstance(problem.loss, MarginLoss)
    best = float(problem.loss.population_minimiser(positive))
    return min(max(best, -_FARTHEST), _FARTHEST) / constant
