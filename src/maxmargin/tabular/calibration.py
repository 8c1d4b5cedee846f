"""Probabilities from decision values: softmax of one increasing function of them.

The function is slope * v + curve * v^3. With curve 0 this is temperature scaling (Guo, Pleiss, Sun
and Weinberger, "On calibration of modern neural networks", ICML 2017). It is the same for all
classes and has no shift, so the class of the largest decision value is the most probable one. The
values are of rows that the machines did not see, so no further fit is needed.

Values of other models need not be 0 where classes are equally likely. For them ``shifts`` learns a
shift a class in place of the curve: of two classes that is Platt's scaling ("Probabilistic outputs
for support vector machines", 1999).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

Vector = NDArray[np.float64]
Matrix = NDArray[Any]

PRIOR = 1.0  # rows' worth of pull towards slope 1 and curve 0, for tables of few rows
_STEEPEST = 50.0
_NO_CURVE = -3.0  # the logarithm of the curve that the search begins with
_FARTHEST = 1e50  # decision values whose cube is a number


@dataclass(frozen=True)
class Calibration:
    """p(class) = softmax(slope * value + curve * value^3 + shift)."""

    slope: float
    shift: Vector
    """Zeros, unless a shift a class was learned."""
    curve: float = field(default=0.0, metadata={"later": True})

    def __restored__(self) -> None:
        """Check what was read: larger values are more probable."""
        if not (0.0 < self.slope < np.inf and 0.0 <= self.curve < np.inf):
            raise ValueError("The calibration of a stored machine for tables is not increasing.")

    def probabilities(self, values: Matrix) -> Vector:
        """Return probabilities of decision values, a column a class (one column for two)."""
        v = np.clip(_a_class(values), -_FARTHEST, _FARTHEST)
        return np.asarray(softmax(self.slope * v + self.curve * v**3 + self.shift, axis=1))


def _a_class(values: Matrix) -> Matrix:
    return np.column_stack([-values[:, 0], values[:, 0]]) if values.shape[1] == 1 else values


def calibrate(
    values: Matrix, label: Any, weight: Vector | None, *, shifts: bool = False
) -> Calibration:
    """Choose slope and curve, or slope and shifts, that make the labels of unseen rows likeliest.

    Examples
    --------
    >>> found = calibrate(np.array([[-1.0], [-0.2], [0.1], [1.2]]), np.array([0, 0, 1, 1]), None)
    >>> bool(found.probabilities(np.array([[2.0]]))[0, 1] > 0.8)
    True
    """
    v = np.clip(_a_class(values), -_FARTHEST, _FARTHEST)
    cube = v**3
    w = np.ones(len(label)) if weight is None else weight
    rows = np.arange(len(label))

    def parts(x: Vector) -> tuple[float, Any, float]:
        return float(np.exp(x[0])), x[1:] if shifts else 0.0, 0.0 if shifts else float(np.exp(x[1]))

    def cost(x: Vector) -> tuple[float, Vector]:
        slope, shift, curve = parts(x)
        logp = log_softmax(slope * v + curve * cube + shift, axis=1)
        pull = np.exp(logp)
        pull[rows, label] -= 1.0
        pull *= w[:, None]
        far = x[1:] if shifts else np.array([curve])
        value = -float(w @ logp[rows, label]) + 0.5 * PRIOR * float(x[0] ** 2 + far @ far)
        rise = slope * float((pull * v).sum()) + PRIOR * x[0]
        others = (
            pull.sum(axis=0) + PRIOR * far
            if shifts
            else curve * ((pull * cube).sum() + PRIOR * far)
        )
        return value, np.append(rise, others)

    widest = [(None, None)] * v.shape[1] if shifts else [(-20.0, np.log(_STEEPEST))]
    start = np.zeros(1 + v.shape[1]) if shifts else np.array([0.0, _NO_CURVE])
    bounds = [(-4.0, np.log(_STEEPEST)), *widest]
    found = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds)
    slope, shift, curve = parts(found.x)
    return Calibration(slope, np.zeros(v.shape[1]) + shift, curve)
