"""Models of a few rows, for problems whose fit ended before a point of all rows was evaluated.

Where the sum of the duals is given, as it is by nu, the point 0 is none and the first one takes
kernel values of many rows. A fit without the time for them solves the problem of a sample instead,
in which a row stands for others of its group: it has their bounds together, so that the sums are
those of the whole problem. Nothing is proven of such a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Point
from maxmargin.kernels.gram import Gram
from maxmargin.ops.clock import TimeUp, grace
from maxmargin.ops.threads import Workers
from maxmargin.problems import BoxQP
from maxmargin.solvers import Decomposition, Limits, Solution
from maxmargin.solvers.kernel_values.memory import Rows, arrange
from maxmargin.solvers.run import nothing_proven, run
from maxmargin.svm.classes import Reduction, Task

Index = NDArray[np.intp]

_ROWS, _TOGETHER = 256, 2048  # of a sample, and of all of a fit where these are more than
_FEW = 32
_STEPS = 20_000
_SECONDS = 0.3  # for all problems of a fit, where values are dear; else loading loops takes longest


def fit_samples(
    gram: Gram, reduced: Reduction, solutions: Sequence[Solution], limits: Limits, seed: int
) -> tuple[Reduction, list[Solution]]:
    """Return problems and points in which samples stand for the rows that were not reached.

    Parameters
    ----------
    gram : Gram
        Of the rows as ``reduced`` has sorted them.
    reduced : Reduction
    solutions : sequence of Solution
        One a task; those of which something is proven stay.
    limits : Limits
        Of which the tolerance counts still.
    seed : int
        Of the draw.
    """
    tasks, found = list(reduced.tasks), list(solutions)
    missing = [i for i, each in enumerate(found) if nothing_proven(each.certificate)]
    size = min(_ROWS, max(_FEW, _TOGETHER // max(1, len(missing))))
    with suppress(TimeUp), grace(None if gram.cheap else _SECONDS) as clock:
        own = Limits(limits.tol, _STEPS, clock)
        for i in missing:
            rows = reduced.variables(tasks[i])[: len(tasks[i].problem) // reduced.copies]
            blocks = _draw(tasks[i].problem, len(rows), size, seed)
            tasks[i], point = _of_sample(gram, tasks[i], rows, blocks, own, seed)
            found[i] = replace(found[i], point=point)
    return replace(reduced, tasks=tuple(tasks)), found


def _draw(problem: BoxQP, n_rows: int, size: int, seed: int) -> list[Index]:
    """Divide the rows of a problem at random into blocks of one group each, whose first counts."""
    group = np.zeros(n_rows, np.int8)
    if problem.groups is not None and problem.copies == 1:
        group = problem.groups
    random, blocks = np.random.default_rng(seed), list[Index]()
    for number in np.unique(group):
        members = random.permutation(np.flatnonzero(group == number))
        wanted = max(1, size * len(members) // n_rows)
        blocks += np.array_split(members, min(wanted, len(members)))
    return sorted(blocks, key=lambda block: int(block[0]))


def _of_sample(
    gram: Gram, task: Task, rows: Index, blocks: list[Index], limits: Limits, seed: int
) -> tuple[Task, Point]:
    """Solve the problem in which the first row of every block stands for all of it."""
    problem, copies = task.problem, task.problem.copies
    first = np.array([block[0] for block in blocks])
    shifts = len(rows) * np.arange(copies)[:, None]
    chosen, lower, upper = (first + shifts).ravel(), *np.zeros((2, len(problem)))
    for place, block in zip(chosen.reshape(copies, -1).T, blocks, strict=True):
        for variable, shift in zip(place, shifts, strict=True):
            lower[variable] = problem.lower[block + shift].sum()
            upper[variable] = problem.upper[block + shift].sum()
    whole = replace(problem, lower=lower, upper=upper)
    groups = None if problem.groups is None else problem.groups[chosen]
    bounds = {"lower": lower[chosen], "upper": upper[chosen]}
    small = replace(whole, p=problem.p[chosen], groups=groups, **bounds)
    solved = _solve(gram.reordered(rows[first]), small, limits, seed).point
    beta, product = np.zeros((2, len(problem)))
    beta[chosen], product[chosen] = solved.beta, solved.product
    return replace(task, problem=whole), replace(solved, beta=beta, product=product)


def _solve(gram: Gram, problem: BoxQP, limits: Limits, seed: int) -> Solution:
    segment, memory = (0,), 8 * len(problem) ** 2 * 4
    rows = Rows(gram, np.array([0, len(gram)]), [segment], problem.copies)
    with Workers(1) as workers:
        view = arrange(rows, memory, workers, Decomposition).view(segment)
        return run(Decomposition(problem, view, None, seed), limits)
