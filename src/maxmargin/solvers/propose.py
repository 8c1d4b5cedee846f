"""Make a linear model's point ready for the judge: fresh products, whatever the solver kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import LinearPoint
from maxmargin.ops.design import Design
from maxmargin.problems import LinearProblem

Vector = NDArray[np.float64]


def propose(problem: LinearProblem, design: Design, theta: Vector, beta: Vector) -> LinearPoint:
    """Multiply coefficients and duals with the rows."""
    values, back = design.values(theta), design.back(beta)
    spread = spread_of(design, beta) if problem.penalty == "none" else None
    return LinearPoint(theta, values, beta, back, design.dtype, spread)


def spread_of(design: Design, beta: Vector) -> Vector:
    """Bound sum_i |beta_i x_ij| for each column, by Cauchy and Schwarz."""
    weight = np.abs(beta)
    return np.sqrt(weight.sum() * design.squares(weight))
