"""When a fit has to end: its time limit, and Ctrl-C.

A time limit counts from the moment a fit began, whatever it does first. Ctrl-C raises
KeyboardInterrupt, as everywhere in Python, unless the fit was asked to keep the best point so far
(``on_interrupt="keep"``) and was called by the user: a search, a pipeline or an ensemble around it
would otherwise go on with a model that was cut short.

Both act between two pieces of work, so longer pieces of work ask ``over`` in between:
compiled loops come back after some hundredths of a second.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from maxmargin.ops.threads import stop_if_cancelled

Fit = TypeVar("Fit", bound=Callable[..., Any])
T = TypeVar("T")

ON_INTERRUPT = ("raise", "keep")
WORK = 1 << 24  # numbers that a compiled loop reads at a time: less than a tenth of a second
_AROUND = ("sklearn", "joblib")  # packages whose code calls fits of others


class TimeUp(Exception):  # noqa: N818  (it is no error)
    """The clock of the fit says that it is over, in the middle of a long piece of work."""


class Clock:
    """How long a fit has been at work, and whether it has to end."""

    def __init__(self, time_limit: float | None = None, outer: Clock | None = None) -> None:
        self._start, self.outer, self.time_limit = time.perf_counter(), outer, time_limit
        self._end = None if time_limit is None else self._start + time_limit
        self._asked = False
        self._said: set[str] = set()

    @property
    def seconds(self) -> float:
        """Seconds since the fit began."""
        return time.perf_counter() - self._start

    @property
    def expired(self) -> bool:
        """Whether the time limit is reached."""
        return self._end is not None and time.perf_counter() >= self._end

    @property
    def left(self) -> float:
        """Seconds until the nearest time limit, of this fit or of one around it."""
        own = float("inf") if self._end is None else self._end - time.perf_counter()
        return max(0.0, own if self.outer is None else min(own, self.outer.left))

    @property
    def interrupted(self) -> bool:
        """Whether the user asked to end with what there is."""
        return self._asked

    def interrupt(self) -> None:
        """End where ``over`` is asked next."""
        self._asked = True

    def over(self) -> bool:
        """Return whether to stop here; raise if the result is not wanted any more."""
        stop_if_cancelled()
        if self.outer is not None and self.outer.over():
            raise TimeUp
        return self._asked or (self._end is not None and time.perf_counter() >= self._end)

    def says_first(self, topic: str) -> bool:
        """Return whether a topic is new in the outermost fit, and record it."""
        if self.outer is not None:
            return self.outer.says_first(topic)
        known = topic in self._said
        self._said.add(topic)
        return not known

    def stop_if_over(self) -> None:
        """Raise ``TimeUp`` if the clock is over; the caller must handle it."""
        if self.over():
            raise TimeUp


def pieces(count: int, work: float) -> Iterator[slice]:
    """Cut items into pieces of at most ``WORK``; ``work`` is that of all of them.

    No items are one piece too.
    """
    size = max(1, int(WORK * count / max(work, 1.0)))
    return (slice(first, min(first + size, count)) for first in range(0, max(1, count), size))


_current: ContextVar[Clock | None] = ContextVar("clock", default=None)


def stop_if_over() -> None:
    """Raise ``TimeUp`` here, in work that may take long, if the fit around it is to end."""
    clock = _current.get()
    if clock is None:
        stop_if_cancelled()
    elif clock.over():
        raise TimeUp


def look() -> None:
    """Look at the clock of the fit around this, in work that has to be done in any case."""
    clock = _current.get()
    if clock is None:
        stop_if_cancelled()
    else:
        clock.over()


def says_first(topic: str) -> bool:
    """Whether the fit that the user called, with all fits inside of it, has not spoken of this."""
    clock = _current.get()
    return clock is None or clock.says_first(topic)


def seconds_left() -> float:
    """How long the fit around this may go on; for ever where there is none."""
    clock = _current.get()
    return float("inf") if clock is None else clock.left


@contextmanager
def watch(time_limit: float | None = None, on_interrupt: str = "raise") -> Iterator[Clock]:
    """Start the clock of a fit, and while it runs do with Ctrl-C what was asked for."""
    clock = Clock(time_limit, _current.get())
    keeps = on_interrupt == "keep" and _current.get() is None and _called_by_user()
    token = _current.set(clock)
    try:
        if keeps:
            with _noted(clock):
                yield clock
        else:
            yield clock
    finally:
        _current.reset(token)


def current_clock() -> Clock | None:
    """Return the clock of the fit around this, if there is one."""
    return _current.get()


@contextmanager
def under(clock: Clock) -> Iterator[None]:
    """Use a given clock for the work inside."""
    token = _current.set(clock)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def grace(seconds: float | None) -> Iterator[Clock]:
    """Extend the time of a fit whose clock is over, for what a model needs at least."""
    clock = _current.get()
    more = Clock(seconds, None if clock is None else clock.outer)
    token = _current.set(more)
    try:
        yield more
    finally:
        _current.reset(token)


def outside(callback: Callable[..., T] | None) -> Callable[..., T] | None:
    """Run a callback outside of the fit that calls it.

    A fit that a user makes in a callback has its own limit: by that of the fit around it, it would
    end with ``TimeUp``, which is not handled there.
    """
    if callback is None:
        return None

    def called(*told: Any) -> T:
        token = _current.set(None)
        try:
            return callback(*told)
        finally:
            _current.reset(token)

    return called


def as_one_fit(fit: Fit) -> Fit:
    """Count several fits that a method makes one after the other as one."""

    @wraps(fit)
    def watched(self: Any, *args: Any, **kwargs: Any) -> Any:
        with watch():
            return fit(self, *args, **kwargs)

    return watched  # type: ignore[return-value]


def _called_by_user() -> bool:
    """Whether no search, pipeline or the like is between the user and this fit.

    Only the main thread may set a handler, and only if Ctrl-C has a handler.
    """
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__", "").partition(".")[0] in _AROUND:
            return False
    return threading.current_thread() is threading.main_thread() and callable(
        signal.getsignal(signal.SIGINT)
    )


@contextmanager
def _noted(clock: Clock) -> Iterator[None]:
    """Turn the first Ctrl-C into a note to the clock; a second one raises as usual."""
    usual = signal.getsignal(signal.SIGINT)

    def note(_number: int, _frame: object) -> None:
        clock.interrupt()
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
