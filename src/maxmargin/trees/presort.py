"""Sorting columns, a few at a time: rows in runs around each one's most frequent value.

The layout is that of ``ops/cpu/stump.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import Clock
from maxmargin.ops.engine import engine_of
from maxmargin.ops.kinds import BUCKETS, LAST, ROW
from maxmargin.ops.threads import Workers
from maxmargin.trees.source import ColumnSource, Entries

Rows = NDArray[np.uint32]
Array = NDArray[Any]

_BLOCK = 4  # columns read together; more would leave few blocks for the threads
_FEW = 2**19  # values; fewer are sorted before another thread has woken up
_UNSIGNED: dict[int, type[np.unsignedinteger[Any]]] = {4: np.uint32, 8: np.uint64}


class Runs(NamedTuple):
    """Columns in order, one after the other."""

    rows: Rows
    """Those below and above the frequent value of each."""
    missing: Rows
    """Those without a value."""
    lengths: NDArray[np.int64]
    """How many are below and above, and how many without a value (columns x 3)."""
    middle: NDArray[np.float64]
    """The frequent values."""

    @classmethod
    def join(cls, parts: Sequence[Runs]) -> Runs:
        """Put columns behind each other."""
        return parts[0] if len(parts) == 1 else cls(*map(np.concatenate, zip(*parts, strict=True)))


_NONE = np.zeros(0, dtype=np.uint32)
_EMPTY = Runs(_NONE, _NONE, np.zeros((1, 3), np.int64), np.full(1, np.nan))
_NO_COLUMN = Runs(_NONE, _NONE, np.zeros((0, 3), np.int64), np.zeros(0))


def sort_columns(
    source: ColumnSource, features: NDArray[np.intp], workers: Workers, clock: Clock
) -> tuple[Runs, int]:
    """Sort the rows by each of the features.

    Once the clock is over no further one is begun, but for the first, and those left are empty;
    returns how many they are.
    """
    if source.n_rows * len(features) <= _FEW:
        return _sort_few(source, features), 0
    columns, left = [_EMPTY] * len(features), set(range(len(features)))

    def sort(first: int) -> None:
        room: _Room | None = None
        for place, entries in enumerate(source.read(features[first : first + _BLOCK]), first):
            if place == 0 or not clock.over():
                room = room or _Room(source.n_rows, entries.values.dtype)
                columns[place] = room.sort_entries(entries)
                left.discard(place)

    workers.each(sort, range(0, len(features), _BLOCK))
    return Runs.join(columns), len(left)


def _sort_few(source: ColumnSource, features: NDArray[np.intp]) -> Runs:
    """Sort columns of few values in all, where they can be at once."""
    if len(features) == 0:
        return _NO_COLUMN
    lines = source.lines(features)
    if lines is not None:
        return _Room(source.n_rows, lines.dtype).sort(lines)
    columns = source.read(features)
    rooms = {kind: _Room(source.n_rows, kind) for kind in {each.values.dtype for each in columns}}
    return Runs.join([rooms[each.values.dtype].sort_entries(each) for each in columns])


class _Room:
    """Memory for the sorting of one column after the other."""

    def __init__(self, n_rows: int, dtype: Any) -> None:
        self._n_rows, self._unsigned = n_rows, np.dtype(_UNSIGNED[dtype.itemsize])
        self._top = self._unsigned.type(1 << (8 * self._unsigned.itemsize - 1))  # the key of 0
        self._key, self._ascending = np.empty((2, n_rows), dtype=self._unsigned)
        self._missing, self._row = np.empty((2, n_rows), dtype=np.uint32)
        self._words = np.empty((2, n_rows), dtype=np.uint64)
        self._count = np.empty((3, BUCKETS), dtype=np.uint32)

    def sort(self, lines: Array) -> Runs:
        """Sort columns, each a line; where rows are not stored, 0 is frequent."""
        k, n = lines.shape
        rows, missing = np.empty((2, k * n), np.uint32)
        lengths, frequent = np.empty((k, 3), np.int64), np.empty(k, self._unsigned)
        engine_of(lines).stump_sort.sort_columns(
            lines.view(self._unsigned),
            lines,
            n < self._n_rows,
            self._top,
            self._key,
            self._missing,
            self._words,
            self._count,
            self._row,
            self._ascending,
            rows,
            missing,
            lengths,
            frequent,
        )
        below, above, absent = lengths.sum(axis=0)
        # Keys are bits of the values, in order; 0 is the key of no number.
        bits = np.where(frequent & self._top, frequent ^ self._top, ~frequent)
        middle: NDArray[np.float64] = bits.view(lines.dtype).astype(np.float64)
        return Runs(rows[: below + above].copy(), missing[:absent].copy(), lengths, middle)

    def sort_entries(self, entries: Entries) -> Runs:
        """Sort one column."""
        runs = self.sort(np.ascontiguousarray(entries.values)[None])
        if entries.rows is None:
            return runs
        rows = entries.rows.astype(np.uint32)
        return runs._replace(
            rows=rows[runs.rows & ROW] | (runs.rows & LAST), missing=rows[runs.missing]
        )
