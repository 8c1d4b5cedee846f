"""A small box QP whose matrix is stored, solved to rounding: SMO, then Newton, in turn.

SMO finds who is at a bound, Newton steps solve for the others (``polish``), and where that makes
bound ones violate, SMO goes on to a tenth of their violation. All in one call: the problems of many
classes are so small that coming back in between would cost as much as the work.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from maxmargin.ops.cpu.polish import polish
from maxmargin.ops.cpu.selection import survey
from maxmargin.ops.cpu.smo import smo_pairs, smo_single

_TRACE = 1e-11


@njit(cache=True, nogil=True)
def violation(beta: Any, F: Any, lower: Any, upper: Any, bias: bool) -> float:
    """By how much the optimality conditions fail."""
    up, low, _, _ = survey(F, beta, lower, upper)
    return up - low if bias else max(up, 0.0, -low)


@njit(cache=True, nogil=True)
def put_on_bounds(beta: Any, lower: Any, upper: Any, bias: bool) -> None:
    """Put variables on a bound that the solution of the linear systems left a trace away from it.

    A trace is 1e-11 of the largest variable. Such a variable is not free, and would set the
    intercept if it passed for it. The freest variable takes over what they leave of the sum.
    """
    largest, left, widest, freest = 0.0, 0.0, 0.0, -1
    for t in range(len(beta)):
        largest = max(largest, abs(beta[t]))
    for t in range(len(beta)):
        before = beta[t]
        if abs(before - lower[t]) <= _TRACE * largest:
            beta[t] = lower[t]
        elif abs(before - upper[t]) <= _TRACE * largest:
            beta[t] = upper[t]
        left += before - beta[t]
        room = min(beta[t] - lower[t], upper[t] - beta[t])
        if room > widest:
            widest, freest = room, t
    if bias and widest > 2.0 * abs(left):
        beta[freest] += left


@njit(cache=True, nogil=True)
def solve_square(
    K00: Any,
    K01: Any,
    K10: Any,
    K11: Any,
    at: Any,
    split: int,
    beta: Any,
    F: Any,
    lower: Any,
    upper: Any,
    bias: bool,
    first: float,
    enough: float,
    exact: float,
    rounds: int,
    most: int,
) -> Any:
    """Optimise beta and keep F = p - K beta up to date, both in place.

    SMO hands over at a violation of ``first``, and they take turns, at most so many rounds, until
    ``exact``; more free variables than Newton's matrix is made for are left to SMO, to ``enough``.
    Returns the steps of SMO, at most so many, the smallest curvature met and the violation left.
    """
    steps, flattest, target = 0, np.inf, first
    left = violation(beta, F, lower, upper, bias)
    for turn in range(rounds + 1):
        if left > target and steps < most:
            if bias:
                made, flat = smo_pairs(
                    K00, K01, K10, K11, at, split, beta, F, lower, upper, target, most - steps
                )
            else:
                made, flat = smo_single(
                    K00, K01, K10, K11, at, split, beta, F, lower, upper, target, most - steps
                )
            steps, flattest = steps + made, min(flattest, flat)
        if turn == rounds or steps >= most:
            break
        few = polish(K00, K01, K10, K11, at, split, beta, F, lower, upper, bias, exact)
        left = violation(beta, F, lower, upper, bias)
        if not left > (exact if few else enough):
            break
        target = 0.1 * left if few else enough
    put_on_bounds(beta, lower, upper, bias)
    return steps, flattest, violation(beta, F, lower, upper, bias)
