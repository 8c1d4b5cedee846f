"""Block decomposition of a problem whose rows and vectors live on a device.

Problem: ``problems.box_qp``. The algorithm is that of ``working_set``: the same sets, the small
problem by SMO, then K beta by the rows that moved. Two things differ on a device. Rows that moved
are evaluated again rather than kept (``kernel_values.on_device``), and the vectors beta, K beta and
the bounds stay there: a step copies a handful of numbers.

Kernel values have the precision of the rows, duals and gradients are in double precision.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

import numpy as np

from maxmargin.kernels.on_device import CARD
from maxmargin.ops.clock import stop_if_over
from maxmargin.problems import BoxQP
from maxmargin.solvers.box_qp.dual_ascent import DualAscent, Start, Vector
from maxmargin.solvers.kernel_values.on_device import DeviceView
from maxmargin.solvers.run import Limits

FRACTION: Final = 0.1
"""Of the first violation that SMO leaves in a working set."""
FEWEST_OF_THE_WORST: Final = 1 / 64
"""Share of new variables that are the worst violators, at least."""


class Resident(DualAscent):
    """A dual point on a device, moved a working set at a time."""

    biases: ClassVar[tuple[bool, ...]] = (True,)

    def __init__(
        self,
        problem: BoxQP,
        view: DeviceView,
        start: Start | None = None,
        seed: int = 0,
        **_options: Any,
    ) -> None:
        super().__init__(problem, view)
        self._device_view, matrix = view, view.matrix
        groups = None if problem.groups is None else matrix.index(problem.groups)
        vectors = (matrix.vector(v) for v in (problem.p, problem.lower, problem.upper))
        self._box = CARD.working_set.Box(*vectors, groups)
        self._beta = self._box.p.new_zeros(len(problem))
        self._of_rows = self._box.p.new_zeros(len(view.rows))
        self._row = matrix.index(np.tile(np.arange(len(view.rows)), view.copies))
        self._size = min(CARD.smo.LARGEST, len(problem))
        self._kept = self._size // 2
        self._last = self._row[:0]
        self._top = 0.5
        self._generator = CARD.working_set.generator(matrix.device, seed)
        start = Start.of(problem) if start is None else start.within(problem)
        if start is not None:
            self._begin_at(start)

    def _begin_at(self, start: Start) -> None:
        self._beta = self._device_view.matrix.vector(start.beta)
        if start.product is None:
            stop_if_over()
            self._of_rows = self._fresh_sums()
        else:
            product = start.product[: len(self._of_rows)]
            self._of_rows = self._device_view.matrix.vector(product)

    # the point

    @property
    def beta(self) -> Vector:  # type: ignore[override]
        """The point, copied from the device."""
        beta: Vector = CARD.arrays.to_host(self._beta)
        return beta

    @property
    def running(self) -> Vector:
        """K beta, updated by every step and copied from the device."""
        running: Vector = CARD.arrays.to_host(self._product())
        return running

    def _product(self) -> Any:
        """Return K beta of every variable, on the device."""
        return self._of_rows if self._device_view.copies == 1 else self._of_rows[self._row]

    def _gradient(self) -> Any:
        return self._box.p - self._product()

    def fresh_product(self) -> Vector:
        """K beta, summed anew from kernel values and beta as it is now."""
        sums: Vector = CARD.arrays.to_host(self._fresh_sums())
        return np.tile(sums, self._device_view.copies)

    def _fresh_sums(self) -> Any:
        of_rows = self._beta.reshape(self._device_view.copies, -1).sum(dim=0)
        support = of_rows.nonzero().ravel()
        return self._sums(support, of_rows[support])

    def _sums(self, places: Any, weights: Any) -> Any:
        """Return what rows of the problem add to K beta, by their weights."""
        view = self._device_view
        moved = places if view.seen is None else view.seen[places]
        return view.matrix.sums(view.seen, moved, weights)

    def restart(self, point: Any) -> None:
        """Go on from a fresh product."""
        self._of_rows = self._device_view.matrix.vector(point.product[: len(self._of_rows)])

    # how good it is

    def violation(self) -> float:
        """Violation by the running product."""
        return max(level.up - level.low for level in self._survey(self._gradient()))

    def _survey(self, F: Any) -> Any:
        return CARD.working_set.survey(self._box, F, self._beta)

    def merit(self) -> float:
        """Return the dual by the running product."""
        half = self._box.p - 0.5 * self._product()
        return float(self._beta @ half)

    # a step

    def step(self, limits: Limits) -> None:
        """Choose, optimise, update."""
        F = self._gradient()
        chosen, kept = self._choose(F)
        row = self._row[chosen]
        rows = row if self._device_view.seen is None else self._device_view.seen[row]
        K = self._device_view.matrix.block(rows, rows)
        part = self._box.of(chosen)
        before = self._beta[chosen]
        after, steps, flat = CARD.smo.ascend(
            K, F[chosen], before, part[1:3], part.groups, 0.5 * limits.tol, FRACTION
        )
        self.iterations += steps
        self._flattest = min(self._flattest, flat)
        moved = after != before
        self._learn(moved[kept:])
        self._move(row[moved], (after - before)[moved])
        self._beta[chosen] = after
        self._last = chosen

    def _choose(self, F: Any) -> tuple[Any, int]:
        """Return the next working set, and how many of the last one lead it."""
        verbs, box, beta = CARD.working_set, self._box, self._beta
        if len(self.problem) <= self._size:
            return verbs.everything(beta), 0
        levels = self._survey(F)
        slope = verbs.slopes(box, F, beta, [_bias(level) for level in levels])
        kept = verbs.free_of(box, beta, self._last, self._kept)
        slope[kept] = 0.0
        wanted = (self._size - self._kept) // 2
        top = max(1, int(self._top * wanted))
        sides = [verbs.sample(s, wanted, top, self._generator) for s in (slope, -slope)]
        if min(map(len, sides)) == 0:
            worst = int(np.argmax([level.up - level.low for level in levels]))
            sides.append(verbs.without(verbs.worst_pair(box, F, beta, worst), [kept, *sides]))
        return verbs.joined([kept, *sides]), len(kept)

    def _learn(self, moved: Any) -> None:
        """Take more of the worst while most of the chosen move, fewer when most do not."""
        share = float(moved.double().mean()) if len(moved) else 0.5
        factor = 0.5 if share < 0.35 else 2.0 if share > 0.65 else 1.0
        self._top = min(1.0, max(FEWEST_OF_THE_WORST, self._top * factor))

    def _move(self, rows: Any, steps: Any) -> None:
        """Add what variables of these rows have moved to K beta."""
        if self._device_view.copies > 1:
            rows, steps = CARD.working_set.summed(rows, steps)
        if len(rows):
            self._of_rows = self._of_rows + self._sums(rows, steps)


def _bias(level: Any) -> float:
    """Return the bias of a group: the mean of its free variables if there are any."""
    b = level.total / level.free if level.free else 0.5 * (level.up + level.low)
    return float(min(max(b, level.low), level.up))
