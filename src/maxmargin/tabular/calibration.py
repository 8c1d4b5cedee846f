"""Probabilities from decision values: a temperature and a shift a class.

With two classes this is Platt's scaling ("Probabilistic outputs for support vector machines",
1999); with more it is temperature scaling with a bias a class (Guo, Pleiss, Sun and Weinberger, "On
calibration of modern neural networks", ICML 2017). The values are of rows that the machines did not
see, so no further fit is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

Vector = NDArray[np.float64]
Matrix = NDArray[Any]

PRIOR = 1.0  # rows' worth of pull towards slope 1 and shifts 0, for tables of few rows
_STEEPEST = 50.0


@dataclass(frozen=True)
class Calibration:
    """p(class) = softmax(slope * value + shift)."""

    slope: float
    shift: Vector

    def probabilities(self, values: Matrix) -> Vector:
        """Return probabilities of decision values, a column a class (one column for two)."""
        return np.asarray(softmax(self.slope * _a_class(values) + self.shift, axis=1))


def _a_class(values: Matrix) -> Matrix:
    return np.column_stack([-values[:, 0], values[:, 0]]) if values.shape[1] == 1 else values


def calibrate(values: Matrix, label: Any, weight: Vector | None) -> Calibration:
    """Choose slope and shifts that make the labels of unseen rows likeliest.

    Examples
    --------
    >>> found = calibrate(np.array([[-1.0], [-0.2], [0.1], [1.2]]), np.array([0, 0, 1, 1]), None)
    >>> bool(found.probabilities(np.array([[2.0]]))[0, 1] > 0.8)
    True
    """
    of_class = _a_class(values)
    k = of_class.shape[1]
    w = np.ones(len(label)) if weight is None else weight
    rows = np.arange(len(label))

    def cost(x: Vector) -> tuple[float, Vector]:
        slope, shift = np.exp(x[0]), x[1:]
        logp = log_softmax(slope * of_class + shift, axis=1)
        pull = np.exp(logp)
        pull[rows, label] -= 1.0
        pull *= w[:, None]
        value = -float(w @ logp[rows, label]) + 0.5 * PRIOR * float(x @ x)
        gradient = np.append(slope * float((pull * of_class).sum()), pull.sum(axis=0))
        return value, gradient + PRIOR * x

    found = minimize(
        cost, np.zeros(k + 1), jac=True, method="L-BFGS-B",
        bounds=[(-4.0, np.log(_STEEPEST))] + [(None, None)] * k,
    )  # fmt: skip
    return Calibration(float(np.exp(found.x[0])), np.asarray(found.x[1:]))
