"""The default solver of kernel machines, by where the kernel values lie.

Those of a small problem are all in memory and solved for together (``in_memory``); a larger one is
decomposed into working sets over cached rows (``working_set``), shrunk where the cache is too small
for them (``shrinking``).
"""

from __future__ import annotations

from maxmargin.problems import BoxQP
from maxmargin.solvers.box_qp.delegate import Delegate
from maxmargin.solvers.box_qp.dual_ascent import Start
from maxmargin.solvers.box_qp.in_memory import InMemory, Square
from maxmargin.solvers.box_qp.shrinking import Shrinking
from maxmargin.solvers.box_qp.working_set import WorkingSet
from maxmargin.solvers.kernel_values.iterate import Window


class Decomposition(Delegate):
    """All variables at once, or a few thousand at a time."""

    biases = WorkingSet.biases
    squares, fewest_lines = WorkingSet.squares, WorkingSet.fewest_lines
    whole_rows, in_memory = WorkingSet.whole_rows, True

    def __init__(
        self,
        problem: BoxQP,
        view: Window | Square,
        start: Start | None = None,
        seed: int = 0,
        *,
        shrinking: bool = True,
    ) -> None:
        if isinstance(view, Square):
            super().__init__(InMemory(problem, view, start, seed))
        else:
            plain = problem.groups is None and view.copies == 1
            kind = Shrinking if shrinking and plain else WorkingSet
            super().__init__(kind(problem, view, start, seed))
