"""One fit's hold on a cluster: named tasks on partitions, answers in order, and a clean end.

The only file that talks to Dask's scheduler. A ``Cluster`` keeps the futures of a fit's partitions
and maps functions over them. A worker that dies takes nothing with it: Dask reads its partitions
again, and functions are pure in the partition and in what is sent along.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import pairwise
from typing import Any

import distributed
import numpy as np
from distributed import client as client_room
from distributed.client import FutureCancelledError
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker

from maxmargin.dask.interrupt import under_the_scheduler
from maxmargin.inputs.warning import warn_user
from maxmargin.ops.clock import Clock, TimeUp, current_clock

LOOK = 0.1
"""Seconds between two looks at the clock while workers compute."""
PATIENCE = 10.0
"""Seconds for which a cluster may be without a worker: a nanny restarts one in two or three."""
REGROUP = 5.0
"""Seconds between two looks for workers that joined or left."""

# Releases of distributed before 2026 raise a RuntimeError, which ``_guard`` knows too.
_CLOSED: Any = getattr(client_room, "ClosedClientError", CommClosedError)
_GONE = (
    FutureCancelledError,
    CommClosedError,
    _CLOSED,
    asyncio.CancelledError,
    OSError,
)


class ClusterLost(RuntimeError):  # noqa: N818  (what happened, as in TimeUp)
    """No worker or no scheduler is left to answer."""


@contextmanager
def connect(client: Any, clock: Clock, keep: bool = False) -> Iterator[Cluster]:
    """Open a client's cluster for one fit, and release everything at the end.

    With ``keep`` a lost cluster ends the fit as Ctrl-C does, with a warning.
    """
    with ExitStack() as stack:
        cluster = Cluster(_client(client, stack), clock, keep)
        try:
            yield cluster
        finally:
            cluster.release()


def _client(client: Any, stack: ExitStack) -> Any:
    """Return the client to use: the given one, the current one, or that of the task around us."""
    if isinstance(client, str):
        return stack.enter_context(distributed.Client(client, set_as_default=False))
    if _inside_a_task():  # it must not hold a thread that its own tasks may need
        return stack.enter_context(distributed.worker_client())
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise ValueError(
                "There is no Dask client: create one with distributed.Client(...), or pass "
                "client=..., before fitting on a cluster."
            ) from None
    if client.status != "running":
        raise ClusterLost(
            f"The Dask client is {client.status}, so nothing can be computed: create a new one "
            "with distributed.Client(...)."
        )
    return client


def _inside_a_task() -> bool:
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True


class Cluster:
    """A client, the futures of one fit and its clock."""

    def __init__(self, client: Any, clock: Clock, keep: bool = False) -> None:
        self.client, self.clock, self.keep = client, clock, keep
        self.token = uuid.uuid4().hex[:12]
        self._tables: list[Table] = []
        self._calls, self._alone_since = 0, 0.0
        self.tasks = 0
        """Tasks sent so far."""

    # what is held

    def hold(self, name: str, delayed: Sequence[Any]) -> Table:
        """Compute delayed values and keep them on their workers."""
        futures = self._guard(lambda: self.client.compute(list(delayed), optimize_graph=True))
        table = Table(list(futures))
        self._tables.append(table)
        self.tasks += len(futures)
        self._wait(table.futures, name)
        return table

    def share(self, name: str, value: Any) -> Any:
        """Make one value known to all workers; Dask can make it anew, wherever it is lost."""
        future = self._submit(name, None, _itself, value)
        self._tables.append(Table([future]))
        return future

    def derive(self, table: Table, name: str, function: Callable[..., Any], *state: Any) -> Table:
        """Hold what a function makes of every partition."""
        made = [self._submit(name, None, function, future, *state) for future in table.futures]
        derived = Table(made)
        self._tables.append(derived)
        self._wait(made, name)
        return derived

    def release(self) -> None:
        """Let go of all partitions, and stop what still runs."""
        tables, self._tables = self._tables, []
        for table in tables:
            self._cancel(table.futures)
            for future in table.futures:
                future.release()

    # what is asked

    def ask(self, table: Table, name: str, function: Callable[..., Any], *state: Any) -> list[Any]:
        """Call ``function(partition, *state)`` on every partition; return answers in order."""
        answers: list[Any] = [None] * len(table.futures)
        for group, some in self._on_groups(table, name, on_each, function, state):
            for place, answer in zip(group, some, strict=True):
                answers[place] = answer
        return answers

    def add(
        self,
        table: Table,
        name: str,
        function: Callable[..., Any],
        *state: Any,
        plus: Callable[[Any, Any], Any],
    ) -> Any:
        """Add up answers whose sums are exact, so that their order and grouping do not matter."""
        found = self._on_groups(table, name, added, function, (plus, *state))
        return reduce(plus, (answer for _, answer in found))

    def _on_groups(
        self,
        table: Table,
        name: str,
        over: Callable[..., Any],
        function: Callable[..., Any],
        state: tuple[Any, ...],
    ) -> list[tuple[list[int], Any]]:
        groups = self._grouped(table)
        asked = [
            self._submit(name, worker, over, function, [table.futures[i] for i in group], *state)
            for worker, group in groups
        ]
        answers = self._collect(asked, name)
        return [(group, answer) for (_, group), answer in zip(groups, answers, strict=True)]

    def ask_one(
        self, table: Table, name: str, place: int, function: Callable[..., Any], *state: Any
    ) -> Any:
        """Call a function on one partition."""
        asked = self._submit(name, None, function, table.futures[place], *state)
        return self._collect([asked], name)[0]

    def spread(
        self,
        table: Table,
        name: str,
        function: Callable[..., Any],
        each: Sequence[Any],
        *state: Any,
    ) -> list[Any]:
        """Start a function on every partition with a number of its own; return the futures."""
        pairs = zip(table.futures, each, strict=True)
        return [self._submit(name, None, function, future, k, *state) for future, k in pairs]

    def threads(self) -> dict[str, int]:
        """Return how many threads each worker has."""
        known: dict[str, int] = self._guard(self.client.nthreads)
        return known

    def run(self, name: str, function: Callable[..., Any], tasks: Sequence[Any]) -> list[Any]:
        """Call a function on the arguments of each task, on any worker."""
        asked = [self._submit(name, None, function, *arguments) for arguments in tasks]
        return self._collect(asked, name)

    def _submit(self, name: str, worker: str | None, *call: Any) -> Any:
        self.tasks, self._calls = self.tasks + 1, self._calls + 1
        where = {} if worker is None else {"workers": [worker], "allow_other_workers": True}
        where |= {"key": f"{name}-{self.token}{self._calls}", "pure": False}
        return self._guard(lambda: self.client.submit(under_the_scheduler, *call, **where))

    def _collect(self, futures: list[Any], name: str) -> list[Any]:
        try:
            self._wait(futures, name)
            return self._guard(lambda: list(self.client.gather(futures)))
        finally:
            for future in futures:
                future.release()

    # waiting

    def _wait(self, futures: list[Any], name: str) -> None:
        """Wait for all; stop them when the clock is over, one fails or no worker is left."""
        self._alone_since, done = 0.0, False
        try:
            for future in futures:
                self._wait_for(future, futures, name)
            done = True
        finally:
            if not done:
                self._cancel(futures)

    def _wait_for(self, future: Any, others: list[Any], name: str) -> None:
        while True:
            self._stop_if_over()
            failed = next((each for each in others if each.status == "error"), future)
            try:
                error = self._guard(partial(failed.exception, timeout=LOOK))
            except TimeoutError:
                self._stop_if_alone(name)
                continue
            if error is not None:
                raise _told(error, name)
            if failed is future:
                return

    def _stop_if_over(self) -> None:
        outer = current_clock()
        if self.clock.over() or (outer is not None and outer is not self.clock and outer.over()):
            raise TimeUp

    def _stop_if_alone(self, name: str) -> None:
        """Raise if there has been no worker, or no scheduler, for a while."""
        if self.client.status not in ("running", "connecting"):
            self._lose(f"The Dask client is {self.client.status}")
        alone = self.client.status == "connecting" or not self._addresses()
        now = time.monotonic()
        self._alone_since = (self._alone_since or now) if alone else 0.0
        if alone and now - self._alone_since > PATIENCE:
            what = "scheduler" if self.client.status == "connecting" else "worker of the cluster"
            self._lose(f"No {what} has answered for {PATIENCE:.0f} seconds (during {name!r})")

    def _addresses(self) -> frozenset[str]:
        try:
            return frozenset(self.client.sync(_addresses_of, self.client))
        except _GONE:
            return frozenset()

    def _cancel(self, futures: list[Any]) -> None:
        try:
            if self.client.status == "running":
                self.client.cancel(futures, force=True)
        except _GONE:
            pass

    def _guard(self, call: Callable[[], Any]) -> Any:
        """Turn the many ways in which a connection breaks into one sentence."""
        try:
            return call()
        except TimeoutError:
            raise
        except _GONE as error:
            self._lose(f"The connection to the Dask cluster was lost ({type(error).__name__})")
        except (RuntimeError, AttributeError) as error:  # what a closed client raises
            told = str(error)
            if self.client.status == "running" and "closed" not in told and "shutdown" not in told:
                raise
            self._lose(f"The Dask client is {self.client.status}")

    def _lose(self, what: str) -> None:
        sentence = f"{what}; nothing can be computed until a cluster is there again."
        if not self.keep:
            raise ClusterLost(sentence) from None
        warn_user(f"{sentence} The model is what was reached until then.", RuntimeWarning)
        self.clock.interrupt()
        raise TimeUp

    # who works on what

    def _grouped(self, table: Table) -> Groups:
        """Group partitions by worker, so that a step is a few tasks, however many there are.

        Answers do not depend on groups. When workers join or leave, partitions are spread anew.
        """
        now = time.monotonic()
        if table.groups and now - table.looked < REGROUP:
            return table.groups
        threads = self._guard(self.client.nthreads)
        known, table.looked = frozenset(threads), now
        if table.groups and known == table.workers:
            return table.groups
        table.workers = known
        held = self._guard(lambda: self.client.who_has(table.futures))
        table.groups = group(table.futures, held, threads)
        return table.groups


Groups = list[tuple[str | None, list[int]]]
"""Workers, and the numbers of the partitions that they hold."""


@dataclass
class Table:
    """Partitions on workers, and who works on which."""

    futures: list[Any]
    groups: Groups = field(default_factory=list)
    workers: frozenset[str] = frozenset()
    looked: float = 0.0

    def __len__(self) -> int:
        return len(self.futures)


async def _addresses_of(client: Any) -> list[str]:
    return list(await client.scheduler.ncores())


def group(futures: list[Any], held: Any, threads: dict[str, int]) -> Groups:
    """Give each thread its share of the partitions on its worker, neighbours together.

    A worker with more than its share leaves the rest to others, to which Dask copies it once: so
    one that has joined is used.
    """
    places: dict[str | None, list[int]] = {worker: [] for worker in sorted(threads)}
    for place, future in enumerate(futures):
        workers = [worker for worker in held.get(future.key, ()) if worker in threads]
        fewest = min(workers, key=lambda w: (len(places[w]) / threads[w], w), default=None)
        places.setdefault(fewest, []).append(place)
    for worker, place in _beyond_their_share(places, threads, len(futures)):
        places[worker].append(place)
    groups: Groups = []
    for holder, some in places.items():
        shares = min(len(some), threads.get(holder, 1) if holder else len(some))
        cuts = [round(k * len(some) / shares) for k in range(shares + 1)] if some else []
        groups += [(holder, sorted(some)[a:b]) for a, b in pairwise(cuts)]
    return groups


def _beyond_their_share(
    places: dict[str | None, list[int]], threads: dict[str, int], count: int
) -> list[tuple[str, int]]:
    """Take from workers what is more than their share; return who gets it."""
    each = count / max(1, sum(threads.values()))
    spare = []
    for worker, cores in threads.items():
        most = int(np.ceil(each * cores))
        spare += places[worker][most:]
        del places[worker][most:]
    moved = []
    for worker, cores in threads.items():
        room = max(0, int(each * cores) - len(places[worker]))
        moved += [(worker, place) for place in spare[:room]]
        del spare[:room]
    lightest = sorted(threads, key=lambda w: (len(places[w]) / threads[w], w))
    return moved + [(lightest[k % len(lightest)], place) for k, place in enumerate(spare)]


def _itself(value: Any) -> Any:
    return value


def on_each(function: Callable[..., Any], partitions: list[Any], *state: Any) -> list[Any]:
    """Call a function on each of some partitions."""
    return [function(partition, *state) for partition in partitions]


def added(
    function: Callable[..., Any],
    partitions: list[Any],
    plus: Callable[[Any, Any], Any],
    *state: Any,
) -> Any:
    """Add up the answers of some partitions."""
    return reduce(plus, (function(partition, *state) for partition in partitions))


def _told(error: Any, name: str) -> BaseException:
    """Return the error to raise for one that a task ended with."""
    if isinstance(error, KilledWorker):
        return RuntimeError(
            f"Several workers died one after the other during {name!r}, most likely because a "
            "partition and what is computed of it do not fit into a worker's memory; make "
            "partitions smaller or give workers more memory."
        )
    if isinstance(error, ModuleNotFoundError | ImportError):
        return RuntimeError(
            f"The workers cannot import what the client sends ({error}); install the same "
            "versions of maxmargin and its dependencies on both sides."
        )
    return error if isinstance(error, BaseException) else RuntimeError(str(error))
