"""Many small problems of one fit, solved in one compiled call and judged together.

A problem of a hundred rows takes less time to solve than to be looked at from all sides by itself.
Here SMO and Newton's steps take turns on a group of them in one call, which mostly solves them;
then one judge sees them all. What is not certified by that is left to the loop that goes on until
it is (``run``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, chain, pairwise

import numpy as np

from maxmargin.certify import Point, Status, judge_all
from maxmargin.ops.threads import side_by_side
from maxmargin.problems import BoxQP, Segments, Stack
from maxmargin.solvers.box_qp.dual_ascent import FLAT, Start, Vector
from maxmargin.solvers.box_qp.turns import SmoNewtonState
from maxmargin.solvers.kernel_values.matrix import Matrix
from maxmargin.solvers.kernel_values.memory import Memory
from maxmargin.solvers.run import Limits, Solution
from maxmargin.solvers.trace import Progress

# Kernel values in the matrices of a group: some milliseconds of work.
_GROUP = 1 << 22

Found = list[Solution | Start | None]
"""Of each problem its solution, or where to go on, or None for where it began."""


def takes(problems: Sequence[BoxQP], starts: Sequence[Start | None], limits: Limits) -> bool:
    """Return whether all problems have the form that most have: a bias and a sum of 0, from 0."""
    plain = (p.bias and p.groups is None and not any(p.totals) for p in problems)
    return limits.max_iter < 0 and not any(starts) and all(plain)


def solve_together(
    problems: Sequence[BoxQP],
    segments: Sequence[tuple[int, ...]],
    memory: Memory,
    limits: Limits,
    threads: int,
) -> Found:
    """Take turns on groups of problems, which see these segments of rows, and judge them."""
    matrix_of = memory.group
    assert matrix_of is not None

    def solve(part: slice) -> Found:
        if limits.clock.over():
            return [None] * len(problems[part])
        return _in_one_call(problems[part], lambda: matrix_of(segments[part]), limits)

    groups = _groups([len(problem) for problem in problems])
    if limits.callback is not None or len(groups) == 1:  # a callback sees one after the other
        return [each for part in groups for each in solve(part)]
    return list(chain.from_iterable(side_by_side(solve, groups, threads, memory.at_once)))


def _groups(sizes: Sequence[int]) -> list[slice]:
    """Cut problems of these sizes into groups of about the same work."""
    if sum(size * size for size in sizes) <= _GROUP:
        return [slice(0, len(sizes))]
    work = np.cumsum(np.square(np.asarray(sizes, dtype=np.int64)))
    wanted = np.arange(_GROUP, work[-1], _GROUP)
    edges = np.unique([0, *np.searchsorted(work, wanted), len(work)])
    return [slice(a, b) for a, b in pairwise(edges.tolist())]


def _in_one_call(problems: Sequence[BoxQP], matrix: Callable[[], Matrix], limits: Limits) -> Found:
    """Take turns on all of them together, which have the same form."""
    if limits.callback is not None and _told_to_stop(problems, limits):
        return [None] * len(problems)
    stack, rows = _stacked(problems), matrix()
    beta, F, product = np.zeros(len(stack.p)), stack.p.copy(), np.empty(len(stack.p))
    turns = SmoNewtonState.begin(stack.segments.starts)
    turns.go_on(rows, (beta, F, stack.lower, stack.upper), product, limits.tol)
    rounding = rows.gram.rounding.of(rows.index)
    longest = stack.segments.reduce(np.maximum, rounding.lengths)
    convex = rows.gram.psd & ~(turns.flattest < -FLAT * longest**2)
    with np.errstate(invalid="ignore", over="ignore"):  # a status says so in words
        verdicts = judge_all(stack, Point(beta, product, rounding), convex, limits.tol)
    found: Found = []
    for k, (part, verdict) in enumerate(zip(stack.segments, verdicts, strict=True)):
        if verdict.status is Status.CERTIFIED:
            point, made = Point(beta[part], product[part], rounding.of(part)), int(turns.steps[k])
            found.append(Solution(point, verdict, made))
            if limits.callback is not None:
                _tell(limits, problems[k], point.beta, point.product, made)
        else:  # what was done, and did not help, is left to a solver that begins anew
            found.append(None if turns.done[k] else Start(beta[part], product[part]))
    return found


def _told_to_stop(problems: Sequence[BoxQP], limits: Limits) -> bool:
    """Call a callback with where problems begin; return whether it asked to end here."""
    for problem in problems:
        nothing = np.zeros(len(problem))
        _tell(limits, problem, nothing, nothing, 0)
        if limits.clock.interrupted:
            return True
    return False


def _tell(limits: Limits, problem: BoxQP, beta: Vector, product: Vector, made: int) -> None:
    """Call a callback with what a point of a problem is worth."""
    assert limits.callback is not None
    violation = problem.violation(beta, problem.p - product)
    values = problem.objectives(beta, product)
    limits.callback(Progress(limits.clock.seconds, made, *values, violation))


def _stacked(problems: Sequence[BoxQP]) -> Stack:
    if len(problems) == 1:
        return Stack.of(problems[0])
    p, lower, upper = (
        np.concatenate([getattr(problem, name) for problem in problems])
        for name in ("p", "lower", "upper")
    )
    starts = np.array([0, *accumulate(len(problem) for problem in problems)])
    return Stack(p, lower, upper, Segments(starts), problems[0].bias)
