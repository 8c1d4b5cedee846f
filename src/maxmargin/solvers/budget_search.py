r"""A budget of slack, by a search for its multiplier.

Problem: ``problems.slack_budget``. For a cost C let beta(C) solve the penalised form and S(C) be
the total slack there. S is continuous and never rises: it is the derivative of the penalised
optimum, which is concave in C. So C is right where S(C) = B. Moreover beta(C) and S(C) are
piecewise linear in C (Hastie, Rosset, Tibshirani, Zhu, "The entire regularization path for the
support vector machine", JMLR 5, 2004, section 3), so between two costs of the same piece the secant
finds the right one at once.

The search brackets C by factors of ten, then halves the bracket's logarithm until it is short, then
takes secants, with the Illinois rule against a bracket that shrinks from one side only (Dahlquist
and Bjorck, "Numerical Methods in Scientific Computing", vol. 1, 2008, section 6.2.2). Every solve
starts between the two ends of the bracket, where the answer lies if both are on one piece.

The proposed point lies between the two ends too: with total slacks S1 > B >= S2 at the ends, the
combination of their betas that combines S1 and S2 to B has a slack of at most B, because the slack
is convex in (w, b). It is therefore feasible for the primal, and for the dual with the combined C.

Where no C is large enough, the last piece, which never ends, has a direction u = d beta / d C with
u'Ku = 0 and t'u > B: weights whose means coincide, which prove that no hyperplane has a slack of B.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from maxmargin.certify import Point
from maxmargin.problems import SlackBudget
from maxmargin.solvers.dual_ascent import SIZE
from maxmargin.solvers.hard_margin import MeansMeetError, mean_weights, means_meet
from maxmargin.solvers.iterate import Vector, Window
from maxmargin.solvers.polish import put_on_bounds
from maxmargin.solvers.run import Limits
from maxmargin.solvers.working_set import WorkingSet

_WIDE, _NARROW = 4.0, 1e-14  # ratios of a bracket's ends: halve its logarithm; nothing left to do
_ROUNDING = 1e-9  # of a weight, in the difference of two solutions
_STRICTER = 0.1  # than the tolerance is every solve, and again when its errors are in the way


@dataclass(frozen=True)
class Sample:
    """The penalised form's solution for one cost, and its total slack less the budget."""

    C: float
    beta: Vector
    product: Vector
    excess: float

    def towards(self, other: Sample, share: float) -> tuple[Vector, Vector]:
        """Go a share of the way: beta and its product."""
        beta = (1 - share) * self.beta + share * other.beta
        return beta, (1 - share) * self.product + share * other.product


class BudgetSearch:
    """Penalised solves for one cost after the other, each the working-set solver's."""

    squares, fewest_lines = WorkingSet.squares, WorkingSet.fewest_lines
    whole_rows = WorkingSet.whole_rows
    _attainable = False

    def __init__(
        self, problem: SlackBudget, window: Window, size: int = SIZE, seed: int = 0
    ) -> None:
        self.problem, nothing = problem, np.zeros(len(problem))
        self._low = self._sample(0.0, nothing, nothing)
        self._high: Sample | None = None
        self._facts = Point(nothing, nothing, window.cache.gram.dtype)
        scale = float(np.abs(window.cache.gram.diagonal()).mean())
        self._C, self._accuracy, self._gained = 1 / scale if scale > 0 else 1.0, _STRICTER, 0.0
        self._inner = WorkingSet(problem.penalised(self._C), window, size=size, seed=seed)
        self._fresh, self._low_weight, self._high_weight = True, 1.0, 1.0

    def _sample(self, C: float, beta: Vector, product: Vector) -> Sample:
        problem = self.problem
        b = problem.intercept(beta, problem.linear - product)
        return Sample(C, beta, product, problem.excess(product + b))

    # what the outer loop asks

    @property
    def iterations(self) -> int:
        """Pair steps of all solves."""
        return self._inner.iterations

    def violation(self) -> float:
        """By how much the point between the ends fails: its conditions, or its relative gap."""
        beta, product = self._between()
        violation = self.problem.violation(beta, self.problem.linear - product)
        primal, dual = self._values(beta, product)
        if primal == np.inf:
            return np.inf
        gap, size = primal - dual, max(abs(primal), abs(dual))
        return max(0.0, violation, gap / size if size > 0 else 0.0)

    def merit(self) -> float:
        """Count solves, and what the present one has gained."""
        return self._gained + self._inner.merit()

    def objectives(self) -> tuple[float, float]:
        """Primal and dual of the constrained form at the point between the ends."""
        return self._values(*self._between())

    def _values(self, beta: Vector, product: Vector) -> tuple[float, float]:
        b = self.problem.intercept(beta, self.problem.linear - product)
        return self.problem.primal(beta, product, b), self.problem.dual(beta, product)

    def _between(self) -> tuple[Vector, Vector]:
        low, high = self._low, self._high
        if high is None:
            return low.beta, low.product
        return low.towards(high, low.excess / (low.excess - high.excess))

    def point(self) -> Point:
        """Give the point between the ends; the ends' products were fresh."""
        beta, product = self._between()
        return replace(self._facts, beta=beta, product=product)

    def restart(self, point: Point) -> None:
        """Go on; the judge's products are those of the ends."""

    # the search

    def step(self, limits: Limits) -> None:
        """Step on the present cost; when it is solved, choose the next."""
        tol = self._accuracy * limits.tol
        if self._fresh or self._inner.violation() > tol:
            self._inner.step(replace(limits, tol=tol))
            self._fresh = False
            return
        self._facts = self._inner.point()
        sample = self._sample(self._C, self._facts.beta, self._facts.product)
        self._take(sample)
        self._begin(self._next_cost())

    def _take(self, sample: Sample) -> None:
        """Put a sample in the place of one end; an end that stays twice counts half."""
        if sample.excess > 0:
            if self._high is None:
                if self._low.C == 0:
                    self._attainable = self.ask()
                if not self._attainable:
                    self._refuse_if_endless(sample)
            self._low, self._low_weight, self._high_weight = sample, 1.0, 0.5 * self._high_weight
        else:
            self._high, self._high_weight, self._low_weight = sample, 1.0, 0.5 * self._low_weight

    def ask(self) -> bool:
        """Decide by other means whether any cost is large enough: raise if none is, True if one is.

        Called once, if the first cost is too small; there are no other means here.
        """
        return False

    def _refuse_if_endless(self, sample: Sample) -> None:
        """Look whether the last two costs lie on a piece along which the slack never falls."""
        length = sample.C - self._low.C
        direction = (sample.beta - self._low.beta) / length
        product = (sample.product - self._low.product) / length
        size = self.problem.linear * direction
        most = (1 + _ROUNDING) * self.problem.weight
        inside = size.min() >= -_ROUNDING * size.max() and (size <= most).all()
        point = replace(self._facts, beta=direction, product=product)
        u = self.problem.linear * np.clip(size, 0.0, self.problem.weight)
        if inside and means_meet(point) and self.problem.refuted(mean_weights(u)):
            raise MeansMeetError(self.problem, replace(point, beta=u))

    def _next_cost(self) -> float:
        low, high = self._low, self._high
        if high is None:
            return 10 * low.C
        if low.C > 0 and high.C > _WIDE * low.C:
            return float(np.sqrt(low.C * high.C))
        above, below = low.excess * self._low_weight, -high.excess * self._high_weight
        return low.C + (high.C - low.C) * above / (above + below)

    def _begin(self, C: float) -> None:
        """Start the next solve between the ends, or beyond the one there is."""
        low, high, inner = self._low, self._high, self._inner
        self._gained += inner.merit()
        narrow = high is not None and high.C - low.C <= _NARROW * high.C
        if narrow or C == self._C:
            self._accuracy *= _STRICTER
        else:
            self._gained += 1.0 + abs(self._gained) * 1e-12
        if high is not None:
            beta, product = low.towards(high, (C - low.C) / (high.C - low.C))
        else:
            beta, product = low.beta, low.product
        self._C, inner.problem, self._fresh = C, self.problem.penalised(C), True
        beta = np.clip(beta, inner.problem.lower, inner.problem.upper)
        put_on_bounds(inner.problem, beta)
        inner.iterate.replace(beta, product)
        self._gained -= inner.merit()
