"""Rows of a kernel matrix, filled when a loop first wants them.

A problem of q variables keeps its rows in lines of a ``store``: that of variable i is
store[slots[i]], and -1 stands for none. Where a row comes from, ``ops.kinds`` names: from a larger
matrix K, by the problem's ``index`` into it, or from vectors, of which ``XT`` holds a column each
and ``norms`` the squared lengths. ``taken[0]`` counts the lines in use.

Small functions are put into their caller as they are written (``inline``): LLVM then sees them
twice, not four times.

Fast-math: ``contract`` for fused multiply-add, ``nsz`` as in ``kernel_epilogue``.
"""

from __future__ import annotations

from typing import Any

from maxmargin.ops.cpu.kernel_epilogue import exp_nonpositive
from maxmargin.ops.kinds import COPIED, GIVEN, POWER, RADIAL
from maxmargin.ops.loop import njit

_FAST = {"contract", "nsz"}


@njit(inline="always")
def _dots(XT: Any, i: int, out: Any) -> None:
    """Set out[t] to <x_i, x_t>, four columns of X at a time so that out is read less often."""
    d, whole = len(XT), len(XT) // 4 * 4
    for t in range(len(out)):
        out[t] = 0
    for k in range(0, whole, 4):
        a, b, c, e = XT[k], XT[k + 1], XT[k + 2], XT[k + 3]
        xa, xb, xc, xe = a[i], b[i], c[i], e[i]
        for t in range(len(out)):
            out[t] += (xa * a[t] + xb * b[t]) + (xc * c[t] + xe * e[t])
    for k in range(whole, d):
        a = XT[k]
        xa = a[i]
        for t in range(len(out)):
            out[t] += xa * a[t]


@njit(inline="always")
def _copy(i: int, K: Any, index: Any, out: Any) -> None:
    """Set out to the problem's part of a row of the larger matrix."""
    row = K[index[i]]
    for t in range(len(out)):
        out[t] = row[index[t]]


@njit(cache=True, nogil=True, fastmath=_FAST, inline="always")
def fill_row(
    i: int, kind: int, K: Any, index: Any, XT: Any, norms: Any, params: Any, out: Any
) -> None:
    """Write row i."""
    number = out.dtype.type
    if kind == COPIED:
        _copy(i, K, index, out)
        return
    _dots(XT, i, out)
    if kind == RADIAL:
        gamma, own, zero, two = number(params[0]), norms[i], number(0), number(2)
        for t in range(len(out)):
            distance = own + norms[t] - two * out[t]
            out[t] = exp_nonpositive(-gamma * (zero if distance < zero else distance))
    elif kind == POWER:
        gamma, coef0 = number(params[0]), number(params[1])
        for t in range(len(out)):
            base = gamma * out[t] + coef0
            out[t] = number(1)
            for _ in range(int(params[2])):
                out[t] *= base


@njit(cache=True, nogil=True, fastmath=_FAST)
def _slot_of(
    i: int,
    store: Any,
    slots: Any,
    taken: Any,
    kind: int,
    K: Any,
    index: Any,
    XT: Any,
    norms: Any,
    params: Any,
) -> int:
    """Return the line of row i, which is filled if need be; -1 if only the caller can bring it.

    Without a matrix at all, K = None, nothing that fills rows is compiled, and without vectors,
    XT = None, nothing that evaluates them: half a second less.
    """
    if K is None:
        return slots[i]
    if slots[i] < 0 and kind != GIVEN:
        slots[i] = taken[0]
        taken[0] += 1
        if XT is None:
            _copy(i, K, index, store[slots[i]])
        else:
            fill_row(i, kind, K, index, XT, norms, params, store[slots[i]])
    return slots[i]


@njit(cache=True, nogil=True, fastmath=_FAST)
def slot_of(*arguments: Any) -> int:
    """Call ``_slot_of``, for Python."""
    return _slot_of(*arguments)


@njit(cache=True, nogil=True)
def bring_rows(
    wanted: Any,
    store: Any,
    slots: Any,
    taken: Any,
    kind: int,
    K: Any,
    index: Any,
    XT: Any,
    norms: Any,
    params: Any,
) -> None:
    """Fill some rows."""
    for i in wanted:
        _slot_of(i, store, slots, taken, kind, K, index, XT, norms, params)
