"""A process for fits: it may be stopped at any time, and a crash in it ends nothing else.

Calls go one after the other. When a newer call of the same page arrives while one is at work, the
older one has ``PATIENCE`` seconds; then its process is ended and a spare one, whose imports are
done, takes its place.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any, Final

PATIENCE: Final = 0.25
"""Seconds that an overtaken call has left."""
LONGEST: Final = 20.0
"""Seconds of a call."""
_CONTEXT = multiprocessing.get_context("spawn")


class CallError(Exception):
    """A call failed; its text is a sentence for the page."""


class OvertakenError(CallError):
    """A newer call of the same page took the place of this one."""


def _work(pipe: Any, parent: int) -> None:
    """Answer calls until the pipe is closed or the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from maxmargin.studio import calls  # noqa: PLC0415  (in this process, before the first call)

    calls.warm_up()
    pipe.send(("ready", None))
    while os.getppid() == parent:
        with suppress(EOFError, OSError):
            if pipe.poll(1.0):
                name, given = pipe.recv()
                pipe.send(calls.answer(name, given))
            continue
        return


class _Process:
    """One process and its pipe."""

    def __init__(self) -> None:
        self.pipe, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_work, args=(theirs, os.getpid()), daemon=True)
        self._process.start()
        theirs.close()
        self.ready = False

    @property
    def alive(self) -> bool:
        """Whether the process is at work or waits for it."""
        return self._process.is_alive()

    def receive(self, seconds: float) -> Any:
        """Wait for a message; None where none came in time."""
        if not self.pipe.poll(seconds):
            return None
        message = self.pipe.recv()
        if message[0] == "ready":
            self.ready = True
            return None
        return message

    def end(self) -> None:
        """End the process, whatever it does."""
        self.pipe.close()
        self._process.kill()
        self._process.join(2.0)


class Worker:
    """Calls functions of ``calls`` in another process, by their names."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now: _Process | None = None
        self._spare: _Process | None = None
        self._latest: dict[str, int] = {}

    def start(self) -> None:
        """Start the process and the spare one."""
        self._now, self._spare = _Process(), _Process()

    def stop(self) -> None:
        """End both processes."""
        for each in (self._now, self._spare):
            if each is not None:
                each.end()
        self._now = self._spare = None

    async def call(self, name: str, given: Any, page: str = "", number: int = 0) -> Any:
        """Call a function; a newer number of the same page overtakes an older one.

        Raises
        ------
        CallError
            With the sentence of what went wrong.
        """
        self._latest[page] = max(number, self._latest.get(page, number))
        overtaken = lambda: self._latest.get(page, 0) > number  # noqa: E731
        return await asyncio.to_thread(self._call, name, given, overtaken)

    def _call(self, name: str, given: Any, overtaken: Callable[[], bool]) -> Any:
        with self._lock:
            if overtaken():
                raise OvertakenError("A newer picture was asked for.")
            process = self._current()
            try:
                process.pipe.send((name, given))
                return _opened(self._wait(process, overtaken))
            except (EOFError, OSError, BrokenPipeError):
                self._replace()
                raise CallError(
                    "The fit ended its process, perhaps for want of memory; the studio goes on."
                ) from None

    def _current(self) -> _Process:
        if self._now is None:
            self.start()
        assert self._now is not None
        return self._now

    def _wait(self, process: _Process, overtaken: Callable[[], bool]) -> Any:
        """Wait for the answer; end the process where it takes too long."""
        begun, since = monotonic(), None
        while True:
            message = process.receive(0.02)
            if message is not None:
                return message
            now = monotonic()
            if since is None and overtaken():
                since = now
            if not process.ready:  # it imports, which is not the call's time
                begun = now
            if since is not None and process.ready and now - since > PATIENCE:
                self._replace()
                raise OvertakenError("A newer picture was asked for.")
            if now - begun > LONGEST:
                self._replace()
                raise CallError(f"The fit took more than {LONGEST:g} s and was ended.")

    def _replace(self) -> None:
        """Let the spare process take the place of the present one."""
        if self._now is not None:
            self._now.end()
        spare = self._spare if self._spare is not None and self._spare.alive else _Process()
        self._now, self._spare = spare, _Process()


def _opened(message: Any) -> Any:
    kind, value = message
    if kind == "error":
        raise CallError(value)
    return value
