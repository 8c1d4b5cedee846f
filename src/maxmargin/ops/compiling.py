"""Say on a terminal that loops are being compiled, when that takes long.

The first fit ever compiles what it runs and Numba keeps it on disk for later processes: some
seconds, once, which look like a fit that hangs. Numba tells its listeners of every compilation and
of none when it finds the loops on disk, so that a warm start costs nothing.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from threading import Timer
from time import perf_counter
from typing import Any, Final

from numba.core import event

QUIET: Final = "MAXMARGIN_QUIET"
_LINE: Final = (
    f"maxmargin: compiling for this processor, once; later fits start at once ({QUIET}=1 hides"
    " this line).\n"
)


class CompilationNotice(event.Listener):
    """Write one line when our loops have been compiling for some seconds in all.

    Parameters
    ----------
    patience : float, default=2.0
        Seconds.
    """

    def __init__(self, patience: float = 2.0) -> None:
        self.patience, self.told = patience, False
        self._depth = 0  # a loop that calls another compiles it meanwhile, under the same lock

    def on_start(self, event: Any) -> None:
        """Start to count, if this is the outermost loop."""
        if self.told or not _is_ours(event):
            return
        self._depth += 1
        if self._depth == 1:
            self._since = perf_counter()
            self._timer = Timer(self.patience, self._tell)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        """Stop to count, and leave less patience for what is compiled next."""
        if self._depth == 0 or not _is_ours(event):
            return
        self._depth -= 1
        if self._depth == 0:
            self._timer.cancel()
            self._timer.join()
            self.patience -= perf_counter() - self._since
            if self.patience < 0:
                self._tell()

    def _tell(self) -> None:
        if not self.told and _somebody_looks():
            sys.stderr.write(_LINE)
        self.told = True


def _is_ours(event: Any) -> bool:
    return event.data["dispatcher"].py_func.__module__.startswith("maxmargin.")


def _somebody_looks() -> bool:
    """Whether errors go to a terminal, from a process that is not somebody's worker."""
    wanted = os.environ.get(QUIET, "0") in {"", "0"} and multiprocessing.parent_process() is None
    return wanted and sys.stderr is not None and sys.stderr.isatty()


notice: Final = CompilationNotice()
event.register("numba:compile", notice)
