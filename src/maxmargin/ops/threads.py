"""Run a function over fixed pieces of work on several threads.

Pieces are cut the same way whatever the number of threads, and each writes its own part of the
output, so results are equal to the last bit for any ``n_jobs``. BLAS is held to one thread
meanwhile: the pieces are the parallelism, and two pools would fight over the cores. For the same
reason nobody's worker takes more than its own core unless it is told to (``count_threads``).
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from contextvars import Context, ContextVar, copy_context
from functools import cache
from typing import Any, Self, TypeVar

from joblib import cpu_count
from threadpoolctl import ThreadpoolController

T = TypeVar("T")
R = TypeVar("R")

_LIMITS = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")  # among those that joblib sets in its workers
_FEWEST = 4  # fewer pieces than this are done before another thread has woken up

_share: ContextVar[int | None] = ContextVar("share", default=None)
_flags: ContextVar[tuple[threading.Event, ...]] = ContextVar("flags", default=())


@cache
def _blas() -> ThreadpoolController:
    """Find the loaded BLAS libraries; looking for them takes milliseconds, so only once."""
    return ThreadpoolController().select(user_api="blas")


def _cores() -> int:
    """Count the cores for us; the files that say so are read again only where they may differ."""
    affinity = getattr(os, "sched_getaffinity", None)
    allowed = None if affinity is None else len(affinity(0))
    return _cores_known(allowed, os.environ.get("LOKY_MAX_CPU_COUNT"))


@cache
def _cores_known(_allowed: int | None, _limit: str | None) -> int:
    return int(cpu_count())


def count_threads(n_jobs: int | None) -> int:
    """Threads to use: for None all cores at the top level, and one in somebody else's worker.

    Other numbers count as joblib's do (-1 all, -2 all but one). Inside ``side_by_side`` there are
    at most as many as the share of the piece at work.
    """
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning; use 1 for one thread, None or -1 for all.")
    share = _share.get()
    if n_jobs is None:
        return share or _default()
    if n_jobs > 0:
        return n_jobs if share is None else min(n_jobs, share)
    return max(1, (share or _cores()) + 1 + n_jobs)


def _default() -> int:
    """All cores; one where a pool of threads or processes runs us and gave the rest to others.

    joblib tells its own process workers how many threads are theirs (``inner_max_num_threads``).
    """
    given = [
        os.environ.get(name, "").partition(",")[0] for name in _LIMITS
    ]  # the outermost level's
    limits = [int(number) for number in given if number.isdecimal()]
    in_process = multiprocessing.parent_process() is not None and not limits
    if in_process or threading.current_thread() is not threading.main_thread():
        return 1
    return max(1, min([_cores(), *limits]))


class _OneBlasThread:
    """Hold BLAS to one thread while anybody asks for it; the last one out restores it."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin anew, with nobody asking."""
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

if hasattr(os, "register_at_fork"):
    # Whoever held the lock in the parent, or asked for one thread, is not there in the child.
    os.register_at_fork(after_in_child=_one_blas_thread.forget)


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
        piece would cost more than many pieces do. After an error, Ctrl-C among them, no further
        piece is begun.
        """
        left = deque(pieces)

        def take_turns() -> None:
            try:
                for piece in _taken(left):
                    function(piece)
            except BaseException:
                left.clear()
                raise

        if self.threads == 1 or len(left) < _FEWEST:
            take_turns()
            return
        if self._pool is None:
            self._pool = self._stack.enter_context(ThreadPoolExecutor(self.threads - 1))
        _Crew(self._pool, self.threads - 1, left, take_turns).work()


class _Crew:
    """The calling thread and those that it wakes, until no piece is left.

    Everybody who begins wakes one more, as long as pieces are left: the caller pays for waking one,
    and short work is done before many are awake.
    """

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        most: int,
        left: deque[Any],
        take_turns: Callable[[], None],
    ) -> None:
        self._pool, self._most, self._left, self._take_turns = pool, most, left, take_turns
        self._failed, self._others = threading.Event(), deque[Future[None]]()

    def work(self) -> None:
        """Work with the others; the first error met is raised here."""
        self._wake_one()
        try:
            self._take_turns()
        except BaseException:
            self._failed.set()
            raise
        finally:
            self._left.clear()
            self._wait()
        for other in self._others:
            other.result()

    def _wake_one(self) -> None:
        if len(self._others) < self._most and self._left:
            context = _with_flag(self._failed)
            self._others.append(self._pool.submit(context.run, self._begin))

    def _begin(self) -> None:
        self._wake_one()
        self._take_turns()

    def _wait(self) -> None:
        """Wait for all; whoever is not done may just have woken another."""
        while pending := [other for other in list(self._others) if not other.done()]:
            wait(pending)


def _taken(left: deque[T]) -> Iterator[T]:
    """Take pieces until nobody has left one, or wants what they make."""
    while True:
        stop_if_cancelled()
        try:
            piece = left.popleft()
        except IndexError:
            return
        yield piece


def _with_flag(flag: threading.Event) -> Context:
    """Copy this thread's context for another one that shall end when the flag is set."""
    context = copy_context()
    context.run(_flags.set, (*_flags.get(), flag))
    return context


class Cancelled(BaseException):
    """The pieces beside this one were given up, so its result is not wanted any more."""


def stop_if_cancelled() -> None:
    """End a long piece here if an error or Ctrl-C ended the work that it is part of."""
    if any(flag.is_set() for flag in _flags.get()):
        raise Cancelled


def side_by_side(
    function: Callable[[T], R],
    pieces: Iterable[T],
    n_jobs: int | None = None,
    at_once: int | None = None,
) -> list[R]:
    """Call the function on a few long pieces, several (``at_once``) at a time; results in order.

    All of them together get ``n_jobs`` threads: a ``Workers`` inside a piece gets an equal share.
    After an error no further piece is begun, and later ones at work end where they next ask
    (``stop_if_cancelled``); earlier ones go on, so that the error raised is the one that piece
    after piece would raise too. Ctrl-C ends all of them.
    """
    work = list(pieces)
    threads = count_threads(n_jobs)
    apart = max(1, min(threads, len(work), at_once or len(work)))
    with _one_blas_thread, _sharing(threads // apart):
        if apart == 1:
            return [function(piece) for piece in work]
        return _in_threads(function, work, apart)


def _in_threads(function: Callable[[T], R], work: list[T], apart: int) -> list[R]:
    unwanted = [threading.Event() for _ in work]

    def cancel(first: int) -> None:
        for flag in unwanted[first:]:
            flag.set()

    def begin(number: int) -> R:
        stop_if_cancelled()
        try:
            return function(work[number])
        except BaseException as error:
            cancel(number if isinstance(error, Exception) else 0)
            raise

    pool = ThreadPoolExecutor(apart)
    try:
        contexts = [_with_flag(flag) for flag in unwanted]
        futures = [pool.submit(c.run, begin, number) for number, c in enumerate(contexts)]
        wait(futures, return_when=FIRST_EXCEPTION)
        return _results(futures)
    except BaseException:  # also when Ctrl-C ends the waiting
        cancel(0)
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _results(futures: list[Future[R]]) -> list[R]:
    """Give all results, or raise the first error that is one of its own."""
    if any(f.done() and f.exception() is not None for f in futures):
        wait(futures)
    errors = [error for f in futures if (error := f.exception()) is not None]
    for error in errors:
        if not isinstance(error, Cancelled):
            raise error
    return [f.result() for f in futures]


@contextmanager
def _sharing(threads: int) -> Iterator[None]:
    token = _share.set(threads)
    try:
        yield
    finally:
        _share.reset(token)
