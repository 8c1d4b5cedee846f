"""Sorting columns, a few at a time: rows in runs around each one's most frequent value.

The layout is that of ``ops/cpu/stump.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import Clock
from maxmargin.ops.engine import engine_of
from maxmargin.ops.kinds import BUCKETS
from maxmargin.ops.threads import Workers
from maxmargin.trees.source import ColumnSource

Rows = NDArray[np.uint32]
Array = NDArray[Any]

_BLOCK = 4  # columns read together; more would leave few blocks for the threads
_FEW = 2**19  # values; fewer are sorted before another thread has woken up
_UNSIGNED: dict[int, type[np.unsignedinteger[Any]]] = {4: np.uint32, 8: np.uint64}


@dataclass(frozen=True)
class Sorted:
    """One column: rows below and above the frequent value, and those without a value."""

    below: Rows
    above: Rows
    missing: Rows
    middle: float


_NONE = np.zeros(0, dtype=np.uint32)
_EMPTY = Sorted(_NONE, _NONE, _NONE, np.nan)


def sort_columns(
    source: ColumnSource, features: NDArray[np.intp], workers: Workers, clock: Clock
) -> tuple[list[Sorted], int]:
    """Sort the rows by each of the features.

    Once the clock is over no further one is begun, but for the first, and those left are empty;
    returns how many they are.
    """
    columns, left = [_EMPTY] * len(features), set(range(len(features)))
    few = source.n_rows * len(features) <= _FEW

    def sort(first: int, room: _Room | None = None) -> _Room:
        block = source.read(features[first : first + _BLOCK])
        dtype = block[0].values.dtype
        room = room if room is not None and room.dtype == dtype else _Room(source.n_rows, dtype)
        for place, (values, rows) in enumerate(block, first):
            if few or place == 0 or not clock.over():
                columns[place] = room.sort(np.ascontiguousarray(values), rows)
                left.discard(place)
        return room

    blocks, room = range(0, len(features), _BLOCK), None
    if few:
        for first in blocks:
            room = sort(first, room)
    else:
        workers.each(sort, blocks)
    return columns, len(left)


class _Room:
    """Memory for the sorting of one column after the other."""

    def __init__(self, n_rows: int, dtype: Any) -> None:
        self.dtype, self._n_rows = dtype, n_rows
        self._unsigned = np.dtype(_UNSIGNED[dtype.itemsize])
        self._top = self._unsigned.type(1 << (8 * self._unsigned.itemsize - 1))  # the key of 0
        self._key, self._ascending = np.empty((2, n_rows), dtype=self._unsigned)
        self._present, self._missing, self._row = np.empty((3, n_rows), dtype=np.uint32)
        self._words = np.empty((2, n_rows), dtype=np.uint64)
        self._verbs = engine_of(self._words).stump_sort
        self._count = np.empty((3, BUCKETS), dtype=np.uint32)

    def sort(self, values: Array, rows: Array | None) -> Sorted:
        """Sort one column; in a sparse one with rows that are not stored, 0 is frequent."""
        first, stop, n, m, is_sparse = self._verbs.sort_column(
            values.view(self._unsigned),
            values,
            len(values) < self._n_rows,
            self._top,
            self._key,
            self._present,
            self._missing,
            self._words,
            self._count,
            self._row,
            self._ascending,
        )
        row, missing = self._row[:n], self._missing[:m].copy()
        if rows is not None:
            row, missing = rows[row].astype(np.uint32), rows[missing].astype(np.uint32)
        below, above = np.empty(first, np.uint32), np.empty(n - stop, np.uint32)
        self._verbs.mark_runs(self._ascending[:n], row, first, stop, below, above)
        frequent = self._top if is_sparse else self._ascending[first]
        middle = self._value(frequent, values.dtype) if is_sparse or n else np.nan
        return Sorted(below, above, missing, middle)

    def _value(self, key: Any, dtype: Any) -> float:
        """Turn a key back into the value it came from."""
        bits = key ^ self._top if key & self._top else ~key
        return float(bits.view(dtype))
