r"""A budget of slack, by a search for its multiplier.

Problem: ``problems.slack_budget``. For a cost C let beta(C) solve the penalised form and S(C) be
the total slack there. S is continuous and never rises: it is the derivative of the penalised
optimum, which is concave in C. So C is right where S(C) = B. Moreover beta(C) and S(C) are
piecewise linear in C (Hastie, Rosset, Tibshirani, Zhu, "The entire regularization path for the
support vector machine", JMLR 5, 2004, section 3), so between two costs of the same piece the secant
finds the right one at once. Where S is flat many are; the least of them has the smallest duals, and
so the least rounding.

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

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from maxmargin.certify import Point
from maxmargin.problems import BoxQP, SlackBudget
from maxmargin.solvers.box_qp.decomposition import Decomposition
from maxmargin.solvers.box_qp.dual_ascent import Start, Vector
from maxmargin.solvers.box_qp.hard_margin import MeansMeetError, Nearness, mean_weights
from maxmargin.solvers.kernel_values.iterate import Window
from maxmargin.solvers.kernel_values.matrix import Matrix
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import Solver

_WIDE, _NARROW = 4.0, 1e-14  # ratios of a bracket's ends: halve its logarithm; nothing left to do
_FLAT = 1.5  # ratio within which the least of many right costs is found
_ROUNDING = 1e-9  # of a weight, in the difference of two solutions
_STRICTER = 0.1  # than the tolerance is every solve, and again when its errors are in the way

Ask = Callable[[SlackBudget], bool]


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


class BudgetSearch(Solver):
    """Penalised solves for one cost after the other, each the default solver's.

    ``ask`` decides by other means whether any cost is large enough: it raises if none is and gives
    True if one is. It is called once, if the first cost is too small.
    """

    biases = (True,)
    squares, fewest_lines = Decomposition.squares, Decomposition.fewest_lines
    whole_rows, in_memory = Decomposition.whole_rows, Decomposition.in_memory

    def __init__(
        self,
        problem: SlackBudget,
        view: Window | Matrix,
        start: Start | None = None,
        seed: int = 0,
        *,
        ask: Ask | None = None,
    ) -> None:
        self.problem, nothing = problem, np.zeros(len(problem))
        self._view, self._seed, self._ask = view, seed, ask
        self._attainable, self._nearness = False, Nearness(view.gram)
        rounding = view.gram.rounding.of(view.index)
        self._facts = Point(nothing, nothing, rounding)
        self._low = self._sample(0.0, nothing, nothing)
        self._high: Sample | None = None
        scale = float((rounding.lengths**2).mean())
        self._C = 1 / scale if scale > 0 else 1.0
        if start is not None and start.beta.any():
            self._C = problem.multiplier(start.beta)
        self._accuracy, self._gained, self._done = _STRICTER, 0.0, 0
        self._inner = self._solver(problem.penalised(self._C), start)
        self._fresh, self._low_weight, self._high_weight = True, 1.0, 1.0

    def _solver(self, penalised: BoxQP, start: Start | None) -> Decomposition:
        return Decomposition(penalised, self._view, start, self._seed)

    def _sample(self, C: float, beta: Vector, product: Vector) -> Sample:
        problem = self.problem
        b = problem.intercept(beta, problem.p - product)
        return Sample(C, beta, product, problem.excess(product + b))

    # what the outer loop asks

    @property
    def iterations(self) -> int:  # type: ignore[override]
        """Pair steps of all solves."""
        return self._done + self._inner.iterations

    def violation(self) -> float:
        """By how much the point between the ends fails: its conditions, or its relative gap."""
        if self._flat():
            return np.inf
        beta, product = self._between()
        violation = self.problem.violation(beta, self.problem.p - product)
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
        b = self.problem.intercept(beta, self.problem.p - product)
        return self.problem.primal(beta, product, b), self.problem.dual(beta, product)

    def _between(self) -> tuple[Vector, Vector]:
        low, high = self._low, self._high
        if high is None:
            return low.beta, low.product
        return low.towards(high, low.excess / (low.excess - high.excess))

    def _flat(self) -> bool:
        """Whether the upper cost is right, and perhaps far above the least one that is."""
        low, high = self._low, self._high
        return high is not None and high.excess == 0 and high.C > _FLAT * low.C > 0

    def point(self) -> Point:
        """Return the point between the ends; the ends' products were fresh."""
        beta, product = self._between()
        return replace(self._facts, beta=beta, product=product)

    def restart(self, point: Point) -> None:
        """Go on; the judge's products are those of the ends."""

    # the search

    def step(self, limits: Limits) -> None:
        """Step on the present cost; when it is solved, choose the next."""
        tol = self._accuracy * limits.tol
        if self._fresh or self._inner.violation() > tol:
            left = limits.max_iter if limits.max_iter < 0 else limits.max_iter - self._done
            self._inner.step(replace(limits, tol=tol, max_iter=left))
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
                if self._low.C == 0 and self._ask is not None:
                    self._attainable = self._ask(self.problem)
                if not self._attainable:
                    self._refuse_if_endless(sample)
            self._low, self._low_weight, self._high_weight = sample, 1.0, 0.5 * self._high_weight
        else:
            self._high, self._high_weight, self._low_weight = sample, 1.0, 0.5 * self._low_weight

    def _refuse_if_endless(self, sample: Sample) -> None:
        """Look whether the last two costs lie on a piece along which the slack never falls."""
        length = sample.C - self._low.C
        direction = (sample.beta - self._low.beta) / length
        product = (sample.product - self._low.product) / length
        size = self.problem.p * direction
        most = (1 + _ROUNDING) * self.problem.weight
        inside = size.min() >= -_ROUNDING * size.max() and (size <= most).all()
        point = replace(self._facts, beta=direction, product=product)
        u = self.problem.p * np.clip(size, 0.0, self.problem.weight)
        meet = inside and self._nearness.meet(point)
        if meet and self.problem.refuted(mean_weights(u)):
            unclear = self._nearness.unclear(point)
            raise MeansMeetError(self.problem, replace(point, beta=u), unclear)

    def _next_cost(self) -> float:
        low, high = self._low, self._high
        if high is None:
            return 10 * low.C
        if low.C > 0 and (high.C > _WIDE * low.C or self._flat()):
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
        start = Start(low.beta, low.product)
        if high is not None and high.C > low.C:
            start = Start(*low.towards(high, (C - low.C) / (high.C - low.C)))
        self._C, self._fresh, self._done = C, True, self._done + inner.iterations
        self._inner = self._solver(self.problem.penalised(C), start)
        self._gained -= self._inner.merit()
