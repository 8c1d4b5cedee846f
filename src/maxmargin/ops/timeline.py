"""Record what each thread does and when, to see where threads wait; off unless asked for.

``Workers`` hands every piece of work to ``watched`` and every call on several threads to
``gathered``. Without a recording both return the function that they were given. With one, each
thread notes when it was asked, when it came, when it worked on pieces and when it left. What it
did in between follows: it woke up (from the asking until it came), it waited for Python (between
its pieces), or it waited at the gate (from its last piece until all others had ended).

Gates inside a compiled loop cannot be timed from Python. How often they were passed is counted, and
a piece has its processor time beside its time: the difference is time without a core.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from itertools import count
from typing import Any, NamedTuple

BUSY, TURN, WAKING = "busy", "turn", "waking"


class Span(NamedTuple):
    """What a thread did, in nanoseconds; ``number`` is that of the call it was part of."""

    kind: str
    thread: int
    begin: int
    end: int
    processor: int
    number: int


@dataclass
class Recording:
    """All that threads noted, in the order in which they ended it.

    Attributes
    ----------
    spans : list of Span
        Threads are those of the system, as ``threading.get_ident`` names them.
    places : dict of int to str
        By number of a call, the function that it was made for.
    shared : dict of int to int
        By number of a call whose threads share pieces inside a compiled loop, how many pieces. Each
        thread then notes one span for all that it took.
    passed : dict of str to int
        By place, how often all threads met at gates of compiled loops.
    begin, end : int
        When the recording began and ended.
    """

    spans: list[Span] = field(default_factory=list)
    places: dict[int, str] = field(default_factory=dict)
    shared: dict[int, int] = field(default_factory=dict)
    passed: dict[str, int] = field(default_factory=dict)
    begin: int = 0
    end: int = 0
    _numbers: Iterator[int] = field(default_factory=count)

    def number(self, function: Any) -> int:
        """Begin a call of a function; return its number."""
        number = next(self._numbers)
        self.places[number] = place_of(function)
        return number

    def timed(self, kind: str, function: Callable[..., Any], number: int) -> Callable[..., Any]:
        """Return the function as one that notes when and on which thread it ran."""

        @wraps(function)
        def noting(*given: Any) -> Any:
            begin, used = time.perf_counter_ns(), time.thread_time_ns()
            try:
                return function(*given)
            finally:
                used = time.thread_time_ns() - used
                self._note(kind, begin, time.perf_counter_ns(), used, number)

        return noting

    def gathered(self, function: Callable[[], Any], number: int) -> Callable[[], Any]:
        """Return the function as one that notes when each thread came and left."""
        asked, home = time.perf_counter_ns(), threading.get_ident()
        turn = self.timed(TURN, function, number)

        def come() -> Any:
            if threading.get_ident() != home:
                self._note(WAKING, asked, time.perf_counter_ns(), 0, number)
            return turn()

        return come

    def _note(self, kind: str, begin: int, end: int, processor: int, number: int) -> None:
        self.spans.append(Span(kind, threading.get_ident(), begin, end, processor, number))


_current: Recording | None = None


@contextmanager
def recording() -> Iterator[Recording]:
    """Record the threads of all fits in the block; one recording at a time."""
    global _current  # noqa: PLW0603 - asked at each call, by threads of any context
    if _current is not None:
        raise RuntimeError("A timeline is being recorded already; end that block first.")
    _current = noted = Recording(begin=time.perf_counter_ns())
    try:
        yield noted
    finally:
        _current, noted.end = None, time.perf_counter_ns()


def watched(function: Callable[..., Any], shared: int = 0) -> Callable[..., Any]:
    """Return the function of a call's pieces, as one that notes its pieces while recording.

    ``shared`` is the number of pieces that each call of the function shares with others.
    """
    noted = _current
    if noted is None:
        return function
    number = noted.number(function)
    if shared:
        noted.shared[number] = shared
    return noted.timed(BUSY, function, number)


def gathered(function: Callable[[], Any]) -> Callable[[], Any]:
    """Return the function of several threads, as one that notes their coming while recording."""
    noted = _current
    return function if noted is None else noted.gathered(function, noted.number(function))


def met(function: Any, times: int) -> None:
    """Note how often the threads of a call met at gates inside of it."""
    if _current is not None:
        place = place_of(function)
        _current.passed[place] = _current.passed.get(place, 0) + times


def place_of(function: Any) -> str:
    """Return where a function is written, as ``room.module.name``."""
    module = getattr(function, "__module__", "") or ""
    name = getattr(function, "__qualname__", type(function).__name__)
    return f"{module.removeprefix('maxmargin.')}.{name.replace('.<locals>', '')}"
