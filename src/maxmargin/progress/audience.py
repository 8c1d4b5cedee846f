"""Who hears what the library says while it works: its log, a terminal, a notebook.

Everything goes to the logger "maxmargin" at level INFO, which is silent until a program sets up
logging. What must not be missed is shown on a terminal or in a notebook too, unless the log shows
it there already.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
from typing import Any, Final

QUIET: Final = "MAXMARGIN_QUIET"
logger: Final = logging.getLogger("maxmargin")
logger.addHandler(logging.NullHandler())


def announce(line: str, *, always: bool = False) -> None:
    """Log a line, and show it where a person looks and would not see the log.

    Parameters
    ----------
    line : str
        Without a full stop.
    always : bool, default=False
        Whether it goes to standard error even where that is no terminal.
    """
    logger.log(logging.WARNING if always else logging.INFO, line)
    if _wants_quiet() or _log_is_shown():
        return
    shown = f"maxmargin: {line} ({QUIET}=1 hides this line)."
    if notebook() is not None:
        show_in_notebook(shown)
    elif sys.stderr is not None and (always or stderr_is_a_terminal()):
        sys.stderr.write(f"{shown}\n")


def _wants_quiet() -> bool:
    """Return whether the user asked for silence, or this process is another one's worker."""
    asked = os.environ.get(QUIET, "0") not in {"", "0"}
    return asked or multiprocessing.parent_process() is not None


def stderr_is_a_terminal() -> bool:
    """Return whether errors go to a terminal.

    Returns
    -------
    bool
    """
    return sys.stderr is not None and sys.stderr.isatty()


def _log_is_shown() -> bool:
    """Return whether some handler writes our log to a stream that a person looks at."""
    source: logging.Logger | None = logger
    while source is not None and logger.isEnabledFor(logging.INFO):
        if any(_shows(handler) for handler in source.handlers):
            return True
        source = source.parent if source.propagate else None
    return False


def _shows(handler: logging.Handler) -> bool:
    stream = getattr(handler, "stream", None)
    shown = stream is not None and any(stream is each for each in (sys.stderr, sys.stdout))
    return (shown or hasattr(handler, "console")) and handler.level <= logging.INFO


def notebook() -> Any:
    """Return IPython's shell if this runs in the kernel of a notebook, else None.

    Returns
    -------
    object or None
    """
    find = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = None if find is None else find()
    return shell if getattr(shell, "kernel", None) is not None else None


def show_in_notebook(line: str) -> None:
    """Show a line below the cell at work.

    Parameters
    ----------
    line : str
    """
    from IPython.display import display  # noqa: PLC0415  (there in a notebook alone)

    display({"text/plain": line}, raw=True)
