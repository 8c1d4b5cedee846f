"""Judge a proposed point on freshly evaluated kernel products.

Nothing here looks at a solver's running gradient: a point arrives with the product K beta summed
anew from kernel rows and the final coefficients, and everything else is computed from those.

What is judged is the model that the user gets. Its decision values are rounded, and so are the
numbers that the judge sees; ``rounding`` bounds what both together can do to the gap, and a point
is certified only where the gap stays within the tolerance in spite of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from math import isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify.certificate import Certificate
from maxmargin.certify.status import Status
from maxmargin.kernels.rounding import Rounding
from maxmargin.problems import BoxQP, SlackBudget

Vector = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)
_GAP = 10.0  # times the tolerance of the conditions may the gap be, relative to the objective


@dataclass(frozen=True)
class Point:
    """A dual point with a fresh K beta, how it was rounded and what was seen of the curvature."""

    beta: Vector
    product: Vector
    rounding: Rounding
    convex: bool = True
    """False when the kernel is known, or was seen, not to be positive semidefinite."""


@singledispatch
def judge(
    problem: Any,
    point: Any,  # noqa: ARG001  (this is what the judges below share)
    tol: float,  # noqa: ARG001
    stopped: Status | None = None,  # noqa: ARG001
) -> Certificate:
    """Certify the point, or say what is known of it; each form of problem has its judge.

    ``stopped`` is why the solver gave up, if it did; a point that meets the conditions all the
    same is certified, because only the point counts.
    """
    raise TypeError(f"there is no judge for {type(problem).__name__}")


@judge.register
def judge_box_qp(
    problem: BoxQP, point: Point, tol: float, stopped: Status | None = None
) -> Certificate:
    """Judge the dual point of a kernel machine.

    Certified means both: no pair of variables breaks the optimality conditions by more than
    ``tol`` (twice that where rounding explains the rest), and the gap, with all that rounding can
    add to it, is at most 10 tol of the objective. An objective above that of w = 0 is none's
    optimum, whatever a rounded kernel says.
    """
    seen, zero = problem.survey(point.beta, point.product), problem.at_zero
    primal, dual = seen.primal, seen.dual
    error, floor = rounding(problem, point, seen.b, seen.g)
    allowed = _GAP * tol * max(abs(primal), abs(dual)) if primal < np.inf else 0.0
    small = primal - dual + floor <= allowed and primal <= zero + _GAP * tol * abs(zero)
    violation = float(np.maximum(0.0, seen.violation))
    optimal = violation <= tol + min(tol, error) and small
    status = _status(problem, point, point.convex and dual <= zero + floor, optimal, stopped)
    unmet = problem.hard and primal == np.inf  # no multiple of this w has all rows on their side
    if not (unmet or isfinite(primal)) or not isfinite(dual):
        status = Status.NUMERICAL_ERROR
    name = point.rounding.precision.name
    return Certificate(primal, dual, violation, floor, name, status, allowed)


@judge.register
def judge_slack_budget(
    problem: SlackBudget, point: Point, tol: float, stopped: Status | None = None
) -> Certificate:
    """Judge the dual point of a classifier with a budget of slack.

    Certified means both: with beta's own C no pair of variables breaks the penalised form's
    optimality conditions by more than ``tol``, and the gap of the constrained form, with all that
    rounding can add to it, is at most 10 tol of the objective.
    """
    gradient = problem.linear - point.product
    b = problem.intercept(point.beta, gradient)
    primal, dual = problem.primal(*_pair(point), b), problem.dual(*_pair(point))
    penalised = problem.penalised(problem.multiplier(point.beta))
    error, floor = rounding(penalised, point, b, gradient - b)
    allowed = _GAP * tol * max(abs(primal), abs(dual)) if primal < np.inf else 0.0
    violation = float(np.maximum(0.0, problem.violation(point.beta, gradient)))
    optimal = violation <= tol + min(tol, error) and primal - dual + floor <= allowed
    status = _status(problem, point, point.convex, optimal, stopped)
    if not np.isfinite(dual):
        status = Status.NUMERICAL_ERROR
    name = point.rounding.precision.name
    return Certificate(primal, dual, violation, floor, name, status, allowed)


def _pair(point: Point) -> tuple[Vector, Vector]:
    return point.beta, point.product


def _status(
    problem: BoxQP | SlackBudget, point: Point, convex: bool, optimal: bool, stopped: Status | None
) -> Status:
    if not np.isfinite(point.product).all() or not problem.feasible(point.beta):
        return Status.NUMERICAL_ERROR
    if not convex:
        return Status.NOT_CONVEX if stopped in (None, Status.STALLED) else stopped
    if optimal:
        return Status.CERTIFIED
    return stopped or Status.STALLED


def rounding(problem: BoxQP, point: Point, b: float, g: Vector) -> tuple[float, float]:
    """Bound the rounding error of a decision value, and of the gap of the returned model.

    The primal of the model adds up the errors of its decision values and of the judge's, for every
    row that pays or would at the edge of them; both values of |w|^2, here and in the dual, are off
    by sum |beta| times the error; and duals that do not quite sum to 0 count the bias. Under
    infinite bounds the primal is stretched by the worst row, whose error counts sum |beta| times.
    Adding up the objectives is good to a few units in the last place of sum |beta|, which at the
    optimum is at most twice their size. ``g`` is what each row falls short by, p - f(x).
    """
    beta, weights = point.beta, np.abs(point.beta)
    length = sqrt(max(0.0, float(beta @ point.product)))
    error = point.rounding.of_values(beta) + point.rounding.of_weights(length)
    total, upper, lower = float(weights.sum()), problem.upper, problem.lower
    if problem.hard:
        upper, lower = (np.where(np.isinf(u), 0.0, u) for u in (upper, lower))
    slope = np.where(g + error > 0, upper, 0.0) - np.where(g - error < 0, lower, 0.0)
    floor = 2.0 * float(slope @ error) + float(weights @ error)
    floor += 8.0 * _EPS * total
    if problem.bias:
        floor += 2.0 * abs(b) * abs(float(beta.sum()))
    worst = float(error.max(initial=0.0))
    if problem.hard:
        floor += 2.0 * worst * total
    return worst, floor
