"""Scans of presorted columns for the best split of the rows in two.

A column is stored as two runs of rows around its most frequent value, whose rows are not stored:
run 2j holds the rows with smaller values, in ascending order, and run 2j + 1 those with larger
ones, in descending order. Both are read towards the middle, so after each row the rows seen so far
are one side of a split and all others the other one: with the sums c of one side and T of all rows
a criterion needs nothing else. A dense column costs its rows, a sparse or an indicator column the
few that are not at the frequent value. The top bit of a row's number says that the next value
differs: only there may a split be.

Missing values are apart; ``shift`` holds their sums, and they go with either side. Sums start at
nothing, so "missing or not" is one of the splits.

The criteria, all of them symmetric in the two sides:

    sign      |T - 2c|, the edge of the better of two labellings, for c = sum of w t
    square    A^2 / (h (H - h)) for centred A = sum of pull - weight mean and h = sum of weight;
              times H that is G_l^2/H_l + G_r^2/H_r - G^2/H (Breiman, Friedman, Olshen and Stone:
              Classification and Regression Trees, 1984, section 8.4)
    classes   error: max_k c_k + max_k (T_k - c_k);  gini: |c|^2/sum c + |T - c|^2/sum (T - c)

Row numbers are unsigned: see ``features.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

ROW = np.uint32(0x7FFFFFFF)  # the bits of a row's number
LAST = np.uint32(0x80000000)  # the next value differs

ERROR, GINI = 0, 1


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
    """gain[r] = the largest edge of run r, for the runs order[first:stop]."""
    for place in range(first, stop):
        r = order[place]
        low, high, c = 0.0, 0.0, 0.0
        for k in range(start[r], start[r + 1]):
            c += values[rows[k] & ROW, 0]
            if rows[k] >= LAST:
                low, high = min(low, c), max(high, c)
        gain[r] = _edge(low, high, total[0], shift[r // 2, 0])


@njit(cache=True, nogil=True)
def _edge(low: float, high: float, total: float, shift: float) -> float:
    """Give the largest |T - 2c|, which is at an extreme c; missing values go with either side."""
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

    Returns 1 + the number of the row the side ends with, negative if missing values belong to
    the side too, and 0 if there is no such split.
    """
    found, c = 0, 0.0
    for k in range(begin, end):
        c += values[rows[k] & ROW, 0]
        if rows[k] >= LAST:
            here, there = abs(total[0] - 2.0 * c), abs(total[0] - 2.0 * (c + shift[0]))
            if max(here, there) >= target:
                along = there > here
                side[0] = c + shift[0] if along else c
                found = -(k - begin + 1) if along else k - begin + 1
                if not last:
                    return found
    return found


@njit(cache=True, nogil=True)
def _square(A: float, h: float, H: float) -> float:
    rest = H - h
    return A * A / (h * rest) if h > 0.0 and rest > 0.0 else 0.0


@njit(cache=True, nogil=True)
def scan_square(
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
    """gain[r] = the largest decrease of squares of run r over H, for the runs order[first:stop]."""
    H = total[1]
    for place in range(first, stop):
        r = order[place]
        dA, dh = shift[r // 2]
        A, h = 0.0, 0.0
        best = _square(dA, dh, H)
        for k in range(start[r], start[r + 1]):
            row = rows[k] & ROW
            A += values[row, 0]
            h += values[row, 1]
            if rows[k] >= LAST:
                best = max(best, _square(A, h, H), _square(A + dA, h + dh, H))
        gain[r] = best


@njit(cache=True, nogil=True)
def place_square(
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
    """Find a split of a run as ``place_sign`` does."""
    found, A, h, H = 0, 0.0, 0.0, total[1]
    for k in range(begin, end):
        row = rows[k] & ROW
        A += values[row, 0]
        h += values[row, 1]
        if rows[k] >= LAST:
            here, there = _square(A, h, H), _square(A + shift[0], h + shift[1], H)
            if max(here, there) >= target:
                along = there > here
                side[0] = A + shift[0] if along else A
                side[1] = h + shift[1] if along else h
                found = -(k - begin + 1) if along else k - begin + 1
                if not last:
                    return found
    return found


@njit(cache=True, nogil=True)
def _score(c: Any, total: Any, shift: Any, along: float, criterion: int) -> float:
    """Score two sides by their class weights; missing values belong to the first if along."""
    one, two = 0.0, 0.0  # error: the largest of each side; gini: its sum and ...
    one_square, two_square = 0.0, 0.0  # ... its sum of squares
    for m in range(len(total)):
        here = c[m] + along * shift[m]
        there = total[m] - here
        if criterion == ERROR:
            one, two = max(one, here), max(two, there)
        else:
            one, two = one + here, two + there
            one_square, two_square = one_square + here * here, two_square + there * there
    if criterion == ERROR:
        return one + two
    return (one_square / one if one > 0.0 else 0.0) + (two_square / two if two > 0.0 else 0.0)


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
    """gain[r] = the largest score of run r, for the runs order[first:stop]."""
    c = np.zeros(len(total))
    for place in range(first, stop):
        r = order[place]
        c[:] = 0.0
        missing = shift[r // 2]
        some = missing.any()
        best = max(
            _score(c, total, missing, 0.0, criterion), _score(c, total, missing, 1.0, criterion)
        )
        for k in range(start[r], start[r + 1]):
            row = rows[k] & ROW
            c[label[row]] += weight[row]
            if rows[k] >= LAST:
                best = max(best, _score(c, total, missing, 0.0, criterion))
                if some:
                    best = max(best, _score(c, total, missing, 1.0, criterion))
        gain[r] = best


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
    found, c = 0, np.zeros(len(total))
    for k in range(begin, end):
        row = rows[k] & ROW
        c[label[row]] += weight[row]
        if rows[k] >= LAST:
            here = _score(c, total, shift, 0.0, criterion)
            there = _score(c, total, shift, 1.0, criterion)
            if max(here, there) >= target:
                along = there > here
                side[:] = c + shift if along else c
                found = -(k - begin + 1) if along else k - begin + 1
                if not last:
                    return found
    return found
