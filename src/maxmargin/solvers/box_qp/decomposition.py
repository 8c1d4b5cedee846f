"""The default solver of kernel machines, by where the kernel values lie.

Those of a small problem are all in memory and solved for together (``in_memory``); a larger one is
decomposed into working sets over cached rows (``working_set``), shrunk where the cache is too small
for them (``shrinking``).
"""

from __future__ import annotations

from maxmargin.problems import BoxQP
from maxmargin.solvers.box_qp.dual_ascent import Start, Vector
from maxmargin.solvers.box_qp.in_memory import InMemory
from maxmargin.solvers.box_qp.shrinking import Shrinking
from maxmargin.solvers.box_qp.working_set import WorkingSet
from maxmargin.solvers.kernel_values.iterate import Window
from maxmargin.solvers.kernel_values.matrix import Matrix
from maxmargin.solvers.solver import Delegate


class Decomposition(Delegate):
    """All variables at once, or a few thousand at a time."""

    biases = WorkingSet.biases
    squares, fewest_lines = WorkingSet.squares, WorkingSet.fewest_lines
    whole_rows, in_memory = WorkingSet.whole_rows, True

    def __init__(
        self,
        problem: BoxQP,
        view: Window | Matrix,
        start: Start | None = None,
        seed: int = 0,
        *,
        shrinking: bool = True,
    ) -> None:
        if isinstance(view, Matrix):
            super().__init__(InMemory(problem, view, start, seed))
        else:
            plain = problem.groups is None and view.copies == 1
            kind = Shrinking if shrinking and plain else WorkingSet
            super().__init__(kind(problem, view, start, seed))

    @property
    def beta(self) -> Vector:
        """The point."""
        beta: Vector = self._inner.beta
        return beta

    @property
    def running(self) -> Vector:
        """K beta, updated by every step."""
        running: Vector = self._inner.running
        return running
