"""Announce that loops are being compiled, when that takes long.

The first fit ever compiles what it runs and Numba keeps it on disk for later processes: some
seconds, once, which look like a fit that hangs. Numba tells its listeners of every compilation and
of none when it finds the loops on disk, so that a warm start costs nothing.
"""

from __future__ import annotations

from contextvars import copy_context
from threading import Timer
from typing import Final

from maxmargin.ops.compiler.event import CompileListener, listen_always
from maxmargin.progress.audience import announce
from maxmargin.progress.compile_time import compile_time

_LINE: Final = "compiling for this processor, once; later fits start at once"


class CompilationNotice(CompileListener):
    """Announce once that our loops have been compiling for some seconds in all.

    Parameters
    ----------
    patience : float, default=2.0
        Seconds.
    """

    def __init__(self, patience: float = 2.0) -> None:
        self.patience, self.told = patience, False
        self._timer: Timer | None = None
        self._depth = 0  # a loop that calls another compiles it meanwhile, under the same lock

    def begin(self) -> None:
        """Start to count, if this is the outermost loop."""
        self._depth += 1
        if self._depth == 1:
            compile_time.begin()
            if not self.told:
                self._wait()

    def _wait(self) -> None:
        # A notebook shows the line below the cell that this context belongs to.
        self._timer = Timer(max(self.patience, 0.0), copy_context().run, [self._tell])
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """Stop to count, and leave less patience for what is compiled next."""
        if self._depth == 0:
            return
        self._depth -= 1
        if self._depth > 0:
            return
        seconds = compile_time.end()
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            self._timer = None
            self.patience -= seconds
            if self.patience < 0:
                self._tell()

    def _tell(self) -> None:
        if not self.told:
            self.told = True
            announce(_LINE)


notice: Final = CompilationNotice()
listen_always(notice)
