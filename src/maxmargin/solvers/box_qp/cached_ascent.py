"""What the solvers of a box QP share that read kernel rows through a cache."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from maxmargin.certify import Point
from maxmargin.ops.clock import stop_if_over
from maxmargin.problems import BoxQP
from maxmargin.solvers.box_qp.dual_ascent import DualAscent, Index, Start, Vector
from maxmargin.solvers.box_qp.moves import feasible_parts
from maxmargin.solvers.kernel_values.iterate import Iterate, Window
from maxmargin.solvers.run import Limits


class CachedAscent(DualAscent):
    """A dual point moved a few variables at a time, over a window of cached rows.

    Where each row has several variables, one after the other over all rows, the cache sees their
    sum: what they add to K beta is the same.
    """

    squares: ClassVar[int] = 0
    """Square matrices of ``Window.room`` variables it stores beside the rows."""
    fewest_lines: ClassVar[int] = 1
    """Kernel rows it needs at the same time."""
    whole_rows: ClassVar[bool] = False
    """Whether its window has to be all of the cache."""
    in_memory: ClassVar[bool] = False
    """Whether it takes a ``Matrix`` too."""

    def __init__(
        self, problem: BoxQP, view: Window, start: Start | None = None, seed: int = 0
    ) -> None:
        super().__init__(problem, view)
        self.iterate, self._gram = Iterate(view), view.gram
        self._copies = view.copies
        self.beta = self.iterate.beta if view.copies == 1 else np.zeros(len(problem))
        if self.whole_rows and len(problem) != len(self._gram):
            raise ValueError(f"{type(self).__name__} needs a cache of its problem's rows alone.")
        if view.cache.lines < min(self.fewest_lines, len(problem)):
            raise ValueError(f"{type(self).__name__} needs {self.fewest_lines} lines of cache.")
        self._size = min(view.room, len(problem))
        self._random = np.random.default_rng(seed)
        start = Start.of(problem) if start is None else start.within(problem)
        if start is not None:
            self._begin_at(start)

    def _begin_at(self, start: Start) -> None:
        if start.product is not None and self._copies == 1:
            self.iterate.begin_at(start.beta, start.product)
        else:
            moved, most = np.flatnonzero(start.beta), self._rows_at_once
            for first in range(0, len(moved), most):
                stop_if_over()  # a point with some of its duals would not have its sums
                some = moved[first : first + most]
                self.move(some, start.beta[some])

    @property
    def _rows_at_once(self) -> int:
        """How many variables to move between two looks at the clock."""
        return min(self.iterate.cache.lines, self.iterate.cache.at_once)

    @property
    def running(self) -> Vector:
        """K beta, updated by every step."""
        return self._for_all(self.iterate.running)

    def fresh_product(self) -> Vector:
        """K beta, summed anew from kernel rows."""
        return self._for_all(self.iterate.fresh_product())

    def restart(self, point: Point) -> None:
        """Go on from a fresh product."""
        self.iterate.restart(point.product[: len(self.iterate)])

    def _for_all(self, of_rows: Vector) -> Vector:
        """Assign every variable what its row has."""
        return of_rows if self._copies == 1 else np.tile(of_rows, self._copies)

    def move_in_time(self, variables: Index, values: Vector, limits: Limits) -> None:
        """Set some variables; where that takes long, and the fit is over meanwhile, part of them.

        What has been moved then is a feasible point all the same.
        """
        parts = feasible_parts(self.problem, variables, self.beta, values, self._rows_at_once)
        for some, there in parts:
            self.move(some, there)
            if limits.clock.over():
                return

    def move(self, variables: Index, values: Vector) -> None:
        """Set some variables."""
        free = (values > self.problem.lower[variables]) & (values < self.problem.upper[variables])
        if self._copies == 1:
            self.iterate.move(variables, values, free)
            return
        self.beta[variables] = values
        rows, first = np.unique(variables % len(self.iterate), return_inverse=True)
        sums = self.beta.reshape(self._copies, -1)[:, rows].sum(axis=0)
        again = np.bincount(first, free, len(rows)) > 0
        self.iterate.move(rows, sums, again)
