"""A dual point beta with its product K beta, kept twice: for the solver and for the judge.

``running`` is updated by every move and steers the solver. ``settled`` is summed anew: a row's
final coefficient times the row, added when the row leaves the cache or at the end, whatever the
moves in between were. That costs one reading of each row and never looks at ``running``, so a wrong
gradient cannot certify itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels.gram import Gram
from maxmargin.ops.threads import stop_if_cancelled
from maxmargin.solvers.kernel_values.row_cache import (
    TILE_ROWS,
    Index,
    Piece,
    Placement,
    RowCache,
)

Vector = NDArray[np.float64]

_AT_ONCE = 16  # pieces that a thread takes before it asks whether to go on: some hundredths of a s


@dataclass(frozen=True)
class Window:
    """What one problem sees of cached rows: some segments of rows and columns."""

    cache: RowCache
    segments: tuple[int, ...]
    room: int
    """Number of variables of which there is memory for a square matrix."""
    copies: int = 1
    """Variables that each row has."""

    @property
    def gram(self) -> Gram:
        """The matrix of all rows."""
        return self.cache.gram

    @property
    def index(self) -> Index:
        """For each of the problem's variables its row in the training set."""
        return np.tile(self.rows, self.copies)

    @property
    def rows(self) -> Index:
        """The rows that the problem sees."""
        bounds = self.cache.boundaries
        return np.concatenate([np.arange(bounds[s], bounds[s + 1]) for s in self.segments])


class Iterate:
    """beta, one a row, moved a few at a time, with both products."""

    def __init__(self, window: Window) -> None:
        self.cache, self._segments = window.cache, window.segments
        self.index = window.rows
        n = len(self.index)
        self.beta, self.running, self._settled, self._booked = (np.zeros(n) for _ in range(4))
        self._variable = np.full(len(self.cache.gram), -1, dtype=np.intp)
        self._variable[self.index] = np.arange(n)
        self._pieces = list(self._located(self.cache.pieces(self._segments)))
        self._whole = list(self._located(self.cache.whole(self._segments)))
        self._add_rows, self.rows_evaluated = self.cache.engine.rows.add_rows, 0

    def _located(self, pieces: Sequence[Piece]) -> list[tuple[Piece, slice]]:
        """Pair each piece of columns with the problem's variables it stands for."""
        first = [int(self._variable[piece.start]) for piece in pieces]
        return [(p, slice(v, v + p.stop - p.start)) for p, v in zip(pieces, first, strict=True)]

    def __len__(self) -> int:
        return len(self.beta)

    def move(self, variables: Index, values: Vector, free: NDArray[np.bool_]) -> None:
        """Set some variables, some of them free: likely to move again.

        At most as many rows at a time as the cache has lines.
        """
        for first in range(0, len(variables), self.cache.lines):
            part = slice(first, first + self.cache.lines)
            self._move(variables[part], values[part], free[part])

    def fetch(self, variables: Index, wanted_again: NDArray[np.bool_]) -> None:
        """Store the rows of some variables, at most as many as the cache has lines."""
        self._move(variables, self.beta[variables], wanted_again)

    def lines(self) -> Index:
        """For every variable the line of the store that has its row; -1 if none has."""
        return self.cache.slots_on(self.index, self._segments)

    def _move(self, variables: Index, values: Vector, free: NDArray[np.bool_]) -> None:
        rows, steps = self.index[variables], values - self.beta[variables]
        placed = self.cache.place(rows, free)
        follow = self._by_tiles if self.cache.formula is None else self._by_formula
        self.rows_evaluated += follow(rows, steps, placed)
        self.beta[variables] = values
        self.cache.mark_filled(placed.slots, self._segments)

    def _by_formula(self, rows: Index, steps: Vector, placed: Placement) -> int:
        """Update both products, a range of columns in one call; return the rows evaluated."""
        cache, formula = self.cache, self.cache.formula
        assert formula is not None
        settle, new = self._leaving(placed), cache.new_rows(rows, self._segments)
        kept = {s: ~of.lacking & (steps != 0) for s, of in new.items()}
        known = {s: (placed.slots[mask], steps[mask]) for s, mask in kept.items()}
        advance = formula.verbs.add_rows_and_fill

        counters = np.zeros((len(self._whole), 1), np.int64)
        weights = {s: steps[of.lacking] for s, of in new.items()}
        parts = {s: (*of.rows.as_rows, of.slots, weights[s]) for s, of in new.items()}
        columns = {s: cache.columns(s).as_columns for s in new}

        def work() -> None:
            """Take pieces of one segment after the other, as long as nobody else has."""
            for (piece, part), counter in zip(self._whole, counters, strict=True):
                s = piece.segment
                while advance(
                    self._settled[part],
                    *settle,
                    self.running[part],
                    *known[s],
                    *parts[s],
                    *columns[s],
                    piece.start,
                    cache.store,
                    cache.scratch(),
                    counter,
                    cache.workers.threads,
                    _AT_ONCE,
                ):
                    stop_if_cancelled()

        cache.workers.on_all(work, len(self._pieces))
        return len(new[self._segments[0]].rows)

    def _by_tiles(self, rows: Index, steps: Vector, placed: Placement) -> int:
        """Do the same for any other kernel."""
        missing = self.cache.missing(rows, self._segments)
        settle, moving = self._leaving(placed), steps != 0
        slots, steps = placed.slots[moving], steps[moving]

        def settled(located: tuple[Piece, slice]) -> None:
            piece, part = located
            self._add_rows(self._settled[part], self.cache.store, *settle, piece.start)

        def filled(located: tuple[Piece, slice]) -> None:
            piece, _ = located
            self.cache.fill(missing[piece.segment], piece)

        def added(located: tuple[Piece, slice]) -> None:
            piece, part = located
            self._add_rows(self.running[part], self.cache.store, slots, steps, piece.start)

        def work(located: tuple[Piece, slice]) -> None:
            settled(located)
            filled(located)
            added(located)

        if self.cache.gram.cheap:  # all three while a piece is in the processor's cache
            self.cache.workers.each(work, self._pieces)
        else:  # what may run out of time comes before anything has changed
            self.cache.workers.each(settled, self._pieces)
            self.cache.workers.each(filled, self._pieces)
            self.cache.workers.each(added, self._pieces)
        return sum(len(tile.slots) for tile in missing[self._segments[0]])

    def _leaving(self, placed: Placement) -> tuple[Index, Vector]:
        """Lines about to be overwritten whose coefficients are not all booked, and the rest due."""
        return self._book(placed.displaced, placed.displaced_slots)

    def _book(self, rows: Index, slots: Index) -> tuple[Index, Vector]:
        variables = self._variable[rows]
        due = np.where(variables >= 0, self.beta[variables] - self._booked[variables], 0.0)
        kept = due != 0
        self._booked[variables[kept]] = self.beta[variables[kept]]
        return slots[kept], due[kept]

    def fresh_product(self) -> Vector:
        """K beta from kernel rows and the coefficients as they are now."""
        settle = self._book(*self.cache.resident())

        def work(located: tuple[Piece, slice]) -> None:
            piece, part = located
            self._add_rows(self._settled[part], self.cache.store, *settle, piece.start)

        self.cache.workers.each(work, self._pieces)
        assert np.array_equal(self._booked, self.beta, equal_nan=True)
        return self._settled.copy()

    def absorb(self, variables: Index, values: Vector, active: Index, part: Iterate) -> None:
        """Take over what a part has found: new values, and their products on its own variables.

        Everything so far must be settled. Products on the other variables are evaluated here, once
        for each row that moved, and not kept.
        """
        rest = np.setdiff1d(np.arange(len(self)), active, assume_unique=True)
        change = self._product_on(rest, variables, values - self.beta[variables])
        self.running[active] += part.running
        self._settled[active] += part.fresh_product()
        self.running[rest] += change
        self._settled[rest] += change
        self.beta[variables] = self._booked[variables] = values

    def _product_on(self, rest: Index, variables: Index, weights: Vector) -> Vector:
        """K[rest, variables] weights, a tile of kernel values at a time."""
        gram, product, width = self.cache.gram, np.zeros(len(rest)), self.cache.width
        parts = [slice(i, i + TILE_ROWS) for i in range(0, len(variables), TILE_ROWS)]
        tiles = [(gram.rows[self.index[variables[part]]], weights[part]) for part in parts]

        def work(first: int) -> None:
            some = slice(first, first + width)
            columns = gram.rows[self.index[rest[some]]]
            for rows, w in tiles:
                tile = self.cache.tile(len(rows), len(columns))
                gram.block(rows, columns, tile)
                self._add_rows(product[some], tile, np.arange(len(rows)), w, 0)

        self.cache.workers.each(work, range(0, len(rest), width))
        return product

    def begin_at(self, beta: Vector, product: Vector) -> None:
        """Set all of beta, whose product is known."""
        self.beta[:] = self._booked[:] = beta
        self.running[:] = self._settled[:] = product

    def restart(self, product: Vector) -> None:
        """Go on from a freshly evaluated product."""
        self.running[:] = product
