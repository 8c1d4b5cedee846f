"""What the solvers of a box QP share that read kernel rows through a cache."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from maxmargin.certify import Point
from maxmargin.problems import BoxQP
from maxmargin.solvers.dual_ascent import DualAscent, Index, Start, Vector
from maxmargin.solvers.iterate import Iterate, Window


class CachedAscent(DualAscent):
    """A dual point moved a few variables at a time, over a window of cached rows."""

    squares: ClassVar[int] = 0
    """Square matrices of ``Window.room`` variables it stores beside the rows."""
    fewest_lines: ClassVar[int] = 1
    """Kernel rows it needs at the same time."""
    whole_rows: ClassVar[bool] = False
    """Whether its window has to be all of the cache."""
    in_memory: ClassVar[bool] = False
    """Whether it takes a ``Square`` too."""

    def __init__(
        self, problem: BoxQP, view: Window, start: Start | None = None, seed: int = 0
    ) -> None:
        super().__init__(problem, view)
        self.iterate, self._gram = Iterate(view), view.gram
        if self.whole_rows and len(problem) != len(self._gram):
            raise ValueError(f"{type(self).__name__} needs a cache of its problem's rows alone.")
        if view.cache.lines < min(self.fewest_lines, len(problem)):
            raise ValueError(f"{type(self).__name__} needs {self.fewest_lines} lines of cache.")
        self._size = min(view.room, len(problem))
        self._random = np.random.default_rng(seed)
        if start is not None:
            self._begin_at(start.within(problem))

    def _begin_at(self, start: Start) -> None:
        if start.product is not None:
            self.iterate.begin_at(start.beta, start.product)
        else:
            moved = np.flatnonzero(start.beta)
            self.move(moved, start.beta[moved])

    @property
    def beta(self) -> Vector:
        """The point."""
        return self.iterate.beta

    @property
    def running(self) -> Vector:
        """K beta, updated by every step."""
        return self.iterate.running

    def fresh_product(self) -> Vector:
        """K beta, summed anew from kernel rows."""
        return self.iterate.fresh_product()

    def restart(self, point: Point) -> None:
        """Go on from a fresh product."""
        self.iterate.restart(point.product)

    def move(self, variables: Index, values: Vector) -> None:
        """Set some variables."""
        free = (values > self.problem.lower[variables]) & (values < self.problem.upper[variables])
        self.iterate.move(variables, values, free)
