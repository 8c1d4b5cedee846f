"""Columns in order: the runs of rows around each one's most frequent value, and their scan.

The layout is that of ``ops/cpu/stump.py``; a run is named by its column's place in the block and by
whether it is the one above the frequent value.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.engine import engine_of
from maxmargin.ops.kinds import ROW, TOGETHER
from maxmargin.ops.pieces import SIZE
from maxmargin.ops.threads import Workers
from maxmargin.trees.criterion import Criterion, Vector
from maxmargin.trees.presort import Runs
from maxmargin.trees.source import Entries
from maxmargin.trees.split import Split

Mask = NDArray[np.bool_]

_PIECE = 50_000  # rows that a thread takes at a time, at least
_WORTH_THREADS = 400_000  # stored rows; fewer are scanned before another thread has woken up


class SortedBlock:
    """Some columns, each sorted.

    Parameters
    ----------
    features : ndarray of int of shape (columns,)
        Their numbers, ascending.
    columns : Runs
    """

    def __init__(self, features: NDArray[np.intp], columns: Runs) -> None:
        self.features = features
        self._place = dict(zip(features.tolist(), range(len(features)), strict=True))
        self.rows, self._missing, lengths, middle = columns
        self._lengths = lengths[:, :2].ravel()
        self._start = np.append(0, np.cumsum(self._lengths)).astype(np.uint64)
        self._bounds: list[int] = self._start.tolist()
        self.middle = middle.tolist()
        self.n_missing = lengths[:, 2].tolist()
        self._lacking = [0, *accumulate(self.n_missing)]
        self._light: list[int] = []  # columns with missing values too few for a side of their own

    @cached_property
    def _order(self) -> NDArray[np.uint64]:
        """The order in which runs are scanned: of equal length they share loops."""
        return np.argsort(self._lengths, kind="stable").astype(np.uint64)

    @cached_property
    def _pieces(self) -> list[tuple[int, int]]:
        """Pieces of that order, one a thread at a time."""
        return _pieces(np.sort(self._lengths))

    def __contains__(self, feature: int) -> bool:
        return feature in self._place

    def place(self, feature: int) -> int:
        """Return the position of a column by its index."""
        return self._place[feature]

    def run(self, place: int, above: bool) -> tuple[int, int]:
        """Return the ends of a run among the rows."""
        return self._bounds[2 * place + above], self._bounds[2 * place + above + 1]

    def parts(self) -> tuple[NDArray[Any], ...]:
        """Return all runs and their starts, and the same for rows with missing values."""
        return self.rows, self._start, self._missing, np.array(self._lacking, np.int64)

    def missing(self, place: int) -> NDArray[np.uint32]:
        """Return the rows with a missing value in a column."""
        return self._missing[self._lacking[place] : self._lacking[place + 1]]

    def is_light(self, place: int) -> bool:
        """Return whether missing values are too few for a side of their own."""
        return place in self._light

    def forbid_light_sides(self, weight: Vector, least: float) -> None:
        """Allow splits only where both sides of the values weigh enough."""
        total = float(weight.sum())
        for place in range(len(self.features)):
            missing = self.missing(place)
            apart = float(weight[missing].sum())
            if len(missing) and min(apart, total - apart) < least:
                self._light.append(place)
            for begin, end in pairwise(self._bounds[2 * place : 2 * place + 3]):
                run = self.rows[begin:end]
                side = np.cumsum(weight[run & ROW])
                run[np.minimum(side, total - apart - side) < least] &= ROW

    def missing_sums(self, criterion: Criterion) -> Vector:
        """Sum over the missing values of each column."""
        if len(self._missing) == 0:
            return np.zeros((len(self.features), len(criterion.total)))
        column = np.repeat(np.arange(len(self.features)), self.n_missing)
        sums = criterion.sums(column, self._missing, len(self.features))
        sums[self._light] = 0.0
        return sums

    def scan(self, criterion: Criterion, shift: Vector, workers: Workers) -> Vector:
        """Score both runs of every column, of shape (columns, 2)."""
        gain = np.full(2 * len(self.features), -np.inf)
        if len(self.rows) < _WORTH_THREADS:
            criterion.scan(self.rows, self._start, self._order, 0, len(gain), shift, gain)
            return gain.reshape(-1, 2)

        def scan(piece: tuple[int, int]) -> None:
            criterion.scan(self.rows, self._start, self._order, *piece, shift, gain)

        workers.each(scan, self._pieces)
        return gain.reshape(-1, 2)

    def reach(
        self,
        criterion: Criterion,
        begin: int,
        end: int,
        shift: Vector,
        target: float,
        last: bool,
        workers: Workers,
    ) -> tuple[int, Vector]:
        """Find the first or last split of a run that reaches a target, and the sums of its side.

        A long run is cut: its parts are summed first, so that each can be searched by itself. Sums
        are exact, so that it finds what one pass finds.
        """
        if end - begin <= SIZE:
            side = np.zeros(len(shift))
            return criterion.place(self.rows, begin, end, shift, target, last, side), side
        parts = list(pairwise([*range(begin, end, SIZE), end]))
        found, sides = [0] * len(parts), np.zeros((len(parts) + 1, len(shift)))

        def add_up(k: int) -> None:
            criterion.sum_run(self.rows, *parts[k], sides[k + 1])

        def search(k: int) -> None:
            found[k] = criterion.place(self.rows, *parts[k], shift, target, last, sides[k])

        workers.each(add_up, range(len(parts) - 1))
        sides = np.cumsum(sides, axis=0)
        workers.each(search, range(len(parts)))
        hits = [k for k, each in enumerate(found) if each] or [0]
        k = hits[-1 if last else 0]
        ahead = parts[k][0] - begin  # rows of the run before that part
        return found[k] + (ahead if found[k] > 0 else -ahead), sides[k]

    def value(self, column: Entries, place: int) -> float:
        """Look up the value of the row at some place of a run."""
        return column.at(int(self.rows[place] & ROW)) + 0.0

    def find(self, split: Split, column: Entries) -> tuple[bool, int]:
        """Find the run that a threshold cuts, the one above or not, and how much of it is one side.

        The frequent value's rows go with the other run.
        """
        place, threshold = self.place(split.feature), split.threshold
        above = not self.middle[place] > threshold
        run = range(*self.run(place, above))
        if not above:
            return False, bisect_right(run, threshold, key=lambda k: self.value(column, k))
        return True, bisect_left(run, -threshold, key=lambda k: -self.value(column, k))

    def right_side(self, split: Split, above: bool, count: int, n_rows: int) -> Mask:
        """Return which rows go right, for a split at a position of a run."""
        place = self.place(split.feature)
        right = np.full(n_rows, not above)
        begin, _ = self.run(place, above)
        engine_of(self.rows).stump.mark_side(self.rows, begin, begin + count, above, right)
        if self.n_missing[place]:
            right[self.missing(place)] = split.missing_right
        return right


def _pieces(lengths: NDArray[np.intp]) -> list[tuple[int, int]]:
    """Cut the runs into pieces of enough rows, which share their loops but at the end."""
    goals = np.arange(_PIECE, lengths.sum(), _PIECE)
    ends = 1 + np.searchsorted(np.cumsum(lengths), goals)
    whole = -(-ends // TOGETHER) * TOGETHER
    cuts = np.unique(np.minimum([0, *whole, len(lengths)], len(lengths))).tolist()
    return list(pairwise(cuts))
