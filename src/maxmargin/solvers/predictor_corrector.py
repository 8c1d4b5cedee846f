r"""Mehrotra's predictor-corrector: the one step of all interior points, over their linear systems.

An interior point keeps pairs of numbers above 0 whose products vanish at the optimum, such as the
distance of a dual to its bound and the multiplier of that bound. With one factorisation a step
solves the linearised conditions twice:

    predict   for products of 0, which shows to what mu' their mean mu falls as far as one can go
    correct   for products of mu (mu' / mu)^3, less what the prediction says of second order

(Mehrotra, "On the implementation of a primal-dual interior point method", SIAM J. Optim. 2, 1992).
A subclass states its pairs, its linear system and how far a change may go.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import GapSolver

Vector = NDArray[np.float64]
Change = TypeVar("Change")

# Of the way to the nearest bound; nearer to it, later steps become shorter.
INSIDE = 0.99
TINY = float(np.finfo(np.float64).tiny)


class PredictorCorrector(ABC, Generic[Change]):
    """A point inside its bounds, improved by Mehrotra's steps."""

    @abstractmethod
    def _factorise(self) -> Any:
        """Factorise the linear system at the point; None if that fails."""

    @abstractmethod
    def _products(self, change: Change | None = None) -> list[Vector]:
        """Multiply the partners of all pairs, or of a change of them."""

    @abstractmethod
    def _mean(self, change: Change | None = None) -> float:
        """Return mu, here or after a change as far as it can go."""

    @abstractmethod
    def _newton(self, factor: Any, aims: list[Vector]) -> Change:
        """Solve the linearised conditions with these changes of the products."""

    @abstractmethod
    def _move(self, change: Change) -> None:
        """Go along a change, by a part of what the bounds allow."""

    def improve(self) -> bool:
        """Predict, centre, correct; return whether the system could be factorised."""
        factor = self._factorise()
        if factor is None:
            return False
        mu, now = self._mean(), self._products()
        trial = self._newton(factor, [-product for product in now])
        centre = mu * (self._mean(trial) / mu) ** 3 if mu > 0 else 0.0
        second = self._products(trial)
        aims = [centre - product - later for product, later in zip(now, second, strict=True)]
        self._move(self._newton(factor, aims))
        return True


class InteriorSolver(PredictorCorrector[Change], GapSolver):
    """A solver of linear models by such steps, whose point is not feasible before the end."""

    def violation(self) -> float:
        """Return the relative gap."""
        size = max(abs(self._primal), abs(self._dual))
        return abs(self._primal - self._dual) / size if size > 0 else 0.0

    def merit(self) -> float:
        """Return minus the gap."""
        return -abs(self._primal - self._dual)

    def step(self, limits: Limits) -> None:
        """Make one step."""
        del limits
        self.iterations += 1
        self.spent = not self.improve()

    def restart(self, point: Any) -> None:
        """Go on; the judge's products are these."""


def reach(room: Vector, change: Vector) -> float:
    """How many times a change fits into the room."""
    falls = change < 0
    return float((-room[falls] / change[falls]).min(initial=np.inf))
