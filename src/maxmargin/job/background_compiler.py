"""Compiling loops in a process beside the job, so that a fresh machine loses little time to it.

Compiling the loops of all models takes about a minute of one core. A job with a time budget starts
``maxmargin.warmup.worker`` before it reads the table, and fits the models first whose loops are
compiled already.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from maxmargin.job.budget import Budget
from maxmargin.job.effort import Effort
from maxmargin.ops.warm_marks import can_mark, is_marked

FIRST: Final = ("TableSVC", "LinearClassifier")  # compiled while the table is read
_POLL = 0.05  # seconds between two looks
_WORKER: Final = "maxmargin.warmup.worker"


class BackgroundCompiler:
    """A process that compiles loops, and the order of models that follows from it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def begin(self, names: Sequence[str] = FIRST) -> None:
        """Start to compile the loops of some estimators, if that was not done before.

        Parameters
        ----------
        names : sequence of str
            In the order in which they are needed.
        """
        missing = [name for name in names if not is_marked(name)] if can_mark() else []
        if not missing:
            return
        if self._process is None:
            self._process = _start()
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):  # it has ended
                self._process.stdin.write("".join(f"{name}\n" for name in missing))
                self._process.stdin.flush()

    def end(self) -> None:
        """End the process; what it has compiled stays."""
        if self._process is None:
            return
        self._process.terminate()
        with suppress(OSError, subprocess.TimeoutExpired):
            self._process.communicate(timeout=5.0)
        self._process = None

    def is_ready(self, names: Sequence[str]) -> bool:
        """Return whether nothing is gained by waiting for the loops of some estimators.

        Parameters
        ----------
        names : sequence of str

        Returns
        -------
        bool
        """
        if self._process is None or self._process.poll() is not None:
            return True
        return all(map(is_marked, names))

    def in_order(
        self, efforts: Sequence[Effort], budget: Budget, patience: Callable[[], float]
    ) -> Iterator[Effort]:
        """Yield models whose loops are compiled before others.

        Parameters
        ----------
        efforts : sequence of Effort
            In the order that holds where all are ready.
        budget : Budget
        patience : callable
            Returns the seconds to wait at most where none is ready.

        Yields
        ------
        Effort
        """
        waiting = list(efforts)
        while waiting:
            end = time.perf_counter() + patience()
            ready = self._first_ready(waiting)
            while ready is None and time.perf_counter() < end and not budget.interrupted:
                with budget.until_interrupted():
                    time.sleep(_POLL)
                ready = self._first_ready(waiting)
            chosen = ready or waiting[0]
            waiting.remove(chosen)
            yield chosen

    def _first_ready(self, waiting: Sequence[Effort]) -> Effort | None:
        return next((each for each in waiting if self.is_ready(each.candidate.compiles)), None)


def _start() -> subprocess.Popen[str] | None:
    """Start the process, in a session of its own so that Ctrl-C does not reach it."""
    command = [sys.executable, "-m", _WORKER]
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
    except (OSError, ValueError):  # no memory for it, or no interpreter to be had
        return None


IDLE: Final = BackgroundCompiler()
compiler: Final = BackgroundCompiler()
