"""Many small problems of one fit, solved one after the other and judged together.

A problem of a hundred rows takes less time to solve than to be looked at from all sides by itself.
Here a group of them makes a step each, in one call where they have the same form, which mostly
solves them; then one judge sees them all. What is not certified by that is left to the loop that
goes on until it is (``run``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from maxmargin.certify import Point, Status, judge, judge_all
from maxmargin.ops.kinds import GIVEN
from maxmargin.problems import BoxQP, Segments, Stack
from maxmargin.solvers.box_qp.dual_ascent import Start, Vector, has_negative_curvature
from maxmargin.solvers.box_qp.in_memory import InMemory
from maxmargin.solvers.box_qp.turns import SmoNewtonState
from maxmargin.solvers.kernel_values.memory import Memory, Squares
from maxmargin.solvers.run import Limits, Solution
from maxmargin.solvers.trace import Progress

Line = tuple[int, float, float, float]
"""Steps, primal, dual and violation."""

_GROUP = 1 << 22  # kernel values in the matrices of a group: some milliseconds of work


@dataclass(frozen=True)
class Small:
    """A problem, the segments of rows that it sees and, perhaps, duals to begin at."""

    problem: BoxQP
    segments: tuple[int, ...]
    start: Start | None = None

    @property
    def plain(self) -> bool:
        """Whether it is solved as most are: from 0, with a bias and a sum of 0."""
        problem = self.problem
        return (
            self.start is None
            and problem.bias
            and problem.groups is None
            and not any(problem.totals)
        )


def group(sizes: Sequence[int]) -> list[slice]:
    """Cut problems of these sizes into groups of about the same work."""
    if sum(size * size for size in sizes) <= _GROUP:
        return [slice(0, len(sizes))]
    work = np.cumsum(np.square(np.asarray(sizes, dtype=np.int64)))
    wanted = np.arange(_GROUP, work[-1], _GROUP)
    edges = np.unique([0, *np.searchsorted(work, wanted), len(work)])
    return [slice(a, b) for a, b in pairwise(edges.tolist())]


def solve_together(
    problems: Sequence[Small], memory: Memory, limits: Limits
) -> list[Solution | Start | None]:
    """Make a step on each problem and judge them all.

    Of one that is not certified by that comes back where to go on, or None for where it began.
    """
    squares = memory.squares
    assert squares is not None
    if limits.clock.over():
        return [small.start for small in problems]
    filled = squares.source.kind != GIVEN and squares.rows.gram.psd is not None
    if filled and limits.max_iter < 0 and all(small.plain for small in problems):
        return _in_one_call(problems, squares, limits)
    return _one_by_one(problems, memory, limits)


def _in_one_call(
    problems: Sequence[Small], squares: Squares, limits: Limits
) -> list[Solution | Start | None]:
    """Take turns on all of them together, which have the same form."""
    stack, rows = _stacked([small.problem for small in problems]), squares.rows
    index = rows.index_of([small.segments for small in problems])
    beta, F, product = np.zeros(len(index)), stack.p.copy(), np.empty(len(index))
    turns = SmoNewtonState.begin(stack.segments.starts)
    if _told_to_stop(problems, limits):
        return [small.start for small in problems]
    lines = squares.lines(index, len(problems))
    source = squares.source.seen_by(index)
    turns.go_on(source, lines, (beta, F, stack.lower, stack.upper), product, limits.tol)
    rounding = rows.gram.rounding.of(index)
    convex = rows.gram.psd & ~has_negative_curvature(
        turns.flattest, stack.segments.max(rounding.lengths)
    )
    with np.errstate(invalid="ignore", over="ignore"):  # a status says so in words
        verdicts = judge_all(stack, Point(beta, product, rounding), convex, limits.tol)
    found: list[Solution | Start | None] = []
    for k, (part, verdict) in enumerate(zip(stack.segments, verdicts, strict=True)):
        if verdict.status is Status.CERTIFIED:
            point = Point(beta[part], product[part], rounding.of(part))
            found.append(Solution(point, verdict, int(turns.steps[k])))
            if limits.callback is not None:
                made = int(turns.steps[k])
                _tell(limits, _worth(problems[k].problem, point.beta, point.product, made))
        else:  # what was done, and did not help, is left to somebody who begins anew
            found.append(None if turns.done[k] else Start(beta[part], product[part]))
    return found


def _one_by_one(
    problems: Sequence[Small], memory: Memory, limits: Limits
) -> list[Solution | Start | None]:
    """Make a step of each of them by itself."""
    proposed: list[tuple[BoxQP, Point, int, Line | None]] = []
    for small in problems:
        if limits.clock.over() or _told_to_stop([small], limits):
            break
        solver = InMemory(small.problem, memory.view(small.segments), small.start)
        solver.step(limits)
        line = None if limits.callback is None else _seen(solver)
        # The point is taken at once: the next problem may use the same memory for its rows.
        proposed.append((small.problem, solver.point(), solver.iterations, line))
    starts = [small.start for small in problems]
    with np.errstate(invalid="ignore", over="ignore"):  # a status says so in words
        verdicts = [judge(problem, point, limits.tol) for problem, point, _, _ in proposed]
    found: list[Solution | Start | None] = [*starts]
    for k, ((_, point, steps, line), verdict) in enumerate(zip(proposed, verdicts, strict=True)):
        if verdict.status is Status.CERTIFIED:
            found[k] = Solution(point, verdict, steps)
            if line is not None:
                _tell(limits, line)
    return found


# Of what is solved here a callback sees where it begins and where it ended


def _told_to_stop(problems: Sequence[Small], limits: Limits) -> bool:
    """Call a callback with where problems begin; return whether it asked to end here."""
    if limits.callback is None:
        return False
    for small in problems:
        if small.start is None:
            nothing = np.zeros(len(small.problem))
            _tell(limits, _worth(small.problem, nothing, nothing, 0))
        if limits.clock.interrupted:
            return True
    return False


def _seen(solver: InMemory) -> Line:
    return solver.iterations, *solver.objectives(), solver.violation()


def _worth(problem: BoxQP, beta: Vector, product: Vector, made: int) -> Line:
    values, gradient = problem.objectives(beta, product), problem.p - product
    return made, *values, problem.violation(beta, gradient)


def _tell(limits: Limits, line: Line) -> None:
    assert limits.callback is not None
    limits.callback(Progress(limits.clock.seconds, *line))


def _stacked(problems: Sequence[BoxQP]) -> Stack:
    if len(problems) == 1:
        return Stack.of(problems[0])
    p, lower, upper = (
        np.concatenate([getattr(problem, name) for problem in problems])
        for name in ("p", "lower", "upper")
    )
    starts = np.array([0, *accumulate(len(problem) for problem in problems)])
    return Stack(p, lower, upper, Segments(starts), problems[0].bias)
