"""The step of a round: shrinkage times a constant, a line search, or one step for each leaf.

Shrinkage is ``learning_rate``: Friedman, Greedy function approximation: a gradient boosting
machine, Ann. Statist. 29 (2001), section 5. The line search is in ``line_search.py``, a leaf's step
in ``leaf_step.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maxmargin.boosting.direction import Direction
from maxmargin.boosting.line_search import search_line
from maxmargin.boosting.objective import Objective, ObjectivePoint, Vector
from maxmargin.ops.pieces import SIZE

_UPHILL = 1e-12  # a relative gain in loss that is rounding alone
_HALVINGS = 60

Taken = tuple[Direction, float]


@dataclass(frozen=True)
class StepRule:
    """How far to go along a member: ``step`` is "leaves", "line_search" or a constant."""

    step: str | float
    learning_rate: float

    def go(
        self,
        objective: Objective,
        direction: Direction,
        start: ObjectivePoint,
        end: ObjectivePoint,
        signs: bool,
    ) -> Taken | None:
        """Go along a direction from one point to another; None if that leads nowhere.

        Gives the direction, whose leaves may have values of their own now, and its coefficient.
        """
        if self.step == "leaves":
            return self._by_leaves(objective, direction, start, end)
        step = self.step
        if step == "line_search":
            step = search_line(objective, start, direction.values(), signs)
        coefficient = self.learning_rate * float(step)
        if not coefficient > 0:
            return None
        _move(objective, direction, coefficient, start, end)
        return direction, coefficient

    def _by_leaves(
        self, objective: Objective, direction: Direction, start: ObjectivePoint, end: ObjectivePoint
    ) -> Taken | None:
        """Go as far as each leaf wants, or half as far until that leads downhill.

        A Newton step may be far too long, or 0, where a leaf's curvature has nearly vanished, and
        Huber's may have the wrong sign: then the best one is searched for. Steps of 0, or ever
        shorter ones that gain nothing, are none.
        """
        rate, rounding = self.learning_rate, _UPHILL * abs(start.value)
        for search in (False, True):
            direction = direction.with_leaves(objective, start, search)
            _move(objective, direction, rate, start, end)
            level = end.value <= start.value + rounding
            if level and _differ(end.z, start.z):
                return direction, rate
        for _ in range(_HALVINGS):
            direction = direction.scaled(0.5)
            _move(objective, direction, rate, start, end)
            if end.value < start.value - rounding:
                return direction, rate
        return None


def _differ(one: Vector, other: Vector) -> bool:
    """Return whether two points differ; usually the first rows do."""
    for a in range(0, len(one), SIZE):
        if not np.array_equal(one[a : a + SIZE], other[a : a + SIZE]):
            return True
    return False


def _move(
    objective: Objective,
    direction: Direction,
    coefficient: float,
    start: ObjectivePoint,
    end: ObjectivePoint,
) -> None:
    """Evaluate the loss at start + coefficient h."""
    direction.move(start.z, coefficient, end.z)
    objective.evaluate(end)
