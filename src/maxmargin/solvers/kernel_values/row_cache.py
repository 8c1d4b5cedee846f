"""Kernel rows of a training set, held within a memory budget and shared by the problems of a fit.

A row is wanted by a working-set solver when its dual variable moves; it then adds to the product
K beta of every training row. Rows are evaluated in fixed pieces of columns, each by one thread:
one matrix product, one pass for the kernel function, one to store and add, all while the piece is
in the processor's cache, and in one compiled call where the kernel is a known formula. Rows of
variables at a bound make room for new ones first, then the least recently used: a free variable
moves in almost every step, one at a bound hardly again.

Columns come in segments (one a class), so that one-vs-one problems, which need two segments each,
share what they evaluate: a line of the store holds a row over all segments, filled as needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels.base import Prepared
from maxmargin.kernels.gram import Formula, Gram
from maxmargin.ops import kinds
from maxmargin.ops.engine import engine_of
from maxmargin.ops.threads import Scratch, Workers

Index = NDArray[np.intp]

# A tile of float32 kernel values is 2 MB: those of sparse rows and of items have less to gain from
# a processor's cache than from reading the rows less often. Of formulas tiles are smaller.
TILE_ROWS, TILE_COLUMNS = 512, 1024

# A variable at a bound that has not moved for so many moves will hardly do so again; the more
# columns a row has to be evaluated from, the more of them are waited for.
_SHORTEST, _LONGER, _FOR_GOOD = 4, 32, 1 << 40
_COLUMNS_A_MOVE = 12

# Products that are summed, and functions of them evaluated, between two looks at the clock: some
# tenths of a second of one thread. A kernel value costs as much as a product of so many columns.
_WORK, _VALUE = 1 << 32, 30
_ABSOLUTE = 12.0  # products that an absolute difference counts as: it is not fused, and slower
_SOON = 1 << 40  # added to the time of use of rows likely to be wanted again


@dataclass(frozen=True)
class Piece:
    """A range of columns inside one segment."""

    segment: int
    start: int
    stop: int


@dataclass(frozen=True)
class Tile:
    """Some rows, ready for the kernel, and the lines they go to."""

    rows: Prepared
    slots: Index


@dataclass(frozen=True)
class New:
    """Rows to be evaluated on a segment, by a formula, and the lines they go to."""

    rows: Formula
    slots: Index
    lacking: NDArray[np.bool_]
    """Which of the rows asked for they are."""


@dataclass(frozen=True)
class Placement:
    """Where rows lie in the store, and which rows they displaced from which lines."""

    slots: Index
    displaced: Index
    displaced_slots: Index


class RowCache:
    """Lines of the Gram matrix, the most recently used of them stored.

    ``boundaries`` are where segments of columns begin, and the end; ``budget`` is in bytes. The
    lines lie in ``memory`` where that is given, for instance another cache's that is idle.
    """

    def __init__(
        self,
        gram: Gram,
        budget: int,
        workers: Workers,
        boundaries: Sequence[int] | None = None,
        memory: NDArray[Any] | None = None,
    ) -> None:
        n = len(gram)
        self.gram, self.workers = gram, workers
        self.boundaries = np.asarray([0, n] if boundaries is None else boundaries, dtype=np.intp)
        self.lines = int(np.clip(budget // (n * gram.dtype.itemsize), 1, n))
        memory = np.empty(self.lines * n, gram.dtype) if memory is None else memory.reshape(-1)
        self.store = memory[: self.lines * n].reshape(self.lines, n)
        self.engine = engine_of(self.store)
        self._slot_of = np.full(n, -1, dtype=np.intp)
        self._row_of = np.full(self.lines, -1, dtype=np.intp)
        self._filled = np.zeros((self.lines, len(self.boundaries) - 1), dtype=bool)
        self._last_use = np.zeros(self.lines, dtype=np.int64)
        self._clock = 0
        self.at_once = _rows_at_once(gram)
        self.formula = gram.formula and replace(gram.formula, workers=workers)
        self._patience = _FOR_GOOD if self.formula is None else _patience(self.formula)
        self.width = TILE_COLUMNS if self.formula is None else kinds.TILE_COLUMNS
        self._columns = {p: gram.rows[p.start : p.stop] for p in self.pieces(self._all_segments())}
        self._segment_columns: dict[int, Formula] = {}
        self._scratch = Scratch(TILE_ROWS * self.width, gram.dtype)

    def _all_segments(self) -> Sequence[int]:
        return range(len(self.boundaries) - 1)

    def pieces(self, segments: Sequence[int]) -> list[Piece]:
        """Cut segments of columns into the fixed pieces that threads work on."""
        cut = [(s, self.boundaries[s], self.boundaries[s + 1]) for s in segments]
        return [
            Piece(s, start, min(start + self.width, int(end)))
            for s, begin, end in cut
            for start in range(int(begin), int(end), self.width)
        ]

    def whole(self, segments: Sequence[int]) -> list[Piece]:
        """Take segments of columns as they are, for loops that cut them into pieces themselves."""
        return [Piece(s, int(self.boundaries[s]), int(self.boundaries[s + 1])) for s in segments]

    def columns(self, segment: int) -> Formula:
        """Look at a segment's rows as columns, by a formula; packed when first asked for."""
        if segment not in self._segment_columns:
            assert self.formula is not None
            some = slice(int(self.boundaries[segment]), int(self.boundaries[segment + 1]))
            self._segment_columns[segment] = self.formula.take(some)
        return self._segment_columns[segment]

    def place(self, rows: Index, wanted_again: NDArray[np.bool_]) -> Placement:
        """Assign every row a line, at most ``lines`` rows at a time, and say which rows gave way.

        Rows that are likely to be wanted again give way last, whenever they were used.
        """
        self._clock += 1
        slots = self._slot_of[rows]
        self._last_use[slots[slots >= 0]] = self._clock + _SOON
        lacking = rows[slots < 0]
        chosen = self._give_way(len(lacking))
        evicted = self._row_of[chosen]
        used = evicted >= 0
        self._slot_of[evicted[used]] = -1
        self._slot_of[lacking], self._row_of[chosen] = chosen, lacking
        self._filled[chosen] = False
        slots = self._slot_of[rows]
        self._last_use[slots] = self._clock + np.where(wanted_again, _SOON, 0)
        return Placement(slots, evicted[used], chosen[used])

    def _give_way(self, count: int) -> Index:
        """Find lines of variables long at a bound, vacant ones, and those used longest ago.

        In this order: memory that nobody has touched yet costs more than evaluating the few rows
        again whose variables leave their bound after all.
        """
        taken = self._row_of >= 0
        stale = np.flatnonzero(taken & (self._last_use < self._clock - self._patience))
        if len(stale) >= count:
            oldest = np.argpartition(self._last_use[stale], count - 1)[:count]
            return np.sort(stale[oldest])
        vacant = np.flatnonzero(~taken)[: count - len(stale)]
        if len(stale) + len(vacant) == count:
            return np.sort(np.concatenate([stale, vacant]))
        return np.sort(np.argpartition(self._last_use, count - 1)[:count])

    def new_rows(self, rows: Index, segments: Sequence[int]) -> dict[int, New]:
        """For each segment the rows still to be evaluated there, where there is a formula."""
        assert self.formula is not None
        slots, found = self._slot_of[rows], dict[int, New]()
        for s in segments:
            lacking = ~self._filled[slots, s]
            same = [new for new in found.values() if np.array_equal(new.lacking, lacking)]
            gathered = same[0].rows if same else self.formula.take(rows[lacking])
            found[s] = New(gathered, slots[lacking], lacking)
        return found

    def missing(self, rows: Index, segments: Sequence[int]) -> dict[int, list[Tile]]:
        """For each segment the rows still to be evaluated there, gathered once for all pieces."""
        slots = self._slot_of[rows]
        lacking = {s: ~self._filled[slots, s] for s in segments}
        return {s: self._tiles(rows[mask], slots[mask]) for s, mask in lacking.items()}

    def _tiles(self, rows: Index, slots: Index) -> list[Tile]:
        parts = (slice(i, i + TILE_ROWS) for i in range(0, len(rows), TILE_ROWS))
        return [Tile(self.gram.rows[rows[part]], slots[part]) for part in parts]

    def fill(self, tiles: list[Tile], piece: Piece) -> None:
        """Evaluate rows on a piece of columns and store them."""
        columns = self._columns[piece]
        for tile in tiles:
            values = self.tile(len(tile.slots), piece.stop - piece.start)
            self.gram.block(tile.rows, columns, values)
            width = piece.stop - piece.start
            self.engine.rows.put_rows(values, self.store, tile.slots, piece.start, width)

    def mark_filled(self, slots: Index, segments: Sequence[int]) -> None:
        """Record that lines are complete on these segments."""
        for segment in segments:
            self._filled[slots, segment] = True

    def slots_of(self, rows: Index, columns: Index) -> Index:
        """Lines of rows that are stored over the segments of all these columns; -1 for others."""
        segments = np.unique(np.searchsorted(self.boundaries, columns, side="right") - 1)
        return self.slots_on(rows, segments)

    def slots_on(self, rows: Index, segments: Sequence[int] | Index) -> Index:
        """Lines of rows that are stored over all these segments; -1 for others."""
        slots = self._slot_of[rows]
        filled = np.logical_and.reduce(self._filled[:, np.asarray(segments)], axis=1)
        return np.where(filled[np.maximum(slots, 0)], slots, -1)

    def room_ahead(self, most: int) -> int:
        """How many rows to evaluate ahead of time, so that little still wanted gives way."""
        vacant = int(np.count_nonzero(self._row_of < 0))
        return min(most, max(vacant, self.lines // 8))

    def touch(self, rows: Index) -> None:
        """Note that stored rows were used just now."""
        slots = self._slot_of[rows]
        self._last_use[slots[slots >= 0]] = self._clock + _SOON

    def clear(self) -> None:
        """Forget all lines."""
        self._slot_of[:] = self._row_of[:] = -1
        self._filled[:] = False
        self._last_use[:] = 0

    def resident(self) -> tuple[Index, Index]:
        """Find the rows that are stored, and their lines."""
        slots = np.flatnonzero(self._row_of >= 0)
        return self._row_of[slots], slots

    def tile(self, rows: int, columns: int) -> NDArray[np.floating]:
        """Memory of this thread for a tile."""
        return self.scratch()[: rows * columns].reshape(rows, columns)

    def scratch(self) -> NDArray[np.floating]:
        """Memory of this thread for the largest tile."""
        return self._scratch.memory()


def _rows_at_once(gram: Gram) -> int:
    """How many rows to evaluate between two looks at the clock, however many threads there are."""
    X: Any = getattr(gram.rows, "X", None)
    if sparse.issparse(X):
        columns = 4.0 * X.nnz / max(1, len(gram))  # a product of sparse rows has to find them
    else:
        columns = 0.0 if X is None else float(X.shape[1])
        if getattr(gram.kernel, "distance", "") == "absolute":
            columns *= _ABSOLUTE
    return max(kinds.SLIVER, int(_WORK / (max(1, len(gram)) * (columns + _VALUE))))


def _patience(formula: Formula) -> int:
    """How many moves a row is kept for whose variable went to a bound."""
    return min(_LONGER, max(_SHORTEST, formula.X.shape[1] // _COLUMNS_A_MOVE))
