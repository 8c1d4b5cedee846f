"""Many small problems of one fit, solved one after the other and judged together.

A problem of a hundred rows takes less time to solve than to be looked at from all sides by itself.
Here a group of them makes a step each, which mostly solves them; then one judge sees them all. What
is not certified by that is left to the loop that goes on until it is (``run``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Certificate, Point, Status, judge, judge_all
from maxmargin.kernels.rounding import Rounding
from maxmargin.problems import BoxQP, Segments, Stack
from maxmargin.solvers.dual_ascent import Start
from maxmargin.solvers.in_memory import InMemory, Square
from maxmargin.solvers.run import Limits, Solution

Vector = NDArray[np.float64]

_GROUP = 1 << 22  # kernel values in the matrices of a group: some milliseconds of work


@dataclass(frozen=True)
class Small:
    """A problem, a way to its matrix and, perhaps, duals to begin at."""

    problem: BoxQP
    view: Callable[[], Square]
    start: Start | None = None


def group(sizes: Sequence[int]) -> list[slice]:
    """Cut problems of these sizes into groups of about the same work."""
    work = np.cumsum(np.square(np.asarray(sizes, dtype=np.int64)))
    wanted = np.arange(_GROUP, work[-1], _GROUP)
    edges = np.unique([0, *np.searchsorted(work, wanted), len(work)])
    return [slice(a, b) for a, b in pairwise(edges.tolist())]


def solve_together(problems: Sequence[Small], limits: Limits) -> list[Solution | None]:
    """Make a step on each problem and judge them all; None for one that is not certified."""
    proposed: list[tuple[BoxQP, Point, int]] = []
    for small in problems:
        if limits.clock.over():
            break
        solver = InMemory(small.problem, small.view(), small.start)
        solver.step(limits)
        # The point is taken at once: the next problem may use the same memory for its rows.
        proposed.append((small.problem, solver.point(), solver.iterations))
    left: list[Solution | None] = [None] * (len(problems) - len(proposed))
    return (_judged(proposed, limits.tol) if proposed else []) + left


def _judged(proposed: Sequence[tuple[BoxQP, Point, int]], tol: float) -> list[Solution | None]:
    """Judge points in one go; those of problems with sums of their own one by one."""
    with np.errstate(invalid="ignore", over="ignore"):  # a status says so in words
        if len(proposed) == 1 or any(p.groups is not None or any(p.totals) for p, _, _ in proposed):
            verdicts = [judge(problem, point, tol) for problem, point, _ in proposed]
        else:
            verdicts = _judged_at_once(proposed, tol)
    return [
        Solution(point, verdict, steps) if verdict.status is Status.CERTIFIED else None
        for (_, point, steps), verdict in zip(proposed, verdicts, strict=True)
    ]


def _judged_at_once(proposed: Sequence[tuple[BoxQP, Point, int]], tol: float) -> list[Certificate]:
    points = [point for _, point, _ in proposed]
    joined = Point(
        np.concatenate([point.beta for point in points]),
        np.concatenate([point.product for point in points]),
        Rounding.joined([point.rounding for point in points]),
    )
    convex = np.array([point.convex for point in points])
    return judge_all(_stacked([p for p, _, _ in proposed]), joined, convex, tol)


def _stacked(problems: Sequence[BoxQP]) -> Stack:
    p, lower, upper = (
        np.concatenate([getattr(problem, name) for problem in problems])
        for name in ("p", "lower", "upper")
    )
    starts = np.cumsum([0, *(len(problem) for problem in problems)])
    return Stack(p, lower, upper, Segments(starts), problems[0].bias)
