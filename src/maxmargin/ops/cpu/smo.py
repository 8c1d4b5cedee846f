"""Sequential minimal optimisation on kernel rows that are at hand, or filled when wanted.

Problem, for q variables and a q x q matrix K, with F = p - K beta given at the start:

    max_beta  p'beta - beta'K beta / 2,   lower <= beta <= upper,   sum beta unchanged

``smo_pairs`` moves two variables at a time, chosen by second-order information: i by the largest
F in I_up, j by the largest gain (F_i - F_j)^2 / (K_ii + K_jj - 2 K_ij) over I_low with F_j < F_i
(Fan, Chen, Lin, "Working set selection using second order information", JMLR 6, 2005, WSS 2), or,
without ``second_order``, by the smallest F in I_low: the maximal violating pair (Keerthi et al.
2001). ``smo_single`` is the same without the equality: one variable, gain F_i^2 / K_ii. Where
variables are in groups, each with a sum that stays, a pair is of one group: the one that violates
most (Chang and Lin, "Training nu-support vector classifiers", Neural Computation 13, 2001).

Rows lie in lines of a store (``kernel_row``). Where one is missing that only the caller can bring,
a loop comes back and says which.

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

from maxmargin.ops.cpu.extremes import larger, size, smaller
from maxmargin.ops.cpu.kernel_row import _slot_of
from maxmargin.ops.loop import njit

_FAST = {"contract", "reassoc", "nsz", "nnan"}
_HUGE = 1e300
_BLOCK = 64  # variables whose maximum is noted together
_ROUNDING = 4 * 2.0**-52
_TINY = 1e-12  # stands in for a curvature that is zero or negative, as in LIBSVM


@njit(cache=True, nogil=True, inline="always")
def _member(beta: float, lower: float, upper: float) -> Any:
    """Penalties that take a variable out of I_up and I_low."""
    return (0.0 if beta < upper else -_HUGE), (0.0 if beta > lower else _HUGE)


@njit(cache=True, nogil=True)
def _members(beta: Any, lower: Any, upper: Any, groups: Any, up: Any, low: Any) -> None:
    """Write the penalties of all variables, a line a group; of other groups' all are out."""
    for t in range(len(beta)):
        for h in range(len(up)):
            up[h, t], low[h, t] = -_HUGE, _HUGE
        g = groups[t] if len(up) > 1 else 0
        up[g, t], low[g, t] = _member(beta[t], lower[t], upper[t])


@njit(cache=True, nogil=True, inline="always")
def _worst_group(highest: Any, lowest: Any) -> int:
    """Find the group of the largest violation."""
    worst = 0
    for g in range(1, len(highest)):
        if highest[g] - lowest[g] > highest[worst] - lowest[worst]:
            worst = g
    return worst


@njit(cache=True, nogil=True, inline="always")
def _snap(moved: float, before: float, lower: float, upper: float) -> float:
    """Put a variable on its bound if what separates them is the rounding of the last step.

    Otherwise it would count as free, block the way of others and spoil the intercept. Sizes are
    those of the variable, because a bound may be infinite.
    """
    rounding = _ROUNDING * larger(size(before), size(moved))
    if size(moved - lower) <= rounding:
        return lower
    if size(moved - upper) <= rounding:
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
        highest, lowest = larger(highest, top), smaller(lowest, bottom)
    return highest, lowest


@njit(cache=True, nogil=True, inline="always")
def _where_up(F: Any, up: Any, peak: Any, highest: float) -> int:
    """First position at which F + up is the maximum just found; -1 if none is."""
    for block in range(len(peak)):
        if peak[block] == highest:
            for t in range(block * _BLOCK, len(F)):
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
    for t in range(where, len(F)):
        if gain[t] == best:
            return best, t
    return best, where


@njit(cache=True, nogil=True, inline="always")
def _where_low(F: Any, low: Any, lowest: float) -> int:
    """First position at which F + low is the minimum just found."""
    for t in range(len(F)):
        if F[t] + low[t] == lowest:
            return t
    return 0


@njit(cache=True, nogil=True, fastmath={"contract"})
def times(store: Any, slots: Any, beta: Any, out: Any) -> None:
    """Write K beta, summed in double precision from the rows of all variables that are not 0."""
    for t in range(len(out)):
        out[t] = 0.0
    for i in range(len(beta)):
        if beta[i] != 0.0:
            row, weight = store[slots[i]], beta[i]
            for t in range(len(out)):
                out[t] += weight * np.float64(row[t])


@njit(cache=True, nogil=True, error_model="numpy")
def _smo_pairs(
    store: Any,
    slots: Any,
    taken: Any,
    kind: int,
    K: Any,
    index: Any,
    XT: Any,
    norms: Any,
    params: Any,
    diagonal: Any,
    beta: Any,
    F: Any,
    lower: Any,
    upper: Any,
    target: float,
    most: int,
    second_order: bool,
    used: Any,
    groups: Any,
    n_groups: int,
) -> Any:
    """Optimise beta and keep F up to date, both in place; rows looked at are marked as used.

    Stops when the violation is at most ``target``, after ``most`` steps, when rounding eats a step
    or where a row is missing. Returns the steps made, the smallest curvature met, and the pair
    whose rows are wanted and not both there; (-1, -1) when nothing is wanted. ``groups`` is not
    looked at where there is but one.
    """
    q = len(beta)
    up, low, gain = np.empty((n_groups, q)), np.empty((n_groups, q)), diagonal.copy()
    _members(beta, lower, upper, groups, up, low)
    steps, flattest, peak = 0, np.inf, np.empty((n_groups, (q + _BLOCK - 1) // _BLOCK))
    highest, lowest = np.empty(n_groups), np.empty(n_groups)
    for h in range(n_groups):
        highest[h], lowest[h] = _shift(F, diagonal, diagonal, 0.0, up[h], low[h], peak[h])
    g = _worst_group(highest, lowest)
    while highest[g] - lowest[g] > target and steps < most:
        i = _where_up(F, up[g], peak[g], highest[g])
        i = i if i > 0 else 0
        slot_i = _slot_of(i, store, slots, taken, kind, K, index, XT, norms, params)
        if second_order and slot_i < 0:
            return steps, flattest, i, i
        used[i] = True
        if second_order:
            _, j = _best_partner(F, low[g], store[slot_i], diagonal, F[i], diagonal[i], gain)
        else:
            j = _where_low(F, low[g], lowest[g])
        slot_j = _slot_of(j, store, slots, taken, kind, K, index, XT, norms, params)
        if slot_i < 0 or slot_j < 0:
            return steps, flattest, i, j
        used[j] = True
        row_i, row_j = store[slot_i], store[slot_j]
        both = np.float64(diagonal[i]) + np.float64(diagonal[j])
        curvature = both - 2.0 * np.float64(row_i[j])
        flattest = smaller(flattest, curvature)
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        step = smaller((F[i] - F[j]) / larger(_TINY, curvature), smaller(room_i, room_j))
        moved_i = _snap(beta[i] + step, beta[i], lower[i], upper[i])
        moved_j = _snap(beta[j] - step, beta[j], lower[j], upper[j])
        if moved_i == beta[i] and moved_j == beta[j]:
            break
        beta[i], beta[j] = moved_i, moved_j
        up[g, i], low[g, i] = _member(moved_i, lower[i], upper[i])
        up[g, j], low[g, j] = _member(moved_j, lower[j], upper[j])
        for h in range(n_groups):
            change = step if h == 0 else 0.0  # the first pass over F takes the step
            highest[h], lowest[h] = _shift(F, row_i, row_j, change, up[h], low[h], peak[h])
        g = _worst_group(highest, lowest)
        steps += 1
    return steps, flattest, -1, -1


@njit(cache=True, nogil=True, error_model="numpy")
def smo_pairs(*arguments: Any) -> Any:
    """Call ``_smo_pairs``, for Python."""
    return _smo_pairs(*arguments)


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


@njit(cache=True, nogil=True, error_model="numpy")
def smo_single(
    store: Any,
    slots: Any,
    taken: Any,
    kind: int,
    K: Any,
    index: Any,
    XT: Any,
    norms: Any,
    params: Any,
    diagonal: Any,
    beta: Any,
    F: Any,
    lower: Any,
    upper: Any,
    target: float,
    most: int,
) -> Any:
    """Do the same without the equality: one variable a step, all rows there or to be filled.

    Returns the steps made and the smallest curvature met.
    """
    q = len(beta)
    up, low, gain = np.empty(q), np.empty(q), np.empty(q)
    for t in range(q):
        up[t], low[t] = _member(beta[t], lower[t], upper[t])
    row, steps, step, flattest = diagonal, 0, 0.0, np.inf
    while True:
        worst, best = _shift_alone(F, row, step, up, low, diagonal, gain)
        if not worst > target or steps >= most:
            break
        i = 0
        while i < q - 1 and gain[i] != best:
            i += 1
        curvature = np.float64(diagonal[i])
        flattest = smaller(flattest, curvature)
        moved = smaller(upper[i], larger(lower[i], beta[i] + F[i] / larger(_TINY, curvature)))
        moved = _snap(moved, beta[i], lower[i], upper[i])
        step = moved - beta[i]
        if step == 0.0:
            break
        beta[i] = moved
        up[i], low[i] = _member(moved, lower[i], upper[i])
        row = store[_slot_of(i, store, slots, taken, kind, K, index, XT, norms, params)]
        steps += 1
    return steps, flattest
