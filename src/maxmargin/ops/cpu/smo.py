"""Sequential minimal optimisation on a stored Gram matrix, and on the rows at hand.

Problem, for a q x q matrix K, with F = p - K beta given at the start:

    max_beta  p'beta - beta'K beta / 2,   lower <= beta <= upper,   sum beta unchanged

``smo_pairs`` moves two variables at a time, chosen by second-order information: i by the largest
F in I_up, j by the largest gain (F_i - F_j)^2 / (K_ii + K_jj - 2 K_ij) over I_low with F_j < F_i
(Fan, Chen, Lin, "Working set selection using second order information", JMLR 6, 2005, WSS 2).
``smo_single`` is the same without the equality: one variable, gain F_i^2 / K_ii.

The matrix comes in two by two blocks of larger arrays, so that the pairs of many classes read one
common matrix where it lies. ``at`` holds where: block (s, t) begins at row at[s, t, 0] and column
at[s, t, 1] of its array, and the first ``split`` variables are those of s = 0. A matrix of one
piece has split = q.

Why it looks as it does: membership in I_up and I_low is kept as an array that is 0 or a huge
number, so that each of the two passes of a step is a straight loop that LLVM vectorises (see
``extremes``); the position of a maximum is then found by a second look, which is cheaper than
carrying it along. Loops count from 0 along slices: of an index that might be negative Numba asks
whether it counts from the end.

Fast-math: ``reassoc``, ``nsz`` and ``nnan`` let the maxima be taken in vector registers (a maximum
does not depend on the order), ``contract`` fuses multiply and add.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from maxmargin.ops.cpu.extremes import larger, smaller

_FAST = {"contract", "reassoc", "nsz", "nnan"}
_HUGE = 1e300
_BLOCK = 64  # variables whose maximum is noted together
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
        part = slice(block * _BLOCK, (block + 1) * _BLOCK)
        some, i, j, rises, falls = F[part], row_i[part], row_j[part], up[part], low[part]
        top, bottom = -_HUGE, _HUGE
        for t in range(len(some)):
            f = some[t] - step * (np.float64(i[t]) - np.float64(j[t]))
            some[t] = f
            top = larger(top, f + rises[t])
            bottom = smaller(bottom, f + falls[t])
        peak[block] = top
        highest, lowest = max(highest, top), min(lowest, bottom)
    return highest, lowest


@njit(cache=True, nogil=True)
def _where_up(F: Any, up: Any, peak: Any, highest: float) -> int:
    """First position at which F + up is the maximum just found; -1 if none is."""
    for block in range(len(peak)):
        if peak[block] == highest:
            for t in range(block * _BLOCK, min(len(F), (block + 1) * _BLOCK)):
                if F[t] + up[t] == highest:
                    return t
    return -1


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _best_partner(
    F: Any, low: Any, row_i: Any, diagonal: Any, f_i: float, diagonal_i: Any, gain: Any
) -> Any:
    """Find j in I_low with the largest second-order gain, in the kernel's precision.

    Returns its gain and place; a gain of 0 if there is none.
    """
    zero, two, tiny = row_i.dtype.type(0), row_i.dtype.type(2), row_i.dtype.type(_TINY)
    best, where = zero, 0
    for first in range(0, len(F), _BLOCK):
        part = slice(first, first + _BLOCK)
        some, falls, row, own, g = F[part], low[part], row_i[part], diagonal[part], gain[part]
        top = zero
        for t in range(len(some)):
            difference = row_i.dtype.type(larger(f_i - some[t] - falls[t], 0.0))
            curvature = larger(diagonal_i + own[t] - two * row[t], tiny)
            g[t] = difference * (difference / curvature)
            top = larger(top, g[t])
        if top > best:
            best, where = top, first
    for t in range(where, min(len(F), where + _BLOCK)):
        if gain[t] == best:
            return best, t
    return best, where


@njit(cache=True, nogil=True)
def _left_part(K00: Any, K10: Any, at: Any, split: int, i: int) -> Any:
    """Row i of the matrix over the first ``split`` variables."""
    if i < split:
        return K00[at[0, 0, 0] + i, at[0, 0, 1] : at[0, 0, 1] + split]
    return K10[at[1, 0, 0] + i - split, at[1, 0, 1] : at[1, 0, 1] + split]


@njit(cache=True, nogil=True)
def _right_part(K01: Any, K11: Any, at: Any, split: int, q: int, i: int) -> Any:
    """Row i of the matrix over the other variables."""
    if i < split:
        return K01[at[0, 1, 0] + i, at[0, 1, 1] : at[0, 1, 1] + q - split]
    return K11[at[1, 1, 0] + i - split, at[1, 1, 1] : at[1, 1, 1] + q - split]


@njit(cache=True, nogil=True)
def take_rows(
    K00: Any, K01: Any, K10: Any, K11: Any, at: Any, split: int, rows: Any, out: Any
) -> None:
    """Copy rows of the matrix, one a line of ``out``."""
    q = out.shape[1]
    for r in range(len(rows)):
        left = _left_part(K00, K10, at, split, rows[r])
        right = _right_part(K01, K11, at, split, q, rows[r])
        for t in range(split):
            out[r, t] = left[t]
        for t in range(q - split):
            out[r, split + t] = right[t]


@njit(cache=True, nogil=True, fastmath={"contract"})
def times(K00: Any, K01: Any, K10: Any, K11: Any, at: Any, split: int, beta: Any, out: Any) -> None:
    """Write K beta, summed in double precision a row of the matrix at a time."""
    q = len(beta)
    out[:] = 0.0
    for i in range(q):
        if beta[i] != 0.0:
            left = _left_part(K00, K10, at, split, i)
            right = _right_part(K01, K11, at, split, q, i)
            for t in range(split):
                out[t] += beta[i] * np.float64(left[t])
            for t in range(q - split):
                out[split + t] += beta[i] * np.float64(right[t])


@njit(cache=True, nogil=True)
def _diagonal(K00: Any, K11: Any, at: Any, split: int, q: int) -> Any:
    diagonal = np.empty(q, K00.dtype)
    for t in range(split):
        diagonal[t] = K00[at[0, 0, 0] + t, at[0, 0, 1] + t]
    for t in range(q - split):
        diagonal[split + t] = K11[at[1, 1, 0] + t, at[1, 1, 1] + t]
    return diagonal


@njit(cache=True, nogil=True)
def smo_pairs(
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
    target: float,
    most: int,
) -> Any:
    """Optimise beta and keep F up to date, both in place.

    Stops when the violation is at most ``target``, after ``most`` steps, or when rounding eats a
    step. Returns the steps made and the smallest curvature met.
    """
    q = len(beta)
    up, low, gain = np.empty(q), np.empty(q), np.empty(q, K00.dtype)
    diagonal = _diagonal(K00, K11, at, split, q)
    for t in range(q):
        up[t], low[t] = _member(beta[t], lower[t], upper[t])
    F0, up0, low0, gain0, own0 = F[:split], up[:split], low[:split], gain[:split], diagonal[:split]
    F1, up1, low1, gain1, own1 = F[split:], up[split:], low[split:], gain[split:], diagonal[split:]
    peak0 = np.empty((split + _BLOCK - 1) // _BLOCK)
    peak1 = np.empty((q - split + _BLOCK - 1) // _BLOCK)
    steps, step, flattest = 0, 0.0, np.inf
    left_i, right_i = _left_part(K00, K10, at, split, 0), _right_part(K01, K11, at, split, q, 0)
    left_j, right_j = left_i, right_i
    while True:
        highest, lowest = _shift(F0, left_i, left_j, step, up0, low0, peak0)
        if split < q:
            high1, lowest1 = _shift(F1, right_i, right_j, step, up1, low1, peak1)
            highest, lowest = max(highest, high1), min(lowest, lowest1)
        if not highest - lowest > target or steps >= most:
            break
        i = _where_up(F0, up0, peak0, highest)
        if i < 0:
            i = split + max(0, _where_up(F1, up1, peak1, highest))
        left_i = _left_part(K00, K10, at, split, i)
        best, j = _best_partner(F0, low0, left_i, own0, F[i], diagonal[i], gain0)
        if split < q:
            right_i = _right_part(K01, K11, at, split, q, i)
            best1, j1 = _best_partner(F1, low1, right_i, own1, F[i], diagonal[i], gain1)
            if best1 > best or split == 0:
                j = split + j1
        value = left_i[j] if j < split else right_i[j - split]
        curvature = np.float64(diagonal[i]) + np.float64(diagonal[j]) - 2.0 * np.float64(value)
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
        left_j = _left_part(K00, K10, at, split, j)
        if split < q:
            right_j = _right_part(K01, K11, at, split, q, j)
        steps += 1
    return steps, flattest


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _shift_alone(
    F: Any, row_i: Any, step: float, up: Any, low: Any, diagonal: Any, gain: Any
) -> Any:
    """Take the change of one variable off F; returns the steepest slope and the largest gain."""
    worst, best = 0.0, 0.0
    for t in range(len(F)):
        f = F[t] - step * np.float64(row_i[t])
        F[t] = f
        slope = larger(larger(f + up[t], -f - low[t]), 0.0)
        gain[t] = slope * (slope / larger(np.float64(diagonal[t]), _TINY))
        worst = larger(worst, slope)
        best = larger(best, gain[t])
    return worst, best


@njit(cache=True, nogil=True)
def smo_single(
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
    target: float,
    most: int,
) -> Any:
    """Do the same without the equality: one variable a step. Arguments as in ``smo_pairs``."""
    q = len(beta)
    up, low, gain = np.empty(q), np.empty(q), np.empty(q)
    diagonal = _diagonal(K00, K11, at, split, q)
    for t in range(q):
        up[t], low[t] = _member(beta[t], lower[t], upper[t])
    i, steps, step, flattest = 0, 0, 0.0, np.inf
    while True:
        left = _left_part(K00, K10, at, split, i)
        right = _right_part(K01, K11, at, split, q, i)
        worst, best = _shift_alone(
            F[:split], left, step, up[:split], low[:split], diagonal[:split], gain[:split]
        )
        worst1, best1 = _shift_alone(
            F[split:], right, step, up[split:], low[split:], diagonal[split:], gain[split:]
        )
        best = max(best, best1)
        if not max(worst, worst1) > target or steps >= most:
            break
        i = 0
        while i < q - 1 and gain[i] != best:
            i += 1
        curvature = np.float64(diagonal[i])
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
        i = max(0, _where_up(F, up, peak, highest))
        if second_order and slots[i] < 0:
            return steps, flattest, i, i
        used[i] = True
        if second_order:
            row_i = store[slots[i]]
            _, j = _best_partner(F, low, row_i, diagonal, F[i], diagonal[i], gain)
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
