"""Judge the weights of a linear model, and the duals that prove how good they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify.certificate import Certificate
from maxmargin.certify.judge import judge
from maxmargin.certify.status import Status
from maxmargin.problems import LinearProblem

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class LinearPoint:
    """Coefficients with fresh values f = X theta, and duals with fresh sums v = X'beta."""

    theta: Vector
    values: Vector
    beta: Vector
    back: Vector
    precision: np.dtype[np.floating]
    spread: Vector | None = None
    """sum_i |beta_i x_ij| or somewhat more: what v_j cancels from, to tell 0 from rounding."""


@judge.register
def judge_linear(
    problem: LinearProblem, point: LinearPoint, tol: float, stopped: Status | None = None
) -> Certificate:
    """Judge a linear model: certified means a gap of at most ``tol`` of the objective."""
    primal, dual, violation = problem.judged(point.theta, point.values, point.beta, point.back)
    floor = _rounding(problem, point, primal)
    size = max(abs(primal), abs(dual))
    status = stopped or Status.STALLED
    if not np.isfinite(primal) or not np.isfinite(point.theta).all():
        status = Status.NUMERICAL_ERROR
    elif np.isfinite(dual) and problem.feasible(point.beta, point.back, point.spread):
        # A dual value above the primal one is as far from the truth as one below.
        small = abs(primal - dual) <= tol * size + min(tol * size, floor)
        status = Status.CERTIFIED if small else status
    return Certificate(primal, dual, violation, floor, point.precision.name, status)


def _rounding(problem: LinearProblem, point: LinearPoint, primal: float) -> float:
    """Typical rounding of the gap: of the losses' sum, and of v where it should vanish."""
    eps = float(np.finfo(np.float64).eps)
    moved = float(np.abs(point.beta) @ np.abs(point.values))
    missed = 0.0
    if problem.penalty == "none":
        missed = float(np.abs(point.back) @ np.abs(point.theta))
    elif problem.free:
        missed = abs(float(point.back[-1] * point.theta[-1]))
    return eps * (abs(primal) + moved) + missed
