"""What the outer loop asks of a solver: the one protocol, and what most solvers answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from maxmargin.losses import Hinge, Loss, SquaredHinge
from maxmargin.problems import LinearProblem

if TYPE_CHECKING:
    from maxmargin.solvers.run import Limits


class Solver(ABC):
    """An algorithm that improves a point step by step.

    ``run`` only reads ``iterations``, ``begun``, ``spent`` and ``aim``; a solver may compute them.
    It never decides that a point is good: ``run`` proposes the point to the judge when
    ``violation`` is at most the tolerance.
    """

    problem: Any
    iterations: int = 0
    """Smallest steps made so far."""
    begun: bool = True
    """Whether its point may be proposed; False before a first step that is made in any case."""
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

    def point(self) -> Any:
        """Return the point with a fresh product."""
        return self._inner.point()

    def restart(self, point: Any) -> None:
        """Go on from a fresh product."""
        self._inner.restart(point)


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


_known: dict[tuple[type, str], bool] = {}


def has(calculus: Callable[[float, float], Any]) -> bool:
    """Whether a loss has this part of its calculus; a class is asked once."""
    owner = type(getattr(calculus, "__self__", None)), calculus.__name__
    if owner not in _known:
        _known[owner] = _answers(calculus)
    return _known[owner]


def _answers(calculus: Callable[[float, float], Any]) -> bool:
    try:
        calculus(0.0, 1.0)
    except NotImplementedError:
        return False
    return True


def any_curved(loss: Loss) -> bool:
    """Take losses whose curvature is known; the hinge's is 0."""
    return has(loss.curvature)


def smooth(loss: Loss) -> bool:
    """Take losses with a derivative everywhere."""
    return loss.smooth


def smooth_and_curved(loss: Loss) -> bool:
    """Take losses with a derivative everywhere and a known curvature."""
    return loss.smooth and has(loss.curvature)


def lipschitz(loss: Loss) -> bool:
    """Take losses whose slopes are bounded."""
    return loss.convex and bool(np.isfinite(loss.slopes).all())


def hinge(loss: Loss) -> bool:
    """Take the hinge alone."""
    return loss == Hinge()


def hinges(loss: Loss) -> bool:
    """Take the hinge and its square."""
    return loss in (Hinge(), SquaredHinge())


@dataclass(frozen=True)
class Scope:
    """Losses, penalties, and whether the intercept may be free.

    Examples
    --------
    >>> scope = Scope(hinges, ("l2",), free=(False,))
    >>> scope.takes(Hinge(), "l2", free=False), scope.takes(Hinge(), "l2", free=True)
    (True, False)
    """

    loss: Callable[[Loss], bool]
    penalties: tuple[str, ...]
    free: tuple[bool, ...] = (False, True)

    def takes(self, loss: Loss, penalty: str, free: bool) -> bool:
        """Whether problems of this kind are within it."""
        return penalty in self.penalties and free in self.free and self.loss(loss)

    def refuse_others(self, solver: object, problem: LinearProblem) -> None:
        """Raise where a problem is not."""
        if not self.takes(problem.loss, problem.penalty, problem.free):
            kind = f"loss {problem.loss.name!r}, penalty {problem.penalty!r}"
            intercept = "a free intercept" if problem.free else "no free intercept"
            raise ValueError(f"{type(solver).__name__} does not solve {kind} with {intercept}.")
