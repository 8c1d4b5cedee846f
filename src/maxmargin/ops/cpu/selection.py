"""One look at all variables of a box QP: the limits of F, and who wants to go where.

One pass each, without temporary arrays: between two working sets these vectors have left the
processor's cache, and every NumPy expression would read them again.

Fast-math: ``reassoc``, ``nsz`` and ``nnan`` let maxima and sums run in vector registers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.cpu.extremes import larger, smaller
from maxmargin.ops.loop import njit

_FAST = {"contract", "reassoc", "nsz", "nnan"}
_HUGE = 1e300


@njit(cache=True, nogil=True, fastmath=_FAST)
def survey(F: Any, beta: Any, lower: Any, upper: Any) -> Any:
    """Find max F over I_up, min F over I_low, and the sum and number of F over free variables."""
    up, low, total, free = -_HUGE, _HUGE, 0.0, 0.0
    for t in range(len(F)):
        rises, falls = beta[t] < upper[t], beta[t] > lower[t]
        up = larger(up, F[t] if rises else -_HUGE)
        low = smaller(low, F[t] if falls else _HUGE)
        both = 1.0 if rises and falls else 0.0
        total += both * F[t]
        free += both
    return up, low, total, free


@njit(cache=True, nogil=True)
def _sift_down(heap: Any, size: int, value: float, who: int, of: Any) -> None:
    """Put a value in place of the smallest of a heap; ``of`` holds the variables of its values."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if value <= heap[child]:
            break
        heap[at], of[at] = heap[child], of[child]
        at = child
    heap[at], of[at] = value, who


@njit(cache=True, nogil=True)
def violators(slope: Any, sign: float, steepest: Any, others: Any) -> int:
    """Find the variables with a positive sign * slope: the steepest, and all others in order.

    ``steepest`` takes as many as it has room for, -1 where there are fewer; returns how many the
    others are. A heap is asked for each of them whether it is among the steepest: a partition of
    all costs four times as much.
    """
    heap, count = np.full(len(steepest), 0.0), 0
    steepest[:] = -1
    for t in range(len(slope)):
        s, who = sign * slope[t], t
        if s > heap[0]:
            who = steepest[0]
            _sift_down(heap, len(heap), s, t, steepest)
        others[count] = who  # written in any case: whether it stays is foretold wrongly too often
        count += s > 0.0 and who >= 0
    return count


@njit(cache=True, nogil=True)
def slopes(F: Any, beta: Any, lower: Any, upper: Any, b: float, out: Any) -> None:
    """Set out to how much each variable wants to rise (positive) or fall, at the bias b."""
    for t in range(len(F)):
        s = F[t] - b
        blocked = (s > 0.0 and not beta[t] < upper[t]) or (s < 0.0 and not beta[t] > lower[t])
        out[t] = 0.0 if blocked else s
