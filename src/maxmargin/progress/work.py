"""The share of a piece of work that is done, reported from wherever the work happens.

To watch a task, open a ``Work`` with a listener (``Work.at_work``). Code that works calls
``advance`` with the share of its own task; code that splits a task puts each piece into ``part``.
Without a listener all of this is one look at a context variable. Nothing here decides how work is
done, so a watched fit makes the same steps as an unwatched one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[float], object]


class Work:
    """A task whose share done grows from 0 to 1 and never falls.

    Parameters
    ----------
    parent : Work, default=None
        The task that this one is a piece of.
    width : float, default=1.0
        Which share of the parent it is.
    listener : callable, default=None
        Called with the share whenever it has grown, by one thread at a time.

    Examples
    --------
    >>> seen = []
    >>> whole = Work(listener=seen.append)
    >>> first, second = Work(whole, 0.5), Work(whole, 0.5)
    >>> first.advance(0.5), second.advance(1.0), first.advance(0.25)
    (None, None, None)
    >>> seen
    [0.25, 0.75]
    """

    def __init__(
        self, parent: Work | None = None, width: float = 1.0, listener: Listener | None = None
    ) -> None:
        self._parent, self._width, self._listener = parent, width, listener
        self._lock: threading.RLock = threading.RLock() if parent is None else parent._lock
        self.share = 0.0
        self.claimed = False
        """Whether a fit reports here already, so that fits inside it must not."""
        self.stop_asked = False
        """Whether a listener asked to end the rounds of a booster."""

    def advance(self, share: float) -> None:
        """Report the share that is done; a smaller one than before changes nothing.

        Parameters
        ----------
        share : float
        """
        with self._lock:
            self._grow(min(share, 1.0) - self.share)

    def _grow(self, more: float) -> None:
        if not more > 0.0:
            return
        self.share = min(1.0, self.share + more)
        if self._parent is not None:
            self._parent._grow(more * self._width)
        if self._listener is not None:
            self._listener(self.share)

    @contextmanager
    def at_work(self) -> Iterator[Work]:
        """Make this the task that ``advance`` and ``part`` report to, in this thread and its own.

        Yields
        ------
        Work
        """
        token = AT_WORK.set(self)
        try:
            yield self
        finally:
            AT_WORK.reset(token)


AT_WORK: ContextVar[Work | None] = ContextVar("work", default=None)
"""The task that works here; None where nothing is watched."""


def current() -> Work | None:
    """Return the task at work here; None without a listener.

    Returns
    -------
    Work or None
    """
    return AT_WORK.get()


def advance(share: float) -> bool:
    """Report the share of the task at work here that is done, if there is a listener.

    Parameters
    ----------
    share : float

    Returns
    -------
    bool
        Whether a listener asked to end the task.
    """
    work = AT_WORK.get()
    if work is None:
        return False
    work.advance(share)
    return work.stop_asked


@contextmanager
def part(width: float) -> Iterator[None]:
    """Do a piece of the task at work here; it counts as done when the block ends without an error.

    Parameters
    ----------
    width : float
        Which share of the task it is.
    """
    whole = AT_WORK.get()
    if whole is None:
        yield
        return
    with Work(whole, width).at_work() as piece:
        yield
    piece.advance(1.0)


@contextmanager
def muted() -> Iterator[None]:
    """Hide what works inside: how much of the task at work here it is cannot be told."""
    token = AT_WORK.set(None)
    try:
        yield
    finally:
        AT_WORK.reset(token)
