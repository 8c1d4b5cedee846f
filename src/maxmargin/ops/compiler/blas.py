"""Hold BLAS to one thread, and restore it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController, threadpool_limits

from maxmargin.ops.compiler.plain import is_asked_for

Restore = Callable[[], None]


def hold_blas() -> Restore:
    """Hold all BLAS libraries to one thread; return a function that restores them.

    threadpoolctl's own limit lists all it knows of them, which takes longer than a row's decision.
    """
    if not is_asked_for():
        try:
            return _hold_quickly()
        except AttributeError:  # another release of threadpoolctl
            pass
    limit = threadpool_limits(limits=1, user_api="blas")
    return limit.restore_original_limits


def _hold_quickly() -> Restore:
    numbers = [(library, library.get_num_threads()) for library in _blas().lib_controllers]
    held = [(library, threads) for library, threads in numbers if threads is not None]
    for library, _ in held:
        _set_threads(library, 1)

    def restore() -> None:
        for library, threads in held:
            _set_threads(library, threads)

    return restore


def _set_threads(library: Any, threads: int) -> None:
    """Set the number of threads a BLAS library may use.

    Since threadpoolctl 3.8 only the first thread that asks is heard, until it lets go; here all
    threads are, because the caller counts them.
    """
    library.set_num_threads(threads)
    let_go = getattr(library, "clear_controlling_thread", None)
    if let_go is not None:
        let_go()


@cache
def _blas() -> ThreadpoolController:
    """Find the loaded BLAS libraries; looking for them takes milliseconds, so only once."""
    return ThreadpoolController().select(user_api="blas")
