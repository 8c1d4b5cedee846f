"""Scans of presorted columns for several classes; the layout is ``stump.py``'s.

With the class weights c_k of one side and T_k of all rows the scores are

    error    max_k c_k + max_k (T_k - c_k)                   the weight that is classified right
    gini     sum c_k^2 / sum c_k + sum (T_k - c_k)^2 / sum (T_k - c_k)

Both follow a row from one side to the other: the sums of squares change by one term, the largest
class of the rest is looked for again only when it was the one that lost weight. Sums of weights are
exact (``stump_grid.py``), those of squares are not: they are summed anew now and then, and say only
which splits may be better than the best. What a split scores is summed for itself, so that scan and
place give it the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.cpu.stump_square import NEAR
from maxmargin.ops.kinds import GINI, LAST, ROW
from maxmargin.ops.loop import njit

_ANEW = np.uint64(256)  # rows after which squares are summed anew
_ROUNDING = 1e-12  # what so many changes can do to those of the rest, and more
_SURE = 1.0 - 1e-12  # the same for those of the side, which only grow


@njit(cache=True, nogil=True)
def _error(c: Any, total: Any) -> float:
    one, two = 0.0, 0.0
    for m in range(len(total)):
        one, two = max(one, c[m]), max(two, total[m] - c[m])
    return one + two


@njit(cache=True, nogil=True)
def _gini(c: Any, total: Any) -> float:
    one, two, one_squares, two_squares = 0.0, 0.0, 0.0, 0.0
    for m in range(len(total)):
        rest = total[m] - c[m]
        one, one_squares = one + c[m], one_squares + c[m] * c[m]
        two, two_squares = two + rest, two_squares + rest * rest
    return _share(one_squares, one) + _share(two_squares, two)


@njit(cache=True, nogil=True)
def _share(squares: float, weight: float) -> float:
    return squares / weight if weight > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _score(c: Any, total: Any, criterion: int) -> float:
    return _gini(c, total) if criterion == GINI else _error(c, total)


@njit(cache=True, nogil=True)
def _scan_error(
    label: Any, weight: Any, total: Any, rows: Any, begin: Any, end: Any, c: Any
) -> float:
    """Return the best score of a run whose side begins with the sums c."""
    best = _error(c, total)
    one, two = 0.0, 0
    for m in range(len(total)):
        one = max(one, c[m])
        two = m if total[m] - c[m] > total[two] - c[two] else two
    for k in range(begin, end):
        row = rows[k] & ROW
        m = label[row]
        c[m] += weight[row]
        one = max(one, c[m])
        if m == two:
            for other in range(len(total)):
                if total[other] - c[other] > total[two] - c[two]:
                    two = other
        if rows[k] >= LAST:
            best = max(best, one + (total[two] - c[two]))
    return best


@njit(cache=True, nogil=True)
def _scan_gini(
    label: Any, weight: Any, total: Any, rows: Any, begin: Any, end: Any, c: Any, best: float
) -> float:
    """Return the best score of a run whose side begins with the sums c, if better than the best."""
    while begin < end:
        stop = min(begin + _ANEW, end)
        best = _scan_some_gini(label, weight, total, rows, begin, stop, c, best)
        begin = stop
    return best


@njit(cache=True, nogil=True)
def _scan_some_gini(
    label: Any, weight: Any, total: Any, rows: Any, begin: Any, end: Any, c: Any, best: float
) -> float:
    """Follow the sums of squares for some rows, and score the splits that may be better."""
    one, two, one_squares, two_squares = 0.0, 0.0, 0.0, 0.0
    for m in range(len(total)):
        rest = total[m] - c[m]
        one, one_squares = one + c[m], one_squares + c[m] * c[m]
        two, two_squares = two + rest, two_squares + rest * rest
    two_squares += _ROUNDING * two_squares
    for k in range(begin, end):
        row = rows[k] & ROW
        m, w = label[row], weight[row]
        one_squares += w * (2.0 * c[m] + w)
        two_squares -= w * (2.0 * (total[m] - c[m]) - w)
        one, two = one + w, two - w
        c[m] += w
        # The shares of both sides against the best, without a division.
        if rows[k] >= LAST and one_squares * two + two_squares * one > _SURE * best * (one * two):
            best = max(best, _gini(c, total))
    return best


@njit(cache=True, nogil=True)
def scan_classes(
    label: Any,
    weight: Any,
    total: Any,
    criterion: int,
    rows: Any,
    start: Any,
    order: Any,
    first: int,
    stop: int,
    shift: Any,
    gain: Any,
) -> None:
    """gain[r] = the largest score of run r, for the runs order[first:stop].

    As in ``scan_square``, a run that is clearly worse by Gini than one before it is given as its
    missing values alone.
    """
    c, bar = np.empty(len(total)), 0.0
    for place in range(first, stop):
        r = order[place]
        i, end = start[r], start[r + np.uint64(1)]
        some = 0.0
        for m in range(len(total)):
            some += shift[r // 2, m]
        gain[r] = -np.inf
        for along in range(2 if some > 0.0 else 1):
            for m in range(len(total)):
                c[m] = along * shift[r // 2, m]
            best = _score(c, total, criterion)
            gain[r] = max(gain[r], best)
            if criterion == GINI:
                best = _scan_gini(label, weight, total, rows, i, end, c, max(best, bar))
            else:
                best = _scan_error(label, weight, total, rows, i, end, c)
            if best > bar:
                gain[r] = max(gain[r], best)
        if criterion == GINI:
            bar = max(bar, NEAR * gain[r])


@njit(cache=True, nogil=True)
def place_classes(
    label: Any,
    weight: Any,
    total: Any,
    criterion: int,
    rows: Any,
    begin: int,
    end: int,
    shift: Any,
    target: float,
    last: bool,
    side: Any,
) -> int:
    """Find a split of a run as ``place_sign`` does."""
    found, c, both = 0, np.zeros(len(total)), np.zeros(len(total))
    for m in range(len(total)):
        c[m], both[m] = side[m], side[m] + shift[m]
    for k in range(begin, end):
        row = rows[k] & ROW
        c[label[row]] += weight[row]
        both[label[row]] += weight[row]
        if rows[k] >= LAST:
            here, there = _score(c, total, criterion), _score(both, total, criterion)
            if max(here, there) >= target:
                along = last if min(here, there) >= target else there > here
                for m in range(len(total)):
                    side[m] = both[m] if along else c[m]
                found = -(k - begin + 1) if along else k - begin + 1
                if not last:
                    return found
    return found


@njit(cache=True, nogil=True)
def sum_classes(label: Any, weight: Any, rows: Any, begin: int, end: int, sums: Any) -> None:
    """Add up a part of a run."""
    for m in range(len(sums)):
        sums[m] = 0.0
    for k in range(begin, end):
        row = rows[k] & ROW
        sums[label[row]] += weight[row]
