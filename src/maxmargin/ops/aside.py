"""A call into foreign code that nothing can interrupt, made so that Ctrl-C and limits still act.

It runs in a thread of its own, and whoever waits for it asks the clock now and then. When the fit
is over the thread is left behind: it must not change anything that somebody else can see, and has
to know itself when to end.

Python waits a moment for such threads before it ends. One that comes back later, while the
interpreter is taken down, is ended by Python (before 3.14) through ``pthread_exit``, which unwinds
its stack; C++ on that stack that may not be left so calls ``std::terminate``, and that aborts the
process: "terminate called without an active exception". So whoever is still at work then sleeps in
that place until the process is gone, as every thread does since Python 3.14.
"""

from __future__ import annotations

import atexit
import ctypes
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextvars import copy_context
from typing import TypeVar

from maxmargin.ops.clock import stop_if_over

R = TypeVar("R")

_LOOK = 0.05  # seconds between two looks at the clock
_MOMENT = 1.0  # seconds that the end of Python may wait for all threads left behind

_at_work: set[threading.Thread] = set()


def aside(function: Callable[[], R]) -> R:
    """Call the function in another thread; raises as ``stop_if_over`` does while it is at work."""
    future: Future[R] = Future()
    given = _settle, future, function
    # A daemon, because Python waits for all other threads before it ends, however long.
    threading.Thread(target=copy_context().run, args=given, daemon=True).start()
    while not wait([future], _LOOK).done:
        stop_if_over()
    return future.result()


def _settle(future: Future[R], function: Callable[[], R]) -> None:
    _at_work.add(threading.current_thread())
    try:
        future.set_result(function())
    except BaseException as error:  # whoever waits raises it
        future.set_exception(error)
    finally:
        _at_work.discard(threading.current_thread())


@atexit.register
def _wait_a_moment() -> None:
    end = time.monotonic() + _MOMENT
    for thread in list(_at_work):
        thread.join(max(0.0, end - time.monotonic()))
    if any(thread.is_alive() for thread in list(_at_work)):
        _let_sleep()


def _let_sleep() -> None:
    """Make a thread that would abort the process sleep; only glibc unwinds such threads."""
    if sys.platform != "linux" or sys.version_info >= (3, 14):
        return
    try:
        library, here = ctypes.CDLL("libstdc++.so.6"), ctypes.CDLL(None)
        sleep = ctypes.cast(here.pause, ctypes.c_void_p)
        library["_ZSt13set_terminatePFvvE"](sleep)  # std::set_terminate
    except (OSError, AttributeError):
        return  # then C++ is not here at all
