"""Scans of presorted columns for the split of least squares; the layout is ``stump.py``'s.

With the sums A of pull - weight mean and h of weight of one side, and H of all weight, the squares
decrease by H times

    A^2 / (h (H - h)),     and this is     G_l^2/H_l + G_r^2/H_r - G^2/H

for the sums G of pull: L. Breiman, J. Friedman, R. Olshen and C. Stone, Classification and
Regression Trees (1984), section 8.4. With pull = w t for labels t of -1 and +1 it is also the
decrease of Gini's index.

Rows are summed in blocks. Between the ends of one, a and b in A, |A| is at most half of
|a| + |b| + the sizes of all that is added, and h (H - h), which is concave, at least what it is at
one of them: few blocks can hold a split better than the best so far, and only these are read row
by row. It makes two thirds of the time of trying all splits (20,000 and 100,000 rows). Sums are
exact (``stump_grid.py``), so that blocks and single rows lead to the same ones.

Weights are read beside the pull, or from it: they are its size for labels, and 1 where all are
equal, which halves the memory that is read at random.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.cpu.prefetch import prefetch
from maxmargin.ops.cpu.stump import FAST
from maxmargin.ops.kinds import LAST, PAIR, ROW, SIGNED
from maxmargin.ops.loop import njit

_BLOCK = np.uint64(32)
_ONE = np.uint32(1)
NEAR = 1.0 - 1e-6  # far beyond what rounding can make of equal gains
_SURE = 1.0 - 1e-9  # of a gain: what is below it is less, however it is rounded


@njit(cache=True, nogil=True)
def _weighed(values: Any, kind: int, row: Any) -> tuple[float, float]:
    """Return the pull and the weight of a row."""
    if kind == PAIR:
        return values[row << _ONE], values[(row << _ONE) + _ONE]
    return values[row], abs(values[row]) if kind == SIGNED else 1.0


@njit(cache=True, nogil=True, fastmath=FAST)
def _sum_block(values: Any, kind: int, rows: Any, i: Any, ahead: Any) -> tuple[float, float, float]:
    """Sum pull, its size and the weight of a block, and ask for the values of one ahead."""
    pull = size = weight = 0.0
    if kind == PAIR:
        for k in range(_BLOCK):
            prefetch(values, (rows[i + ahead + k] & ROW) << _ONE)
            row = (rows[i + k] & ROW) << _ONE
            pull += values[row]
            size += abs(values[row])
            weight += values[row + _ONE]
        return pull, size, weight
    for k in range(_BLOCK):
        prefetch(values, rows[i + ahead + k] & ROW)
        value = values[rows[i + k] & ROW]
        pull += value
        size += abs(value)
    return pull, size, size if kind == SIGNED else float(_BLOCK)


@njit(cache=True, nogil=True)
def _may_hold(
    A: float, h: float, pull: float, size: float, weight: float, mean: float, H: float, best: float
) -> bool:
    """Return whether a block that begins with A and h may hold a split better than the best."""
    end = h + weight
    a, b = abs(A - mean * h), abs(A + pull - mean * end)
    reach = 0.5 * (a + b + size + abs(mean) * weight)
    return reach * reach > _SURE * best * min(h * (H - h), end * (H - end))


@njit(cache=True, nogil=True)
def _square(A: float, h: float, H: float) -> float:
    rest = H - h
    return A * A / (h * rest) if h > 0.0 and rest > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _scan_rows(
    values: Any,
    kind: int,
    rows: Any,
    begin: Any,
    end: Any,
    A: float,
    h: float,
    mean: float,
    H: float,
    missing: Any,
    best: float,
) -> float:
    """Try the splits after each of the rows, with the missing values on either side."""
    for k in range(begin, end):
        pull, weight = _weighed(values, kind, rows[k] & ROW)
        A += pull
        h += weight
        if rows[k] >= LAST and _may_reach(A, h, mean, H, missing[0], missing[1], best):
            both = h + missing[1]
            here = _square(A - mean * h, h, H)
            best = max(best, here, _square(A + missing[0] - mean * both, both, H))
    return best


@njit(cache=True, nogil=True)
def _scan_run(
    values: Any,
    kind: int,
    rows: Any,
    i: Any,
    end: Any,
    mean: float,
    H: float,
    missing: Any,
    best: float,
) -> float:
    """Return the best split of a run, if it is better than the best."""
    A = h = 0.0
    while i + _BLOCK <= end:
        ahead = _BLOCK if i + _BLOCK + _BLOCK <= end else np.uint64(0)
        pull, size, weight = _sum_block(values, kind, rows, i, ahead)
        hopeful = _may_hold(A, h, pull, size, weight, mean, H, best)
        if missing[1] > 0.0 and not hopeful:
            both = A + missing[0], h + missing[1]
            hopeful = _may_hold(both[0], both[1], pull, size, weight, mean, H, best)
        if hopeful:
            stop = i + _BLOCK
            best = _scan_rows(values, kind, rows, i, stop, A, h, mean, H, missing, best)
        A += pull
        h += weight
        i += _BLOCK
    return _scan_rows(values, kind, rows, i, end, A, h, mean, H, missing, best)


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

    A run that is clearly worse than one before it, by a millionth, need not be known any better:
    its gain is given as that of its missing values alone.
    """
    H, mean, bar = total[1], total[0] / total[1], 0.0
    for place in range(first, stop):
        r = order[place]
        missing = shift[r // 2]
        lone = _lone(missing, mean, H)
        ends = start[r], start[r + np.uint64(1)]
        least = max(bar, lone)
        best = _scan_run(values, kind, rows, ends[0], ends[1], mean, H, missing, least)
        gain[r] = best if best > bar else lone
        bar = max(bar, NEAR * gain[r])


@njit(cache=True, nogil=True)
def _lone(missing: Any, mean: float, H: float) -> float:
    """Split off the missing values alone."""
    return _square(missing[0] - mean * missing[1], missing[1], H)


@njit(cache=True, nogil=True)
def _may_reach(
    A: float, h: float, mean: float, H: float, dA: float, dh: float, target: float
) -> bool:
    """Return, without a division, which sums are far from the target."""
    here, there, less = A - mean * h, A + dA - mean * (h + dh), _SURE * target
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
    found, A, h, H, mean = 0, side[0], side[1], total[1], total[0] / total[1]
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


@njit(cache=True, nogil=True)
def sum_square(values: Any, kind: int, rows: Any, begin: int, end: int, sums: Any) -> None:
    """Add up a part of a run."""
    A = h = 0.0
    for k in range(begin, end):
        pull, weight = _weighed(values, kind, rows[k] & ROW)
        A += pull
        h += weight
    sums[0], sums[1] = A, h
