"""Scans of presorted columns for the split of least squares; the layout is ``stump.py``'s.

With the sums A of pull - weight mean and h of weight of one side, and H of all weight, the squares
decrease by H times

    A^2 / (h (H - h)),     and this is     G_l^2/H_l + G_r^2/H_r - G^2/H

for the sums G of pull: L. Breiman, J. Friedman, R. Olshen and C. Stone, Classification and
Regression Trees (1984), section 8.4. With pull = w t for labels t of -1 and +1 it is also the
decrease of Gini's index.

Sums are first written to a short buffer, only those where a split may be. Whether any of them is
better than the best so far is then asked without a division and of several at once; few buffers
have one that is. Weights are read beside the pull, or from it: they are its size for labels, and 1
where all are equal, which halves the memory that is read at random.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from maxmargin.ops.cpu.prefetch import prefetch
from maxmargin.ops.cpu.stump import AHEAD, LAST, ROW, TOP

PAIR, SIGNED, UNIT = 0, 1, 2  # weights: beside the pull, its size, or 1
_WIDTH = 256
_ONE = np.uint32(1)
_NEAR = 1.0 - 1e-6  # far beyond what rounding can make of equal gains


@njit(cache=True, nogil=True)
def _weighed(values: Any, kind: int, row: Any) -> tuple[float, float]:
    """Give the pull and the weight of a row."""
    if kind == PAIR:
        return values[row << _ONE], values[(row << _ONE) + _ONE]
    return values[row], abs(values[row]) if kind == SIGNED else 1.0


@njit(cache=True, nogil=True)
def _fill(
    values: Any, kind: int, rows: Any, k: Any, stop: Any, A: float, h: float, As: Any, hs: Any
) -> tuple[float, float, Any]:
    """Write the sums after rows k to stop where a split may be; returns the last and how many."""
    n = np.uint64(0)
    for i in range(k, stop):
        pull, weight = _weighed(values, kind, rows[i] & ROW)
        A += pull
        h += weight
        As[n], hs[n] = A, h
        n += np.uint64(rows[i] >> TOP)
    return A, h, n


@njit(cache=True, nogil=True)
def _improve(
    As: Any, hs: Any, n: Any, mean: float, H: float, dA: float, dh: float, best: float
) -> float:
    """Give the best of the sums written, with dA and dh added, if it is better than the best."""
    better = 0
    for k in range(n):
        h = hs[k] + dh
        A = As[k] + dA - mean * h
        better += best * (h * (H - h)) < A * A
    if better == 0:
        return best
    for k in range(n):
        h = hs[k] + dh
        best = max(best, _square(As[k] + dA - mean * h, h, H))
    return best


@njit(cache=True, nogil=True)
def _square(A: float, h: float, H: float) -> float:
    rest = H - h
    return A * A / (h * rest) if h > 0.0 and rest > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _best(As: Any, hs: Any, n: Any, mean: float, H: float, missing: Any, best: float) -> float:
    """Try the sums written, and again with the missing values on the other side."""
    best = _improve(As, hs, n, mean, H, 0.0, 0.0, best)
    if missing[1] > 0.0:
        best = _improve(As, hs, n, mean, H, missing[0], missing[1], best)
    return best


@njit(cache=True, nogil=True)
def _fill_two(
    values: Any,
    kind: int,
    rows: Any,
    i: Any,
    j: Any,
    length: Any,
    ahead: Any,
    sums: Any,
    As: Any,
    hs: Any,
) -> tuple[Any, Any]:
    """Do the same for two runs at once, so that the sums of one need not wait for the other's."""
    A, h, B, g = sums[0, 0], sums[0, 1], sums[1, 0], sums[1, 1]
    n = m = np.uint64(0)
    double = _ONE if kind == PAIR else np.uint32(0)
    for k in range(length):
        prefetch(values, (rows[i + k + ahead] & ROW) << double)
        prefetch(values, (rows[j + k + ahead] & ROW) << double)
        p, q = rows[i + k], rows[j + k]
        pull, weight = _weighed(values, kind, p & ROW)
        A += pull
        h += weight
        As[0, n], hs[0, n] = A, h
        n += np.uint64(p >> TOP)
        pull, weight = _weighed(values, kind, q & ROW)
        B += pull
        g += weight
        As[1, m], hs[1, m] = B, g
        m += np.uint64(q >> TOP)
    sums[0, 0], sums[0, 1], sums[1, 0], sums[1, 1] = A, h, B, g
    return n, m


@njit(cache=True, nogil=True)
def scan_square(
    values: Any,
    kind: int,
    total: Any,
    rows: Any,
    start: Any,
    order: Any,
    first: int,
    stop: int,
    shift: Any,
    gain: Any,
) -> None:
    """gain[r] = the largest decrease of squares of run r over H, for the runs order[first:stop].

    A run that is clearly worse than one before it need not be known any better: its gain is given
    as that one's, less a millionth. Runs of similar length should be neighbours in the order.
    """
    H, mean = total[1], total[0] / total[1]
    As, hs, sums = np.empty((2, _WIDTH)), np.empty((2, _WIDTH)), np.empty((2, 2))
    width, bar = np.uint64(_WIDTH), 0.0
    for place in range(first, stop, 2):
        r, s = order[place], order[min(place + 1, stop - 1)]  # the last one may be its own pair
        i, j = start[r], start[s]
        i_end, j_end = start[r + np.uint64(1)], start[s + np.uint64(1)]
        sums[0, 0] = sums[0, 1] = sums[1, 0] = sums[1, 1] = 0.0
        one = max(bar, _lone(shift[r // 2], mean, H))
        two = max(bar, _lone(shift[s // 2], mean, H))
        while i < i_end and j < j_end:
            length = min(width, i_end - i, j_end - j)
            ahead = AHEAD if min(i_end - i, j_end - j) >= length + AHEAD else np.uint64(0)
            n, m = _fill_two(values, kind, rows, i, j, length, ahead, sums, As, hs)
            one = _best(As[0], hs[0], n, mean, H, shift[r // 2], one)
            two = _best(As[1], hs[1], m, mean, H, shift[s // 2], two)
            i, j = i + length, j + length
        ends = i, i_end, sums[0, 0], sums[0, 1]
        gain[r] = _finish(values, kind, rows, ends, mean, H, shift[r // 2], As[0], hs[0], one)
        ends = j, j_end, sums[1, 0], sums[1, 1]
        gain[s] = _finish(values, kind, rows, ends, mean, H, shift[s // 2], As[1], hs[1], two)
        bar = max(bar, _NEAR * gain[r], _NEAR * gain[s])


@njit(cache=True, nogil=True)
def _lone(missing: Any, mean: float, H: float) -> float:
    """Split off the missing values alone."""
    return _square(missing[0] - mean * missing[1], missing[1], H)


@njit(cache=True, nogil=True)
def _finish(
    values: Any,
    kind: int,
    rows: Any,
    ends: Any,
    mean: float,
    H: float,
    missing: Any,
    As: Any,
    hs: Any,
    best: float,
) -> float:
    """Read the rest of a run by itself."""
    i, end, A, h = ends
    while i < end:
        stop = min(i + np.uint64(_WIDTH), end)
        A, h, n = _fill(values, kind, rows, i, stop, A, h, As, hs)
        best = _best(As, hs, n, mean, H, missing, best)
        i = stop
    return best


@njit(cache=True, nogil=True)
def _may_reach(
    A: float, h: float, mean: float, H: float, dA: float, dh: float, target: float
) -> bool:
    """Tell without a division which sums are far from the target."""
    here, there, less = A - mean * h, A + dA - mean * (h + dh), (1.0 - 1e-9) * target
    near = here * here >= less * (h * (H - h))
    return near or there * there >= less * ((h + dh) * (H - h - dh))


@njit(cache=True, nogil=True)
def place_square(
    values: Any,
    kind: int,
    total: Any,
    rows: Any,
    begin: int,
    end: int,
    shift: Any,
    target: float,
    last: bool,
    side: Any,
) -> int:
    """Find a split of a run as ``place_sign`` does."""
    found, A, h, H, mean = 0, 0.0, 0.0, total[1], total[0] / total[1]
    dA, dh = shift[0], shift[1]
    for k in range(begin, end):
        pull, weight = _weighed(values, kind, rows[k] & ROW)
        A += pull
        h += weight
        if rows[k] >= LAST and _may_reach(A, h, mean, H, dA, dh, target):
            here = _square(A - mean * h, h, H)
            there = _square(A + dA - mean * (h + dh), h + dh, H)
            if max(here, there) >= target:
                along = last if min(here, there) >= target else there > here
                side[0] = A + dA if along else A
                side[1] = h + dh if along else h
                found = -(k - begin + 1) if along else k - begin + 1
                if not last:
                    return found
    return found
