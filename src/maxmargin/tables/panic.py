"""Keep Polars from printing a trace of its own before Python hears of an error."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_STDERR = 2


@contextmanager
def quiet_panics() -> Iterator[None]:
    """Lead standard error nowhere: what went wrong is raised, and said once."""
    try:
        kept = os.dup(_STDERR)
    except OSError:  # nowhere to print to
        yield
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, _STDERR)
    try:
        yield
    finally:
        os.dup2(kept, _STDERR)
        os.close(kept)
        os.close(nothing)
