"""Classes to problems and back: one against one, or one against the rest.

Rows are sorted by class, so that a problem sees whole segments of them. A problem's duals go to
their places in one matrix over all rows, as LIBSVM has it, and are taken out again there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Point
from maxmargin.kernels.gram import Gram

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
State = Callable[[Vector, Vector], Any]
"""From labels of -1 and +1 and costs of slack to a problem."""


@dataclass(frozen=True)
class Task:
    """One problem of two sides: which class is positive, over which segments."""

    positive: int
    segments: tuple[int, ...]
    problem: Any


@dataclass(frozen=True)
class Reduction:
    """The tasks of a fit, over rows sorted by class; ``order`` says which row came from where."""

    order: Index
    edges: Index
    """Where classes begin among the sorted rows, and the end."""
    tasks: tuple[Task, ...]
    by_pairs: bool
    copies: int = 1
    """Variables that each row has, one after the other over all rows; 2 in a regression."""

    def variables(self, task: Task) -> Index:
        """List the sorted row of every variable of a task."""
        return np.tile(_joined(self.edges, task.segments), self.copies)

    def rows(self, task: Task) -> Index:
        """List the rows that a task sees, by their place in the data."""
        return self.order[self.variables(task)]

    def places(self, task: Task) -> list[tuple[Any, slice]]:
        """Where in the matrix of duals each segment of a task has its duals: line and columns.

        One against the rest: line c for class c. Pairs, as in LIBSVM: a row of class i has its
        dual against class j in line j - 1 if j > i, in line j otherwise.
        """
        places = []
        for s in task.segments:
            line = task.positive
            if self.by_pairs:
                i, j = task.segments
                line = j - 1 if s == i else i
            places.append((line, slice(int(self.edges[s]), int(self.edges[s + 1]))))
        return places

    def join_duals(self, betas: Sequence[Vector]) -> Vector:
        """Collect the duals of all tasks in one matrix over the sorted rows."""
        lines = len(self.edges) - 2 if self.by_pairs else len(self.tasks)
        matrix = np.zeros((lines, len(self.order)))
        for task, of_all in zip(self.tasks, betas, strict=True):
            first, beta = 0, of_all
            if self.copies > 1:
                beta = of_all.reshape(self.copies, -1).sum(axis=0)
            for line, part in self.places(task):
                stop = first + part.stop - part.start
                matrix[line, part] = beta[first:stop]
                first = stop
        return matrix

    def part_duals(self, matrix: Vector, task: Task) -> Vector:
        """Take the duals of a task out of such a matrix; of two a row one has its sign."""
        beta = np.concatenate([matrix[line, part] for line, part in self.places(task)])
        if self.copies == 1:
            return beta
        return np.concatenate([np.maximum(beta, 0.0), np.minimum(beta, 0.0)])

    def points(self, duals: Vector, values: Vector, gram: Gram) -> list[Point]:
        """Make points of the duals of all tasks, with the products K beta of every row and task."""
        points = []
        for number, task in enumerate(self.tasks):
            rows, beta = self.variables(task), self.part_duals(duals, task)
            convex = gram.seems_convex(rows[np.argsort(-np.abs(beta))])
            product = values[rows, number] + gram.offset * beta.sum()
            points.append(Point(beta, product, gram.rounding.of(rows), convex))
        return points


def intercept(problem: Any, point: Point, offset: float = 0.0) -> float:
    """Find the bias of a problem at its point, with what an offset of the kernel adds.

    And with what was taken off the targets.
    """
    b: float = problem.intercept(point.beta, problem.p - point.product)
    b += getattr(problem, "shift", 0.0)
    return b + offset * float(point.beta.sum()) if offset else b


def reduce_classes(
    label: Index, cost: Vector, n_classes: int, by_pairs: bool, state: State
) -> Reduction:
    """Sort the rows that cost something by class and state a problem for every pair or class."""
    rows = np.flatnonzero(cost > 0)
    order = rows[np.argsort(label[rows], kind="stable")]
    edges = np.searchsorted(label[order], np.arange(n_classes + 1))
    split = _one_vs_one if by_pairs else _one_vs_rest
    return Reduction(order, edges, tuple(split(edges, cost[order], state)), by_pairs)


def keep_together(cost: Vector, state: Callable[[Index], Any], copies: int = 1) -> Reduction:
    """Make one problem of all rows that cost something, given as ``state`` takes them."""
    rows = np.flatnonzero(cost > 0)
    return Reduction(rows, np.array([0, len(rows)]), (Task(0, (0,), state(rows)),), False, copies)


def _joined(edges: Index, segments: tuple[int, ...]) -> Index:
    return np.concatenate([np.arange(edges[s], edges[s + 1]) for s in segments])


def _one_vs_one(edges: Index, cost: Vector, state: State) -> list[Task]:
    """All pairs of classes, the earlier one positive."""
    edges = edges.tolist()
    counts = [b - a for a, b in pairwise(edges)]
    largest, tasks = max(counts), []
    signs = np.repeat([1.0, -1.0], largest)  # of which every pair has a part around the middle
    for i, j in combinations(range(len(counts)), 2):
        t = signs[largest - counts[i] : largest + counts[j]]
        both = [cost[edges[c] : edges[c + 1]] for c in (i, j)]
        tasks.append(Task(i, (i, j), state(t, np.concatenate(both))))
    return tasks


def _one_vs_rest(edges: Index, cost: Vector, state: State) -> list[Task]:
    """Each class against all others, the class positive."""
    label = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
    everything = tuple(range(len(edges) - 1))
    return [Task(c, everything, state(np.where(label == c, 1.0, -1.0), cost)) for c in everything]
