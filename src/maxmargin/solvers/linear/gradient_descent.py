r"""Gradient descent on the primal of a linear model: the recipe to learn from.

Problem: that of ``problems.linear`` with a smooth loss and the penalty "l2" or "none". A step is

    theta <- theta - rate (D theta - sum_i beta_i x_i),      beta_i = -c_i L'(f_i),

with D the penalty's diagonal: for the logistic loss and a Gaussian prior the lectures' update,
whose prior adds -rate * theta to the step. A rate below 2 / (largest curvature) converges; how
slowly, the ratio of the largest to the smallest curvature says. With ``rate=None`` the rate is
found on the way: it grows a little after every step, and is halved until a step lowers the
objective by at least a quarter of what its slope promises (Armijo 1966).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import LinearPoint
from maxmargin.ops.design import Design
from maxmargin.problems import LinearProblem
from maxmargin.solvers.linear.propose import LinearStart, propose, spread_of
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import GapSolver, Scope, smooth

Vector = NDArray[np.float64]

_UPDATES = 10  # between two looks at the gap
_GROWTH, _PROMISE, _HALVINGS = 1.2, 0.25, 60
_EPS = float(np.finfo(np.float64).eps)


class GradientDescent(GapSolver):
    """Steps of a fixed or found length down the gradient."""

    scope: ClassVar = Scope(smooth, ("l2", "none"))

    def __init__(
        self,
        problem: LinearProblem,
        design: Design,
        start: LinearStart | None = None,
        seed: int = 0,
        *,
        rate: float | None = None,
    ) -> None:
        self.scope.refuse_others(self, problem)
        del seed  # nothing is random here
        self.problem, self._design, self.iterations = problem, design, 0
        self._diagonal = problem.curvature_of_penalty(design.width)
        self._fixed = rate is not None
        self._theta, self._values = np.zeros(design.width), np.zeros(len(problem))
        if start is not None:
            self._theta, self._values = start.theta.copy(), design.values(start.theta)
        self._rate = rate if rate is not None else self._first_rate()
        self._primal = problem.primal(self._theta, self._values)
        self._dual, self._best_beta = -np.inf, np.zeros(len(problem))
        self._look()

    def _first_rate(self) -> float:
        """One over a bound of the curvature where it begins: the trace."""
        h = self.problem.cost * np.abs(self.problem.loss.derivative(self._values, self.problem.t))
        trace = float(self._design.squares(h).sum() + self._diagonal.sum())
        return 1.0 / trace if trace > 0 else 1.0

    def merit(self) -> float:
        """Return minus the primal."""
        return -self._primal

    def step(self, limits: Limits) -> None:
        """Make some updates, then look at the duals."""
        left = limits.max_iter - self.iterations if limits.max_iter >= 0 else _UPDATES
        for _ in range(max(1, min(_UPDATES, left))):
            if limits.clock.over():
                break
            self._update()
        self._look()

    def _update(self) -> None:
        gradient = self._gradient(self._theta, self._values)
        change = self._design.values(gradient)
        self.iterations += 1
        for _ in range(_HALVINGS):
            theta, values = self._theta - self._rate * gradient, self._values - self._rate * change
            with np.errstate(over="ignore"):  # a rate that is too large ends as a numerical error
                primal = self.problem.primal(theta, values)
            if self._fixed or self._gains(theta, values, primal, gradient):
                if np.isfinite(primal):
                    self._theta, self._values = theta, values
                self._primal = primal
                self._rate *= 1.0 if self._fixed else _GROWTH
                return
            self._rate *= 0.5

    def _gradient(self, theta: Vector, values: Vector) -> Vector:
        return self._diagonal * theta - self._design.back(self.problem.slopes(values))

    def _gains(self, theta: Vector, values: Vector, primal: float, gradient: Vector) -> bool:
        """Whether a step keeps its promise; by the slope at its end where rounding hides that.

        On a parabola both say the same (Hager and Zhang 2005, the approximate Wolfe condition).
        """
        square = float(gradient @ gradient)
        if primal <= self._primal - _PROMISE * self._rate * square:
            return True
        if not primal <= self._primal + 4 * _EPS * abs(self._primal):
            return False
        ahead = float(self._gradient(theta, values) @ gradient)
        return ahead >= (2 * _PROMISE - 1) * square

    def _look(self) -> None:
        """Keep the duals if they are feasible and bound the objective better than before.

        Without a penalty they are feasible only once the gradient is as good as 0.
        """
        problem = self.problem
        beta = problem.balanced(problem.slopes(self._values))
        back, spread = self._design.back(beta), None
        if problem.penalty == "none":
            spread = spread_of(self._design, beta)
        value = problem.dual(beta, back)
        if value > self._dual and problem.feasible(beta, back, spread):
            self._dual, self._best_beta = value, beta

    def point(self) -> LinearPoint:
        """Return coefficients and duals with fresh products."""
        return propose(self.problem, self._design, self._theta, self._best_beta)

    def restart(self, point: LinearPoint) -> None:
        """Go on from fresh products."""
        self._values = point.values
        self._primal = self.problem.primal(self._theta, self._values)
