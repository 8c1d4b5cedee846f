r"""The dual of the hard margin, watched: it has no maximum where the classes are not separable.

Problem: the box QP of ``problems.box_qp`` with bounds 0 and infinity,

    max_beta  sum_i |beta_i| - |w|^2 / 2,    w = sum_i beta_i phi(x_i),   sum_i beta_i = 0,
              t_i beta_i >= 0.

With a the sum of beta over one class, |w| / a is the distance between the weighted means of the two
classes. Along a ray of betas the dual's largest value is 2 (a / |w|)^2, so to solve it is to look
for the nearest points of the two convex hulls (Bennett and Bredensteiner, "Duality and geometry in
SVM classifiers", ICML 2000), and it grows beyond all bounds exactly when those points meet. This
solver gives up when they have come so close that kernel values could not tell them apart, and hands
the weights over as the proof. Somebody who can decide sooner may be asked while they come close.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from maxmargin.certify import Point
from maxmargin.kernels.gram import Gram
from maxmargin.problems import BoxQP, SlackBudget
from maxmargin.solvers.box_qp.decomposition import Decomposition
from maxmargin.solvers.box_qp.dual_ascent import Start, Vector
from maxmargin.solvers.kernel_values.iterate import Window
from maxmargin.solvers.kernel_values.matrix import Matrix
from maxmargin.solvers.run import Limits

# Squared distances of means, in units of how far rows are from their mean. Below the first the
# duals of double precision carry larger errors than a tolerance of 1e-3 allows, and below the
# second it may be worth asking.
_CLOSE, _DOUBTFUL = 1e-12, 1e-3
_FIRST_STEPS, _FIRST_STEPS_PER_VARIABLE = 10_000, 5  # of SMO, before the first look

Ask = Callable[[BoxQP], bool]


class MeansMeetError(ArithmeticError):
    """The dual has no maximum: weighted means of the two sides of a problem are the same point.

    ``weights`` sum to 1 on each side. Where the kernel is not positive semidefinite (not
    ``convex``) they prove nothing, and neither where its values are too rounded to tell
    (``unclear``).
    """

    def __init__(self, problem: BoxQP | SlackBudget, point: Point, unclear: bool = False) -> None:
        super().__init__("weighted means of the two sides coincide")
        self.problem, self.convex, self.unclear = problem, point.convex, unclear
        self.weights = mean_weights(point.beta)


def mean_weights(beta: Vector) -> Vector:
    """Scale |beta| to sum to 1 on each side."""
    total = np.where(beta > 0, beta[beta > 0].sum(), -beta[beta < 0].sum())
    return np.divide(np.abs(beta), total, out=np.zeros_like(beta), where=beta != 0)


class Nearness:
    """How near weighted means are, as far as rounded kernel values tell."""

    def __init__(self, gram: Gram) -> None:
        self.spread = gram.spread()

    def meet(self, point: Point, close: float = _CLOSE) -> bool:
        """Whether the means are closer than ``close`` or than rounding can tell apart."""
        a = 0.5 * float(np.abs(point.beta).sum())
        if a == 0:
            return False
        squared = float((point.beta / a) @ (point.product / a))
        return squared <= max(close * self.spread, self._rounding(point, a))

    def unclear(self, point: Point) -> bool:
        """Whether rounding is more than what counts as meeting, so that meeting means nothing."""
        a = 0.5 * float(np.abs(point.beta).sum())
        return self._rounding(point, a) > _CLOSE * self.spread

    def _rounding(self, point: Point, a: float) -> float:
        """Bound the error of the squared distance."""
        beta = point.beta / a
        return float(np.abs(beta) @ point.rounding.of_values(beta))


class HardMargin(Decomposition):
    """A solver that stops with ``MeansMeetError`` where the dual has no maximum.

    ``ask`` decides by other means about a problem whose means come close: it raises if the classes
    do not part and gives True if they do. It is called once.
    """

    def __init__(
        self,
        problem: BoxQP,
        view: Window | Matrix,
        start: Start | None = None,
        seed: int = 0,
        *,
        ask: Ask | None = None,
    ) -> None:
        super().__init__(problem, view, start, seed)
        self._nearness = Nearness(view.gram)
        self._rounding = view.gram.rounding.of(view.index)
        self._ask, self._watched = ask, True

    def step(self, limits: Limits) -> None:
        """Step, a short one at first, and look how far the dual has grown."""
        super().step(limits if self.iterations else self._short(limits))
        if self._watched:
            self._look()

    def _short(self, limits: Limits) -> Limits:
        most = max(_FIRST_STEPS, _FIRST_STEPS_PER_VARIABLE * len(self.problem))
        return replace(limits, max_iter=limits.steps_left(0, most))

    def _look(self) -> None:
        nearness, here = self._nearness, self._running_point()
        if self._ask is not None and nearness.meet(here, _DOUBTFUL):
            ask, self._ask = self._ask, None
            self._watched = not ask(self.problem)
        if self._watched and nearness.meet(here):
            point = self.point()
            if nearness.meet(point):
                raise MeansMeetError(self.problem, point, nearness.unclear(point))

    def _running_point(self) -> Point:
        return Point(self.beta, self.running, self._rounding)
