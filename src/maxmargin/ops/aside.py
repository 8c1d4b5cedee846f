"""A call into foreign code that nothing can interrupt, made so that Ctrl-C and limits still act.

It runs in a thread of its own, and whoever waits for it asks the clock now and then. When the fit
is over the thread is left behind: it must not change anything that somebody else can see, and has
to know itself when to end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextvars import copy_context
from typing import TypeVar

from maxmargin.ops.clock import stop_if_over

R = TypeVar("R")

_LOOK = 0.05  # seconds between two looks at the clock


def aside(function: Callable[[], R]) -> R:
    """Call the function in another thread; raises as ``stop_if_over`` does while it is at work."""
    future: Future[R] = Future()
    given = _settle, future, function
    # A daemon, because Python waits for all other threads before it ends.
    threading.Thread(target=copy_context().run, args=given, daemon=True).start()
    while not wait([future], _LOOK).done:
        stop_if_over()
    return future.result()


def _settle(future: Future[R], function: Callable[[], R]) -> None:
    try:
        future.set_result(function())
    except BaseException as error:  # whoever waits raises it
        future.set_exception(error)
