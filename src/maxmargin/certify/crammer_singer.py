"""Judge the weights of one linear machine for all classes, and the duals that bound them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify.certificate import BY_GAP, Certificate, conclude_one
from maxmargin.certify.judge import judge
from maxmargin.certify.linear import Lengths
from maxmargin.certify.status import Status
from maxmargin.problems import CrammerSinger

Matrix = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class CrammerSingerPoint:
    """Coefficients, a row a class, with fresh values X theta', and duals with fresh alpha'X."""

    theta: Matrix
    values: Matrix
    alpha: Matrix
    back: Matrix
    precision: np.dtype[np.floating]
    lengths: Lengths | None = None
    """Of the rows; without them values and sums are taken for exact."""


@judge.register
def judge_crammer_singer(
    problem: CrammerSinger, point: CrammerSingerPoint, tol: float, stopped: Status | None = None
) -> Certificate:
    """Judge a machine of several classes, as ``judge_linear`` does one of two."""
    primal = problem.primal(point.theta, point.values)
    dual = problem.dual(point.alpha, point.back)
    violation = problem.violation(point.theta, point.values, point.alpha, point.back)
    floor = _rounding(problem, point, primal)
    sound = bool(np.isfinite([primal, dual]).all() and np.isfinite(point.theta).all())
    feasible = problem.feasible(point.alpha)
    facts, numbers = (sound, True, feasible), (primal, dual, violation, floor)
    return conclude_one(numbers, BY_GAP, tol, facts, point.precision.name, stopped)


def price_of_rounding(problem: CrammerSinger, point: CrammerSingerPoint) -> float:
    """How much more the losses may cost by the values that a user of the model gets."""
    if point.lengths is None:
        return 0.0
    error = point.lengths.of_values(point.theta).T
    worse = point.values + error
    rows = np.arange(len(problem))
    worse[rows, problem.labels] -= 2.0 * error[rows, problem.labels]
    return float(problem.cost @ (problem.losses(worse) - problem.losses(point.values)))


def _rounding(problem: CrammerSinger, point: CrammerSingerPoint, primal: float) -> float:
    """Bound what rounding adds to the gap: of values, and of sums."""
    moved = float(np.abs(point.alpha * point.values).sum())
    floor = _EPS * (abs(primal) + moved) + price_of_rounding(problem, point)
    error = 0.0 if point.lengths is None else point.lengths.of_sums(point.alpha)
    return floor + error * float(np.linalg.norm(point.back))
