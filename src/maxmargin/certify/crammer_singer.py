"""Judge the weights of one linear machine for all classes, and the duals that bound them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify.certificate import Certificate
from maxmargin.certify.judge import judge
from maxmargin.certify.status import Status
from maxmargin.problems import CrammerSinger

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class CrammerSingerPoint:
    """Coefficients, a row a class, with fresh values X theta', and duals with fresh alpha'X."""

    theta: Matrix
    values: Matrix
    alpha: Matrix
    back: Matrix
    precision: np.dtype[np.floating]


@judge.register
def judge_crammer_singer(
    problem: CrammerSinger, point: CrammerSingerPoint, tol: float, stopped: Status | None = None
) -> Certificate:
    """Judge a machine of several classes: certified means a gap of ``tol`` of the objective."""
    primal = problem.primal(point.theta, point.values)
    dual = problem.dual(point.alpha, point.back)
    violation = problem.violation(point.theta, point.values, point.alpha, point.back)
    floor = _rounding(primal, point)
    size = max(abs(primal), abs(dual))
    status = stopped or Status.STALLED
    if not (np.isfinite([primal, dual]).all() and np.isfinite(point.theta).all()):
        status = Status.NUMERICAL_ERROR
    elif problem.feasible(point.alpha):
        # A dual value above the primal one is as far from the truth as one below.
        small = abs(primal - dual) <= tol * size + min(tol * size, floor)
        status = Status.CERTIFIED if small else status
    return Certificate(primal, dual, violation, floor, point.precision.name, status)


def _rounding(primal: float, point: CrammerSingerPoint) -> float:
    """Typical rounding of the gap: of the sum of losses and of the products with the duals."""
    eps = float(np.finfo(np.float64).eps)
    return eps * (abs(primal) + float(np.abs(point.alpha * point.values).sum()))
