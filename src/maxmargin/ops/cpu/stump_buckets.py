"""Cutting sorted columns into buckets of neighbouring values, at most 65,535 of them in all.

The layout of columns is ``stump.py``'s. A bucket is a stretch of a run that ends where a value
does, so a split either lies at the end of one or inside of it, before its last value. With as few
values as buckets each has its own, and nothing is inside: an exact histogram.

A row has an entry for each column where it is not at the frequent value. Whoever sums over some
rows adds to the buckets of their entries, so a sparse or an indicator column costs its few.

Columns of few values that are rarely at the frequent one would cost nearly all of theirs, and the
processor would guess wrongly how many a row has. Neighbours of them are bundled: a row has a single
entry for all, the cell of the table of their values that it is in, and sums of cells are folded
into those of buckets before these are read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.kinds import LAST, ROW
from maxmargin.ops.loop import njit

_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def cut_runs(
    rows: Any,
    start: Any,
    most: int,
    least: int,
    first: Any,
    exact: Any,
    begin: Any,
    inner: Any,
    stop: Any,
) -> int:
    """Cut every column into at most so many buckets, of at least so many rows; returns their sum.

    A column of few values, of more rows than that each, is cut between all of them.
    """
    b: Any = np.int64(0)
    for j in range(len(start) // 2):
        size, values = start[2 * j + 2] - start[2 * j], 0
        for k in range(start[2 * j], start[2 * j + 2]):
            values += rows[k] >= LAST
        few = exact[j] = values <= most and values * least <= size
        step = 1 if few else max(least, -(-size // (most - 2)))
        for r in range(2 * j, 2 * j + 2):
            first[r] = b
            b = _cut_run(rows, start[r], start[r + 1], step, b, begin, inner, stop)
        begin[b] = inner[b] = stop[b] = 0  # missing values
        b += 1
    first[len(start) - 1] = b
    return b


@njit(cache=True, nogil=True)
def _cut_run(
    rows: Any, at: int, end: int, step: int, b: int, begin: Any, inner: Any, stop: Any
) -> int:
    bucket = value = at
    for k in range(at, end):
        if rows[k] >= LAST:
            if k + 1 - bucket >= step or k + 1 == end:
                begin[b], inner[b], stop[b] = bucket, value, k + 1
                bucket = k + 1
                b += 1
            value = k + 1
    return b


@njit(cache=True, nogil=True)
def count_entries(
    rows: Any,
    start: Any,
    missing: Any,
    lacking: Any,
    bundle: Any,
    cell: Any,
    group: int,
    end: int,
    count: Any,
) -> None:
    """Count the entries of each row in bundles up to an end."""
    cells = np.uint64(0)
    for g in range(group, end):
        cells += np.uint64(cell[g + 1] > cell[g])
    for i in range(len(count)):
        count[i] = cells
    for g in range(group, end):
        if cell[g + 1] == cell[g]:
            j = bundle[g]
            for k in range(start[2 * j], start[2 * j + 2]):
                count[rows[k] & ROW] += _ONE
            for k in range(lacking[j], lacking[j + 1]):
                count[missing[k]] += _ONE


@njit(cache=True, nogil=True)
def list_entries(
    rows: Any,
    missing: Any,
    lacking: Any,
    first: Any,
    begin: Any,
    stop: Any,
    bundle: Any,
    cell: Any,
    width: Any,
    group: int,
    end: int,
    place: Any,
    entries: Any,
) -> None:
    """Write the entries of every row, of bundles up to an end, to where its place is."""
    for g in range(group, end):
        size = cell[g + 1] - cell[g]
        if size > 0:
            for at in range(len(place)):
                entries[place[at]] = cell[g + 1] - 1  # where all are at the frequent value
        # A cell is as far from that as its buckets are; a bucket is written as it is.
        stride, keep, more = size, -np.int64(size > 0), np.uint64(size == 0)
        for j in range(bundle[g], bundle[g + 1]):
            stride //= width[j]
            last, frequent = first[2 * j + 2] - 1, first[2 * j] + width[j] - 1
            for b in range(first[2 * j], last):
                change = b + keep * b + (b - frequent) * stride
                for k in range(begin[b], stop[b]):
                    i = np.uint64(rows[k] & ROW)
                    entries[place[i]] = (entries[place[i]] & keep) + change
                    place[i] += more
            change = last + keep * last + (last - frequent) * stride
            for k in range(lacking[j], lacking[j + 1]):
                i = np.uint64(missing[k])
                entries[place[i]] = (entries[place[i]] & keep) + change
                place[i] += more
        if size > 0:
            for at in range(len(place)):
                place[at] += _ONE
