"""What a worker computes in a round of boosting with a loss: its rows' pulls, in sums.

A function's steps so far are all that is sent; predictions follow from them as in
``adaboost_rows.py``. The loss and its derivatives are those of ``boosting/objective.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.boosting.objective import ObjectivePoint, sum_over_rows
from maxmargin.boosting.objective import RowObjective as Objective
from maxmargin.dask.bins import Cuts, binned, dense, on_grid, sum_bins
from maxmargin.dask.rows import Parts, Rows, in_order
from maxmargin.dask.stump_search import Neighbours, Values, join_neighbours, neighbours
from maxmargin.losses import Loss
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]


class Leaf(NamedTuple):
    """A step of one function: what is added where x <= cut, and elsewhere."""

    feature: int
    cut: float
    low: float
    high: float


Steps = tuple[Leaf, ...]


@dataclass(frozen=True)
class Goal:
    """What one function descends: a loss of numbers, or of one class against the rest."""

    number: int
    loss: Loss
    unit: float
    classes: NDArray[Any] | None = None
    positive: int = 1
    class_weight: Vector | None = None
    constant: float = 0.0
    grid: int = 0
    """The exponent of the grid of weights."""


class PullSums(NamedTuple):
    """Of some rows after a function's steps: sums on a grid, sums of every partition, and maxima.

    What is not on a grid is added in the order of partitions, so that no bit depends on who adds.
    """

    value: Vector
    up: Vector
    parts: Parts
    largest: float
    steepest: float
    most_bent: float

    @property
    def loss(self) -> float:
        """The total loss."""
        return in_order(self.parts, 0)

    @property
    def squares(self) -> float:
        """The sum of squared pulls."""
        return in_order(self.parts, 1)

    @property
    def wrong(self) -> float:
        """The weight of rows on the wrong side."""
        return in_order(self.parts, 2)


def plus_pulls(one: PullSums, other: PullSums) -> PullSums:
    """Join the sums and maxima of two parts of the rows."""
    return PullSums(
        one.value + other.value,
        one.up + other.up,
        one.parts | other.parts,
        max(one.largest, other.largest),
        max(one.steepest, other.steepest),
        max(one.most_bent, other.most_bent),
    )


class SideSums(NamedTuple):
    """Curvatures on both sides of a cut, and the values next to it."""

    left: float
    right: float
    near: Neighbours


def plus_sides(one: SideSums, other: SideSums) -> SideSums:
    """Join two parts of the rows."""
    near = join_neighbours(one.near, other.near)
    return SideSums(one.left + other.left, one.right + other.right, near)


def weights_of(rows: Rows, goal: Goal) -> Vector:
    """Return the weights that the loss is summed with."""
    weight = rows.weights / goal.unit
    if goal.classes is not None and goal.class_weight is not None:
        weight = weight * goal.class_weight[np.searchsorted(goal.classes, rows.y)]
    return weight


def targets_of(rows: Rows, goal: Goal) -> Vector:
    """Return numbers, or -1 and +1."""
    if goal.classes is None:
        return np.asarray(rows.y, np.float64)
    return np.where(rows.y == goal.classes[goal.positive], 1.0, -1.0)


def objective_of(rows: Rows, goal: Goal) -> Objective:
    """Return the loss of the partition's rows."""
    return rows.recall(
        ("objective", goal.number),
        lambda: sum_over_rows(
            goal.loss, targets_of(rows, goal), weights_of(rows, goal), Workers(1)
        ),
    )


def predictions(rows: Rows, goal: Goal, steps: Steps) -> Vector:
    """Return one function's predictions after some steps."""
    key = "z", goal.number
    known, z = rows.memo.get(key, (None, None))
    if known is None or known[0] != goal.constant or known[1] != steps[: len(known[1])]:
        known, z = (goal.constant, ()), np.full(len(rows), goal.constant)
    X, made = dense(rows), known[1]
    for leaf in steps[len(made) :]:
        if leaf.feature >= 0:
            z = z + np.where(X[:, leaf.feature] <= leaf.cut, leaf.low, leaf.high)
    rows.memo[key] = (goal.constant, steps), z
    values: Vector = z
    return values


def _point(rows: Rows, goal: Goal, steps: Steps) -> ObjectivePoint:
    """Return the loss and its derivatives after some steps."""
    known, point = rows.memo.get(("point", goal.number), (None, None))
    if known != (goal.constant, steps):
        z = predictions(rows, goal, steps)
        point = ObjectivePoint(z, np.nan, np.empty(len(rows)), np.empty(len(rows)))
        objective_of(rows, goal).evaluate(point)
        rows.memo["point", goal.number] = (goal.constant, steps), point
    found: ObjectivePoint = point
    return found


def _values(rows: Rows, goal: Goal, steps: Steps, exponent: int) -> Values:
    weight = rows.recall(("grid", goal.number), lambda: _weights_on_grid(rows, goal))
    return Values(on_grid(_point(rows, goal, steps).pull, exponent), weight)


def _weights_on_grid(rows: Rows, goal: Goal) -> Vector | None:
    weight = weights_of(rows, goal)
    return None if (weight == 1.0).all() else on_grid(weight, goal.grid)


def weigh_bins(rows: Rows, cuts: Cuts, goal: Goal) -> Vector:
    """Sum weights by bins."""
    weight = _weights_on_grid(rows, goal)
    return sum_bins(binned(rows, cuts), np.ones(len(rows)) if weight is None else weight)


def sum_pulls(rows: Rows, cuts: Cuts, goal: Goal, steps: Steps, exponent: int) -> PullSums:
    """Sum pulls by bins after some steps."""
    bins, point = binned(rows, cuts), _point(rows, goal, steps)
    values = _values(rows, goal, steps, exponent).value
    weight, objective = weights_of(rows, goal), objective_of(rows, goal)
    wrong = 0.0
    if goal.classes is not None:
        wrong = float(weight[(point.z > 0.0) != (objective.t > 0.0)].sum())
    size = np.abs(point.pull)
    bent = np.zeros(1) if point.curvature is None else point.curvature
    loss = point.value * objective.size if len(rows) else 0.0
    return PullSums(
        sum_bins(bins, values),
        sum_bins(bins, np.maximum(values, 0.0)),
        {rows.number: (loss, float(point.pull @ point.pull), wrong)},
        float(size.max(initial=0.0)),
        float((size / weight).max(initial=0.0)),
        float(bent.max(initial=0.0)),
    )


def sum_sides(
    rows: Rows, goal: Goal, steps: Steps, where: tuple[int, float], exponent: int
) -> SideSums:
    """Sum curvatures on both sides of a cut."""
    bend = _point(rows, goal, steps).curvature
    left = dense(rows)[:, where[0]] <= where[1]
    on = on_grid(np.zeros(len(rows)) if bend is None else bend, exponent)
    return SideSums(float(on[left].sum()), float(on[~left].sum()), neighbours(rows, *where))


def ask_pulls(
    rows: Rows, cuts: Cuts, goal: Goal, steps: Steps, exponent: int, verb: Any, wanted: Any
) -> Any:
    """Call ``sum_inside`` or ``list_values`` on the pulls of a round."""
    return verb(rows, _values(rows, goal, steps, exponent), binned(rows, cuts), wanted)


def loss_of_rows(
    rows: Rows, goals: tuple[Goal, ...], steps: tuple[Steps, ...]
) -> tuple[float, float]:
    """Return the loss of validation rows, summed over functions, and the sum of their weights."""
    total, size = 0.0, 0.0
    for goal, made in zip(goals, steps, strict=True):
        objective = objective_of(rows, goal)
        size = objective.size
        if len(rows):
            total += objective.value(predictions(rows, goal, made)) * size
    return total, size


def error_of_rows(
    rows: Rows, goals: tuple[Goal, ...], steps: tuple[Steps, ...]
) -> tuple[float, float]:
    """Return the weight of rows whose largest function is not that of their class, and of all."""
    values = [predictions(rows, goal, made) for goal, made in zip(goals, steps, strict=True)]
    classes, weight = goals[0].classes, weights_of(rows, goals[0])
    assert classes is not None
    wrong = classes[np.argmax(values, axis=0)] != rows.y if len(rows) else np.zeros(0, bool)
    return float(weight[wrong].sum()), float(weight.sum())


def slope_at(rows: Rows, goal: Goal, constant: float, exponent: int | None) -> tuple[float, ...]:
    """Return sum and largest of the slopes where all predictions are one constant."""
    objective = objective_of(rows, goal)
    z = np.full(len(rows), constant)
    slopes = objective.weight * goal.loss.derivative(z, objective.t) if len(rows) else z
    bend = objective.weight * goal.loss.curvature(z, objective.t) if len(rows) else z
    if exponent is None:
        largest = np.abs(slopes).max(initial=0.0), np.abs(bend).max(initial=0.0)
        return float(largest[0]), float(largest[1])
    value = objective.value(z) * objective.size if len(rows) else 0.0
    on = on_grid(slopes, exponent), on_grid(bend, exponent)
    return float(on[0].sum()), float(on[1].sum()), value
