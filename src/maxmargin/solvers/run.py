"""The only outer loop: limits, progress, interrupt, trace, and the judge at the end.

A solver proposes when it thinks it is done; the judge decides. If the judge disagrees, because
rounding spoilt the running gradient, the solver goes on from the judge's fresh numbers.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from maxmargin.certify import Certificate, Point, Status, judge
from maxmargin.problems import BoxQP

_PATIENCE = 30  # steps without a gain in the dual before rounding is blamed
_STEPS, _STEPS_PER_VARIABLE = 5_000_000, 1000  # a problem that needs more is beyond its precision


@dataclass(frozen=True)
class Progress:
    """One line of a trace."""

    seconds: float
    iterations: int
    dual: float
    violation: float


Callback = Callable[[Progress], object]


@dataclass(frozen=True)
class Limits:
    """When to stop. ``max_iter`` counts the solver's smallest steps; -1 is no limit."""

    tol: float = 1e-3
    max_iter: int = -1
    time_limit: float | None = None
    callback: Callback | None = None


class Solver(Protocol):
    """An algorithm that improves a dual point step by step."""

    problem: BoxQP

    @property
    def iterations(self) -> int:
        """Smallest steps made so far."""
        ...

    def violation(self) -> float:
        """How far from optimal the running gradient says the point is."""
        ...

    def dual(self) -> float:
        """Objective by the running gradient."""
        ...

    def step(self, limits: Limits) -> None:
        """Improve the point."""
        ...

    def point(self) -> Point:
        """Give the point with a fresh product."""
        ...

    def restart(self, point: Point) -> None:
        """Go on from a fresh product."""
        ...


@dataclass(frozen=True)
class Solution:
    """A point, what is known of it, and how many steps it took."""

    point: Point
    certificate: Certificate
    iterations: int


def run(solver: Solver, limits: Limits, interrupted: threading.Event | None = None) -> Solution:
    """Step until the judge is content, a limit is met, or ``interrupted`` is set.

    Without that event, which several runs may share, Ctrl-C interrupts this run.
    """
    if interrupted is None:
        with interruptible() as flag:
            return run(solver, limits, flag)
    watch, aim = _Watch(limits), limits
    while True:
        stopped = watch.stop(solver, interrupted.is_set())
        if stopped or solver.violation() <= aim.tol:
            point = solver.point()
            certificate = judge(solver.problem, point, limits.tol, stopped)
            if stopped or certificate.status is not Status.STALLED:
                return Solution(point, certificate, solver.iterations)
            solver.restart(point)
            if solver.violation() <= aim.tol:  # it is the gap that is too large
                aim = replace(aim, tol=0.1 * aim.tol)
        solver.step(aim)


class _Watch:
    """Clock, trace and patience of one run."""

    def __init__(self, limits: Limits) -> None:
        self._limits, self._start = limits, time.perf_counter()
        self._best, self._idle = float(-np.finfo(np.float64).max), 0

    def stop(self, solver: Solver, interrupted: bool) -> Status | None:
        """Say why to stop, if there is a reason other than being done."""
        seconds, limits = time.perf_counter() - self._start, self._limits
        dual = solver.dual()
        if limits.callback is not None:
            limits.callback(Progress(seconds, solver.iterations, dual, solver.violation()))
        self._notice(dual)
        if interrupted:
            return Status.INTERRUPTED
        if not np.isfinite(dual):
            return Status.NUMERICAL_ERROR
        if 0 <= limits.max_iter <= solver.iterations:
            return Status.ITERATION_LIMIT
        if limits.time_limit is not None and seconds >= limits.time_limit:
            return Status.TIME_LIMIT
        hopeless = solver.iterations > _STEPS + _STEPS_PER_VARIABLE * len(solver.problem)
        return Status.STALLED if hopeless or self._idle >= _PATIENCE else None

    def _notice(self, dual: float) -> None:
        gained = dual > self._best + 4 * np.finfo(np.float64).eps * abs(self._best)
        self._best, self._idle = (dual, 0) if gained else (self._best, self._idle + 1)


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into a flag looked at between steps; a second one raises as usual.

    Only the main thread may set a handler; elsewhere nothing is caught.
    """
    flag = threading.Event()
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield flag
        return

    def note(_number: int, _frame: object) -> None:
        flag.set()
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, note)
    try:
        yield flag
    finally:
        signal.signal(signal.SIGINT, usual)
