"""The problems of a fit, solved one after the other or side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from maxmargin.certify import Certificate, Status
from maxmargin.kernels.points import ScaleError
from maxmargin.ops.clock import TimeUp
from maxmargin.ops.threads import Workers, side_by_side
from maxmargin.progress import part
from maxmargin.solvers.run import Limits, Solution, Solver, run

T = TypeVar("T")

_GAVE_UP = (Status.STALLED, Status.ITERATION_LIMIT)
_MANY = 100  # steps of which half are worth trying before somebody else has a try


def relay(solvers: Sequence[Callable[[], Solver]], limits: Limits) -> Solution:
    """Let the next solver take over where one gets no farther; the best point of all counts.

    All of them together keep to ``max_iter``: who has somebody to hand over to gets half of it, or
    the steps after which it says by ``patience`` that the next should have a try.
    """
    *others, last = solvers
    made = 0
    best: list[Solution] = []
    for start in others:
        solver = start()
        solution = run(solver, _shorter(limits, getattr(solver, "patience", None)))
        made, best = made + solution.iterations, [*best, solution]
        few = solution.certificate.status is Status.ITERATION_LIMIT and 0 <= limits.max_iter < _MANY
        if solution.certificate.status not in _GAVE_UP or few:
            return solution
    left = limits.max_iter if limits.max_iter < 0 else limits.max_iter - made
    try:
        best = [*best, run(last(), replace(limits, max_iter=left))]
    except (ScaleError, TimeUp):  # then it cannot even begin
        if not best:
            raise
    found = min(best, key=lambda s: np.abs(badness(s.certificate)).tolist())
    return replace(found, iterations=sum(s.iterations for s in best))


def _shorter(limits: Limits, patience: int | None) -> Limits:
    if limits.max_iter < 0:
        return limits if patience is None else replace(limits, max_iter=patience)
    if limits.max_iter < _MANY:
        return limits
    half = limits.max_iter // 2
    return replace(limits, max_iter=half if patience is None else min(half, patience))


def badness(certificate: Certificate) -> tuple[bool, float]:
    """Order certificates from good to bad: first by status, then by relative gap."""
    return certificate.status is not Status.CERTIFIED, certificate.relative_gap


def solve_all(
    start: Callable[[T, Workers], Any],
    tasks: Sequence[T],
    limits: Limits,
    *,
    give_up: Callable[[T], Solution],
    n_jobs: int | None = None,
    at_once: int | None = None,
    finish: Callable[[Any, Limits], Solution] = run,
) -> list[Solution]:
    """Start a solver for every task, with threads of its own, and let it run within the limits.

    Several tasks (``at_once``) are at work together on ``n_jobs`` threads, all under one clock. A
    callback sees one task after the other, and need not be prepared for several threads; tasks in
    a row have the same threads. A task that has not begun when time is up is given up.
    """

    def solve(task: T, workers: Workers) -> Solution:
        try:
            with part(1.0 / len(tasks)):
                return finish(start(task, workers), limits)
        except TimeUp:
            if not limits.clock.over():
                raise  # it is not this fit's time that is up
            return give_up(task)

    def solve_in_a_row(some: Sequence[T]) -> list[Solution]:
        with Workers() as workers:
            return [solve(task, workers) for task in some]

    in_a_row = at_once == 1 or limits.callback is not None
    groups = [tasks] if in_a_row else [[task] for task in tasks]
    return list(chain.from_iterable(side_by_side(solve_in_a_row, groups, n_jobs, at_once)))
