r"""Newton's method on the primal of a linear model, for any convex loss with a curvature.

Problem: that of ``problems.linear`` with the penalty "l2" or "none". With beta_i = -c_i L'(f_i),
h_i = c_i L''(f_i) and D the penalty's second derivative, a step solves

    (D + sum_i h_i x_i x_i' + lambda M) p = sum_i beta_i x_i - D theta

and goes along p to where the objective is least (a search on the line needs no further product
with the rows). M is the diagonal of sum_i c_i x_i x_i'. The damping lambda, zero for smooth losses
to begin with, grows when the search stops short and falls when it does not: a column that no row
with curvature has would otherwise send the step far off (Levenberg 1944, Marquardt 1963). Few
columns are solved for exactly; many by conjugate gradients with a diagonal preconditioner, as far
as the step deserves (Lin, Weng, Keerthi, "Trust region Newton method for logistic regression",
JMLR 9, 2008, section 3).

The duals. At theta the slopes beta are feasible, but v = sum beta_i x_i is far from theta until
the very end. Their linear prediction after the undamped step, beta - h * (X p), has
v = D (theta + p) exactly, so its gap is of second order; clipped into the conjugate's domain it is
what the certificate is made of.

The hinge has no curvature: it is solved as a sequence of ``proximal_hinge`` problems (the
insensitive loss of ``proximal_zone`` ones), narrowed
whenever Newton's step promises less than the smoothing hides.

Where rows are plenty, a sample of them is solved first, itself from a smaller sample. The optimum
of s of n rows costs all rows about (n / s) d / 2 more than their own, for d columns (the variance
of a maximum likelihood estimate), and a Newton step squares such errors: from a fifth of covtype's
rows one step on all of them certifies 1e-3, where a sample of 1 % needed three.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from maxmargin.certify import LinearPoint
from maxmargin.ops.clock import TimeUp
from maxmargin.ops.design import Design
from maxmargin.problems import LinearProblem
from maxmargin.solvers.linear.propose import LinearStart, propose, spread_of
from maxmargin.solvers.linear.proximal_hinge import ProximalHinge
from maxmargin.solvers.linear.proximal_zone import ProximalZone
from maxmargin.solvers.linear.small_newton import (
    KINDS,
    aim_of,
    damping_of,
    solves_exactly,
    width_of,
)
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import GapSolver, Scope, any_curved

Vector = NDArray[np.float64]

# A smoothed hinge becomes narrower by this factor; smaller ones need more steps each.
_NARROW = 0.3
# Damping after the first failed step, the factor by which it grows and falls, and its range.
_DAMPING = 1e-3
_MORE = 5.0
_LEAST = 1e-9
_MOST = 1e6
# Of the diagonal, added to it: columns that repeat others make the matrix singular.
_JITTER = 1e-11
# The share of the rows in the first sample (one of so many), and its rows for each column at least.
_SAMPLE = (5, 40)
_SAMPLE_FOR_HINGE = (12, 100)
# A sample has at least so many rows, and is drawn if there are so many times as many.
_SAMPLE_ROWS = 2000
_WORTH = 3
# Times the tolerance, the decrement below which a hinge's duals are worth a look.
_PROMISING = 5.0
# The first intercept: its range, and how often that is halved.
_FARTHEST = 8.0
_HALVINGS = 16
# Steps of conjugate gradients at most.
_MOST_GRADIENTS = 1000
# Of the residual that conjugate gradients leave in a step far from the optimum.
_SHARE = 0.3
# Of the first slope that may be left where a search on the line ends.
_GOOD = 0.2


class Newton(GapSolver):
    """Newton's method with exact or conjugate-gradient steps, and certified duals."""

    scope: ClassVar = Scope(any_curved, ("l2", "none"))

    def __init__(
        self,
        problem: LinearProblem,
        design: Design,
        start: LinearStart | None = None,
        seed: int = 0,
        *,
        sample: bool = True,
    ) -> None:
        self.scope.refuse_others(self, problem)
        self.problem, self._design, self.iterations = problem, design, 0
        self._smooth = problem.loss.smooth
        self._kind = KINDS.get(problem.loss)
        self._diagonal = problem.curvature_of_penalty(design.width)
        self._damping = damping_of(problem.loss)
        self._exact = solves_exactly(problem.loss, design)
        self.aim = aim_of(design) if self._exact else 1.0  # steps cost next to nothing
        self._even: bool | None = None  # whether the penalty outweighs the rows in most columns
        self._seed, self._sample = seed, sample and start is None
        if start is None:
            self._begin(self._best_constant(), width_of(warm=False))
        else:
            self._begin(start.theta.copy(), width_of(warm=True))
        self._best_beta = np.zeros(len(problem))
        self._best_dual = self._dual_at_zero()

    @cached_property
    def _scale(self) -> Vector:
        """M, the largest curvature that the rows can give each column on its own."""
        squares = self._design.squares(self.problem.cost)
        return np.maximum(squares, np.finfo(np.float64).tiny)

    def _begin(self, theta: Vector, width: float) -> None:
        self._theta = theta
        if theta[: self._design.columns].any():
            self._values = self._design.values(theta)
        else:
            self._values = np.full(len(self.problem), self._design.constant * theta[-1])
        self._model: LinearProblem | ProximalHinge | ProximalZone = self.problem
        if not self._smooth:
            kind = ProximalHinge if self.problem.labelled else ProximalZone
            self._model = kind.around(self.problem, width, self._values)
        self._beta: Vector | None = None
        self._primal = self._total_primal()
        self._best_primal, self._best_theta = self._primal, theta

    def _best_constant(self) -> Vector:
        """Begin with the best intercept alone: the same value for all rows needs none of them."""
        theta, problem, constant = np.zeros(self._design.width), self.problem, self._design.constant
        if not self._smooth or not constant or not problem.labelled:
            return theta
        t = np.array([-1.0, 1.0])
        cost = _totals(problem)
        low, high = -_FARTHEST, _FARTHEST
        for _ in range(_HALVINGS):
            b = 0.5 * (low + high)
            pull = self._diagonal[-1] * b / constant**2
            rising = pull + float(cost @ problem.loss.derivative(np.array([b, b]), t)) > 0
            low, high = (low, b) if rising else (b, high)
        theta[-1] = 0.5 * (low + high) / constant
        return theta

    @property
    def best_theta(self) -> Vector:
        """The best coefficients so far."""
        return self._best_theta

    def objectives(self) -> tuple[float, float]:
        """Best primal and dual value so far."""
        return self._best_primal, self._best_dual

    def point(self) -> LinearPoint:
        """Return the best coefficients and duals with fresh products."""
        return propose(self.problem, self._design, self._best_theta, self._best_beta)

    def restart(self, point: LinearPoint) -> None:
        """Go on from fresh products."""
        self._theta, self._values, self._beta = point.theta, point.values, None
        self._primal = self._best_primal = self.problem.primal(point.theta, point.values)
        self._best_dual, self._best_beta = self._dual_at(point.beta)

    def step(self, limits: Limits) -> None:
        """Make one Newton step."""
        self.iterations += 1
        if self._sample:
            self._sample = False
            if self._solve_sample(limits):
                return
        beta, h = self._slopes(), self._curvatures()
        newton, gradient = self._direction(beta, h, limits)
        change = self._design.values(newton.step)
        self._look_at_duals(beta, h, newton, change, limits.tol)
        length = self._search(newton.step, change, float(gradient @ newton.step))
        self._advance(length * newton.step)
        self._adapt(length, newton.decrement)

    # where to go

    def _direction(self, beta: Vector, h: Vector, limits: Limits) -> tuple[_NewtonStep, Vector]:
        """Solve for the step; also gives the gradient."""
        if not self._exact:
            gradient = self._diagonal * self._theta - self._design.back(beta)
            return self._wide_direction(h, gradient, limits), gradient
        matrix, back = self._design.system(h, beta)
        gradient = self._diagonal * self._theta - back
        diagonal = matrix.diagonal() + self._diagonal
        np.fill_diagonal(
            matrix, diagonal + _JITTER * np.maximum(diagonal, _JITTER * diagonal.max())
        )
        undamped = _solve(matrix, -gradient)
        step = undamped
        if self._damping > 0 or undamped is None:
            damping = max(self._damping, _LEAST)
            np.fill_diagonal(matrix, matrix.diagonal() + damping * self._scale)
            step = _solve(matrix, -gradient)
        if step is None:
            step = -gradient / (self._diagonal + self._scale)
        decrement = np.inf if undamped is None else -0.5 * float(gradient @ undamped)
        return _NewtonStep(step, undamped, decrement), gradient

    def _wide_direction(self, h: Vector, gradient: Vector, limits: Limits) -> _NewtonStep:
        undamped = step = self._by_gradients(h, gradient, limits, 0.0)
        if self._damping > 0:
            step = self._by_gradients(h, gradient, limits, self._damping)
        return _NewtonStep(step, undamped, -0.5 * float(gradient @ undamped))

    def _by_gradients(self, h: Vector, gradient: Vector, limits: Limits, damping: float) -> Vector:
        """Solve by preconditioned conjugate gradients, to a share or to what the gap deserves."""
        damped = self._diagonal + (damping * self._scale if damping else 0.0)
        inverse = 1.0 / np.maximum(damped + self._squares(h), np.finfo(np.float64).tiny)
        goal = limits.tol * max(abs(self._best_primal), np.finfo(np.float64).tiny)
        step, residual = np.zeros_like(gradient), -gradient
        towards = inverse * residual
        rho = first = float(residual @ towards)
        for _ in range(_MOST_GRADIENTS):
            rough = rho <= _SHARE**2 * first
            promise = -0.5 * float(gradient @ step)
            if rho == 0 or (rough and (promise > goal or residual @ residual <= goal)):
                break  # a step that gains more than the gap allows need not be precise
            if limits.clock.over():
                break  # what there is of a step goes down too
            product = damped * towards + self._design.curved(h, towards)
            length = rho / float(towards @ product)
            step = step + length * towards
            residual = residual - length * product
            scaled = inverse * residual
            rho, before = float(residual @ scaled), rho
            towards = scaled + (rho / before) * towards
        return step

    def _squares(self, h: Vector) -> Vector:
        """Return the diagonal that the rows add, to precondition with; of text the intercept's.

        Where the penalty outweighs the rows in most columns, as it does for rare words, plain
        gradients need fewer products (12 for 18 on Reuters) and this one is saved.
        """
        if self._even is None:
            squares = self._design.squares(h)
            self._even = bool(np.median(squares) <= np.median(self._diagonal))
            return squares
        if not self._even:
            return self._design.squares(h)
        squares = np.zeros(self._design.width)
        if self.problem.free:
            squares[-1] = self._design.constant**2 * float(h.sum())
        return squares

    def _search(self, step: Vector, change: Vector, slope: float) -> float:
        """Find where the model is least along the step: 1 if that is about right."""
        penalised = self._diagonal * step
        inner, square = float(penalised @ self._theta), float(penalised @ step)

        def derivative(length: float) -> float:
            self._ahead = self._values + length * change
            self._beta = self._slopes_at(self._ahead)
            return inner + length * square - float(self._beta @ change)

        return least_along(derivative, slope)

    def _advance(self, step: Vector) -> None:
        self._theta = self._theta + step
        self._values = self._ahead
        self._primal = self._total_primal()
        if self._primal < self._best_primal:
            self._best_primal, self._best_theta = self._primal, self._theta

    def _adapt(self, length: float, decrement: float) -> None:
        """Damp more or less; narrow the smoothed hinge once it hides more than the step gains."""
        if length < 0.5:
            self._damping = min(_MOST, _MORE * max(self._damping, 1e-3 * _DAMPING))
        elif length >= 0.8:
            self._damping = self._damping / _MORE if self._damping > _LEAST else 0.0
        if not isinstance(self._model, LinearProblem) and length > 0.3:
            hidden = self._model.hidden(self._values, self._slopes())
            if decrement <= hidden:
                self._model = self._model.sharpened(self._values, _NARROW)
                self._beta = None

    # the duals

    def _look_at_duals(
        self, beta: Vector, h: Vector, newton: _NewtonStep, change: Vector, tol: float
    ) -> None:
        always = self._smooth and self._exact
        goal = np.inf if always else _PROMISING * tol * abs(self._best_primal)
        if newton.undamped is None or newton.decrement > goal:
            return
        if newton.undamped is not newton.step:
            change = self._design.values(newton.undamped)
        expected = self._diagonal * (self._theta + newton.undamped) if self._exact else None
        value, predicted = self._dual_near(beta, h, change, expected)
        if value > self._best_dual:
            self._best_dual, self._best_beta = value, predicted

    def _dual_at_zero(self) -> float:
        """Return the dual where all duals are 0: minus what the losses cost at best."""
        t, problem = np.array([-1.0, 1.0]), self.problem
        if not problem.labelled:
            return -float(problem.conjugates(np.zeros(len(problem))).sum())
        least = problem.loss.conjugate(np.zeros(2), t)
        return -float(_totals(problem) @ least) if np.isfinite(least).all() else -np.inf

    def _dual_near(
        self, beta: Vector, h: Vector, change: Vector, expected: Vector | None = None
    ) -> tuple[float, Vector]:
        """Find a feasible point near beta - h change, and its value; -inf where there is none.

        ``expected`` is what v should be before clipping: then only what was clipped is multiplied
        with its rows.
        """
        problem, cut = self.problem, np.empty(len(self.problem))
        if self._kind is not None:
            near = np.empty_like(cut)
            known = self._kind, problem.t, problem.cost, beta, h, change
            one_pass = self._design.engine.newton.dual_pass
            total = self._sum_parts(lambda *rows: one_pass(*known, *rows, near, cut))
            return self._dual_at(near, cut, expected, None if problem.free else total)

        def clip(rows: slice) -> Vector:
            wanted = beta[rows] - h[rows] * change[rows]
            got = problem.clipped(wanted, rows)
            np.subtract(got, wanted, out=cut[rows])
            return got

        return self._dual_at(self._by_parts(clip), cut, expected)

    def _dual_at(
        self,
        near: Vector,
        cut: Vector | None = None,
        expected: Vector | None = None,
        total: float | None = None,
    ) -> tuple[float, Vector]:
        """Return the value of the dual at these duals, made to sum to 0 where they have to."""
        problem = self.problem
        beta = problem.balanced(near)
        clipped = cut is not None and bool(cut.any())
        if expected is None or problem.penalty == "none" or (problem.free and clipped):
            back = self._design.back(beta)
        else:
            back = expected + self._design.back(cut) if cut is not None and clipped else expected
        # With no penalty all of v must vanish, so its rounding matters.
        spread = spread_of(self._design, beta) if problem.penalty == "none" else None
        if total is None:
            conjugates = self._by_parts(lambda rows: problem.conjugates(beta[rows], rows))
            total = float(conjugates.sum())
        value = -total - problem.penalty_conjugate(back)
        feasible = problem.feasible(beta, back, spread) and np.isfinite(value)
        return (value if feasible else -np.inf), beta

    # rows, on all threads

    def _slopes(self) -> Vector:
        if self._beta is None:
            self._beta = self._slopes_at(self._values)
        return self._beta

    def _slopes_at(self, values: Vector) -> Vector:
        """Return the duals at these values; compiled loops find curvatures and prices too."""
        if self._kind is None:
            return self._by_parts(lambda rows: self._model.slopes(values[rows], rows))
        beta, self._h, width, centre = np.empty_like(values), np.empty_like(values), 1.0, values
        if isinstance(self._model, ProximalHinge):
            width, centre = self._model.width, self._model.centre
        known, out = (self._kind, width, self.problem.t, self.problem.cost, centre, values), self._h
        one_pass = self._design.engine.newton.row_pass
        self._price = self._sum_parts(lambda *rows: one_pass(*known, *rows, beta, out))
        return beta

    def _curvatures(self) -> Vector:
        if self._kind is not None:
            return self._h
        return self._by_parts(lambda rows: self._model.curvatures(self._values[rows], rows))

    def _total_primal(self) -> float:
        penalty = self.problem.penalty_value(self._theta)
        if self._kind is not None:
            self._slopes()
            return penalty + self._price
        prices = self._by_parts(lambda rows: self.problem.prices(self._values[rows], rows))
        return penalty + float(prices.sum())

    def _sum_parts(self, function: Callable[[int, int], float]) -> float:
        """Add up, in order, what a function of the first and the last row gives of each part."""
        sums: dict[int, float] = {}

        def work(rows: slice) -> None:
            sums[rows.start] = function(rows.start, min(rows.stop, len(self.problem)))

        self._design.each_part(work)
        return float(sum(sums[first] for first in sorted(sums)))

    def _by_parts(self, function: Callable[[slice], Vector]) -> Vector:
        """Evaluate a number for each row, a part at a time."""
        out = np.empty(len(self.problem))

        def work(rows: slice) -> None:
            out[rows] = function(rows)

        self._design.each_part(work)
        return out

    # a sample first

    def _solve_sample(self, limits: Limits) -> bool:
        """Begin at the optimum of a sample of the rows, where there are many; says if it did."""
        n, (part_of, each) = len(self.problem), _SAMPLE if self._smooth else _SAMPLE_FOR_HINGE
        size = max(n // part_of, each * self._design.width, _SAMPLE_ROWS)
        if not self._exact or _WORTH * size > n:
            return False
        rows = np.sort(np.random.default_rng(self._seed).choice(n, size, replace=False))
        problem, factor = self.problem, n / size
        part = replace(problem, t=problem.t[rows], cost=factor * problem.cost[rows])
        solver = Newton(part, self._design.take(rows), None, self._seed, sample=self._smooth)
        few = replace(limits, tol=10 * limits.tol)
        with suppress(TimeUp):  # then the sample's best point is the best there is
            for _ in range(30):
                if solver.violation() <= few.tol or limits.clock.over():
                    break
                solver.step(few)
        self._begin(solver.best_theta, width_of(warm=True))
        return True


@dataclass(frozen=True)
class _NewtonStep:
    """A step, the undamped step if there is one, and what that one promises to gain."""

    step: Vector
    undamped: Vector | None
    decrement: float


def _totals(problem: LinearProblem) -> Vector:
    """Add up the costs of the two sides, the negative one first."""
    positive = float(problem.cost @ (problem.t > 0))
    return np.array([float(problem.cost.sum()) - positive, positive])


def _solve(matrix: Vector, right: Vector) -> Vector | None:
    try:
        factor = cho_factor(matrix, lower=True, check_finite=False)
        solution: Vector = cho_solve(factor, right, check_finite=False)
    except LinAlgError:
        return None
    return solution if np.isfinite(solution).all() else None


def least_along(derivative: Callable[[float], float], slope: float) -> float:
    """Find a length with a derivative of at most _GOOD times the first one, |slope|, in size.

    Secants within the bracket, kept away from its ends; beyond 1 by doubling.
    """
    low, high, at_low, length = 0.0, 1.0, slope, 1.0
    at_high = derivative(1.0)
    if at_high < 0.5 * slope:
        while length < 32.0 and derivative(2.0 * length) < 0.5 * slope:
            length *= 2.0
        derivative(length)
        return length
    if at_high <= -_GOOD * slope:
        return 1.0
    for _ in range(10):
        length = low + (high - low) * min(0.9, max(0.1, -at_low / (at_high - at_low)))
        here = derivative(length)
        if abs(here) <= -_GOOD * slope:
            break
        low, high, at_low, at_high = (
            (low, length, at_low, here) if here > 0 else (length, high, here, at_high)
        )
    return length
