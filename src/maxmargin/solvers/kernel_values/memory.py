"""Where the kernel values of a fit lie, within its budget: chosen once for all of its problems.

- all of them in memory, where the whole matrix fits and more than one problem, or a small one,
  wants it: it is evaluated once, and every problem copies the rows that it comes to want;
- nowhere, for many small problems on vectors of few columns: each evaluates the rows that it comes
  to want, which are a small part of its matrix;
- row by row through a cache that all problems share (``row_cache``).

Nothing that a result depends on follows from the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels.gram import Gram
from maxmargin.ops import kinds
from maxmargin.ops.clock import stop_if_over
from maxmargin.ops.engine import engine_of
from maxmargin.ops.kinds import PANEL, SLIVER
from maxmargin.ops.threads import Scratch, Workers
from maxmargin.solvers.box_qp.dual_ascent import SIZE
from maxmargin.solvers.box_qp.working_set import working_set_size
from maxmargin.solvers.kernel_values.iterate import Window
from maxmargin.solvers.kernel_values.matrix import Matrix, Source
from maxmargin.solvers.kernel_values.products import Products
from maxmargin.solvers.kernel_values.row_cache import TILE_COLUMNS, TILE_ROWS, RowCache

Segments = tuple[int, ...]
Index = NDArray[np.intp]

_TILES = 9  # threads' scratch memory to leave room for; the same for any number of them
_VECTORS = 12  # a number a row, as many as a fit has at a time
_LAZY = 2  # times as many variables may a problem have that evaluates only rows it comes to want
_FEW_COLUMNS = 64  # of which a row is evaluated nearly as fast by itself as in a block
_EPILOGUE = 64  # multiplications beside those of a dot product, for each value of a formula
_LITTLE = 1 << 27  # of them are soon done: other threads may take longer to be given a core
_BLOCK, _STRIP = 256, 5 * SLIVER  # rows that a thread evaluates at a time, and by a formula


@dataclass(frozen=True)
class Rows:
    """The rows of a fit, cut into segments (classes), and which of them each problem sees."""

    gram: Gram
    edges: Index
    problems: Sequence[Segments]
    copies: int = 1
    """Variables that each row has in a problem."""

    def index(self, segments: Segments) -> Index:
        """List the row of every variable of a problem."""
        rows = np.concatenate([np.arange(*self.edges[s : s + 2]) for s in segments])
        return np.tile(rows, self.copies)

    def index_of(self, problems: Sequence[Segments]) -> Index:
        """List the rows of several problems, one after the other."""
        if self.copies > 1:
            return np.concatenate([self.index(segments) for segments in problems])
        rows, edges = np.arange(len(self.gram)), self.edges.tolist()
        return np.concatenate([rows[edges[s] : edges[s + 1]] for each in problems for s in each])

    @cached_property
    def largest(self) -> int:
        """Variables of the largest problem."""
        sizes = self.edges[1:] - self.edges[:-1]
        return self.copies * max(int(sizes[list(segments)].sum()) for segments in self.problems)


@dataclass(frozen=True)
class Memory:
    """For each problem, known by its segments of rows, a view of kernel values."""

    view: Callable[[Segments], Any]
    """A ``Matrix``, or a ``Window`` of cached rows."""
    at_once: int = 1
    """How many problems may be at work together."""
    group: Callable[[Sequence[Segments]], Matrix] | None = None
    """One ``Matrix`` of several problems that evaluate or copy the rows they come to want."""


def arrange(rows: Rows, budget: int, workers: Workers, solver: Any) -> Memory:
    """Choose what is stored within the budget (bytes), for a solver that says what it takes."""
    gram, item = rows.gram, rows.gram.dtype.itemsize
    square, largest = len(gram) ** 2 * item, rows.largest**2 * item
    if getattr(solver, "multiplies", False):
        return _multiplied(rows, square <= budget, workers)
    many, in_memory = len(rows.problems) > 1, solver.in_memory and rows.largest <= SIZE
    parts = many or rows.copies > 1
    fits = in_memory and square + (largest if parts else 0) <= budget
    formula = gram.formula if many and solver.in_memory else None
    narrow = formula is not None and formula.X.shape[1] <= _FEW_COLUMNS
    if rows.largest <= _LAZY * SIZE and largest <= budget and narrow:
        return _evaluated(rows, budget)
    if fits:
        return _stored(rows, budget - square, workers)
    if many and 2 * square <= budget:
        rows, budget = replace(rows, gram=gram.stored(evaluate(gram, workers))), budget // 2
    return _by_rows(rows, budget, workers, solver)


def _stored(rows: Rows, left: int, workers: Workers) -> Memory:
    """Evaluate the whole matrix; a problem that is a part of it copies rows."""
    matrix = evaluate(rows.gram, workers)
    gram, diagonal = rows.gram.stored(matrix), matrix.diagonal().copy()
    rows, size = replace(rows, gram=gram), rows.largest**2
    scratch, at_once = Scratch(size, matrix.dtype), max(1, left // (size * matrix.itemsize))

    def view(segments: Segments) -> Matrix:
        index = rows.index(segments)
        if len(index) == len(matrix):
            return Matrix.of(matrix, gram, index)
        source = Source.copied(matrix, index)
        return Matrix.on_demand(scratch.memory(), diagonal[index], source, gram, index)

    if len(rows.problems) == 1 and rows.largest == len(matrix):
        return Memory(view, at_once)
    everything = Source.copied(matrix, np.arange(len(matrix)))
    return Memory(view, at_once, _grouped(rows, everything, scratch, diagonal))


def _grouped(
    rows: Rows, source: Source, scratch: Scratch, diagonal: NDArray[Any]
) -> Callable[[Sequence[Segments]], Matrix]:
    """Return how several problems share rows that are filled as they are wanted."""

    def group(problems: Sequence[Segments]) -> Matrix:
        index = rows.index_of(problems)
        slots, taken = np.full(len(index), -1), np.zeros(len(problems), np.int64)
        memory, seen = scratch.memory(), source.seen_by(index)
        return Matrix(memory, slots, diagonal[index], seen, rows.gram, index, taken)

    return group


def _multiplied(rows: Rows, stored: bool, workers: Workers) -> Memory:
    """Multiply with all rows at once: those of a matrix that fits, or evaluated every time."""
    gram, few = rows.gram, stored and len(rows.gram) <= SIZE
    matrix = evaluate(gram, workers) if stored else None
    products = Products(gram, matrix, None if few else workers)
    return Memory(lambda _segments: products, len(rows.problems) if few else 1)


def _evaluated(rows: Rows, budget: int) -> Memory:
    """Evaluate rows for each problem when it needs them."""
    gram, formula = rows.gram, rows.gram.formula
    assert formula is not None
    X = formula.X
    # Rows lie class by class, so a problem's columns of X' are a few runs, copied as they are.
    XT, norms, diagonal = X.T.copy(), formula.lengths, gram.diagonal()
    size = rows.largest**2
    scratch = Scratch(size, gram.dtype)

    def view(segments: Segments) -> Matrix:
        index = rows.index(segments)
        own = np.concatenate([XT[:, slice(*rows.edges[s : s + 2])] for s in segments], axis=1)
        source = Source.evaluated(formula.kind, own, norms[index], formula.params)
        return Matrix.on_demand(scratch.memory(), diagonal[index], source, gram, index)

    everything = Source.evaluated(formula.kind, XT, norms, formula.params)
    at_once = max(1, budget // (size * gram.dtype.itemsize))
    return Memory(view, at_once, _grouped(rows, everything, scratch, diagonal))


def _by_rows(rows: Rows, budget: int, workers: Workers, solver: Any) -> Memory:
    """Cache rows: of all problems together, or of one after the other if the solver wants that."""
    gram, item = rows.gram, rows.gram.dtype.itemsize
    size = working_set_size(rows.copies * len(gram), item, budget)
    lines = budget - _beside(gram, budget) - solver.squares * size**2 * item
    lines = max(lines, solver.fewest_lines * rows.largest * item)
    if solver.whole_rows:

        def view(segments: Segments) -> Window:
            cache = RowCache(gram.reordered(rows.index(segments)), lines, workers)
            return Window(cache, (0,), size)

        return Memory(view)
    cache = RowCache(gram, lines, workers, rows.edges.tolist())
    return Memory(lambda segments: Window(cache, segments, size, rows.copies))


def _beside(gram: Gram, budget: int) -> int:
    """Return how much of the budget is needed beside rows, for tiles or packed rows."""
    item, formula = gram.dtype.itemsize, gram.formula
    if formula is None:
        return min(_TILES * TILE_ROWS * TILE_COLUMNS * item, budget // 8)
    tiles = _TILES * TILE_ROWS * kinds.TILE_COLUMNS * item
    return min(tiles + formula.X.nbytes + _VECTORS * 8 * len(gram), budget // 2)


def evaluate(gram: Gram, workers: Workers | None = None) -> NDArray[Any]:
    """Evaluate the whole matrix, on all threads: rows up to the diagonal, then mirrored."""
    if gram.whole is not None:
        return gram.whole
    matrix, formula = np.empty((len(gram), len(gram)), gram.dtype), gram.formula
    mirror, width = engine_of(matrix).rows.mirror, PANEL // gram.dtype.itemsize
    scratch = Scratch(_STRIP * (len(gram) + width), gram.dtype)
    parts = () if formula is None else (*formula.as_rows, *formula.as_columns)
    strip = _BLOCK if formula is None else _STRIP

    def work(first: int) -> None:
        stop_if_over()
        stop = min(first + strip, len(gram))
        if formula is not None:
            formula.verbs.fill_strip(*parts, first, stop, matrix, scratch.memory())
            return
        gram.block(gram.rows[first:stop], gram.rows[:stop], matrix[first:stop, :stop])
        mirror(matrix, first, stop, 0, first)

    columns = np.inf if formula is None else formula.X.shape[1]
    strips = reversed(range(0, len(gram), strip))
    if workers is None or matrix.size * (columns + _EPILOGUE) <= _LITTLE:
        for first in strips:
            work(first)
    else:
        workers.each(work, strips)
    return matrix
