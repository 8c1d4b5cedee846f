"""Judge the weights of a linear model, and the duals that prove how good they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify.certificate import BY_GAP, Certificate, conclude_one
from maxmargin.certify.judge import judge
from maxmargin.certify.status import Status
from maxmargin.kernels.rounding import of_product, units
from maxmargin.problems import LinearProblem

Vector = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Lengths:
    """How long rows are, which says how far rounding may carry what is made of them.

    ``rows`` are |x_i| as the solver saw them, with the constant column; ``far`` is the length of
    what was taken off them before, and ``width`` the number of columns.
    """

    rows: Vector
    far: float = 0.0
    width: int = 1

    def of_values(self, theta: Vector) -> Vector:
        """Bound how far apart the judge's f_i and the user's, of his own rows, may be."""
        reach = units(self.width) * (self.rows + 2.0 * self.far)
        length = np.sqrt(np.square(theta).sum(axis=-1, keepdims=True))
        error: Vector = 2.0 * of_product(length, reach)
        return error

    def of_sums(self, beta: Vector) -> float:
        """Bound the error of sum_i beta_i x_i in length."""
        weight = np.abs(beta)
        spread = np.sqrt(weight.sum(axis=0) * (self.rows**2 @ weight))
        return float(np.linalg.norm(of_product(spread, units(len(beta)))))


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
    lengths: Lengths | None = None
    """Of the rows; without them values and sums are taken for exact."""

    @cached_property
    def errors(self) -> Vector | None:
        """How far values may be off, if lengths are known."""
        return None if self.lengths is None else self.lengths.of_values(self.theta)


@judge.register
def judge_linear(
    problem: LinearProblem, point: LinearPoint, tol: float, stopped: Status | None = None
) -> Certificate:
    """Judge a linear model: certified means a gap of at most ``tol`` of the objective.

    Where rounding explains the rest it may be twice that, with all that rounding can add to it.
    """
    prices = problem.prices(point.values)
    both = point.theta, point.values, point.beta, point.back
    primal, dual, violation = problem.judged(*both, prices)
    floor = _rounding(problem, point, prices, primal, dual)
    sound = bool(np.isfinite(primal) and np.isfinite(point.theta).all())
    feasible = np.isfinite(dual) and problem.feasible(point.beta, point.back, point.spread)
    facts, numbers = (sound, True, bool(feasible)), (primal, dual, violation, floor)
    return conclude_one(numbers, BY_GAP, tol, facts, point.precision.name, stopped)


def price_of_rounding(problem: LinearProblem, point: LinearPoint, prices: Vector) -> float:
    """How much more than their prices the losses may cost by the values that a user gets."""
    error, values = point.errors, point.values
    if error is None:
        return 0.0
    if problem.labelled and problem.loss.slopes[1] <= 0.0:  # then a smaller margin is the worse
        worse = problem.prices(values - problem.t * error)
    else:
        worse = np.maximum(problem.prices(values - error), problem.prices(values + error))
    return float(np.sum(worse - prices))


def _rounding(
    problem: LinearProblem, point: LinearPoint, prices: Vector, primal: float, dual: float
) -> float:
    """Bound what rounding adds to the gap: of values, of sums, of v where it should vanish."""
    moved = float(np.abs(point.beta) @ np.abs(point.values))
    floor = _EPS * (abs(primal) + moved) + price_of_rounding(problem, point, prices)
    error = 0.0 if point.lengths is None else point.lengths.of_sums(point.beta)
    if problem.penalty == "none":
        return floor + float(np.abs(point.back) @ np.abs(point.theta))
    if problem.free:
        floor += abs(float(point.back[-1] * point.theta[-1]))
    size = abs(dual) if problem.penalty == "l1" else float(np.linalg.norm(point.back))
    return floor + error * size
