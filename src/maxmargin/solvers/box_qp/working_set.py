"""Block decomposition: optimise a thousand dual variables at a time, all others fixed.

Problem: the box QP of ``problems.box_qp``. One step

1. chooses a working set W: variables of the last one that are free, and new violators;
2. completes the small matrix K_WW and optimises beta_W on it by SMO (``ops.cpu.smo``);
3. evaluates the kernel rows of the variables that moved, and only those, and adds their change
   to K beta (``iterate``).

Decomposition with large working sets is Osuna, Freund, Girosi (1997) and Joachims (1999); that
free variables should stay is Zanni (2006). New here is how violators are chosen. The worst ones
lie close together when many variables belong at their bounds, and moving a few of them settles
the others, so a set of the worst wastes its rows; a random sample of all violators does not. When
most variables end up free, the worst are the better choice. Which case it is shows in the share
of the chosen that moved, so the number taken from the top follows that share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels.gram import Formula
from maxmargin.ops.kinds import PANEL, SLIVER
from maxmargin.ops.threads import Scratch
from maxmargin.problems import BoxQP
from maxmargin.solvers.box_qp.cached_ascent import CachedAscent
from maxmargin.solvers.box_qp.dual_ascent import Index, Start, Vector
from maxmargin.solvers.kernel_values.iterate import Window
from maxmargin.solvers.kernel_values.matrix import Matrix
from maxmargin.solvers.kernel_values.row_cache import RowCache
from maxmargin.solvers.run import Limits

_SIZE = 1024  # variables at a time: their rows of K_WW stay in the cache of the core that runs SMO
_KEPT = 512  # at most so many of the last set stay
_FRACTION = 0.1  # of the first violation that SMO leaves in a working set
_BLOCK = 256  # rows of K_WW one thread evaluates at a time,
_STRIP = 5 * SLIVER  # and by a formula


def working_set_size(n: int, itemsize: int, budget: int) -> int:
    """How many variables to take at a time: two square matrices of them in half of the budget."""
    return min(n, _SIZE, max(64, int((budget / (4 * itemsize)) ** 0.5)))


class WorkingSet(CachedAscent):
    """Decomposition of one problem over one window of the kernel cache."""

    squares = 2

    def __init__(
        self,
        problem: BoxQP,
        view: Window,
        start: Start | None = None,
        seed: int = 0,
        *,
        buffers: list[NDArray[Any]] | None = None,
    ) -> None:
        super().__init__(problem, view, start, seed)
        self._many = max(len(problem), 100)
        self._kept = min(_KEPT, self._size // 2)
        self._matrix = SquareMatrix(view.cache, view.index, self._size, buffers)
        self._top = 0.5

    def lend_buffers(self) -> list[NDArray[Any]]:
        """Lend this solver's memory to one that works in its place."""
        return self._matrix.lend()

    def note_curvature(self, other: WorkingSet) -> None:
        """Remember the flattest pair that another solver of the same matrix met."""
        self._flattest = min(self._flattest, other._flattest)

    def step(self, limits: Limits) -> None:
        """Choose, optimise, update."""
        F = self.gradient()
        new, place = self._choose(F)
        chosen = self._matrix.exchange(place, new)
        beta = self._optimise(chosen, F, limits)
        moved = beta != self.beta[chosen]
        self._learn(moved[len(place) :])
        self.move_in_time(chosen[moved], beta[moved], limits)

    def _choose(self, F: Vector) -> tuple[Index, Index]:
        """Pick new violators, and the places of those in the last working set that stay."""
        last, beta = self._matrix.variables, self.beta
        if len(self.problem) <= self._size:
            everything = np.arange(len(self.problem))
            return everything[len(last) :], everything[: len(last)]
        free = (beta[last] > self.problem.lower[last]) & (beta[last] < self.problem.upper[last])
        place = np.flatnonzero(free)[-self._kept :]
        return self._violators(F, last[place]), place

    def _violators(self, F: Vector, kept: Index) -> Index:
        """Half from each side of the bias: the worst, and a sample of the others."""
        slope = self._slopes(F)
        slope[kept] = 0.0
        wanted = (self._size - self._kept) // 2
        rising, falling = self._sample(slope, 1.0, wanted), self._sample(slope, -1.0, wanted)
        if len(rising) == 0 or len(falling) == 0:
            extra = np.setdiff1d(self._worst_pair(F), kept)
            return np.unique(np.concatenate([rising, falling, extra]))
        return np.sort(np.concatenate([rising, falling]))

    def _sample(self, slope: Vector, sign: float, wanted: int) -> Index:
        top = np.empty(max(1, int(self._top * wanted)), np.intp)
        others = np.empty(len(slope), np.intp)
        others = others[: self.engine.selection.violators(slope, sign, top, others)]
        top = top[top >= 0]
        if len(top) + len(others) > wanted:
            others = self._random.choice(others, wanted - len(top), replace=False, shuffle=False)
        return np.concatenate([top, others])

    def _learn(self, moved: NDArray[np.bool_]) -> None:
        """Take more of the worst while most of the chosen move, fewer when most do not."""
        share = float(moved.mean()) if len(moved) else 0.5
        factor = 0.5 if share < 0.35 else 2.0 if share > 0.65 else 1.0
        self._top = min(1.0, max(1 / 64, self._top * factor))

    def _optimise(self, chosen: Index, F: Vector, limits: Limits) -> Vector:
        """Solve the small problem to a fraction of its violation; returns the new beta_W."""
        part, beta, gradient = self.problem.part(chosen, F), self.beta[chosen], F[chosen]
        target = max(0.5 * limits.tol, _FRACTION * part.violation(beta, gradient))
        most = limits.steps_left(self.iterations, 100 * self._many)
        matrix = Matrix.of(self._matrix.values)
        steps, flat = matrix.ascend(part, beta, gradient, target, most, limits)
        self.iterations += steps
        self._flattest = min(self._flattest, flat)
        return beta


class SquareMatrix:
    """K_WW of the present working set.

    What stays from the last set is copied. The rows of what stays are mostly in the row cache, so
    their values against new variables are read there, unless evaluating them is cheaper.
    """

    def __init__(
        self, cache: RowCache, index: Index, size: int, buffers: list[NDArray[Any]] | None = None
    ) -> None:
        self._cache, self._index, self._verbs = cache, index, cache.engine.rows
        self._buffers = buffers or [np.empty(size * size, cache.gram.dtype) for _ in range(2)]
        width = PANEL // cache.gram.dtype.itemsize
        self._scratch = Scratch(_STRIP * (size + width), cache.gram.dtype)
        self.variables: Index = np.empty(0, dtype=np.intp)
        self.values: NDArray[Any] = np.empty((0, 0), cache.gram.dtype)

    def lend(self) -> list[NDArray[Any]]:
        """Forget the matrix and lend out its memory."""
        self.variables = self.variables[:0]
        return list(self._buffers)

    def exchange(self, place: Index, new: Index) -> Index:
        """Keep the variables at some places, in order, and let new ones follow."""
        if len(new) == 0 and len(place) == len(self.variables):
            return self.variables
        variables = np.concatenate([self.variables[place], new])
        self._buffers.reverse()
        values = self._buffers[0][: len(variables) ** 2].reshape(len(variables), len(variables))
        if self._cache.formula is not None:
            self._fill(place, self._cache.formula.take(self._index[variables]), values)
        else:
            known = self._read(place, new, values)
            self._cache.workers.each(self._copying(place, values), range(0, len(place), _BLOCK))
            self._evaluate(variables, len(place), known, values)
        self.variables, self.values = variables, values
        return variables

    def _copying(self, place: Index, values: NDArray[Any]) -> Callable[[int], None]:
        def work(first: int) -> None:
            stop = min(first + _BLOCK, len(place))
            self._verbs.gather_square(self.values, place, first, stop, values)

        return work

    def _fill(self, place: Index, rows: Formula, values: NDArray[Any]) -> None:
        """Copy what stays and evaluate the rest by a formula, the longest strips first."""
        copy, old, q = self._copying(place, values), len(place), len(rows)
        parts = *rows.take(slice(old, None)).as_rows, *rows.as_columns

        def work(task: tuple[bool, int]) -> None:
            evaluated, first = task
            if not evaluated:
                copy(first)
                return
            scratch = self._scratch.memory()
            rows.verbs.fill_strip(*parts, first, min(first + _STRIP, q), values, scratch)

        strips = [(True, first) for first in reversed(range(old, q, _STRIP))]
        blocks = [(False, first) for first in range(0, old, _BLOCK)]
        self._cache.workers.each(work, strips + blocks)

    def _read(self, place: Index, new: Index, values: NDArray[Any]) -> int:
        """Fill in what the row cache knows; returns how many leading columns that completes."""
        columns = self._index[new]
        slots = self._cache.slots_of(self._index[self.variables[place]], columns)
        if self._cache.gram.cheap or (slots < 0).any():
            return 0

        def work(first: int) -> None:
            stop = min(first + _BLOCK, len(slots))
            self._verbs.take_columns(self._cache.store, slots, columns, first, stop, values)
            self._verbs.mirror(values, first, stop, len(slots), len(values))

        self._cache.workers.each(work, range(0, len(slots), _BLOCK))
        return len(slots)

    def _evaluate(self, variables: Index, old: int, known: int, values: NDArray[Any]) -> None:
        """Evaluate rows from ``old`` on against columns from ``known`` to their own."""
        gram = self._cache.gram
        rows = gram.rows[self._index[variables[known:]]]

        def work(first: int) -> None:
            stop = min(first + _BLOCK, len(variables))
            part = rows[first - known : stop - known]
            gram.block(part, rows[: stop - known], values[first:stop, known:stop])
            self._verbs.mirror(values, first, stop, known, first)

        self._cache.workers.each(work, range(old, len(variables), _BLOCK))
