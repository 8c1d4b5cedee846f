"""The line search: how far to go along a weak learner, argmin_a L(z + a h).

With the exponential loss and h in {-1, +1} the rows that h gets right, of weight S+ = sum w e^-m,
shrink by e^-a and the others, of weight S-, grow by e^a; the minimum is AdaBoost's coefficient

    a = 1/2 log(S+ / S-) = 1/2 log((1 - e) / e),    e = S- / (S+ + S-).

Any other loss: the slope of a -> L(z + a h) is negative at 0, and where it changes its sign is
found from slopes alone (``losses/descent.py``), exactly for a convex loss up to rounding.

Mason, Baxter, Bartlett and Frean, Boosting algorithms as gradient descent, NIPS 12 (2000),
algorithm 1 (AnyBoost), step 3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxmargin.boosting.objective import Objective, ObjectivePoint, RowObjective
from maxmargin.losses import Exponential
from maxmargin.losses.base import newton_step
from maxmargin.losses.descent import minimise

Vector = NDArray[np.float64]

_LEAST = 1e-16  # of S+: without any S- there would be no minimum


def search_line(
    objective: Objective, point: ObjectivePoint, h: Vector, signs: bool = False
) -> float:
    """Return argmin_a L(z + a h) for a direction of descent.

    Parameters
    ----------
    objective : Objective
    point : ObjectivePoint
        Evaluated by the objective.
    h : ndarray of shape (rows,)
        With pull'h > 0.
    signs : bool, default=False
        Whether h is -1 or +1 everywhere.

    Returns
    -------
    step : float
        At least 0, and 0 only where nothing is gained. Where there is no minimum, a step after
        which next to nothing is left to gain.
    """
    if signs and isinstance(objective, RowObjective) and objective.loss == Exponential():
        return _closed_form(point.pull * h)
    z = point.z

    def value(a: float) -> float:
        return objective.value(z + a * h)

    def slope(a: float) -> float:
        return objective.slope(z + a * h, h)

    # A curvature that vanishes, or a loss without one, leaves the doubling of steps to find out.
    guess = _parabola(point, h)
    return max(0.0, minimise(value, slope, guess if 0.0 < guess < np.inf else 1.0))


def _closed_form(agreement: Vector) -> float:
    right = float(agreement[agreement > 0].sum())
    wrong = -float(agreement[agreement < 0].sum())
    return 0.5 * float(np.log(right / max(wrong, _LEAST * right)))


def _parabola(point: ObjectivePoint, h: Vector) -> float:
    if point.curvature is None:
        return 1.0
    return newton_step(-float(point.pull @ h), float(point.curvature @ (h * h)))
