"""The obvious version of ``ops.cpu.stump_buckets``."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.kinds import LAST, ROW


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
    b, bounds = 0, start.astype(np.int64)
    for j in range(len(start) // 2):
        size = int(bounds[2 * j + 2] - bounds[2 * j])
        values = int((rows[bounds[2 * j] : bounds[2 * j + 2]] >= LAST).sum())
        few = exact[j] = values <= most and values * least <= size
        step = 1 if few else max(least, -(-size // (most - 2)))
        for r in (2 * j, 2 * j + 1):
            first[r] = b
            for cut in _cuts(rows, int(bounds[r]), int(bounds[r + 1]), step):
                begin[b], inner[b], stop[b] = cut
                b += 1
        begin[b] = inner[b] = stop[b] = 0
        b += 1
    first[len(start) - 1] = b
    return b


def _cuts(rows: Any, at: int, end: int, step: int) -> list[tuple[int, int, int]]:
    """Cut one run: where buckets begin, where their last values do, and where they end."""
    ends = at + 1 + np.flatnonzero(rows[at:end] >= LAST)
    cuts, bucket, value = [], at, at
    for k in ends.tolist():
        if k - bucket >= step or k == end:
            cuts.append((bucket, value, k))
            bucket = k
        value = k
    return cuts


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
    count[:] = np.count_nonzero(cell[group + 1 : end + 1] > cell[group:end])
    for g in np.flatnonzero(cell[group + 1 : end + 1] == cell[group:end]) + group:
        j, n = int(bundle[g]), len(count)
        some = rows[int(start[2 * j]) : int(start[2 * j + 2])] & ROW
        absent = missing[lacking[j] : lacking[j + 1]]
        count += (np.bincount(some, minlength=n) + np.bincount(absent, minlength=n)).astype("u8")


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
        inside = np.full(len(place), 0)  # numbers of cells, of the last columns the quickest
        for j in range(int(bundle[g]), int(bundle[g + 1])):
            last = int(first[2 * j + 2]) - 1
            parts = [(b, rows[begin[b] : stop[b]] & ROW) for b in range(int(first[2 * j]), last)]
            code = np.full(len(place), width[j] - 1)
            for b, some in [*parts, (last, missing[lacking[j] : lacking[j + 1]])]:
                code[some] = b - first[2 * j]
            inside = inside * width[j] + code
        listed = np.full(len(place), True)
        if cell[g] == cell[g + 1]:
            listed, inside = code < width[j] - 1, first[2 * j] + code
        entries[place[listed]] = (cell[g] * (cell[g] < cell[g + 1]) + inside)[listed]
        place[listed] += np.uint64(1)
