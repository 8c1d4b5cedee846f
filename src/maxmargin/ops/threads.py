"""Run a function over fixed pieces of work on several threads.

Pieces are cut the same way whatever the number of threads, and each writes its own part of the
output, so results are equal to the last bit for any ``n_jobs``. BLAS is held to one thread
meanwhile: the pieces are the parallelism, and two pools would fight over the cores. For the same
reason a worker of a pool takes only its own core, unless ``n_jobs`` is given (``count_threads``).
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from contextvars import Context, ContextVar, copy_context
from functools import cache
from queue import Empty, SimpleQueue
from typing import Any, Self, TypeVar

import numpy as np
from joblib import cpu_count
from numpy.typing import DTypeLike, NDArray

from maxmargin.ops.compiler.blas import Restore, hold_blas
from maxmargin.ops.compiler.plain import is_plain
from maxmargin.ops.timeline import gathered, met, watched

T = TypeVar("T")
R = TypeVar("R")

_LIMITS = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")  # among those that joblib sets in its workers
_OPEN = 1  # the place in a gate that says that no thread has to wait at it any more
_FEWEST = 4  # fewer pieces than this are done before another thread has woken up

_share: ContextVar[int | None] = ContextVar("share", default=None)
_flags: ContextVar[tuple[threading.Event, ...]] = ContextVar("flags", default=())


def _cores() -> int:
    """Count the cores for us; the files that say so are read again only where they may differ."""
    affinity = getattr(os, "sched_getaffinity", None)
    allowed = None if affinity is None else len(affinity(0))
    return _cores_known(allowed, os.environ.get("LOKY_MAX_CPU_COUNT"))


@cache
def _cores_known(_allowed: int | None, _limit: str | None) -> int:
    return int(cpu_count())


def count_threads(n_jobs: int | None) -> int:
    """Threads to use: for None all cores at the top level, and one in a worker of another pool.

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


def threads_can_share() -> bool:
    """Return whether compiled loops on several threads can share a counter or meet at a gate."""
    return not is_plain()


@cache
def resting() -> int:
    """Return the address of the system's way to let other threads have a core; 0 without one."""
    try:
        if os.name == "nt":
            rest: Any = ctypes.WinDLL("kernel32").SwitchToThread  # type: ignore[attr-defined]
        else:
            rest = ctypes.CDLL(None).sched_yield
    except (AttributeError, OSError):
        return 0
    return ctypes.cast(rest, ctypes.c_void_p).value or 0


class _OneBlasThread:
    """Hold BLAS to one thread while any block asks for it; the last block restores it."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin anew, without a block that asks."""
        self._lock, self._users = threading.Lock(), 0
        self._restore: Restore | None = None

    def __enter__(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._restore = hold_blas()

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._restore is not None:
                self._restore()
                self._restore = None


one_blas_thread = _OneBlasThread()

if hasattr(os, "register_at_fork"):
    # Threads that held the lock in the parent, or asked for one thread, do not exist in the child.
    os.register_at_fork(after_in_child=one_blas_thread.forget)


class _Team:
    """Threads that wait for the next call; a pool's tasks would cost several times as much."""

    def __init__(self, size: int) -> None:
        self._calls: SimpleQueue[tuple[Context, Callable[[], Any], Any] | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(size)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while (call := self._calls.get()) is not None:
            context, function, done = call
            try:
                context.run(function)
                done.put(None)
            except BaseException as error:
                done.put(error)
            del call, context, function, done  # what it holds shall not live until the next

    def run(self, function: Callable[[], Any], others: int, all_needed: bool = False) -> None:
        """Call a function here and on a number of other threads, and wait for all of them.

        Unless all are needed, those that have not woken up when it ends here are not waited for.
        """
        failed, done = threading.Event(), SimpleQueue[BaseException | None]()
        for _ in range(others):
            self._calls.put((_with_flag(failed), function, done))
        ended = 0
        try:
            function()
            errors = []
            ended = 0 if all_needed else self._take_back(done)
            while ended < others:
                errors.append(done.get())
                ended += 1
        except BaseException:
            failed.set()
            while ended < others:
                done.get()
                ended += 1
            raise
        met = [error for error in errors if error is not None]
        for error in sorted(met, key=lambda each: isinstance(each, Cancelled)):
            raise error

    def _take_back(self, done: Any) -> int:
        """Take away the calls of a run that no thread has begun; return how many they were."""
        taken = 0
        try:
            while (call := self._calls.get_nowait()) is not None and call[2] is done:
                taken += 1
            self._calls.put(call)
        except Empty:
            pass
        return taken


class Workers:
    """A pool of threads, started when first needed and gone at the end of the ``with`` block."""

    def __init__(self, n_jobs: int | None = None) -> None:
        self.threads = count_threads(n_jobs)
        self._stack = ExitStack()
        self._team: _Team | None = None

    def __enter__(self) -> Self:
        self._stack.enter_context(one_blas_thread)
        return self

    def __exit__(self, *error: object) -> None:
        self._team = None
        self._stack.close()

    def each(self, function: Callable[[T], Any], pieces: Iterable[T]) -> None:
        """Call the function on every piece; the first error met is raised here.

        The calling thread works too, and a free thread takes the next piece: a task for each
        piece would cost more than many pieces do. After an error, Ctrl-C among them, no further
        piece is begun.
        """
        function, left = watched(function), deque(pieces)
        if self.threads == 1 or len(left) < _FEWEST:
            for piece in left:
                stop_if_cancelled()
                function(piece)
            return

        def take_turns() -> None:
            try:
                while True:
                    stop_if_cancelled()
                    try:
                        piece = left.popleft()
                    except IndexError:  # another thread took the last one
                        return
                    function(piece)
            except BaseException:
                left.clear()
                raise

        self._on_some(take_turns, len(left))

    def on_all(self, function: Callable[[], Any], pieces: int) -> None:
        """Call the function on as many threads as find a piece to do.

        It takes pieces until none is left. The first error met is raised here, once all threads
        have ended, and they end where they next ask (``stop_if_cancelled``). Compiled loops may
        share a counter, so there is one thread if that cannot be done (``threads_can_share``).
        """
        function = watched(function, pieces)
        if threads_can_share():
            self._on_some(function, pieces)
        else:
            function()

    def _on_some(self, function: Callable[[], Any], pieces: int) -> None:
        others = min(self.threads, pieces) - 1
        if others <= 0 or pieces < _FEWEST:
            function()
            return
        self._gathered().run(gathered(function), others)

    def together(self, function: Callable[[int], Any], workers: int, gate: Any) -> None:
        """Call the function with the numbers of workers, each on a thread of its own.

        They meet at the gate (``ops/cpu/gate.py``); where one of them cannot come it is opened, so
        that the others do not wait for ever.
        """
        gate[:] = 0
        work = watched(function, workers)
        if workers == 1:
            work(0)
            return
        numbers = iter(range(workers))

        def come() -> None:
            try:
                work(next(numbers))
            except BaseException:
                gate[_OPEN] = 1
                raise

        try:
            self._gathered().run(gathered(come), workers - 1, all_needed=True)
            met(function, int(gate[0]) // workers)
        except BaseException:  # perhaps before all of them were called
            gate[_OPEN] = 1
            raise

    def _gathered(self) -> _Team:
        if self._team is None:
            self._team = self._stack.enter_context(_Team(self.threads - 1))
        return self._team


def _with_flag(flag: threading.Event) -> Context:
    """Copy this thread's context for another one that shall end when the flag is set."""
    context = copy_context()
    context.run(_flags.set, (*_flags.get(), flag))
    return context


class Cancelled(BaseException):
    """The pieces beside this one were given up, so its result is not wanted any more."""


def stop_if_cancelled() -> None:
    """End a long piece here if an error or Ctrl-C ended the work that it is part of."""
    for flag in _flags.get():
        if flag.is_set():
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
    with one_blas_thread, _sharing(threads // apart):
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
    """Return all results, or raise the first error that is one of its own."""
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


class Scratch:
    """An array of a fixed size for each thread that asks.

    Examples
    --------
    >>> scratch = Scratch(3, float)
    >>> scratch.memory() is scratch.memory()
    True
    """

    def __init__(self, size: int, dtype: DTypeLike) -> None:
        self._size, self._dtype, self._own = size, dtype, threading.local()

    def memory(self) -> NDArray[Any]:
        """Return this thread's."""
        if not hasattr(self._own, "memory"):
            self._own.memory = np.empty(self._size, self._dtype)
        memory: NDArray[Any] = self._own.memory
        return memory
