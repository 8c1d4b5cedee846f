"""Sequential minimal optimisation on a small stored Gram matrix: the inside of a working set.

Problem, for a q x q matrix K, with F = p - K beta given at the start:

    max_beta  p'beta - beta'K beta / 2,   lower <= beta <= upper,   sum beta unchanged

``smo_pairs`` moves two variables at a time, chosen by second-order information: i by the largest
F in I_up, j by the largest gain (F_i - F_j)^2 / (K_ii + K_jj - 2 K_ij) over I_low with F_j < F_i
(Fan, Chen, Lin, "Working set selection using second order information", JMLR 6, 2005, WSS 2).
``smo_single`` is the same without the equality: one variable, gain F_i^2 / K_ii.

Why it looks as it does: membership in I_up and I_low is kept as an array that is 0 or a huge
number, so that each of the three passes of a step is a straight loop that LLVM vectorises; the
position of a maximum is then found by a second look, which is cheaper than carrying it along.

Fast-math: ``reassoc``, ``nsz`` and ``nnan`` let the maxima be taken in vector registers (a maximum
does not depend on the order), ``contract`` fuses multiply and add.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_FAST = {"contract", "reassoc", "nsz", "nnan"}
_HUGE = 1e300
_BLOCK = 128  # variables whose maximum is noted together
_ROUNDING = 4 * 2.0**-52
_TINY = 1e-12  # stands in for a curvature that is zero or negative, as in LIBSVM


@njit(cache=True, nogil=True)
def _member(beta: float, lower: float, upper: float) -> Any:
    """Penalties that take a variable out of I_up and I_low."""
    return (0.0 if beta < upper else -_HUGE), (0.0 if beta > lower else _HUGE)


@njit(cache=True, nogil=True)
def _snap(moved: float, before: float, lower: float, upper: float) -> float:
    """Put a variable on its bound if what separates them is the rounding of the last step.

    Otherwise it would count as free, block the way of others and spoil the intercept. Sizes are
    those of the variable, because a bound may be infinite.
    """
    rounding = _ROUNDING * max(abs(before), abs(moved))
    if abs(moved - lower) <= rounding:
        return lower
    if abs(moved - upper) <= rounding:
        return upper
    return moved


@njit(cache=True, nogil=True, fastmath=_FAST)
def _shift(F: Any, row_i: Any, row_j: Any, step: float, up: Any, low: Any, peak: Any) -> Any:
    """Take a step's change off F; returns max F over I_up and min F over I_low.

    The maxima of blocks go to ``peak``, so that the place of the largest is found in one of them.
    """
    highest, lowest = -_HUGE, _HUGE
    for block in range(len(peak)):
        top = -_HUGE
        for t in range(block * _BLOCK, min(len(F), (block + 1) * _BLOCK)):
            f = F[t] - step * (np.float64(row_i[t]) - np.float64(row_j[t]))
            F[t] = f
            top = max(top, f + up[t])
            lowest = min(lowest, f + low[t])
        peak[block] = top
        highest = max(highest, top)
    return highest, lowest


@njit(cache=True, nogil=True)
def _where_up(F: Any, up: Any, peak: Any, highest: float) -> int:
    """First position at which F + up is the maximum just found."""
    for block in range(len(peak)):
        if peak[block] == highest:
            for t in range(block * _BLOCK, min(len(F), (block + 1) * _BLOCK)):
                if F[t] + up[t] == highest:
                    return t
    return 0


@njit(cache=True, nogil=True, fastmath=_FAST)
def _best_partner(F: Any, low: Any, row_i: Any, diagonal: Any, i: int, gain: Any) -> int:
    """Find j in I_low with the largest second-order gain; float32 is enough to choose."""
    zero, two, tiny = row_i.dtype.type(0), row_i.dtype.type(2), row_i.dtype.type(_TINY)
    best, where, f_i, diagonal_i = zero, 0, F[i], diagonal[i]
    for first in range(0, len(F), _BLOCK):
        top = zero
        for t in range(first, min(len(F), first + _BLOCK)):
            difference = row_i.dtype.type(max(0.0, f_i - F[t] - low[t]))
            curvature = max(tiny, diagonal_i + diagonal[t] - two * row_i[t])
            gain[t] = difference * (difference / curvature)
            top = max(top, gain[t])
        if top > best:
            best, where = top, first
    for t in range(where, min(len(F), where + _BLOCK)):
        if gain[t] == best:
            return t
    return i


@njit(cache=True, nogil=True)
def smo_pairs(
    K: Any, beta: Any, F: Any, lower: Any, upper: Any, tol: float, fraction: float, most: int
) -> Any:
    """Optimise beta and keep F up to date, both in place.

    Stops when the violation is at most max(tol, fraction * the first violation), after ``most``
    steps, or when rounding eats a step. Returns the steps made and the smallest curvature met.
    """
    q = len(beta)
    up, low, gain, diagonal = np.empty(q), np.empty(q), np.empty(q, K.dtype), np.empty(q, K.dtype)
    for t in range(q):
        up[t], low[t] = _member(beta[t], lower[t], upper[t])
        diagonal[t] = K[t, t]
    i, j, steps, step, flattest = 0, 0, 0, 0.0, np.inf
    peak = np.empty((q + _BLOCK - 1) // _BLOCK)
    highest, lowest = _shift(F, K[0], K[0], 0.0, up, low, peak)
    target = max(tol, fraction * (highest - lowest))
    while highest - lowest > target and steps < most:
        i = _where_up(F, up, peak, highest)
        j = _best_partner(F, low, K[i], diagonal, i, gain)
        curvature = np.float64(K[i, i]) + np.float64(K[j, j]) - 2.0 * np.float64(K[i, j])
        flattest = min(flattest, curvature)
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        step = min((F[i] - F[j]) / max(_TINY, curvature), room_i, room_j)
        moved_i = _snap(beta[i] + step, beta[i], lower[i], upper[i])
        moved_j = _snap(beta[j] - step, beta[j], lower[j], upper[j])
        if moved_i == beta[i] and moved_j == beta[j]:
            break
        beta[i], beta[j] = moved_i, moved_j
        up[i], low[i] = _member(moved_i, lower[i], upper[i])
        up[j], low[j] = _member(moved_j, lower[j], upper[j])
        highest, lowest = _shift(F, K[i], K[j], step, up, low, peak)
        steps += 1
    return steps, flattest


@njit(cache=True, nogil=True, fastmath=_FAST)
def smo_single(
    K: Any, beta: Any, F: Any, lower: Any, upper: Any, tol: float, fraction: float, most: int
) -> Any:
    """Do the same without the equality: one variable a step. Arguments as in ``smo_pairs``."""
    q = len(beta)
    up, low, gain = np.empty(q), np.empty(q), np.empty(q)
    for t in range(q):
        up[t], low[t] = _member(beta[t], lower[t], upper[t])
    i, steps, step, target, flattest = 0, 0, 0.0, -1.0, np.inf
    while True:
        row_i, worst, best = K[i], 0.0, 0.0
        for t in range(q):
            f = F[t] - step * np.float64(row_i[t])
            F[t] = f
            slope = max(0.0, f + up[t], -f - low[t])
            gain[t] = slope * (slope / max(_TINY, np.float64(K[t, t])))
            worst = max(worst, slope)
            best = max(best, gain[t])
        if target < 0.0:
            target = max(tol, fraction * worst)
        if worst <= target or steps >= most:
            break
        for t in range(q):
            if gain[t] == best:
                i = t
                break
        curvature = np.float64(K[i, i])
        flattest = min(flattest, curvature)
        moved = min(upper[i], max(lower[i], beta[i] + F[i] / max(_TINY, curvature)))
        moved = _snap(moved, beta[i], lower[i], upper[i])
        step = moved - beta[i]
        if step == 0.0:
            break
        beta[i] = moved
        up[i], low[i] = _member(moved, lower[i], upper[i])
        steps += 1
    return steps, flattest


@njit(cache=True, nogil=True)
def _where_low(F: Any, low: Any, lowest: float) -> int:
    """First position at which F + low is the minimum just found."""
    for t in range(len(F)):
        if F[t] + low[t] == lowest:
            return t
    return 0


@njit(cache=True, nogil=True)
def smo_rows(
    store: Any,
    slots: Any,
    diagonal: Any,
    beta: Any,
    F: Any,
    lower: Any,
    upper: Any,
    tol: float,
    most: int,
    second_order: bool,
    used: Any,
) -> Any:
    """Optimise beta on the kernel rows at hand: that of variable t is store[slots[t]].

    Steps are those of ``smo_pairs``; without ``second_order`` j is the smallest F in I_low, which
    makes (i, j) the maximal violating pair (Keerthi et al. 2001). Rows looked at are marked in
    ``used``. Returns the steps made, the smallest curvature met, and the pair whose rows are
    wanted next and not both stored; (-1, -1) when nothing is wanted any more.
    """
    q = len(beta)
    up, low, gain = np.empty(q), np.empty(q), np.empty(q, store.dtype)
    for t in range(q):
        up[t], low[t] = _member(beta[t], lower[t], upper[t])
    steps, flattest = 0, np.inf
    peak, none = np.empty((q + _BLOCK - 1) // _BLOCK), np.zeros(q, store.dtype)
    highest, lowest = _shift(F, none, none, 0.0, up, low, peak)
    while highest - lowest > tol and steps < most:
        i = _where_up(F, up, peak, highest)
        if second_order and slots[i] < 0:
            return steps, flattest, i, i
        used[i] = True
        if second_order:
            j = _best_partner(F, low, store[slots[i]], diagonal, i, gain)
        else:
            j = _where_low(F, low, lowest)
        if slots[i] < 0 or slots[j] < 0:
            return steps, flattest, i, j
        used[j] = True
        row_i, row_j = store[slots[i]], store[slots[j]]
        curvature = np.float64(row_i[i]) + np.float64(row_j[j]) - 2.0 * np.float64(row_i[j])
        flattest = min(flattest, curvature)
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        step = min((F[i] - F[j]) / max(_TINY, curvature), room_i, room_j)
        moved_i = _snap(beta[i] + step, beta[i], lower[i], upper[i])
        moved_j = _snap(beta[j] - step, beta[j], lower[j], upper[j])
        if moved_i == beta[i] and moved_j == beta[j]:
            break
        beta[i], beta[j] = moved_i, moved_j
        up[i], low[i] = _member(moved_i, lower[i], upper[i])
        up[j], low[j] = _member(moved_j, lower[j], upper[j])
        highest, lowest = _shift(F, row_i, row_j, step, up, low, peak)
        steps += 1
    return steps, flattest, -1, -1
