"""Judge a proposed point on freshly evaluated kernel products.

Nothing here looks at a solver's running gradient: a point arrives with the product K beta summed
anew from kernel rows and the final coefficients, and everything else is computed from those.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify.certificate import Certificate
from maxmargin.certify.status import Status
from maxmargin.problems import BoxQP, SlackBudget


@dataclass(frozen=True)
class Point:
    """A dual point with a fresh K beta, its precision and what was seen of the curvature."""

    beta: NDArray[np.float64]
    product: NDArray[np.float64]
    precision: np.dtype[np.floating]
    convex: bool = True
    """False when the kernel is known, or was seen, not to be positive semidefinite."""
    scale: float = 1.0
    """The largest kernel value on the diagonal."""


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
    ``tol`` (twice that where rounding explains the rest), and the gap is at most 10 tol of the
    objective. An objective above that of w = 0 is none's optimum, whatever a rounded kernel says.
    """
    gradient = problem.linear - point.product
    violation = float(np.maximum(0.0, problem.violation(point.beta, gradient)))
    primal = problem.attained(point.beta, point.product, problem.intercept(point.beta, gradient))
    dual = problem.dual(point.beta, point.product)
    product_error, floor = rounding(problem, point)
    small = primal < np.inf and primal - dual <= 10 * tol * max(abs(primal), abs(dual))
    zero = _primal_at_zero(problem)
    small = small and primal <= zero + 10 * tol * abs(zero)
    optimal = violation <= tol + min(tol, product_error) and small
    convex = point.convex and dual <= zero + floor
    status = _status(problem, point, convex, optimal, stopped)
    unmet = problem.hard and primal == np.inf  # no multiple of this w has all rows on their side
    if not np.isfinite([0.0 if unmet else primal, dual]).all():
        status = Status.NUMERICAL_ERROR
    return Certificate(primal, dual, violation, floor, point.precision.name, status)


@judge.register
def judge_slack_budget(
    problem: SlackBudget, point: Point, tol: float, stopped: Status | None = None
) -> Certificate:
    """Judge the dual point of a classifier with a budget of slack.

    Certified means both: with beta's own C no pair of variables breaks the penalised form's
    optimality conditions by more than ``tol``, and the gap of the constrained form is at most
    10 tol of the objective, or rounding.
    """
    gradient = problem.linear - point.product
    violation = float(np.maximum(0.0, problem.violation(point.beta, gradient)))
    primal = problem.primal(point.beta, point.product, problem.intercept(point.beta, gradient))
    dual = problem.dual(point.beta, point.product)
    penalised = problem.penalised(problem.multiplier(point.beta))
    product_error, floor = rounding(penalised, point)
    # The dual is a difference of numbers that may be much larger.
    floor += float(np.finfo(np.float64).eps * np.abs(point.beta).sum())
    small = primal - dual <= max(10 * tol * max(abs(primal), abs(dual)), floor)
    optimal = violation <= tol + min(tol, product_error) and small and primal < np.inf
    status = _status(problem, point, point.convex, optimal, stopped)
    if not np.isfinite(dual):
        status = Status.NUMERICAL_ERROR
    return Certificate(primal, dual, violation, floor, point.precision.name, status)


def _primal_at_zero(problem: BoxQP) -> float:
    """Evaluate the primal at w = 0 and b = 0: convex problems have no dual value above it."""
    return problem.primal(np.zeros(len(problem)), np.zeros(len(problem)), 0.0)


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


def rounding(problem: BoxQP, point: Point) -> tuple[float, float]:
    """Typical rounding error of one entry of K beta, and of the gap.

    Kernel values carry independent errors of about eps * scale, so an entry of K beta carries
    their root of the sum of squares; the gap adds up one such error for every unit of cost. Under
    infinite bounds the primal is stretched by the worst row, whose error counts sum |beta| times.
    """
    eps = float(np.finfo(point.precision).eps)
    entry = eps * point.scale * float(np.linalg.norm(point.beta))
    slope = np.where(point.beta >= 0, problem.upper, problem.lower)
    cost = np.abs(slope[(point.beta != 0) & np.isfinite(slope)])
    if problem.hard:
        cost = np.append(cost, np.abs(point.beta).sum())
    return entry, entry * float(np.sqrt((cost**2).sum()) + np.linalg.norm(point.beta))
