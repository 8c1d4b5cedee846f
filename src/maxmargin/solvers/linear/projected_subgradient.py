r"""Projected subgradient descent on the primal of a linear model, by all rows or by one at a time.

Problem: that of ``problems.linear`` with the penalty "l2", no free intercept and a loss of bounded
slope: the hinge, the logistic loss, the modified Huber loss. With lambda = 1 / sum_i c_i the
objective is, up to that factor,

    lambda |theta|^2 / 2 + sum_i p_i L(theta'x_i, t_i),      p_i = lambda c_i,

which is strongly convex, so that steps of 1 / (lambda s) converge like log(s) / s, and any other
fixed length only to a neighbourhood. A loss that is never negative has its minimum in a ball,

    |theta*|^2 <= sum_i c_i L(0, t_i)     (= 1 / lambda for the hinge),

because |theta*|^2 is what the dual -sum_i c_i L*(-beta_i / c_i) has beyond the price of theta*, and
-L*(u) <= L(0). A step may therefore end with the nearest point of the ball.

All rows (``ProjectedSubgradient``), with beta_i = -c_i L'(theta'x_i) the slopes at theta:

    theta <- (1 - 1/s) theta + (1/s) sum_i beta_i x_i,       then the ball.

Away from the ball theta is thus sum_i b_i x_i, where b is the average of the slopes so far. Slopes
are feasible duals and so are their averages, which make a certificate: on the dual the steps are
conditional gradient ascent (Bach, "Duality between subgradient and conditional gradient methods",
SIAM J. Optim. 25, 2015, section 3).

One row a step (``Pegasos``; Shalev-Shwartz, Singer, Srebro, ICML 2007; the hinge): rows are drawn
with probability p_i, and the same average is estimated for each row by c_i times the share of its
draws at which it was short of its margin.

What was seen at the beginning is far from the optimum. The count of an average is halved whenever
the number of steps, or of passes, has doubled, so that the latter part outweighs the first
(Rakhlin, Shamir, Sridharan, ICML 2012, on averages of the latter part). Both keep the best weights
and the best duals that were looked at. The gap falls like 1 / s: 1e-2 of the objective takes some
hundred passes and 1e-6 is out of reach. They end then with the status of the limit that they met.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import LinearPoint
from maxmargin.ops.clock import pieces
from maxmargin.ops.design import Design
from maxmargin.problems import LinearProblem
from maxmargin.solvers.linear.propose import LinearStart, propose
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import GapSolver, Scope, hinge, lipschitz

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

_UPDATES = 10  # between two looks at the gap
_BEGUN = 10  # steps for which a start by somebody else counts


class ProjectedSubgradient(GapSolver):
    """Steps along the slopes of all rows, each ending in the ball."""

    scope: ClassVar = Scope(lipschitz, ("l2",), free=(False,))
    sublinear: ClassVar[bool] = True
    """The gap falls like one over the steps: fine tolerances are out of reach."""

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
        self.problem, self._design, self.iterations = problem, design, 0
        self._random, self._rate = np.random.default_rng(seed), rate
        self._radius = float(np.sqrt(problem.prices(np.zeros(len(problem))).sum()))
        self._best_theta, self._best_beta = np.zeros(design.width), np.zeros(len(problem))
        self._primal, self._dual = np.inf, -np.inf
        self._keep(self._best_theta, np.zeros(len(problem)))
        self._keep_duals(self._best_beta, self._best_theta)
        if start is not None:
            beta = problem.clipped(start.beta)
            self._keep(start.theta, design.values(start.theta))
            self._keep_duals(beta, design.back(beta))
        self._begin_at(self._best_beta, 0 if start is None else _BEGUN)

    def _begin_at(self, beta: Vector, steps: int) -> None:
        """Stand at the sum of the rows by these duals, as if so many steps had led there."""
        self._beta, self._steps, self._counted = beta.copy(), steps, float(steps)
        self._theta = self._design.back(beta)
        self._values = self._design.values(self._theta)

    def merit(self) -> float:
        """Return minus what the rate bounds: it falls with every step, where the best may rest."""
        return -1.0 / (1.0 + self.iterations)

    def step(self, limits: Limits) -> None:
        """Make some steps, then look at where they led."""
        left = limits.max_iter - self.iterations if limits.max_iter >= 0 else _UPDATES
        for _ in range(max(1, min(_UPDATES, left))):
            if limits.clock.over():
                break
            self._advance(limits)
            self.iterations += 1
        self._look()

    def _advance(self, limits: Limits) -> None:
        """Make one step with all rows."""
        del limits
        self._steps += 1
        share = 1.0 / self._steps if self._rate is None else self._rate
        slopes = self.problem.slopes(self._values)
        back = self._design.back(slopes)
        theta = (1.0 - share) * self._theta + share * back
        length = float(np.linalg.norm(theta))
        inside = min(1.0, self._radius / length) if length > 0 else 1.0
        values = (1.0 - share) * self._values + share * self._design.values(back)
        self._theta, self._values = inside * theta, inside * values
        self._remember(slopes)

    def _remember(self, slopes: Vector) -> None:
        """Take slopes into their average, in which the latter half of the steps counts most."""
        if self._steps.bit_count() == 1:
            self._counted *= 0.5
        self._counted += 1.0
        self._beta += (slopes - self._beta) / self._counted

    def _look(self) -> None:
        """Judge the point, the average of slopes as duals, and the weights that these make."""
        self._keep(self._theta, self._values)
        self._judge_duals(self.problem.clipped(self._beta))

    def _judge_duals(self, beta: Vector) -> None:
        back = self._design.back(beta)
        self._keep_duals(beta, back)
        self._keep(back, self._design.values(back))

    def _keep(self, theta: Vector, values: Vector) -> None:
        """Keep weights that are better than the best so far."""
        primal = self.problem.primal(theta, values)
        if primal < self._primal:
            self._primal, self._best_theta = primal, theta.copy()

    def _keep_duals(self, beta: Vector, back: Vector) -> None:
        """Keep duals that bound the objective better than the best so far."""
        dual = self.problem.dual(beta, back)
        if dual > self._dual:
            self._dual, self._best_beta = dual, beta.copy()

    def point(self) -> LinearPoint:
        """Return the best weights and the best duals with fresh products."""
        return propose(self.problem, self._design, self._best_theta, self._best_beta)

    def restart(self, point: LinearPoint) -> None:
        """Go on from fresh products."""
        self._values = self._design.values(self._theta)
        self._primal = self.problem.primal(self._best_theta, self._design.values(self._best_theta))
        self._dual = self.problem.dual(self._best_beta, point.back)


class Pegasos(ProjectedSubgradient):
    """Steps with one row at a time, drawn at random by its cost."""

    scope: ClassVar = Scope(hinge, ("l2",), free=(False,))

    def __init__(
        self,
        problem: LinearProblem,
        design: Design,
        start: LinearStart | None = None,
        seed: int = 0,
    ) -> None:
        self._rows, self._norms = design.csr, design.row_norms()
        self._verbs = design.engine.subgradient
        self._short, self._drawn = np.zeros(len(problem)), np.zeros(len(problem))
        super().__init__(problem, design, start, seed)

    def _begin_at(self, beta: Vector, steps: int) -> None:
        """Stand there as if so many passes had led there."""
        self._weight, made = 1.0 / float(self.problem.cost.sum()), float(steps * len(beta))
        self._v = made * self._weight * self._design.back(beta)
        self._state = np.array([made, 1.0, float(self._v @ self._v)])
        self._drawn += steps
        self._short += steps * self.problem.t * beta / self.problem.cost

    def _advance(self, limits: Limits) -> None:
        """Make as many steps as there are rows."""
        order = self._draw()
        for part in pieces(len(order), self._design.stored):
            if part.start and limits.clock.over():
                break
            self._descend(order[part])
        if (self.iterations + 1).bit_count() == 1:  # the number of passes has doubled
            self._short *= 0.5
            self._drawn *= 0.5

    def _draw(self) -> Index:
        cost = self.problem.cost
        if (cost == cost[0]).all():
            return self._random.integers(len(cost), size=len(cost))
        return self._random.choice(len(cost), len(cost), p=cost / cost.sum())

    def _descend(self, order: Index) -> None:
        self._verbs.pegasos(
            *self._rows,
            self._design.constant,
            self.problem.t,
            self._norms,
            order,
            self._weight,
            self._radius,
            self._v,
            self._short,
            self._drawn,
            self._state,
        )

    def _look(self) -> None:
        """Judge the weights, the duals that were counted, and the weights that these make."""
        design, (steps, scale, _) = self._design, self._state
        theta = scale / (self._weight * max(steps, 1.0)) * self._v
        self._keep(theta, design.values(theta))
        share = np.divide(self._short, self._drawn, out=np.ones(len(design)), where=self._drawn > 0)
        self._judge_duals(self.problem.cost * self.problem.t * share)

    def restart(self, point: LinearPoint) -> None:
        """Go on from fresh products."""
        self._primal = self.problem.primal(self._best_theta, self._design.values(self._best_theta))
        self._dual = self.problem.dual(self._best_beta, point.back)
