"""Lines of a search or a comparison: what is done of what, the best so far, the time left."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Hashable, Mapping
from time import perf_counter
from typing import Any

from maxmargin.progress.audience import logger
from maxmargin.progress.compile_time import compile_time
from maxmargin.progress.costs import MeasuredCosts
from maxmargin.progress.duration import duration, time_left
from maxmargin.progress.time_left import TimeLeft

_EVERY = 1.0  # seconds between two lines, unless every piece is to have its own


class BestSoFar:
    """The best of several points whose scores come one by one.

    Only points with the most scores are compared, since some folds are easier than others.

    Parameters
    ----------
    name : callable, default=str
        Gives the words for a point.

    Examples
    --------
    >>> best = BestSoFar()
    >>> for point, score in [("C=1", 0.8), ("C=1", 0.7), ("C=10", 0.9)]:
    ...     best.add(point, score)
    >>> str(best)
    '0.75 (C=1)'
    """

    def __init__(self, name: Callable[[Any], str] = str) -> None:
        self._name = name
        self._sums: dict[Hashable, tuple[int, float]] = {}

    def add(self, point: Hashable, score: float) -> None:
        """Take note of one more score; one that is not a number does not count.

        Parameters
        ----------
        point : hashable
        score : float
        """
        if math.isfinite(score):
            count, total = self._sums.get(point, (0, 0.0))
            self._sums[point] = count + 1, total + score

    def __str__(self) -> str:
        most = max((count for count, _ in self._sums.values()), default=0)
        means = {p: total / most for p, (count, total) in self._sums.items() if count == most}
        if not means:
            return ""
        point = max(means, key=means.__getitem__)
        return f"{means[point]:.4g} ({self._name(point)})"


class ProgressLines:
    """Prints or logs how far some work is.

    Parameters
    ----------
    owner : str
        Who works.
    unit : str
        What is counted, in the plural.
    verbose : int, default=0
        0 logs a line a second, 1 prints one, and more prints a line for every report.
    now : callable
        The clock.
    """

    def __init__(
        self,
        owner: str,
        unit: str = "fits",
        verbose: int = 0,
        now: Callable[[], float] = perf_counter,
    ) -> None:
        self._owner, self._unit, self._verbose, self._now = owner, unit, int(verbose), now
        self._left, self._begun, self._compiled = TimeLeft(), now(), compile_time.seconds
        self._last = -math.inf

    def report(
        self,
        done: int,
        total: int,
        share: float,
        best: Callable[[], str],
        kinds_to_come: float = 0.0,
    ) -> None:
        """Print the share done, if it is time for a line.

        Parameters
        ----------
        done, total : int
        share : float
            Of the whole cost that is done.
        best : callable
            Gives the best so far in words; called only for a line.
        kinds_to_come : float, default=0.0
            How many kinds of work that have loops of their own to compile have not begun, for each
            kind that has.
        """
        elapsed, compiling = self._now() - self._begun, compile_time.seconds - self._compiled
        left = self._left.by_share(elapsed, share, compiling, kinds_to_come * compiling)
        if self._verbose > 1 or done >= total or elapsed - self._last >= _EVERY:
            self._last, found = elapsed, best()
            words = [
                f"{done} of {total} {self._unit}",
                f"best so far {found}" if found else "",
                duration(elapsed),
                time_left(left),
            ]
            self.say(", ".join(word for word in words if word))

    def say(self, words: str) -> None:
        """Print or log words of the owner.

        Parameters
        ----------
        words : str
        """
        line = f"{self._owner}: {words}"
        if self._verbose:
            print(line, flush=True)  # noqa: T201  (verbose asks for it)
        else:
            logger.info(line)


class SearchLines(ProgressLines):
    """Lines of a search, whose pieces of work are counted by kinds that take equally long.

    Parameters
    ----------
    owner : str
    counts : mapping
        How many pieces there are, by kind.
    unit, verbose, now
        As of ``ProgressLines``.
    name : callable, default=str
        Gives the words for a point that is scored.
    unlike : bool, default=False
        Whether kinds are different models, each of which compiles loops of its own.
    """

    def __init__(
        self,
        owner: str,
        counts: Mapping[Any, int],
        unit: str = "fits",
        verbose: int = 0,
        now: Callable[[], float] = perf_counter,
        name: Callable[[Any], str] = str,
        unlike: bool = False,
    ) -> None:
        super().__init__(owner, unit, verbose, now)
        self._unlike = unlike
        self._costs, self._best = MeasuredCosts(counts), BestSoFar(name)
        self._lock = threading.Lock()

    def add(
        self, kind: Hashable, seconds: float, point: Hashable = None, score: float = math.nan
    ) -> None:
        """Count a piece of work that is done, from any thread.

        Parameters
        ----------
        kind : hashable
        seconds : float
            That it took.
        point : hashable, default=None
            What was scored.
        score : float
        """
        with self._lock:
            costs = self._costs
            costs.add(kind, seconds)
            if point is not None:
                self._best.add(point, score)
            to_come = costs.kinds_to_come if self._unlike else 0.0
            self.report(costs.done, costs.total, costs.share, self._best.__str__, to_come)


class CountedLines:
    """Lines of fits that are counted, for those who hear how many are done and of how many.

    Parameters
    ----------
    owner : str
    verbose : int, default=0
        As of ``ProgressLines``.
    callback : callable, default=None
        Called with both numbers too.
    """

    def __init__(
        self, owner: str, verbose: int = 0, callback: Callable[[int, int], object] | None = None
    ) -> None:
        self._owner, self._verbose, self._callback = owner, verbose, callback
        self._lines: SearchLines | None = None
        self._since = perf_counter()

    def __call__(self, done: int, total: int) -> None:
        """Count one more.

        Parameters
        ----------
        done, total : int
        """
        if self._callback is not None:
            self._callback(done, total)
        if self._lines is None:
            self._lines = SearchLines(self._owner, {"fit": total}, verbose=self._verbose)
        since, self._since = self._since, perf_counter()
        self._lines.add("fit", self._since - since)
