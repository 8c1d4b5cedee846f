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

from dataclasses import replace

import numpy as np

from maxmargin.certify import Point
from maxmargin.problems import BoxQP, SlackBudget
from maxmargin.solvers.iterate import Vector
from maxmargin.solvers.run import Limits
from maxmargin.solvers.shrinking import Shrinking

# Squared distances of means, in units of the largest squared length. Below the first the duals of
# double precision carry larger errors than a tolerance of 1e-3 allows; below so many roundings a
# precision cannot tell rows apart; and below the last it may be worth asking.
_CLOSE, _ROUNDINGS, _DOUBTFUL = 1e-12, 4, 1e-3
_FIRST_STEPS, _FIRST_STEPS_PER_VARIABLE = 10_000, 5  # of SMO, before the first look


class MeansMeetError(ArithmeticError):
    """The dual has no maximum: weighted means of the two sides of a problem are the same point.

    ``weights`` sum to 1 on each side. Where the kernel is not positive semidefinite (not
    ``convex``) they prove nothing.
    """

    def __init__(self, problem: BoxQP | SlackBudget, point: Point) -> None:
        super().__init__("weighted means of the two sides coincide")
        self.problem, self.convex = problem, point.convex
        self.weights = mean_weights(point.beta)


def mean_weights(beta: Vector) -> Vector:
    """Scale |beta| to sum to 1 on each side."""
    total = np.where(beta > 0, beta[beta > 0].sum(), -beta[beta < 0].sum())
    return np.divide(np.abs(beta), total, out=np.zeros_like(beta), where=beta != 0)


def means_meet(point: Point, close: float = 0.0) -> bool:
    """Whether the weighted means lie closer than the precision of kernel values tells."""
    close = max(close, _CLOSE, _ROUNDINGS * float(np.finfo(point.precision).eps))
    a = 0.5 * float(np.abs(point.beta).sum())
    return a > 0 and float((point.beta / a) @ (point.product / a)) <= close * point.scale


class HardMargin(Shrinking):
    """A working-set solver that stops with ``MeansMeetError`` where the dual has no maximum."""

    _watched, _asked = True, False

    def ask(self) -> bool:
        """Decide by other means: raise if the classes do not part, True if they do.

        Called once, if the means come close; there are no other means here.
        """
        return False

    def step(self, limits: Limits) -> None:
        """Step, a short one at first, and look how far the dual has grown."""
        super().step(self._timed(limits) if self.iterations else self._short(limits))
        if self._watched:
            self._look()

    def _short(self, limits: Limits) -> Limits:
        most = max(_FIRST_STEPS, _FIRST_STEPS_PER_VARIABLE * len(self.problem))
        return replace(limits, max_iter=most if limits.max_iter < 0 else min(most, limits.max_iter))

    def _timed(self, limits: Limits) -> Limits:
        """Have a look every second or so, as under a time limit."""
        return limits if limits.time_limit is not None else replace(limits, time_limit=np.inf)

    def _look(self) -> None:
        iterate, gram = self.iterate, self.iterate.cache.gram
        scale = float(np.abs(gram.diagonal()[iterate.index]).max(initial=0.0))
        here = Point(iterate.beta, iterate.running, gram.dtype, scale=scale)
        if not self._asked and means_meet(here, _DOUBTFUL):
            self._asked, self._watched = True, not self.ask()
        if self._watched and means_meet(here):
            point = self.point()
            if means_meet(point):
                raise MeansMeetError(self.problem, point)
