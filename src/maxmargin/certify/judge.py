"""Judge a proposed point on freshly evaluated kernel products.

Nothing here looks at a solver's running gradient: a point arrives with the product K beta summed
anew from kernel rows and the final coefficients, and everything else is computed from those.

What is judged is the model that the user gets. Its decision values are rounded, and so are the
numbers that the judge sees; ``rounding`` bounds what both together can do to the gap, and a point
is certified only where the gap stays within the tolerance in spite of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify.certificate import (
    BY_CONDITIONS,
    Certificate,
    Numbers,
    conclude,
    conclude_one,
)
from maxmargin.certify.status import Status
from maxmargin.kernels.rounding import Rounding
from maxmargin.problems import BoxQP, SlackBudget, Stack
from maxmargin.problems.box_qp import StackPoint

Vector = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)
_VANISHING = 1e-11  # of what cancels may be taken for 0; float32 is too rounded for that


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
    """Judge the dual point of a kernel machine; see ``judge_all``."""
    return judge_all(Stack.of(problem), point, np.array([point.convex]), tol, stopped)[0]


def judge_all(
    problems: Stack,
    points: Point,
    convex: NDArray[np.bool_],
    tol: float,
    stopped: Status | None = None,
) -> list[Certificate]:
    """Judge the dual points of kernel machines, which stand one after the other in one long point.

    Certified means both: no pair of variables breaks the optimality conditions by more than
    ``tol`` (twice that where rounding explains the rest; of shares in units of their margin), and
    the gap, with all that rounding can add to it, is at most 10 tol of the objective. An objective
    above that of w = 0 is none's optimum, whatever a rounded kernel says.
    """
    seen, zero = problems.look(points.beta, points.product), problems.at_zero
    error, floor = rounding(problems, points, seen)
    violation = np.maximum(0.0, seen.violation)
    without_targets = not problems.p.any()
    rest = _rest(problems, points, floor) if without_targets and any(problems.totals) else 0.0
    grouped = without_targets and problems.groups is not None
    unit = _unit(points, seen) if grouped else 1.0
    numbers = Numbers(seen.primal, seen.dual, violation, floor, error, rest, unit)
    best = seen.primal <= zero + numbers.allowed(BY_CONDITIONS, tol)
    sums = problems.segments.sum(points.product)  # finite unless something in it is not
    sound = np.isfinite(sums) & seen.inside & np.isfinite(seen.dual) & ~np.isnan(seen.primal)
    sound &= np.isfinite(seen.primal) | (problems.hard & (seen.primal == np.inf))
    facts = sound, convex & (seen.dual <= zero + floor), best
    return conclude(numbers, BY_CONDITIONS, tol, facts, points.rounding.name, stopped)


@judge.register
def judge_slack_budget(
    problem: SlackBudget, point: Point, tol: float, stopped: Status | None = None
) -> Certificate:
    """Judge the dual point of a classifier with a budget of slack.

    Certified means both: with beta's own C no pair of variables breaks the penalised form's
    optimality conditions by more than ``tol``, and the gap of the constrained form, with all that
    rounding can add to it, is at most 10 tol of the objective.
    """
    gradient = problem.p - point.product
    b = problem.intercept(point.beta, gradient)
    primal, dual = problem.primal(*_pair(point), b), problem.dual(*_pair(point))
    penalised = Stack.of(problem.penalised(problem.multiplier(point.beta)))
    stray = np.array([abs(b * point.beta.sum())]) if penalised.bias else np.zeros(1)
    seen = replace(penalised.look(point.beta, point.product), stray=stray, g=gradient - b)
    error, floor = (float(each[0]) for each in rounding(penalised, point, seen))
    violation = float(np.maximum(0.0, problem.violation(point.beta, gradient)))
    sound = bool(np.isfinite(point.product).all() and problem.feasible(point.beta))
    facts = sound and bool(np.isfinite(dual)), point.convex, True
    numbers, name = (primal, dual, violation, floor), point.rounding.name
    return conclude_one(numbers, BY_CONDITIONS, tol, facts, name, stopped, error)


def _pair(point: Point) -> tuple[Vector, Vector]:
    return point.beta, point.product


def rounding(problems: Stack, points: Point, seen: StackPoint) -> tuple[Vector, Vector]:
    """Bound the rounding error of a decision value, and of the gap, of every returned model.

    The primal of a model adds up the errors of its decision values and of the judge's, for every
    row that pays or would at the edge of them; both values of |w|^2, here and in the dual, are off
    by sum |beta| times the error; and duals that do not quite sum to 0 count the bias. Under
    infinite bounds the primal is stretched by the worst row, whose error counts sum |beta| times.
    Adding the bias, and what was taken off the targets, is good to half a unit: a target counts
    where the value is near to it, and nothing is lost of a bias alone, nor of a shift alone.
    Adding up the objectives is good to a few units in the last place of sum |p beta|, which in a
    classification is at most twice their size at the optimum.
    """
    parts, weights = problems.segments, np.abs(points.beta)
    values, shift = problems.p - seen.g, abs(problems.shift)
    bias = np.abs(values - points.product)
    summed = problems.rows.sum(problems.of_rows(points.beta) != 0) > 0
    level = (np.abs(values) + shift) * parts.spread(summed.astype(np.float64))
    if shift:
        level = level + np.where(bias > 0, bias + shift, 0.0)
    error = _error_of_values(problems, points) + 0.5 * _EPS * level
    upper, lower = problems.upper, problems.lower
    total, terms = parts.sum(weights), parts.sum(weights * np.abs(problems.p))
    if problems.hard:
        upper, lower = (np.where(np.isinf(u), 0.0, u) for u in (upper, lower))
    slope = np.where(seen.g + error > 0, upper, 0.0) - np.where(seen.g - error < 0, lower, 0.0)
    floor = parts.sum((2.0 * slope + weights) * error) + 8.0 * _EPS * terms + 2.0 * seen.stray
    worst = parts.reduce(np.maximum, error)
    return worst, floor + 2.0 * worst * total if problems.hard else floor


def _error_of_values(problems: Stack, points: Point) -> Vector:
    """Bound the error of sums of kernel values; a row's variables make one coefficient."""
    parts, rounding = problems.segments, points.rounding
    if problems.copies > 1:
        of_rows = rounding.of(slice(0, len(points.beta) // problems.copies))
        values = of_rows.of_values(problems.of_rows(points.beta), problems.rows)
        error = problems.of_variables(values)
    else:
        error = rounding.of_values(points.beta, parts)
    if rounding.reach is None:
        return error
    squares = np.maximum(0.0, parts.sum(points.beta * points.product))
    longer: Vector = error + rounding.of_weights(parts.spread(np.sqrt(squares)))
    return longer


def _rest(problems: Stack, points: Point, floor: Vector) -> Vector:
    """Return up to where an objective is 0 but for rounding, where sums are given and no targets.

    That is the floor, which has to be next to nothing beside what cancels in |w|^2 / 2. Both grow
    with the square of the weights, as the objective does; beside targets they would outgrow it.
    """
    lengths = points.rounding.lengths[: len(points.beta) // problems.copies]
    terms = problems.rows.sum(np.abs(problems.of_rows(points.beta)) * lengths)
    return np.where(floor <= _VANISHING * 0.5 * np.square(terms), floor, 0.0)


def _unit(points: Point, seen: StackPoint) -> float:
    """Return in which unit values violate: in margins of rho, where a model is divided by it.

    That is the problem of two groups without targets; rho is half of what lies between their
    biases. A margin above 1 does not make the conditions any milder.
    """
    bias = -points.product - seen.g
    return float(min(max(0.5 * (bias[-1] - bias[0]), 0.0), 1.0))
