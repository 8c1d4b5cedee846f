"""Make a linear model's point ready for the judge: fresh products, whatever the solver kept.

Where slack costs much more than the whole objective, a margin of 1 - 1e-16 costs more than a longer
w: coefficients are then stretched until rounding leaves no row short of its margin, in the judge's
values and in the user's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import CrammerSingerPoint, Lengths, LinearPoint, crammer_singer, linear
from maxmargin.losses import Loss
from maxmargin.ops.design import Design
from maxmargin.problems import CrammerSinger, LinearProblem

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

_SHORT = 1e-4  # of its margin may a row be short and stretching be worth it
_DEAR = 1e-9  # of the objective must rounding cost


def propose(problem: LinearProblem, design: Design, theta: Vector, beta: Vector) -> LinearPoint:
    """Multiply coefficients and duals with the rows."""
    values, back = design.values(theta), design.back(beta)
    spread = spread_of(design, beta) if problem.penalty == "none" else None
    point = LinearPoint(theta, values, beta, back, design.dtype, spread, _lengths(design))
    if not problem.labelled or not _forgives(problem.loss):  # then no margin is enough
        return point

    def cost(point: LinearPoint) -> tuple[float, float]:
        prices = problem.prices(point.values)
        extra = linear.price_of_rounding(problem, point, prices)
        return problem.penalty_value(point.theta) + float(prices.sum()), extra

    return _stretched(point, problem.t * values, design.values, cost)


def propose_joint(
    problem: CrammerSinger, design: Design, theta: Matrix, alpha: Matrix
) -> CrammerSingerPoint:
    """Multiply the coefficients and duals of all classes with the rows."""

    def cost(point: CrammerSingerPoint) -> tuple[float, float]:
        extra = crammer_singer.price_of_rounding(problem, point)
        return problem.primal(point.theta, point.values), extra

    values, back = design.joint_values, design.joint_back(alpha)
    point = CrammerSingerPoint(theta, values(theta), alpha, back, design.dtype, _lengths(design))
    return _stretched(point, 1.0 - problem.losses(point.values), values, cost)


@cache
def _forgives(loss: Loss) -> bool:
    """Whether margins from 1 on cost nothing."""
    return not loss.value(np.array([1.0, 2.0]), 1.0).any()


def _lengths(design: Design) -> Lengths:
    return Lengths(design.lengths, design.far, design.width)


def _stretched(point: Any, margins: Vector, values: Any, cost: Any) -> Any:
    """Lengthen coefficients by what rounding leaves rows short of their margin, if that pays."""
    primal, extra = cost(point)
    if extra <= _DEAR * abs(primal):
        return point
    error = 2.0 * point.lengths.of_values(point.theta)
    error = error if error.ndim == 1 else error.sum(axis=0)
    near = (margins < 1.0 + error) & (margins > 1.0 - _SHORT)
    if not near.any():
        return point
    theta = float(((1.0 + error[near]) / margins[near]).max()) * point.theta
    longer = replace(point, theta=theta, values=values(theta))
    return longer if sum(cost(longer)) < primal + extra else point


def spread_of(design: Design, beta: Vector) -> Vector:
    """Bound sum_i |beta_i x_ij| for each column, by Cauchy and Schwarz."""
    weight = np.abs(beta)
    return np.sqrt(weight.sum() * design.squares(weight))


@dataclass(frozen=True)
class LinearStart:
    """Coefficients theta and duals beta; a solver takes those that it works on."""

    theta: Vector
    beta: Vector

    def alpha(self, problem: LinearProblem, upper: Vector) -> Vector:
        """Return t_i beta_i, put into the box [0, upper]."""
        return np.clip(problem.t * self.beta, 0.0, upper)
