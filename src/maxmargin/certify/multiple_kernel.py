"""Judge the weights of a mixture of kernels, and the duals of its machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify.certificate import BY_GAP, Certificate, conclude_one
from maxmargin.certify.judge import judge
from maxmargin.certify.status import Status
from maxmargin.kernels.rounding import Rounding
from maxmargin.problems.multiple_kernel import Mixed, MultipleKernel

Vector = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class MixturePoint:
    """Weights, the duals of every problem with all their products, and how those are rounded."""

    weights: Vector
    parts: Sequence[Mixed]
    roundings: Sequence[Rounding]
    convex: bool = True


@judge.register
def judge_multiple_kernel(
    problem: MultipleKernel, point: MixturePoint, tol: float, stopped: Status | None = None
) -> Certificate:
    """Judge a mixture: certified means a gap of at most ``tol`` of the objective.

    The violation is by how much the dual's |s|_q is more than the weights make of the s_m.
    """
    weights, parts = point.weights, point.parts
    primal, dual = problem.primal(weights, parts), problem.dual(parts)
    squares = np.sum([part.squares for part in parts], axis=0)
    short = max(0.0, problem.norm(squares) - float(weights @ squares))
    allowed = (weights >= 0).all() and np.linalg.norm(weights, problem.p) <= 1.0 + 1e-9
    feasible = bool(allowed) and all(part.problem.feasible(part.beta) for part in parts)
    facts = bool(np.isfinite([primal, dual]).all()), point.convex, feasible
    numbers = primal, dual, short, _rounding(point, primal)
    return conclude_one(numbers, BY_GAP, tol, facts, "float64", stopped)


def _rounding(point: MixturePoint, primal: float) -> float:
    """Bound what rounded values add to the losses of every row and to both sums of squares."""
    total = 8.0 * _EPS * abs(primal)
    for part, rounding in zip(point.parts, point.roundings, strict=True):
        error = 2.0 * rounding.of_values(part.beta)
        steepest = np.maximum(part.problem.upper, -part.problem.lower)
        total += float((steepest + np.abs(part.beta)) @ error)
        total += 8.0 * _EPS * float(np.abs(part.beta).sum())
    return total
