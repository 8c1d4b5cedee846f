"""Scans of presorted columns for the best split of the rows in two: the edge of labels.

A column is stored as two runs of rows around its most frequent value, whose rows are not stored:
run 2j holds the rows with smaller values, in ascending order, and run 2j + 1 those with larger
ones, in descending order. Both are read towards the middle, so after each row the rows seen so far
are one side of a split and all others the other one: with the sums c of one side and T of all rows
a criterion needs nothing else. A dense column costs its rows, a sparse or an indicator column the
few that are not at the frequent value. The top bit of a row's number says that the next value
differs: only there may a split be.

Missing values are apart; ``shift`` holds their sums, and they go with either side. Sums start at
nothing, so "missing or not" is one of the splits.

The criteria are symmetric in the two sides. Here it is |T - 2c|, the edge of the better of two
labellings, for c = sum of w t; squares and classes are in files of their own.

What costs time is that each sum waits for the last: a floating-point addition takes three or four
steps of the processor. Four runs at once fill them, at 0.9 nanoseconds a row instead of 1.2 (20,000
rows, one thread). Beyond that the values of rows are waited for; asked for in advance they cost 1.0
instead of 1.3 nanoseconds at 100,000 rows and 1.5 instead of 2.5 at a million. Row numbers are
unsigned: see ``features.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.cpu.prefetch import prefetch
from maxmargin.ops.kinds import LAST, ROW, TOGETHER
from maxmargin.ops.loop import njit

TOP = np.uint32(31)
AHEAD = np.uint64(8)  # rows whose values are on the way
FAST = {"contract", "reassoc", "nsz"}  # lets sums be made of several partial sums


@njit(cache=True, nogil=True)
def scan_sign(
    values: Any,
    total: Any,
    rows: Any,
    start: Any,
    order: Any,
    first: int,
    stop: int,
    shift: Any,
    gain: Any,
) -> None:
    """gain[r] = the largest edge of run r, for the runs order[first:stop].

    Runs of similar length should be neighbours in the order.
    """
    whole = first + (stop - first) // TOGETHER * TOGETHER
    low, high, c = np.empty(TOGETHER), np.empty(TOGETHER), np.empty(TOGETHER)
    for place in range(first, whole, TOGETHER):
        four = order[place : place + TOGETHER]
        read = _four_runs(values, rows, start, four, low, high, c)
        for m in range(TOGETHER):
            r = four[m]
            extremes = _rest(values, rows, start[r] + read, start[r + 1], c[m], low[m], high[m])
            gain[r] = _edge(extremes[0], extremes[1], total[0], shift[r // 2, 0])
    for place in range(whole, stop):
        r = order[place]
        extremes = _rest(values, rows, start[r], start[r + 1], 0.0, 0.0, 0.0)
        gain[r] = _edge(extremes[0], extremes[1], total[0], shift[r // 2, 0])


@njit(cache=True, nogil=True)
def _four_runs(
    values: Any, rows: Any, start: Any, four: Any, low: Any, high: Any, total: Any
) -> Any:
    """Read the part that four runs have in common, but for the last few; returns its length.

    A sum counts where the value differs next. Elsewhere it is multiplied by 0, which changes no
    extreme, because nothing is one of the sides: a branch would often be foretold wrongly.
    """
    i, j, k, m = start[four[0]], start[four[1]], start[four[2]], start[four[3]]
    one, two = start[four[0] + np.uint64(1)] - i, start[four[1] + np.uint64(1)] - j
    three, last = start[four[2] + np.uint64(1)] - k, start[four[3] + np.uint64(1)] - m
    length = min(one, two, three, last)
    length -= min(length, AHEAD)
    a = b = c = d = 0.0
    low_a = low_b = low_c = low_d = 0.0
    high_a = high_b = high_c = high_d = 0.0
    for n in range(length):
        prefetch(values, rows[i + n + AHEAD] & ROW)
        prefetch(values, rows[j + n + AHEAD] & ROW)
        prefetch(values, rows[k + n + AHEAD] & ROW)
        prefetch(values, rows[m + n + AHEAD] & ROW)
        p, q, r, s = rows[i + n], rows[j + n], rows[k + n], rows[m + n]
        a += values[p & ROW]
        b += values[q & ROW]
        c += values[r & ROW]
        d += values[s & ROW]
        w, x = a * np.float64(p >> TOP), b * np.float64(q >> TOP)
        y, z = c * np.float64(r >> TOP), d * np.float64(s >> TOP)
        low_a, high_a = w if w < low_a else low_a, w if w > high_a else high_a
        low_b, high_b = x if x < low_b else low_b, x if x > high_b else high_b
        low_c, high_c = y if y < low_c else low_c, y if y > high_c else high_c
        low_d, high_d = z if z < low_d else low_d, z if z > high_d else high_d
    total[0], total[1], total[2], total[3] = a, b, c, d
    low[0], low[1], low[2], low[3] = low_a, low_b, low_c, low_d
    high[0], high[1], high[2], high[3] = high_a, high_b, high_c, high_d
    return length


@njit(cache=True, nogil=True)
def _rest(
    values: Any, rows: Any, begin: int, end: int, c: float, low: float, high: float
) -> tuple[float, float]:
    """Read the rest of a run by itself."""
    for k in range(begin, end):
        c += values[rows[k] & ROW]
        x = c * np.float64(rows[k] >> TOP)
        low, high = x if x < low else low, x if x > high else high
    return low, high


@njit(cache=True, nogil=True)
def _edge(low: float, high: float, total: float, shift: float) -> float:
    """Return the largest |T - 2c|, which is at an extreme c; missing values go with either side."""
    here = max(abs(total - 2.0 * low), abs(total - 2.0 * high))
    there = max(abs(total - 2.0 * (low + shift)), abs(total - 2.0 * (high + shift)))
    return max(here, there)


@njit(cache=True, nogil=True)
def place_sign(
    values: Any,
    total: Any,
    rows: Any,
    begin: int,
    end: int,
    shift: Any,
    target: float,
    last: bool,
    side: Any,
) -> int:
    """Find the first (or last) split of a run that reaches the target, and the sums of its side.

    Of a part of a run ``side`` holds the sums of what comes before it, else zeros. Returns 1 + the
    number of the row the side ends with, negative if missing values belong to the side too, and 0
    if there is no such split. Where they may go with either side they go right, however the run is
    read.
    """
    found, c = 0, side[0]
    for k in range(begin, end):
        c += values[rows[k] & ROW]
        if rows[k] >= LAST:
            here, there = abs(total[0] - 2.0 * c), abs(total[0] - 2.0 * (c + shift[0]))
            if max(here, there) >= target:
                along = last if min(here, there) >= target else there > here
                side[0] = c + shift[0] if along else c
                found = -(k - begin + 1) if along else k - begin + 1
                if not last:
                    return found
    return found


@njit(cache=True, nogil=True)
def sum_sign(values: Any, rows: Any, begin: int, end: int, sums: Any) -> None:
    """Add up a part of a run."""
    c = 0.0
    for k in range(begin, end):
        c += values[rows[k] & ROW]
    sums[0] = c


@njit(cache=True, nogil=True)
def mark_side(rows: Any, begin: int, end: int, side: bool, right: Any) -> None:
    """right[i] = side, for the rows of a part of a run."""
    for k in range(begin, end):
        right[rows[k] & ROW] = side
