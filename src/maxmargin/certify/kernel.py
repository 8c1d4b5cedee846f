"""Judge the duals of a kernel machine of any loss, which are its coefficients too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify.certificate import BY_GAP, Certificate, conclude_one
from maxmargin.certify.judge import Point, judge
from maxmargin.certify.status import Status
from maxmargin.problems import KernelProblem

Vector = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)
_VANISHING = 1e-12


@judge.register
def judge_kernel(
    problem: KernelProblem, point: Point, tol: float, stopped: Status | None = None
) -> Certificate:
    """Judge a kernel machine: certified means a gap of at most ``tol`` of the objective.

    Where rounding explains the rest it may be twice that, with all that rounding can add to it.
    """
    beta, product = point.beta, point.product
    b = problem.intercept(beta, problem.p - product)
    primal, dual = problem.primal(beta, product, b), problem.dual(beta, product)
    worst = float(np.maximum(0.0, problem.shortfalls(beta, product + b).max(initial=0.0)))
    sound = bool(np.isfinite(primal) and np.isfinite(product).all())
    facts = sound, point.convex, problem.feasible(beta)
    numbers, name = (primal, dual, worst, _rounding(problem, point, b)), point.rounding.name
    return conclude_one(numbers, BY_GAP, tol, facts, name, stopped, rest=_rest(problem))


def _rest(problem: KernelProblem) -> float:
    """Return up to where an objective is the rounding of losses that a constant makes vanish."""
    nothing = np.zeros(len(problem))
    constant = nothing + problem.intercept(nothing, nothing)
    least = _VANISHING * float(problem.prices(nothing).sum())
    vanishes = np.isfinite(least) and float(problem.prices(constant).sum()) <= least
    return least if vanishes else 0.0


def _rounding(problem: KernelProblem, point: Point, b: float) -> float:
    """Bound what rounding adds to the gap: of values, the user's and the judge's, and of sums."""
    beta, values, t = point.beta, point.product + b, problem.t
    error = 2.0 * point.rounding.of_values(beta)
    if beta.any():  # otherwise nothing is added up
        error = error + _EPS * (np.abs(values) + np.abs(t) + abs(b) + 2.0 * abs(problem.shift))
    length = np.sqrt(max(0.0, float(beta @ point.product)))
    error = error + point.rounding.of_weights(length)
    prices, weights = problem.prices(values), np.abs(beta)
    worse = np.maximum(problem.prices(values - error), problem.prices(values + error))
    terms = problem.cost @ problem.loss.terms(values, t)
    moved = float(terms + weights @ (np.abs(values) + np.abs(t)))
    stray = abs(b * float(beta.sum()))
    return float(np.sum(worse - prices) + weights @ error) + 8.0 * _EPS * moved + stray
