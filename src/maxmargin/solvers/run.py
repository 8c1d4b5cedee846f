"""The only outer loop: limits, progress, trace, and the judge at the end.

A solver proposes when it thinks it is done; the judge decides. If the judge disagrees, because
rounding spoilt the running gradient, the solver goes on from the judge's fresh numbers, unless
rounding alone is more than the tolerance allows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from maxmargin.certify import Certificate, Status, judge
from maxmargin.inputs.caution import caution
from maxmargin.ops.clock import Clock, TimeUp, outside
from maxmargin.progress import current

_PATIENCE = 30  # steps without a gain in the merit before rounding is blamed
_NEARLY = 0.99  # is the share of a run that is done until the judge has spoken
_SAMPLED = (
    "no point of all rows could be evaluated before the fit had to end, so the model is at best "
    "that of a few rows, and nothing is proven of it; give it more time, or fewer rows."
)
_STEPS, _STEPS_PER_VARIABLE = 5_000_000, 1000  # a problem that needs more is beyond its precision


@dataclass(frozen=True)
class Progress:
    """One line of a trace: both objectives, so that the optimum lies between them."""

    seconds: float
    iterations: int
    primal: float
    dual: float
    violation: float

    @property
    def gap(self) -> float:
        """Primal minus dual."""
        return self.primal - self.dual

    def __str__(self) -> str:
        return (
            f"{self.seconds:8.2f} s  {self.iterations:9d} steps  primal {self.primal:.9g}  "
            f"dual {self.dual:.9g}  gap {self.gap:.2e}  violation {self.violation:.2e}"
        )


Callback = Callable[[Progress], object]


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


class Solver(Protocol):
    """An algorithm that improves a point step by step.

    One that knows that it will get no farther may say so by an attribute ``spent``, and one for
    which a finer tolerance costs next to nothing may have it as ``aim``: so that weights and
    repeated rows agree. One whose compiled loop makes many steps in a call makes as many whether
    somebody is watching or not, and tells of them afterwards by ``between``.
    """

    problem: Any

    @property
    def iterations(self) -> int:
        """Smallest steps made so far."""
        ...

    def violation(self) -> float:
        """How far from optimal the running numbers say the point is; done at ``tol``."""
        ...

    def merit(self) -> float:
        """Give what every step with progress raises: the dual, or minus the primal."""
        ...

    def objectives(self) -> tuple[float, float]:
        """Primal and dual values by the running numbers, for the trace."""
        ...

    def step(self, limits: Limits) -> None:
        """Improve the point; where that takes long, ask the clock in between."""
        ...

    def point(self) -> Any:
        """Give the point with fresh products, for the judge."""
        ...

    def restart(self, point: Any) -> None:
        """Go on from the judge's fresh products."""
        ...


@dataclass(frozen=True)
class Solution:
    """A point, what is known of it, and how many steps it took."""

    point: Any
    certificate: Certificate
    iterations: int


def run(solver: Solver, limits: Limits) -> Solution:
    """Step until the judge is content or a limit is met."""
    watch, aim = _Watch(limits), replace(limits, tol=min(limits.tol, getattr(solver, "aim", 1.0)))
    approach = Approach(limits)
    while True:
        violation = solver.violation()
        done = violation <= aim.tol
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
            caution(said, ConvergenceWarning)


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
        """Say why to stop, if there is a reason other than being done."""
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
        """Say so if there is no progress any more, or arithmetic has broken down."""
        merit = solver.merit()
        if not np.isfinite(merit):
            return Status.NUMERICAL_ERROR
        gained = merit > self._best + 4 * np.finfo(np.float64).eps * abs(self._best)
        self._best, self._idle = (merit, 0) if gained else (self._best, self._idle + 1)
        hopeless = solver.iterations > _STEPS + _STEPS_PER_VARIABLE * len(solver.problem)
        hopeless = hopeless or getattr(solver, "spent", False)
        return Status.STALLED if hopeless or self._idle >= _PATIENCE else None


def _lines(solver: Solver) -> list[tuple[int, float, float, float]]:
    """Say where a solver is, and where it has been since the last look if it knows."""
    between = solver.between() if hasattr(solver, "between") else []
    return [*between, (solver.iterations, *solver.objectives(), solver.violation())]


def with_printing(callback: Callback | None, verbose: bool) -> Callback | None:
    """Join a user's callback with printing every line, for ``verbose=True``."""
    callback = outside(callback)
    if not verbose:
        return callback

    def both(progress: Progress) -> None:
        print(progress, flush=True)  # noqa: T201  (verbose=True asks for it)
        if callback is not None:
            callback(progress)

    return both


class Trace:
    """A callback that keeps every line: give it as ``callback`` and draw it.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> trace = Trace()
    >>> model = SVC(callback=trace).fit(*load_mixture(return_X_y=True))
    >>> trace.lines[-1].gap < trace.lines[0].gap
    True
    """

    def __init__(self) -> None:
        self.lines: list[Progress] = []

    def __call__(self, progress: Progress) -> None:
        """Keep the line."""
        self.lines.append(progress)

    def __iter__(self) -> Iterator[Progress]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __repr__(self) -> str:
        last = f", gap {self.lines[-1].gap:.3g} at the end" if self.lines else ""
        return f"Trace({len(self.lines)} lines{last})"
