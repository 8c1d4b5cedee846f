"""Run a function over fixed pieces of work on several threads.

Pieces are cut the same way whatever the number of threads, and each writes its own part of the
output, so results are equal to the last bit for any ``n_jobs``. BLAS is held to one thread
meanwhile: the pieces are the parallelism, and two pools would fight over the cores.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from typing import Any, Self, TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")
R = TypeVar("R")

_DONE = object()
_FEWEST = 4  # fewer pieces than this are done before another thread has woken up

_share: ContextVar[int | None] = ContextVar("share", default=None)


@cache
def _blas() -> ThreadpoolController:
    """Find the loaded BLAS libraries; looking for them takes milliseconds, so only once."""
    return ThreadpoolController().select(user_api="blas")


def count_threads(n_jobs: int | None) -> int:
    """Threads to use: all cores for None, as joblib counts otherwise (-1 all, -2 all but one).

    Inside ``side_by_side`` at most the share of the piece at work.
    """
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning; use 1 for one thread, None or -1 for all.")
    share = _share.get()
    available = _cores() if share is None else share
    if n_jobs is None:
        return available
    if n_jobs > 0:
        return n_jobs if share is None else min(n_jobs, share)
    return max(1, available + 1 + n_jobs)


def _cores() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1


class _OneBlasThread:
    """Hold BLAS to one thread while anybody asks for it; the last one out restores it."""

    def __init__(self) -> None:
        self._lock, self._users = threading.Lock(), 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                # Not as a context: only the thread that entered one may leave it.
                self._limit = _blas().limit(limits=1)

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._limit is not None:
                self._limit.restore_original_limits()


_one_blas_thread = _OneBlasThread()


class Workers:
    """A pool of threads, started when first needed and gone at the end of the ``with`` block."""

    def __init__(self, n_jobs: int | None = None) -> None:
        self.threads = count_threads(n_jobs)
        self._stack = ExitStack()
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        self._stack.enter_context(_one_blas_thread)
        return self

    def __exit__(self, *error: object) -> None:
        self._pool = None
        self._stack.close()

    def each(self, function: Callable[[T], Any], pieces: Iterable[T]) -> None:
        """Call the function on every piece; the first error met is raised here.

        The calling thread works too, and whoever is free takes the next piece: a task for each
        piece would cost more than many pieces do.
        """
        work = list(pieces)
        if self.threads == 1 or len(work) < _FEWEST:
            for piece in work:
                function(piece)
            return
        if self._pool is None:
            self._pool = self._stack.enter_context(ThreadPoolExecutor(self.threads - 1))
        left = iter(work)

        def take_turns() -> None:
            while (piece := next(left, _DONE)) is not _DONE:
                function(piece)  # type: ignore[arg-type]

        others = [self._pool.submit(take_turns) for _ in range(self.threads - 1)]
        try:
            take_turns()
        finally:
            wait(others)
        for other in others:
            other.result()


def side_by_side(
    function: Callable[[T], R],
    pieces: Iterable[T],
    n_jobs: int | None = None,
    at_once: int | None = None,
) -> list[R]:
    """Call the function on a few long pieces, several (``at_once``) at a time; results in order.

    All of them together get ``n_jobs`` threads: a ``Workers`` inside a piece gets an equal share.
    After an error no further piece is begun, and of those that failed the first one's is raised.
    """
    work = list(pieces)
    threads = count_threads(n_jobs)
    apart = max(1, min(threads, len(work), at_once or len(work)))
    with _one_blas_thread, _sharing(threads // apart):
        if apart == 1:
            return [function(piece) for piece in work]
        begin = _until_one_fails(function)
        contexts = [copy_context() for _ in work]
        pool = ThreadPoolExecutor(apart)
        try:
            futures = [
                pool.submit(context.run, begin, piece)
                for context, piece in zip(contexts, work, strict=True)
            ]
            return [future.result() for future in futures]
        finally:  # also when Ctrl-C ends the waiting
            pool.shutdown(cancel_futures=True)


@contextmanager
def _sharing(threads: int) -> Iterator[None]:
    token = _share.set(threads)
    try:
        yield
    finally:
        _share.reset(token)


def _until_one_fails(function: Callable[[T], R]) -> Callable[[T], R]:
    """Refuse to begin a piece once another has failed; the failure is what the caller will see."""
    failed = threading.Event()

    def begin(piece: T) -> R:
        if failed.is_set():
            return _DONE  # type: ignore[return-value]
        try:
            return function(piece)
        except BaseException:
            failed.set()
            raise

    return begin
