"""Columns cut into buckets, for rounds that are compiled as a whole.

All of ``ops/cpu/boost_rounds.py`` that has to do with columns: which of them it can take, their
buckets, and splits as it writes them (a number of rows of a run) as splits of values, and back.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.engine import engine_of
from maxmargin.ops.kinds import ROW
from maxmargin.ops.round_state import ALONG, COUNT, GAIN, LINE, REST, RUN, SIDE, Buckets
from maxmargin.ops.threads import Workers
from maxmargin.trees.columns import Columns
from maxmargin.trees.sorted_block import SortedBlock
from maxmargin.trees.source import ColumnSource
from maxmargin.trees.split import Split, midpoints, round_gain
from maxmargin.trees.stump_ensemble import StumpEnsemble

Vector = NDArray[np.float64]

_MOST_ENTRIES = 65_535  # buckets of all columns: their numbers have two bytes
_MOST_BUCKETS = 254  # buckets of a column, that of missing values apart: a bucket has one byte
_FEWEST_BUCKETS = 7  # that every column must get, or the columns are not cut
_GROUPS = 16  # of columns, which threads share
_WORTH_THREADS = 1 << 19  # stored rows; fewer are one group
_ROWS_A_BUCKET = 8  # at least: fewer are read as fast as their sum
_CELLS = 1024  # of a bundle at most: sums of more take long to fold
_ROWS_A_CELL = 16  # at least, for the same reason
_FREQUENT_SHARE = 4  # a bundled column has its frequent value in one row of 4 at least


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
        self.buckets = _cut(block, source.n_rows, workers)

    @classmethod
    def of(cls, columns: Columns) -> BucketedColumns | None:
        """Cut columns that are all numbers, in memory and free to be split anywhere."""
        parts = columns.plain()
        if parts is None or not 0 < parts[1].n_columns <= _MOST_ENTRIES // (_FEWEST_BUCKETS + 1):
            return None
        return cls(*parts)

    def splits(self, log: Vector) -> StumpEnsemble:
        """Read the splits of rounds; their leaves are -1 and +1."""
        run, count = log[:, [RUN, COUNT]].T.astype(np.int64)
        side, rest = 2.0 * log[:, [SIDE, REST]].T - 1.0
        asks, above = run >= 0, (run >= 0) & (run % 2 == 1)
        return StumpEnsemble.of_numbers(
            feature=np.where(asks, run // 2, -1),
            threshold=np.where(asks, self._thresholds(run, count), np.nan),
            missing_right=asks & self._missing_right(run, count, above, log[:, ALONG] != 0.0),
            left=np.where(above | ~asks, rest, side),
            right=np.where(above, side, rest),
            gain=round_gain(log[:, GAIN]),
        )

    def _missing_right(self, run: Any, count: Any, above: Any, along: Any) -> Any:
        """Choose the side for missing values; without any in training, the side with more rows."""
        unseen = (count > 0) & (np.diff(self.buckets.lacking)[run // 2] == 0)
        n_rows = self._source.n_rows
        return np.where(unseen, 2 * np.where(above, count, n_rows - count) > n_rows, along == above)

    def _thresholds(self, run: Any, count: Any) -> Vector:
        """Put thresholds behind the first rows of runs; without any, beyond all values."""
        rows, start, _, _ = self._block.parts()
        asked = np.flatnonzero((run >= 0) & (count > 0))
        feature, begin = run[asked] // 2, start[run[asked]].astype(np.int64)
        place, end = begin + count[asked], start[run[asked] + 1].astype(np.int64)
        last = self._source.at(rows[place - 1] & ROW, feature) + 0.0
        then = np.array(self._block.middle)[feature]
        inside = np.flatnonzero(place < end)
        then[inside] = self._source.at(rows[place[inside]] & ROW, feature[inside]) + 0.0
        thresholds = np.full(len(run), np.inf)
        thresholds[asked] = midpoints(np.minimum(last, then), np.maximum(last, then))
        return thresholds

    def line(self, split: Split) -> Vector:
        """Write a split as a round does."""
        line = np.zeros(LINE)
        line[RUN], line[REST], line[GAIN] = -1.0, split.left > 0.0, split.gain
        if split.feature < 0:
            return line
        above, count = self._block.find(split, self._source.column(split.feature))
        leaves = split.right > 0.0, split.left > 0.0
        line[SIDE], line[REST] = leaves if above else leaves[::-1]
        line[RUN], line[COUNT] = 2 * split.feature + above, count
        line[ALONG] = split.missing_right == above
        return line


def _cut(block: SortedBlock, n_rows: int, workers: Workers) -> Buckets:
    rows, start, missing, lacking = block.parts()
    p = len(lacking) - 1
    most = min(_MOST_BUCKETS, _MOST_ENTRIES // p - 1)
    first, exact = np.empty(2 * p + 1, np.int64), np.empty(p, np.bool_)
    bounds = np.empty((3, min(p * (most + 1), len(rows) + p)), np.int64)
    count = engine_of(rows).stump_buckets.cut_runs(
        rows, start, most, _ROWS_A_BUCKET, first, exact, *bounds
    )
    begin, inner, stop = bounds[:, :count].copy()
    width = np.diff(first[::2]) + (np.diff(lacking) > 0)
    common = _FREQUENT_SHARE * np.diff(start[::2].astype(np.int64)) >= n_rows
    bundle, cell = _bundle(width, exact & common, count, n_rows // _ROWS_A_CELL)
    runs, bundles = (rows, start, missing, lacking), (bundle, cell, width)
    entry_start, entries = _list_entries(runs, (first, begin, stop), bundles, n_rows, workers)
    return Buckets(*runs, first, begin, inner, stop, exact, *bundles, entry_start, entries)


def _bundle(width: Any, joins: Any, count: int, most: int) -> tuple[Any, Any]:
    """Bundle neighbours that join while their cells are few; gives where bundles and cells begin.

    Entries have two bytes: where cells were too many for that, there are none.
    """
    begin: list[int] = []
    sizes: list[int] = []
    for j, (w, join) in enumerate(zip(width.tolist(), joins.tolist(), strict=True)):
        if join and sizes and 0 < sizes[-1] * w <= min(most, _CELLS):
            sizes[-1] *= w
        else:
            begin.append(j)
            sizes.append(w if join else 0)
    cell = np.cumsum([count, *sizes], dtype=np.int64)
    if cell[-1] > _MOST_ENTRIES:
        return np.arange(len(width) + 1, dtype=np.int64), np.full(len(width) + 1, count)
    return np.array([*begin, len(width)], np.int64), cell


def _list_entries(
    runs: tuple[Any, ...],
    cuts: tuple[Any, ...],
    bundles: tuple[Any, ...],
    n_rows: int,
    workers: Workers,
) -> tuple[Any, Any]:
    """List the entries of every row; groups of bundles are counted, then written, side by side."""
    rows, _, missing, lacking = runs
    verbs, G = engine_of(rows).stump_buckets, len(bundles[0]) - 1
    size = G if len(rows) < _WORTH_THREADS else -(-G // _GROUPS)
    groups = list(pairwise([*range(0, G, size), G]))
    place = np.empty((len(groups), n_rows), np.uint64)

    def count(k: int) -> None:
        verbs.count_entries(*runs, *bundles[:2], *groups[k], place[k])

    def write(k: int) -> None:
        verbs.list_entries(rows, missing, lacking, *cuts, *bundles, *groups[k], place[k], entries)

    workers.each(count, range(len(groups)))
    entry_start = _stack(place)
    entries = np.empty(int(entry_start[-1]), np.uint16)
    workers.each(write, range(len(groups)))
    return entry_start, entries


def _stack(count: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Turn the counts of groups into where their entries begin; gives where those of rows do."""
    entry_start = np.zeros(count.shape[1] + 1, np.uint64)
    np.cumsum(count.sum(axis=0), out=entry_start[1:])
    before = entry_start[:-1].copy()
    for each in count:
        before += each
        np.subtract(before, each, out=each)
    return entry_start
