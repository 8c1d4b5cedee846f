"""Rows in fixed pieces that threads share: every pass over all rows cuts them here.

Pieces do not depend on the number of threads, and what is summed over them is added up in their
order, so results are equal to the last bit for any ``n_jobs``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from maxmargin.ops.threads import Workers

SIZE = 1 << 15
"""Rows of a piece: enough to be worth a call, few enough for a processor's cache."""


class Pieces:
    """A number of rows, cut; without workers one piece follows the other.

    Examples
    --------
    >>> Pieces(70_000).sum(lambda first, stop: (1.0, float(stop - first)))
    (3.0, 70000.0)
    """

    def __init__(self, n_rows: int, workers: Workers | None = None) -> None:
        firsts = range(0, max(n_rows, 1), SIZE)
        self._bounds = [(first, min(first + SIZE, n_rows)) for first in firsts]
        self._workers = workers

    def each(self, function: Callable[[int, int], Any]) -> None:
        """Call a function with where each piece begins and ends."""
        if self._workers is None or len(self._bounds) == 1:
            for bounds in self._bounds:
                function(*bounds)
        else:
            self._workers.each(lambda bounds: function(*bounds), self._bounds)

    def sum(self, function: Callable[[int, int], tuple[float, ...]]) -> tuple[float, ...]:
        """Add up, place by place, what a function gives for each piece."""
        if len(self._bounds) == 1:
            return function(*self._bounds[0])
        found: dict[int, tuple[float, ...]] = {}

        def work(first: int, stop: int) -> None:
            found[first] = function(first, stop)

        self.each(work)
        lines = [found[first] for first, _ in self._bounds]
        return tuple(np.cumsum(lines, axis=0)[-1].tolist())
