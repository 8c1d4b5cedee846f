r"""Newton's method on few rows and columns: the steps of ``newton``, all in one compiled call.

Problem: that of ``problems.linear`` with the penalty "l2" and the hinge, the squared hinge or the
logistic loss. A step on 200 rows takes a hundred times longer to say in calls of NumPy than to
make, so here ``ops.cpu.newton`` makes all of them; what they are is said in ``newton``. The point
that it ends with is proposed and judged like any other.
"""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import LinearPoint
from maxmargin.losses import Hinge, Logistic, Loss, MarginLoss, SquaredHinge
from maxmargin.ops.clock import WORK
from maxmargin.ops.design import Design
from maxmargin.ops.kinds import DUAL, HINGE, IDLE, LOGISTIC, PRIMAL, SQUARED_HINGE
from maxmargin.problems import LinearProblem
from maxmargin.solvers.linear.propose import LinearStart, propose
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import GapSolver, Scope, relative_gap

Vector = NDArray[np.float64]

# Products with all rows that replace Cholesky's factor in a step by conjugate gradients.
_GRADIENTS = 15
# What Cholesky's factor costs, in multiplications for each cube of the columns.
_FACTOR = 1 / 15
# Value of the first intercept at most: far beyond, slopes vanish.
_FARTHEST = 8.0
# The first proximal hinge is this wide: all rows at theta = 0.
_WIDTH = 2.0
# After a sample was solved; narrower loses steps, wider repeats them.
_WARM_WIDTH = 0.3
# Damping of the first step for losses without a curvature everywhere.
_DAMPING = 1e-3
# More columns are solved by conjugate gradients, as are sparse rows of more nonzeros.
_EXACT_WIDTH = 1500
_EXACT_NONZEROS = 200
# With this many rows a column problems are ill-conditioned, and exact steps worth more columns.
_TALL = 20
_TALL_WIDTH = 4000
# So few values in the data are solved to rounding, so that weights and repeated rows agree.
_SMALL = 2**16
_SMALL_SPARSE = 2**13
_FINEST = 1e-13

KINDS: Final[dict[Loss, int]] = {
    Hinge(): HINGE,
    SquaredHinge(): SQUARED_HINGE,
    Logistic(): LOGISTIC,
}
"""Losses that compiled loops know."""


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
        self._rows, self._verbs = design.csr, design.engine.newton
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


def aim_of(design: Design) -> float:
    """Return the relative gap that cheap steps are made for; 1 where steps cost more."""
    few = _SMALL if design.dense else _SMALL_SPARSE
    return _FINEST if len(design) * design.width <= few else 1.0


def width_of(warm: bool) -> float:
    """Return the width of the first proximal hinge, narrower after a start near the optimum."""
    return _WARM_WIDTH if warm else _WIDTH


def damping_of(loss: Loss) -> float:
    """Return the first damping: none for smooth losses."""
    return 0.0 if loss.smooth else _DAMPING


def is_narrow(design: Design) -> bool:
    """Whether the square matrix of the columns is worth its making."""
    if design.dense:
        tall = len(design) >= _TALL * design.width
        return design.width <= (_TALL_WIDTH if tall else _EXACT_WIDTH)
    light = design.stored <= _EXACT_NONZEROS * max(1, len(design))
    return light and design.width <= _EXACT_WIDTH


def solves_exactly(loss: Loss, design: Design) -> bool:
    """Whether steps are solved for exactly; of smooth losses, where that costs less than gradients.

    A smoothed hinge needs it wherever it can be: its curvatures are so large that gradients crawl.
    And so does what is solved to rounding, so that weights and repeated rows agree.
    """
    if design.dense or not loss.smooth or aim_of(design) < 1.0 or not is_narrow(design):
        return is_narrow(design)
    each = design.stored / max(1, len(design))
    square = 0.5 * design.stored * each + _FACTOR * design.width**3
    return square <= _GRADIENTS * design.stored


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
