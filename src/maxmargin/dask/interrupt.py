"""How a running task learns that nobody waits for it any more.

Dask cannot stop a thread. A cancelled task stays in its worker's list as "cancelled", so the task's
clock looks there whenever the code inside asks it, which all long loops of maxmargin do.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import distributed
from distributed.worker import thread_state

from maxmargin.ops.clock import Clock, TimeUp, under

_LOOK = 0.05


class TaskClock(Clock):
    """A clock that is over when the scheduler has cancelled the task around it."""

    def __init__(self) -> None:
        super().__init__()
        self._worker = distributed.get_worker()
        self._key = getattr(thread_state, "key", None)
        self._next = 0.0

    def over(self) -> bool:
        """Look at the worker's list now and then."""
        now = time.monotonic()
        if now >= self._next and not self._asked:
            self._next = now + _LOOK
            task = self._worker.state.tasks.get(self._key)
            if task is None or task.state in ("cancelled", "resumed"):
                self.interrupt()
        if self._asked:
            raise TimeUp
        return False


def under_the_scheduler(function: Callable[..., Any], *arguments: Any) -> Any:
    """Run a function as a task that can be cancelled."""
    with under(TaskClock()):
        return function(*arguments)
