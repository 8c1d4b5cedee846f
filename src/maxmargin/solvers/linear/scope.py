"""Which linear problems a solver takes: said once, read by estimators, documents and tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.losses import Hinge, Loss, SquaredHinge
from maxmargin.problems import LinearProblem

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
