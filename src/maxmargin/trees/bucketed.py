"""Columns cut into buckets, for rounds that are compiled as a whole.

All of ``ops/cpu/boost_rounds.py`` that has to do with columns: which of them it can take, their
buckets, and splits as it writes them (so many rows of a run) as splits of values, and back.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.engine import engine_of
from maxmargin.ops.round_state import ALONG, COUNT, GAIN, LINE, REST, RUN, SIDE, Buckets
from maxmargin.ops.threads import Workers
from maxmargin.trees.columns import Columns
from maxmargin.trees.sorted_block import SortedBlock
from maxmargin.trees.source import ColumnSource
from maxmargin.trees.split import Split, midpoint

Vector = NDArray[np.float64]

_ALL = 65_535  # buckets: their numbers have two bytes
_MOST, _FEWEST = 254, 7  # buckets of a column, that of missing values apart
_ROWS = 8  # of a bucket, at least: fewer are read as fast as their sum


class BucketedColumns:
    """The columns of a training set, in buckets.

    Parameters
    ----------
    block : SortedBlock
    source : ColumnSource
        Where their values are.
    workers : Workers
    """

    def __init__(self, block: SortedBlock, source: ColumnSource, workers: Workers) -> None:
        self._block, self._source, self.workers = block, source, workers
        self.buckets = _cut(block, source.n_rows)

    @classmethod
    def of(cls, columns: Columns) -> BucketedColumns | None:
        """Cut columns that are all numbers, in memory and free to be split anywhere."""
        parts = columns.plain()
        if parts is None or not 0 < parts[1].n_columns <= _ALL // (_FEWEST + 1):
            return None
        return cls(*parts)

    def split(self, line: Any) -> Split:
        """Read the split of a round; its leaves are -1 and +1."""
        run, count = int(line[RUN]), int(line[COUNT])
        side, rest, gain = 2.0 * line[SIDE] - 1.0, 2.0 * line[REST] - 1.0, float(line[GAIN])
        if run < 0:
            return Split(left=rest, right=rest, gain=gain)
        above, feature, n_rows = run % 2 == 1, run // 2, self._source.n_rows
        left, right = (rest, side) if above else (side, rest)
        missing_right = bool(line[ALONG]) == above
        if count == 0:
            return Split(feature, np.inf, None, missing_right, left, right, gain)
        if not self._block.n_missing[feature]:  # none seen: to the side with more rows
            missing_right = 2 * (count if above else n_rows - count) > n_rows
        threshold = self._threshold(feature, above, count)
        return Split(feature, threshold, None, missing_right, left, right, gain)

    def _threshold(self, feature: int, above: bool, count: int) -> float:
        """Put a threshold behind the first rows of a run."""
        begin, end = self._block.run(feature, above)
        column, then = self._source.column(feature), self._block.middle[feature]
        last = self._block.value(column, begin + count - 1)
        if begin + count < end:
            then = self._block.value(column, begin + count)
        return midpoint(min(last, then), max(last, then))

    def line(self, split: Split) -> Vector:
        """Write a split as a round does."""
        line = np.zeros(LINE)
        line[RUN], line[REST] = -1.0, split.left > 0.0
        if split.feature < 0:
            return line
        above, count = self._block.find(split, self._source.column(split.feature))
        leaves = split.right > 0.0, split.left > 0.0
        line[SIDE], line[REST] = leaves if above else leaves[::-1]
        line[RUN], line[COUNT] = 2 * split.feature + above, count
        line[ALONG] = split.missing_right == above
        return line


def _cut(block: SortedBlock, n_rows: int) -> Buckets:
    rows, start, missing, lacking = block.parts()
    verbs, p = engine_of(rows).stump_buckets, len(lacking) - 1
    most = min(_MOST, _ALL // p - 1)
    first = np.empty(2 * p + 1, np.int64)
    bounds = np.empty((3, min(p * (most + 1), len(rows) + p)), np.int64)
    count = verbs.cut_runs(rows, start, most, _ROWS, first, *bounds)
    bounds = bounds[:, :count].copy()
    entry_start = np.empty(n_rows + 1, np.uint64)
    verbs.count_entries(rows, missing, entry_start)
    entries = np.empty(entry_start[-1], np.uint16)
    verbs.list_entries(
        rows, missing, lacking, first, bounds[0], bounds[2], entry_start, entries
    )
    return Buckets(rows, start, missing, lacking, first, *bounds, entry_start, entries)
