"""The minimum of a function of one variable, found by the sign of its slope.

Where the slope is negative at 0 the minimum lies ahead: steps are doubled until the slope changes
its sign, and the change is found by Brent's method (Algorithms for Minimization without
Derivatives, 1973, chapter 4). A convex function has its only minimum there. Of another kind it is
a local one, and steps are halved until the function is lower than at 0; the number of evaluations
is bounded whatever the function.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.optimize import brentq

Function = Callable[[float], float]

_DOUBLINGS = 64  # of a step that still leads downhill
_HALVINGS = 60  # of the interval that holds the minimum: its width is then rounding
_SHRINKINGS = 1100  # of a first step that overflows: down to the smallest double
_FLAT = 1e-12  # a slope this small beside the first one: there is no minimum, or it is far away
_ROUNDING = 1e-12  # a relative gain that may be rounding alone
_CLOSE = 8.9e-16  # the smallest relative tolerance that brentq takes


def minimise(value: Function, slope: Function, guess: float = 1.0) -> float:
    """Return a minimiser a of ``value``; 0 if the slope at 0 is 0 or no value is lower.

    Parameters
    ----------
    value, slope : callable
        The function and its derivative; at a kink, any subgradient.
    guess : float, default=1.0
        How far away the minimum may be; any positive number will do.

    Examples
    --------
    >>> minimise(lambda a: (a - 3) ** 2, lambda a: 2 * (a - 3))
    3.0
    >>> round(minimise(lambda a: abs(a + 2.5), lambda a: -1.0 if a < -2.5 else 1.0), 6)
    -2.5
    """
    first = slope(0.0)
    if not math.isfinite(first):
        raise ValueError(
            f"The derivative of the loss is {first} at the start of a line search; give finite "
            "targets and weights, or a loss with a finite derivative."
        )
    if first == 0.0:
        return 0.0
    way = -math.copysign(1.0, first)
    ahead = _bracket(lambda b: way * slope(way * b), -abs(first), guess)
    return way * _lower(lambda b: value(way * b), ahead)


def _bracket(slope: Function, first: float, guess: float) -> float:
    """Double steps until the slope is not negative, and find where it changed its sign."""
    low, high = 0.0, guess
    for _ in range(_DOUBLINGS):
        high, steep = _shrink(slope, low, high)
        if steep >= 0.0:
            return _crossing(slope, low, high, steep)
        if steep >= _FLAT * first:
            return high
        low, high = high, 2.0 * high
    return low


def _shrink(slope: Function, low: float, high: float) -> tuple[float, float]:
    """Come nearer until the slope is a number: a loss may overflow far away."""
    for _ in range(_SHRINKINGS):
        steep = slope(high)
        if math.isfinite(steep):
            return high, steep
        high = 0.5 * (low + high)
    return low, 0.0


def _crossing(slope: Function, low: float, high: float, steep: float) -> float:
    if steep == 0.0 or high == low:
        return high
    # The end at 0 may be met again with a slope of 0 or more, where a kink is: then it is done.
    if slope(low) >= 0.0:
        return low
    found, _ = brentq(
        slope, low, high, xtol=1e-300, rtol=_CLOSE, maxiter=200, full_output=True, disp=False
    )
    return float(found)


def _lower(value: Function, ahead: float) -> float:
    """Halve the step until it leads downhill, by more than a vanishing one may by rounding."""
    start = value(0.0)
    if value(ahead) <= start:
        return ahead
    for _ in range(_HALVINGS):
        ahead *= 0.5
        if value(ahead) < start - _ROUNDING * abs(start):
            return ahead
    return 0.0
