"""Where the kernel values of a fit lie, within its budget: chosen once for all of its problems.

- all of them in memory, where the whole matrix fits and more than one problem, or a small one,
  wants it: it is evaluated once and every problem reads its part of it in place;
- in blocks, for the pairs of many classes: a class against itself is kept, two classes against
  each other are evaluated for their one problem and forgotten;
- row by row through a cache that all problems share (``row_cache``).

Nothing that a result depends on follows from the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels.gram import Gram
from maxmargin.ops.cpu.rows import mirror
from maxmargin.ops.threads import Workers
from maxmargin.solvers.blocks import Blocks
from maxmargin.solvers.dual_ascent import SIZE
from maxmargin.solvers.in_memory import Square
from maxmargin.solvers.iterate import Window
from maxmargin.solvers.row_cache import TILE_COLUMNS, TILE_ROWS, RowCache
from maxmargin.solvers.working_set import working_set_size

Segments = tuple[int, ...]

_TILES = 9  # threads' scratch memory to leave room for; the same for any number of them
_STRIP = 256  # rows of a matrix that one thread evaluates at a time


@dataclass(frozen=True)
class Memory:
    """For each problem, known by its segments of rows, a view of kernel values."""

    view: Callable[[Segments], Window | Square]
    at_once: int | None = 1
    """How many problems may be at work together; None for any number."""


@dataclass(frozen=True)
class Rows:
    """The rows of a fit, cut into segments (classes), and which of them each problem sees."""

    gram: Gram
    edges: NDArray[np.intp]
    problems: Sequence[Segments]

    def ranges(self, segments: Segments) -> list[tuple[int, int]]:
        """Where each of these segments begins and ends."""
        return [(int(self.edges[s]), int(self.edges[s + 1])) for s in segments]

    def index(self, segments: Segments) -> NDArray[np.intp]:
        """List the rows that a problem sees."""
        return np.concatenate([np.arange(*r) for r in self.ranges(segments)])

    @property
    def largest(self) -> int:
        """Rows of the largest problem."""
        return max(sum(b - a for a, b in self.ranges(s)) for s in self.problems)

    @property
    def paired(self) -> bool:
        """Whether every problem has two segments."""
        return all(len(s) == 2 for s in self.problems)


def arrange(rows: Rows, budget: int, workers: Workers, solver: Any) -> Memory:
    """Choose what is stored within the budget (bytes), for a solver that says what it takes."""
    n, item = len(rows.gram), rows.gram.dtype.itemsize
    many, small = len(rows.problems) > 1, rows.largest <= SIZE
    in_memory = solver.in_memory and small
    if 2 * n**2 * item <= budget and (many or in_memory):
        rows = _stored(rows, workers)
        if in_memory:
            return Memory(lambda segments: _part(rows, segments), at_once=None)
        budget //= 2
    elif in_memory and many and rows.paired and 8 * rows.largest**2 * item <= budget:
        return _in_blocks(rows, budget, workers)
    return _by_rows(rows, budget, workers, solver)


def _stored(rows: Rows, workers: Workers) -> Rows:
    gram = rows.gram
    return Rows(gram.stored(evaluate(gram, workers)), rows.edges, rows.problems)


def _part(rows: Rows, segments: Segments) -> Square:
    """Read a part of the stored matrix in place."""
    matrix, index = rows.gram.whole, rows.index(segments)
    assert matrix is not None
    if len(index) == len(matrix):
        return Square(rows.gram, index, Blocks.of(matrix))
    return Square(rows.gram, index, Blocks.within(matrix, *rows.ranges(segments)))


def _in_blocks(rows: Rows, budget: int, workers: Workers) -> Memory:
    """Keep each class against itself, where half of the budget holds that."""
    gram, item = rows.gram, rows.gram.dtype.itemsize
    counts = np.diff(rows.edges)
    kept: list[NDArray[Any]] = []
    if 2 * item * int((counts**2).sum()) <= budget:
        parts = [gram.reordered(np.arange(a, b)) for a, b in pairwise(rows.edges.tolist())]
        kept = [evaluate(part, workers) for part in parts]
        budget //= 2

    def view(segments: Segments) -> Square:
        a, b = (slice(*r) for r in rows.ranges(segments))
        own = [kept[s] if kept else evaluate(gram.reordered(rows.index((s,)))) for s in segments]
        across = gram.block(gram.rows[a], gram.rows[b])
        return Square(gram, rows.index(segments), Blocks.joined(own[0], across, own[1]))

    return Memory(view, at_once=max(1, budget // (2 * item * rows.largest**2)))


def _by_rows(rows: Rows, budget: int, workers: Workers, solver: Any) -> Memory:
    """Cache rows: of all problems together, or of one after the other if the solver wants that."""
    gram, item = rows.gram, rows.gram.dtype.itemsize
    size = working_set_size(len(gram), item, budget)
    tiles = min(_TILES * TILE_ROWS * TILE_COLUMNS * item, budget // 8)
    lines = budget - tiles - solver.squares * size**2 * item
    lines = max(lines, solver.fewest_lines * rows.largest * item)
    if solver.whole_rows:

        def view(segments: Segments) -> Window:
            cache = RowCache(gram.reordered(rows.index(segments)), lines, workers)
            return Window(cache, (0,), size)

        return Memory(view)
    cache = RowCache(gram, lines, workers, rows.edges.tolist())
    return Memory(lambda segments: Window(cache, segments, size))


def evaluate(gram: Gram, workers: Workers | None = None) -> NDArray[Any]:
    """Evaluate the whole matrix, on all threads: rows up to the diagonal, then mirrored."""
    matrix = np.empty((len(gram), len(gram)), gram.dtype)

    def work(first: int) -> None:
        stop = min(first + _STRIP, len(gram))
        gram.block(gram.rows[first:stop], gram.rows[:stop], matrix[first:stop, :stop])
        mirror(matrix, first, stop, 0, first)

    (workers or Workers(1)).each(work, range(0, len(gram), _STRIP))
    return matrix
