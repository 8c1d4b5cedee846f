"""Standard output and error that outlive their reader.

``maxmargin fit ... | head -1`` closes the pipe after a line, and a terminal may be closed at any
time. The words have no reader then, but the files are still wanted: printing goes on into the void.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from typing import Any

_STANDARD = range(3)
_ERRORS = 2


class Outlet(io.FileIO):
    """A standard stream that drops its output once the reader is gone.

    Parameters
    ----------
    number : int
        Of the stream: 1 or 2.

    Attributes
    ----------
    error : OSError or None
        Why it could not be written, if not because a reader or a terminal is gone.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number, "w", closefd=False)
        self.error: OSError | None = None
        self._gone = {errno.EPIPE, errno.EIO} if self.isatty() else {errno.EPIPE}

    def write(self, data: Any) -> int:
        """Write, or pretend to."""
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in self._gone:
                self.error = error
            self._lead_nowhere()
            return len(data)

    def _lead_nowhere(self) -> None:
        """Silence compiled libraries, which print past Python's streams."""
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, self.fileno())
        os.close(nothing)


def guard_streams() -> list[Outlet]:
    """Make standard output and error outlive their readers, and the process its terminal.

    Returns
    -------
    outlets : list of Outlet
        Of both streams; what went wrong with them is known after ``flush_streams``.
    """
    _open_closed_ones()
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    outlets = [Outlet(1), Outlet(2)]
    sys.stdout, sys.stderr = (
        _as_text(*pair) for pair in zip(outlets, (sys.stdout, sys.stderr), strict=True)
    )
    return outlets


def _open_closed_ones() -> None:
    """Open what a shell has closed (``>&-``): the next file would take its number and its words."""
    for number in _STANDARD:
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def _as_text(outlet: Outlet, before: Any) -> io.TextIOWrapper:
    """Write text as the stream before did; None is one that was closed."""
    if before is not None:
        before.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(outlet),
        encoding=getattr(before, "encoding", "utf-8"),
        errors=getattr(before, "errors", "backslashreplace"),
        line_buffering=outlet.isatty() or outlet.fileno() == _ERRORS,
    )


def flush_streams(outlets: list[Outlet]) -> OSError | None:
    """Write what is left; return what went wrong but for readers that are gone.

    Parameters
    ----------
    outlets : list of Outlet

    Returns
    -------
    error : OSError or None
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return next((each.error for each in outlets if each.error is not None), None)
