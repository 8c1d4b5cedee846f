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
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from maxmargin.certify import Certificate, Status, judge

_PATIENCE = 30  # steps without a gain in the merit before rounding is blamed
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
    time_limit: float | None = None
    callback: Callback | None = None


class Solver(Protocol):
    """An algorithm that improves a point step by step."""

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
        """Improve the point."""
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
            with np.errstate(invalid="ignore", over="ignore"):  # the status says so in words
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
        merit = solver.merit()
        if limits.callback is not None:
            violation, values = solver.violation(), solver.objectives()
            limits.callback(Progress(seconds, solver.iterations, *values, violation))
        self._notice(merit)
        if interrupted:
            return Status.INTERRUPTED
        if not np.isfinite(merit):
            return Status.NUMERICAL_ERROR
        if 0 <= limits.max_iter <= solver.iterations:
            return Status.ITERATION_LIMIT
        if limits.time_limit is not None and seconds >= limits.time_limit:
            return Status.TIME_LIMIT
        hopeless = solver.iterations > _STEPS + _STEPS_PER_VARIABLE * len(solver.problem)
        return Status.STALLED if hopeless or self._idle >= _PATIENCE else None

    def _notice(self, merit: float) -> None:
        gained = merit > self._best + 4 * np.finfo(np.float64).eps * abs(self._best)
        self._best, self._idle = (merit, 0) if gained else (self._best, self._idle + 1)


def tell(callback: Callback | None, verbose: bool) -> Callback | None:
    """Join a user's callback with printing every line, for ``verbose=True``."""
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


_flag: ContextVar[threading.Event | None] = ContextVar("interrupted", default=None)


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into a flag looked at between steps; a second one raises as usual.

    Only the main thread may set a handler; elsewhere nothing is caught. Within another such block,
    or in a copy of its context in another thread, the flag is that block's.
    """
    flag = _flag.get()
    if flag is not None:
        yield flag
        return
    flag = threading.Event()
    token = _flag.set(flag)
    try:
        with _noted(flag):
            yield flag
    finally:
        _flag.reset(token)


@contextmanager
def _noted(flag: threading.Event) -> Iterator[None]:
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return

    def note(_number: int, _frame: object) -> None:
        flag.set()
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
