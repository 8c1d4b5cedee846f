"""One pass over the rows for each thing that a round of gradient boosting does to them.

A pass reads the predictions z, targets t of -1 and +1 and weights w once, and writes the pull
-w dL/dz and the curvature w d2L/dz2, so that an exponential is taken once a row.

Fast-math: ``reassoc`` and ``nsz``, so that sums over the two sides of a stump are taken several at
a time; the order is fixed when the code is compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit

_SUMS = {"reassoc", "nsz"}


@njit(cache=True, nogil=True)
def logistic_pass(
    z: Any, t: Any, weight: Any, first: int, stop: int, pull: Any, curvature: Any
) -> float:
    """Sum w log(1 + exp(-t z)) over rows first to stop."""
    total = 0.0
    for i in range(first, stop):
        m = t[i] * z[i]
        e = np.exp(-abs(m))
        share = 1.0 / (1.0 + e)
        p = e * share if m > 0.0 else share  # of the other class
        total += weight[i] * (np.log1p(e) + max(0.0, -m))
        pull[i] = weight[i] * t[i] * p
        curvature[i] = weight[i] * (e * share * share)
    return total


@njit(cache=True, nogil=True)
def exponential_pass(
    z: Any, t: Any, weight: Any, first: int, stop: int, pull: Any, curvature: Any
) -> float:
    """Sum w exp(-t z) over rows first to stop."""
    total = 0.0
    for i in range(first, stop):
        price = weight[i] * np.exp(-t[i] * z[i])
        total += price
        pull[i] = t[i] * price
        curvature[i] = price
    return total


@njit(cache=True, nogil=True, fastmath=_SUMS)
def side_sums(values: Any, right: Any) -> tuple[float, float]:
    """Sum values over the rows of the left side and of the right side."""
    total, along = 0.0, 0.0
    for i in range(len(values)):
        total += values[i]
        along += values[i] * right[i]
    return total - along, along


@njit(cache=True, nogil=True)
def add_sides(z: Any, right: Any, low: float, high: float, moved: Any) -> None:
    """Write z + low for the left side and z + high for the right side."""
    for i in range(len(z)):
        moved[i] = z[i] + (high if right[i] else low)
