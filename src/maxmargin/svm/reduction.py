"""From several classes to box QPs of two, all on one Gram matrix, and back to one set of duals.

Training rows are sorted by class, so that a class is a segment of rows and of kernel columns. A
pair of classes is then two segments; one class against the rest is all of them. Every problem of
a fit draws on one row cache; when the whole Gram matrix fits in its memory and more than one
problem wants it, it is evaluated once. Small problems on such a matrix are solved side by side, one
a thread: most of their time goes to loops that only one thread can run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Point
from maxmargin.kernels.gram import Gram
from maxmargin.ops.cpu.rows import mirror
from maxmargin.ops.threads import Workers, side_by_side
from maxmargin.problems import BoxQP, c_svc
from maxmargin.solvers import (
    DualAscent,
    Limits,
    RowCache,
    Shrinking,
    Solution,
    interruptible,
    run,
)
from maxmargin.solvers.dual_ascent import SIZE
from maxmargin.solvers.iterate import Window
from maxmargin.solvers.row_cache import TILE_COLUMNS, TILE_ROWS
from maxmargin.solvers.working_set import working_set_size

Vector = NDArray[np.float64]

_TILES = 9  # threads' scratch memory to leave room for; the same for any number of them


@dataclass(frozen=True)
class Task:
    """One problem of two sides: which class is positive, over which segments."""

    positive: int
    segments: tuple[int, ...]
    problem: BoxQP


def one_vs_one(counts: Sequence[int], cost: Vector) -> list[Task]:
    """All pairs of classes, the earlier one positive."""
    edges = np.cumsum([0, *counts])
    parts = [np.arange(edges[c], edges[c + 1]) for c in range(len(counts))]
    return [
        Task(i, (i, j), _sides(len(parts[i]), cost[np.concatenate([parts[i], parts[j]])]))
        for i, j in combinations(range(len(counts)), 2)
    ]


def _sides(positives: int, cost: Vector) -> BoxQP:
    return c_svc(np.where(np.arange(len(cost)) < positives, 1.0, -1.0), cost)


def without_bias(reduced: Reduction) -> Reduction:
    """State every task without a bias, for a Gram matrix whose offset of 1 stands for it."""
    tasks = (replace(task, problem=replace(task.problem, bias=False)) for task in reduced.tasks)
    return replace(reduced, tasks=tuple(tasks), offset=1.0)


def one_vs_rest(counts: Sequence[int], cost: Vector) -> list[Task]:
    """Each class against all others, the class positive."""
    label = np.repeat(np.arange(len(counts)), counts)
    everything = tuple(range(len(counts)))
    return [Task(c, everything, c_svc(np.where(label == c, 1.0, -1.0), cost)) for c in everything]


@dataclass(frozen=True)
class Reduction:
    """The tasks of a fit, over rows sorted by class; ``order`` says which row came from where."""

    order: NDArray[np.intp]
    counts: tuple[int, ...]
    tasks: tuple[Task, ...]
    offset: float = 0.0
    """Added to the kernel instead of a bias."""

    @property
    def edges(self) -> NDArray[np.intp]:
        """Where classes begin among the sorted rows, and the end."""
        return np.cumsum([0, *self.counts])

    @property
    def by_pairs(self) -> bool:
        """Whether a task is a pair of classes."""
        return len(self.tasks) == len(self.counts) * (len(self.counts) - 1) // 2 and all(
            len(task.segments) == 2 for task in self.tasks
        )

    def variables(self, task: Task) -> NDArray[np.intp]:
        """List the sorted rows that a task sees."""
        parts = [np.arange(self.edges[s], self.edges[s + 1]) for s in task.segments]
        return np.concatenate(parts)

    def lines(self, task: Task) -> NDArray[np.intp]:
        """In which line of the dual coefficients each of a task's rows has its dual.

        One against the rest: line c for class c. Pairs, as in LIBSVM: a row of class i has its
        dual against class j in line j - 1 if j > i, in line j otherwise.
        """
        if not self.by_pairs:
            return np.full(len(self.order), task.positive)
        i, j = task.segments
        return np.repeat([j - 1, i], [self.counts[i], self.counts[j]])

    def dual_coefficients(self, betas: Sequence[Vector]) -> Vector:
        """Collect the duals of all tasks in one matrix over the sorted rows."""
        lines = len(self.counts) - 1 if self.by_pairs else len(self.tasks)
        matrix = np.zeros((lines, len(self.order)))
        for task, beta in zip(self.tasks, betas, strict=True):
            matrix[self.lines(task), self.variables(task)] = beta
        return matrix

    def intercepts(self, points: Sequence[Point]) -> Vector:
        """Find the bias of every task at its point; an offset's is offset sum beta."""
        pairs = zip(self.tasks, points, strict=True)
        problems = [(task.problem, point) for task, point in pairs]
        biases = [q.intercept(p.beta, q.linear - p.product) for q, p in problems]
        return np.array(biases) + self.offset * np.array([p.beta.sum() for p in points])

    def points(self, duals: Vector, values: Vector, gram: Gram) -> list[Point]:
        """Take the tasks' points out of such a matrix, with products for all rows and tasks.

        The products are of the kernel alone; what an offset adds to them is added here.
        """
        scale = float(np.abs(gram.diagonal()).max(initial=0.0))
        points = []
        for number, task in enumerate(self.tasks):
            rows = self.variables(task)
            beta = duals[self.lines(task), rows]
            convex = gram.seems_convex(rows[np.argsort(-np.abs(beta))])
            product = values[rows, number] + self.offset * beta.sum()
            points.append(Point(beta, product, gram.dtype, convex, scale))
        return points


def reduce_classes(
    label: NDArray[np.intp],
    cost: Vector,
    n_classes: int,
    split: Callable[[Sequence[int], Vector], list[Task]],
) -> Reduction:
    """Sort the rows that cost something by class and split them into tasks."""
    rows = np.flatnonzero(cost > 0)
    order = rows[np.argsort(label[rows], kind="stable")]
    counts = np.bincount(label[rows], minlength=n_classes).tolist()
    return Reduction(order, tuple(counts), tuple(split(counts, cost[order])))


@dataclass(frozen=True)
class _Memory:
    """Where kernel values of the tasks lie: for each task a window, and what else it may use."""

    window: Callable[[Task], Window]
    size: int
    together: int


def solve(
    gram: Gram,
    reduced: Reduction,
    limits: Limits,
    budget: int,
    workers: Workers,
    solver: type[DualAscent] | type[Shrinking] = Shrinking,
    seed: int = 0,
) -> list[Solution]:
    """Solve every task within the limits and the memory budget (bytes).

    A first Ctrl-C ends the tasks at work with their best points, and the others where they start.
    """
    memory = _divide(gram, reduced, budget, workers, solver)
    end = None if limits.time_limit is None else time.perf_counter() + limits.time_limit
    # A callback sees one task after the other, and need not be prepared for several threads.
    together = memory.together if limits.callback is None else 1
    with interruptible() as interrupted:

        def solve_one(task: Task) -> Solution:
            left = None if end is None else max(0.0, end - time.perf_counter())
            proposal = solver(task.problem, memory.window(task), size=memory.size, seed=seed)
            return run(proposal, replace(limits, time_limit=left), interrupted)

        return side_by_side(solve_one, reduced.tasks, together)


def _divide(
    gram: Gram,
    reduced: Reduction,
    budget: int,
    workers: Workers,
    solver: type[DualAscent] | type[Shrinking],
) -> _Memory:
    """Choose what is stored; nothing that a result depends on follows from the threads."""
    item = gram.dtype.itemsize
    largest = max(len(task.problem) for task in reduced.tasks)
    if len(reduced.tasks) > 1 and 2 * len(gram) ** 2 * item <= budget:
        gram = gram.stored(evaluate(gram, workers))
        budget //= 2
        if largest <= SIZE and 2 * largest**2 * item <= budget:
            together = min(workers.threads, budget // (2 * largest**2 * item))
            return _Memory(partial(_own_rows, gram, reduced), largest, together)
    size = working_set_size(len(gram), item, budget)
    tiles = min(_TILES * TILE_ROWS * TILE_COLUMNS * item, budget // 8)
    room = budget - tiles - solver.squares * size**2 * item
    room = max(room, solver.fewest_lines * largest * item)
    if solver.whole_rows:
        window = partial(_own_rows, gram, reduced, budget=room, workers=workers)
        return _Memory(window, size, together=1)
    cache = RowCache(gram, room, workers, reduced.edges.tolist())
    return _Memory(lambda task: Window(cache, task.segments), size, together=1)


def _own_rows(
    gram: Gram,
    reduced: Reduction,
    task: Task,
    budget: int | None = None,
    workers: Workers | None = None,
) -> Window:
    """Give a task a cache of its own, on one thread unless told: all its rows fit by default."""
    part = gram.reordered(reduced.variables(task))
    everything = len(part) ** 2 * gram.dtype.itemsize
    cache = RowCache(part, everything if budget is None else budget, workers or Workers(1))
    return Window(cache, (0,))


def evaluate(gram: Gram, workers: Workers) -> NDArray[np.floating]:
    """Evaluate the whole matrix on all threads: rows up to the diagonal, then mirrored."""
    matrix = np.empty((len(gram), len(gram)), gram.dtype)

    def work(first: int) -> None:
        stop = min(first + 256, len(gram))
        gram.block(gram.rows[first:stop], gram.rows[:stop], matrix[first:stop, :stop])
        mirror(matrix, first, stop, 0, first)

    workers.each(work, range(0, len(gram), 256))
    return matrix
