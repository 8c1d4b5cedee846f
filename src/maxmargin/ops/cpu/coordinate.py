"""Coordinate ascent on a box QP without an equality, one kernel row at a time.

Problem, with F = p - K beta given at the start:

    max_beta  p'beta - beta'K beta / 2,   lower <= beta <= upper

The best value of beta_i, all others fixed, is beta_i + F_i / K_ii, put inside its bounds; F then
changes by a multiple of row i. A variable that is best where it is costs nothing.

Fast-math: ``contract`` only, for fused multiply-add.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit

_TINY = 1e-12  # stands in for a curvature that is zero or negative


@njit(cache=True, nogil=True)
def best_value(beta: float, F: float, curvature: float, lower: float, upper: float) -> float:
    """Maximise over one variable."""
    return min(upper, max(lower, beta + F / max(_TINY, curvature)))


@njit(cache=True, nogil=True, fastmath={"contract"})
def ascend(
    store: Any,
    slots: Any,
    diagonal: Any,
    order: Any,
    beta: Any,
    F: Any,
    lower: Any,
    upper: Any,
    most: int,
) -> Any:
    """Take the variables in this order, each to its best value; beta and F change in place.

    The kernel row of variable t is store[slots[t]]. Stops after ``most`` updates, or before a
    variable that wants to move and whose row is not stored. Returns how far it came in the order,
    and the updates made.
    """
    updates = 0
    for k in range(len(order)):
        i = order[k]
        moved = best_value(beta[i], F[i], np.float64(diagonal[i]), lower[i], upper[i])
        step = moved - beta[i]
        if step == 0.0:
            continue
        if slots[i] < 0 or updates == most:
            return k, updates
        beta[i] = moved
        row = store[slots[i]]
        for t in range(len(F)):
            F[t] -= step * np.float64(row[t])
        updates += 1
    return len(order), updates
