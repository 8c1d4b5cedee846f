"""A solver that lets another one do the steps."""

from __future__ import annotations

from typing import Any

from maxmargin.certify import Point
from maxmargin.solvers.box_qp.dual_ascent import Vector
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import Solver


class Delegate(Solver):
    """Everything the outer loop asks is asked of the solver inside."""

    def __init__(self, inner: Any) -> None:
        self.problem, self._inner = inner.problem, inner

    @property
    def iterations(self) -> int:  # type: ignore[override]
        """Pair steps so far."""
        return int(self._inner.iterations)

    @property
    def spent(self) -> bool:  # type: ignore[override]
        """Whether the solver will get no farther."""
        return bool(getattr(self._inner, "spent", False))

    @property
    def beta(self) -> Vector:
        """The point."""
        beta: Vector = self._inner.beta
        return beta

    @property
    def running(self) -> Vector:
        """K beta, updated by every step."""
        running: Vector = self._inner.running
        return running

    def violation(self) -> float:
        """Violation by the running product."""
        return float(self._inner.violation())

    def merit(self) -> float:
        """Return the dual."""
        return float(self._inner.merit())

    def objectives(self) -> tuple[float, float]:
        """Primal and dual."""
        primal, dual = self._inner.objectives()
        return primal, dual

    def step(self, limits: Limits) -> None:
        """Raise the dual."""
        self._inner.step(limits)

    def point(self) -> Point:
        """Return the point with a fresh product."""
        point: Point = self._inner.point()
        return point

    def restart(self, point: Point) -> None:
        """Go on from a fresh product."""
        self._inner.restart(point)
