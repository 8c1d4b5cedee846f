"""The only outer loop: limits, progress, trace, and the judge at the end.

A solver proposes when it thinks it is done; the judge decides. If the judge disagrees, because
rounding spoilt the running gradient, the solver goes on from the judge's fresh numbers, unless
rounding alone is more than the tolerance allows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from maxmargin.certify import Certificate, Status, judge
from maxmargin.inputs.warning import warn_user
from maxmargin.kernels.points import ScaleError
from maxmargin.ops.clock import Clock, TimeUp
from maxmargin.ops.threads import Workers, side_by_side
from maxmargin.progress import current, part
from maxmargin.progress.work import AT_WORK
from maxmargin.solvers.solver import Solver
from maxmargin.solvers.trace import Callback, Progress

_PATIENCE = 30  # steps without a gain in the merit before rounding is blamed
_GAVE_UP = (Status.STALLED, Status.ITERATION_LIMIT)
_MANY = 100  # steps of which half are worth trying before the next solver gets its turn
_NEARLY = 0.99  # is the share of a run that is done until the judge has spoken
_SAMPLED = (
    "no point of all rows could be evaluated before the fit had to end, so the model is at best "
    "that of a few rows, and nothing is proven of it; give it more time, or fewer rows."
)
_STEPS, _STEPS_PER_VARIABLE = 5_000_000, 1000  # a problem that needs more is beyond its precision


T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    """When to stop. ``max_iter`` counts the solver's smallest steps; -1 is no limit."""

    tol: float = 1e-3
    max_iter: int = -1
    clock: Clock = field(default_factory=Clock)
    callback: Callback | None = None

    def steps_left(self, made: int, most: int) -> int:
        """Count the steps to make now: at most so many, within what ``max_iter`` leaves."""
        return most if self.max_iter < 0 else min(most, self.max_iter - made)


@dataclass(frozen=True)
class Solution:
    """A point, what is known of it, and how many steps it took."""

    point: Any
    certificate: Certificate
    iterations: int


def run(solver: Solver, limits: Limits) -> Solution:
    """Step until the judge is content or a limit is met."""
    watch, aim = _Watch(limits), replace(limits, tol=min(limits.tol, solver.aim))
    approach = None if AT_WORK.get() is None else Approach(limits)
    while True:
        violation = solver.violation()
        done = solver.begun and violation <= aim.tol
        if approach is not None:
            approach.report(violation, solver.iterations)
        stopped = watch.stop(solver, done)
        if stopped or done:
            point = solver.point()
            with np.errstate(invalid="ignore", over="ignore"):  # the status says so in words
                certificate = judge(solver.problem, point, limits.tol, stopped)
            unsure = certificate.status is Status.STALLED and not certificate.rounded
            if stopped or not unsure or watch.lost(solver):
                return Solution(point, certificate, solver.iterations)
            solver.restart(point)
            if solver.violation() <= aim.tol:  # it is the gap that is too large
                aim = replace(aim, tol=0.1 * aim.tol)
        with suppress(TimeUp):  # then the clock says so
            solver.step(aim)


def given_up(problem: Any, point: Any, limits: Limits) -> Solution:
    """Judge a point beyond which no step could be made in time."""
    stopped = Status.INTERRUPTED if limits.clock.interrupted else Status.TIME_LIMIT
    certificate = judge(problem, point, limits.tol, stopped)
    if certificate.status is Status.NUMERICAL_ERROR:  # 0 does not have the sums that it should
        certificate = replace(certificate, status=stopped, primal=math.inf, dual=-math.inf)
        certificate = replace(certificate, kkt_violation=math.inf)
    return Solution(point, certificate, 0)


class Stage(NamedTuple):
    """A part of a plan: a solver, and the steps after which the next one gets its turn."""

    solver: Any
    patience: int | None = None
    """None for half of ``max_iter``."""
    options: Mapping[str, Any] = {}


def run_plan(plan: Sequence[Stage], begin: Callable[[Stage], Solver], limits: Limits) -> Solution:
    """Run the solvers of a plan until one succeeds; return the best point of all.

    All of them together keep to ``max_iter``. Numbers that overflow end in a status, not a warning.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        if len(plan) == 1:
            return run(begin(plan[0]), limits)
        made = 0
        best: list[Solution] = []
        for stage in plan[:-1]:
            solution = run(begin(stage), _shorter(limits, stage.patience))
            made, best = made + solution.iterations, [*best, solution]
            status = solution.certificate.status
            few = status is Status.ITERATION_LIMIT and 0 <= limits.max_iter < _MANY
            if status not in _GAVE_UP or few:
                return solution
        left = limits.max_iter if limits.max_iter < 0 else limits.max_iter - made
        try:
            best = [*best, run(begin(plan[-1]), replace(limits, max_iter=left))]
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
    start: Callable[[T, Workers], tuple[Sequence[Stage], Callable[[Stage], Solver]]],
    tasks: Sequence[T],
    limits: Limits,
    *,
    give_up: Callable[[T], Solution],
    n_jobs: int | None = None,
    at_once: int | None = None,
) -> list[Solution]:
    """Run a plan for every task, with threads of its own, within the limits.

    ``start`` returns the stages of a task's plan and how each of them begins.

    Several tasks (``at_once``) are at work together on ``n_jobs`` threads, all under one clock. A
    callback sees one task after the other, and need not be prepared for several threads; tasks in
    a row have the same threads. A task that has not begun when time is up is given up.
    """

    def solve(task: T, workers: Workers) -> Solution:
        try:
            if AT_WORK.get() is None:
                return run_plan(*start(task, workers), limits)
            with part(1.0 / len(tasks)):
                return run_plan(*start(task, workers), limits)
        except TimeUp:
            if not limits.clock.over():
                raise  # it is not this fit's time that is up
            return give_up(task)

    def solve_one(task: T) -> Solution:
        with Workers() as workers:
            return solve(task, workers)

    if at_once == 1 or len(tasks) == 1 or limits.callback is not None:
        with Workers(n_jobs) as workers:
            return [solve(task, workers) for task in tasks]
    return side_by_side(solve_one, tasks, n_jobs, at_once)


def nothing_proven(certificate: Certificate) -> bool:
    """Whether a fit ended before a point of the problem was evaluated."""
    return certificate.dual == -math.inf and certificate.primal == math.inf


def warn_not_converged(certificates: Sequence[Certificate], sentences: dict[Status, str]) -> None:
    """Warn once of each reason why a problem is not solved; ``sentences`` replace usual ones."""
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415

    met = {certificate.status for certificate in certificates} - {Status.CERTIFIED}
    sampled = {c.status for c in certificates if nothing_proven(c)}
    for status in Status:
        own = _SAMPLED if status in sampled else status.sentence
        said = sentences.get(status, f"{status.name}: {own}")
        if status in met and said:
            warn_user(said, ConvergenceWarning)


class Approach:
    """Reports the share of a run that is done: of the way from the first violation to ``tol``.

    Violations fall by factors, so the way is measured in logarithms. Where ``max_iter`` is nearer,
    its share counts.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits, self._work, self._first = limits, current(), 0.0

    def report(self, violation: float, iterations: int) -> None:
        """Report where the run is, if somebody watches."""
        if self._work is None or not math.isfinite(violation):
            return
        tol, most = self._limits.tol, self._limits.max_iter
        self._first = max(self._first, violation)
        share = iterations / most if most > 0 else 0.0
        if self._first > tol:
            way = math.log(self._first) - math.log(tol)
            share = max(share, 1.0 - (math.log(max(violation, tol)) - math.log(tol)) / way)
        self._work.advance(min(_NEARLY, share))


class _Watch:
    """Trace and patience of one run."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._best, self._idle = float(-np.finfo(np.float64).max), 0

    def stop(self, solver: Solver, done: bool) -> Status | None:
        """Return why to stop, if there is a reason other than being done."""
        limits = self._limits
        if limits.callback is not None:
            for line in _lines(solver):
                limits.callback(Progress(limits.clock.seconds, *line))
                if limits.clock.interrupted:
                    break
        over = limits.clock.over()
        if over and limits.clock.interrupted:
            return Status.INTERRUPTED
        if 0 <= limits.max_iter <= solver.iterations:
            return Status.ITERATION_LIMIT
        if over:
            return Status.TIME_LIMIT
        return None if done else self.lost(solver)

    def lost(self, solver: Solver) -> Status | None:
        """Return STALLED or NUMERICAL_ERROR if progress has stopped, else None."""
        merit = solver.merit()
        if not np.isfinite(merit):
            return Status.NUMERICAL_ERROR
        gained = merit > self._best + 4 * np.finfo(np.float64).eps * abs(self._best)
        self._best, self._idle = (merit, 0) if gained else (self._best, self._idle + 1)
        hopeless = solver.iterations > _STEPS + _STEPS_PER_VARIABLE * len(solver.problem)
        hopeless = hopeless or solver.spent
        return Status.STALLED if hopeless or self._idle >= _PATIENCE else None


def _lines(solver: Solver) -> list[tuple[int, float, float, float]]:
    """Return where a solver is, and where it has been since the last look if it knows."""
    return [*solver.between(), (solver.iterations, *solver.objectives(), solver.violation())]
