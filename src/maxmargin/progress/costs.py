"""The share of many pieces of work that is done, by what pieces of their kind have cost."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from statistics import median_low
from typing import Any


class MeasuredCosts:
    """Pieces of several kinds, of which those of one kind take about equally long.

    A piece costs the lower median of the measured ones of its kind, so that a first one that
    compiled its loops does not count much. Kinds without a measurement cost the mean of the others.

    Parameters
    ----------
    counts : mapping
        How many pieces there are, by kind.

    Examples
    --------
    >>> costs = MeasuredCosts({"linear": 2, "kernel": 2})
    >>> costs.add("linear", 1.0)
    >>> costs.share
    0.25
    >>> costs.add("linear", 1.0)
    >>> costs.add("kernel", 9.0)
    >>> costs.share
    0.55
    """

    def __init__(self, counts: Mapping[Any, int]) -> None:
        self._counts = dict(counts)
        self._seconds: dict[Hashable, list[float]] = {}

    @property
    def total(self) -> int:
        """How many pieces there are."""
        return sum(self._counts.values())

    @property
    def done(self) -> int:
        """How many of them are done."""
        return sum(map(len, self._seconds.values()))

    @property
    def kinds_to_come(self) -> float:
        """How many kinds have no piece that is done, for each kind that has one."""
        begun = len(self._seconds)
        return (len(self._counts) - begun) / begun if begun else 0.0

    def add(self, kind: Hashable, seconds: float) -> None:
        """Count a piece that is done.

        Parameters
        ----------
        kind : hashable
        seconds : float
            That it took.
        """
        self._seconds.setdefault(kind, []).append(max(seconds, 0.0))

    @property
    def share(self) -> float:
        """The share of the whole cost that is done; 0 before anything is."""
        if self.done >= self.total:
            return 1.0
        unit = {kind: median_low(seconds) for kind, seconds in self._seconds.items()}
        usual = sum(unit.values()) / len(unit) if unit else 0.0
        done = sum(len(self._seconds[kind]) * cost for kind, cost in unit.items())
        whole = sum(count * unit.get(kind, usual) for kind, count in self._counts.items())
        return min(1.0, done / whole) if whole > 0.0 else self.done / self.total
