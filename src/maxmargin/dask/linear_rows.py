"""What a worker computes for a linear model: sums over its rows.

A step is asked by coefficients alone. The hinge and the insensitive loss are smoothed around duals
(``solvers/linear/proximal_hinge.py``) that follow from the coefficients at which they were
sharpened before; ``Smoothing`` lists these, so a worker that has just read its rows gets there too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify.linear import Lengths, LinearPoint, price_of_rounding
from maxmargin.dask.rows import Rows
from maxmargin.losses import Loss
from maxmargin.ops.design import Design
from maxmargin.ops.threads import Workers
from maxmargin.problems import LinearProblem
from maxmargin.solvers.linear.proximal_hinge import ProximalHinge
from maxmargin.solvers.linear.proximal_zone import ProximalZone

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class LinearTask:
    """The problem that a fit, or one class of it, solves; ``number`` tells it from others."""

    number: int
    loss: Loss
    penalty: str
    free: bool
    constant: float
    cost: float
    classes: NDArray[Any] | None = None
    class_weight: Vector | None = None
    positive: int = 1

    def on(self, rows: Rows) -> LinearProblem:
        """State the problem of one partition."""
        cost = np.full(len(rows), self.cost)
        if rows.weight is not None:
            cost = cost * rows.weight
        target = rows.y
        if self.classes is not None:
            label = np.searchsorted(self.classes, rows.y)
            target = np.where(label == self.positive, 1.0, -1.0)
            if self.class_weight is not None:
                cost = cost * self.class_weight[label]
        return LinearProblem(self.loss, target, cost, self.penalty, self.free)


@dataclass(frozen=True)
class Smoothing:
    """How a loss with a kink was smoothed: widths, and where it was sharpened.

    ``path`` has coefficients with the factor by which the width was narrowed there; the first
    coefficients are those that the fit began from.
    """

    width: float
    start: bytes
    path: tuple[tuple[bytes, float], ...] = ()

    def sharpened(self, theta: Vector, factor: float) -> Smoothing:
        """Narrow around the duals at these coefficients."""
        return Smoothing(self.width, self.start, (*self.path, (theta.tobytes(), factor)))


class Sums(NamedTuple):
    """Of one partition at some coefficients."""

    matrix: Vector
    back: Vector
    price: float
    hidden: float


class DualSums(NamedTuple):
    """Of duals predicted for the point that a Newton step leads to, by sign."""

    up: float
    down: float
    conjugate: float
    back: Vector
    spread: Vector


class Facts(NamedTuple):
    """What the judge needs of one partition."""

    price: float
    conjugate: float
    violation: float
    back: Vector
    weight: float
    squares: float
    moved: float
    rounding: float
    spread: Vector
    finite: bool


def design_of(rows: Rows, constant: float) -> Design:
    """Return the rows as solvers see them; one thread, because the cluster has the others."""
    return rows.recall(("design", constant), lambda: Design(rows.X, constant, Workers(1)))


def _problem(rows: Rows, task: LinearTask) -> LinearProblem:
    if rows.memo.get("task") != task.number:  # the classes come one after the other
        rows.memo["task"], rows.memo["problem"] = task.number, task.on(rows)
        rows.memo.pop("smoothing", None)
    problem: LinearProblem = rows.memo["problem"]
    return problem


def _model(rows: Rows, task: LinearTask, smoothing: Smoothing | None) -> Any:
    """Return the smoothed problem, from the memo's or from the beginning."""
    problem = _problem(rows, task)
    if smoothing is None:
        return problem
    known, model = rows.memo.get("smoothing", (None, None))
    values = design_of(rows, task.constant).values
    if known is None or known.path != smoothing.path[: len(known.path)]:
        theta = np.frombuffer(smoothing.start)
        known = Smoothing(smoothing.width, smoothing.start)
        model = _begin(problem, smoothing.width, values(theta), bool(theta.any()))
    for at, factor in smoothing.path[len(known.path) :]:
        model = model.sharpened(values(np.frombuffer(at)), factor)
    rows.memo["smoothing"] = smoothing, model
    return model


def _begin(problem: LinearProblem, width: float, values: Vector, warm: bool) -> Any:
    if problem.labelled:
        return ProximalHinge(problem, width, np.where(warm & (problem.t * values < 1.0), 1.0, 0.0))
    start = -problem.loss.derivative(values, problem.t)
    return ProximalZone(problem, width, np.where(warm, start, 0.0))


def look(rows: Rows, task: LinearTask, smoothing: Smoothing | None, theta: Vector) -> Sums:
    """Sum prices, slopes and curvatures over the rows."""
    design, model = design_of(rows, task.constant), _model(rows, task, smoothing)
    values = design.values(theta)
    beta = model.slopes(values)
    matrix, back = design.system(model.curvatures(values), beta)
    price = float(_problem(rows, task).prices(values).sum())
    hidden = 0.0 if smoothing is None else model.hidden(values, beta)
    return Sums(matrix, back, price, hidden)


class Recipe(NamedTuple):
    """Where duals come from: a linear prediction, or with a factor for the heavier sign."""

    smoothing: Smoothing | None
    theta: Vector
    step: Vector
    up: float = 1.0
    down: float = 1.0


def _duals(rows: Rows, task: LinearTask, recipe: Recipe) -> Vector:
    design, model = design_of(rows, task.constant), _model(rows, task, recipe.smoothing)
    values = design.values(recipe.theta)
    change = design.values(recipe.step)
    beta = model.slopes(values) - model.curvatures(values) * change
    beta = _problem(rows, task).clipped(beta)
    if recipe.up == recipe.down == 1.0:
        return beta
    return np.where(beta > 0, recipe.up * beta, recipe.down * beta)


def sum_duals(rows: Rows, task: LinearTask, recipe: Recipe) -> DualSums:
    """Sum conjugates and rows of duals."""
    design, problem = design_of(rows, task.constant), _problem(rows, task)
    beta = _duals(rows, task, recipe)
    size = np.abs(beta)
    return DualSums(
        float(beta[beta > 0].sum()),
        -float(beta[beta < 0].sum()),
        float(problem.conjugates(beta).sum()),
        design.back(beta),
        design.squares(size) if task.penalty == "none" else np.zeros(design.width),
    )


def judge_rows(rows: Rows, task: LinearTask, theta: Vector, recipe: Recipe) -> Facts:
    """Evaluate everything afresh at the final coefficients and duals."""
    problem = task.on(rows)
    design = Design(rows.X, task.constant, Workers(1))
    values, beta = design.values(theta), _duals(rows, task, recipe)
    back, prices = design.back(beta), problem.prices(values)
    conjugates = problem.conjugates(beta)
    lengths = Lengths(design.lengths, 0.0, design.width)
    point = LinearPoint(theta, values, beta, back, design.dtype, None, lengths)
    short = (prices + conjugates + beta * values) / problem.cost
    size = np.abs(beta)
    return Facts(
        float(prices.sum()),
        float(conjugates.sum()),
        float(short.max(initial=0.0)),
        back,
        float(size.sum()),
        float(design.row_norms() @ size),
        float(size @ np.abs(values)),
        price_of_rounding(problem, point, prices),
        design.squares(size) if task.penalty == "none" else np.zeros(design.width),
        bool(np.isfinite(prices).all() and np.isfinite(conjugates).all()),
    )


def draw_rows(rows: Rows, share: float, seed: int) -> tuple[Any, NDArray[Any], Vector]:
    """Draw some rows for a first model, with their weights."""
    rng = np.random.default_rng([seed, rows.number])
    count = min(len(rows), int(np.ceil(share * len(rows))))
    some = np.sort(rng.choice(len(rows), count, replace=False))
    return rows.X[some], rows.y[some], rows.weights[some]


def spread_of_targets(rows: Rows) -> tuple[float, float, float]:
    """Return count, sum and sum of squares of the targets, for their deviation."""
    return float(len(rows)), float(rows.y.sum()), float(rows.y @ rows.y)


def add_up(parts: list[Any], take: Callable[[Any], Any]) -> Any:
    """Add one number or array of every partition, in the order of partitions."""
    total = take(parts[0])
    for part in parts[1:]:
        total = total + take(part)
    return total
