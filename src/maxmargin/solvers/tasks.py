"""The problems of a fit, solved one after the other or side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from maxmargin.ops.clock import TimeUp
from maxmargin.ops.threads import Workers, side_by_side
from maxmargin.solvers.run import Limits, Solution, Solver, run

T = TypeVar("T")


def solve_all(
    start: Callable[[T, Workers], Solver],
    tasks: Sequence[T],
    limits: Limits,
    *,
    n_jobs: int | None = None,
    at_once: int | None = None,
    finish: Callable[[Solver, Limits], Solution] = run,
    give_up: Callable[[T], Solution] | None = None,
) -> list[Solution]:
    """Start a solver for every task, with threads of its own, and let it run within the limits.

    Several tasks (``at_once``) are at work together on ``n_jobs`` threads, all under one clock. A
    callback sees one task after the other, and need not be prepared for several threads. A task
    whose time is up before its solver has begun is given up.
    """

    def solve(task: T) -> Solution:
        with Workers() as workers:
            try:
                solver = start(task, workers)
            except TimeUp:
                if give_up is None:
                    raise
                return give_up(task)
            return finish(solver, limits)

    return side_by_side(solve, tasks, n_jobs, 1 if limits.callback is not None else at_once)
