"""What the outer loop asks of a solver: the one protocol, and what most solvers answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maxmargin.solvers.run import Limits


class Solver(ABC):
    """An algorithm that improves a point step by step.

    ``run`` only reads ``iterations``, ``spent`` and ``aim``; a solver may compute them.
    It never decides that a point is good: ``run`` proposes the point to the judge when
    ``violation`` is at most the tolerance.
    """

    problem: Any
    iterations: int = 0
    """Smallest steps made so far."""
    spent: bool = False
    """Whether the solver knows that it will get no farther."""
    aim: float = 1.0
    """A tolerance finer than the user's that costs next to nothing; 1 for none.

    With it, weights and repeated rows agree.
    """

    @abstractmethod
    def violation(self) -> float:
        """Return how far from optimal the point is by the running numbers."""

    @abstractmethod
    def merit(self) -> float:
        """Return what every step with progress raises: the dual, or minus the primal or the gap."""

    @abstractmethod
    def objectives(self) -> tuple[float, float]:
        """Return the primal and the dual value by the running numbers."""

    @abstractmethod
    def step(self, limits: Limits) -> None:
        """Improve the point; a step that takes long asks the clock."""

    @abstractmethod
    def point(self) -> Any:
        """Return the point with fresh products, for the judge."""

    @abstractmethod
    def restart(self, point: Any) -> None:
        """Continue from the fresh products that the judge saw."""

    def between(self) -> list[tuple[int, float, float, float]]:
        """Return steps, primal, dual and violation at points within the last step, for a trace."""
        return []


class GapSolver(Solver):
    """A solver that knows a primal and a dual value, and closes the gap between them."""

    _primal: float
    _dual: float

    def objectives(self) -> tuple[float, float]:
        """Return the primal and the dual value by the running numbers."""
        return self._primal, self._dual

    def violation(self) -> float:
        """Return the relative gap."""
        return relative_gap(*self.objectives())

    def merit(self) -> float:
        """Return minus the gap."""
        primal, dual = self.objectives()
        return dual - primal


def relative_gap(primal: float, dual: float) -> float:
    """Return the gap relative to the larger of both values."""
    size = max(abs(primal), abs(dual))
    return 0.0 if size == 0 else (primal - dual) / size
