"""Listen to Numba's compilations of our loops, where it reports them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

try:
    from numba.core import event as _event
except ImportError:  # another release of Numba; then no compilation is reported
    _event = None

_COMPILE = "numba:compile"
_Base: Any = object if _event is None else _event.Listener


class CompileListener(_Base):
    """Is called at the start and the end of each compilation of one of our loops."""

    def on_start(self, event: Any) -> None:
        """Call ``begin`` if the loop is ours."""
        if _is_ours(event):
            self.begin()

    def on_end(self, event: Any) -> None:
        """Call ``end`` if the loop is ours."""
        if _is_ours(event):
            self.end()

    def begin(self) -> None:
        """Note that a loop begins to be compiled."""

    def end(self) -> None:
        """Note that a loop has been compiled."""


def _is_ours(event: Any) -> bool:
    return bool(event.data["dispatcher"].py_func.__module__.startswith("maxmargin."))


def listen_always(listener: CompileListener) -> None:
    """Report all compilations of this process to a listener."""
    if _event is not None:
        _event.register(_COMPILE, listener)


@contextmanager
def listening(listener: CompileListener) -> Iterator[None]:
    """Report compilations inside a ``with`` block to a listener."""
    if _event is None:
        yield
        return
    with _event.install_listener(_COMPILE, listener):
        yield
