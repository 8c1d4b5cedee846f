"""SMO and Newton's steps by turns, and where they have come to (``ops.cpu.smo_polish``).

SMO finds who is at a bound and Newton's steps solve for the rest. Both cost little beside the
kernel values themselves, and a solution to rounding makes weights and repeated rows agree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import WORK
from maxmargin.ops.engine import engine_of
from maxmargin.ops.kinds import TURNS
from maxmargin.solvers.kernel_values.matrix import Matrix

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

EXACT, ENOUGH = 1e-9, 0.5  # of the tolerance: what turns go on to, and what SMO alone goes to
FIRST = 0.03  # of the first violation: there SMO hands over to Newton
STEPS, FEWEST = 100, 100  # of SMO for each variable, and for how many at least
_LOOKS = 4  # times what a loop reads between two looks at the clock: few problems need so much


@dataclass(frozen=True)
class SmoNewtonState:
    """How far each of several problems has come, their variables one after the other."""

    starts: Index
    """Where each problem's variables begin, and the end."""
    target: Vector
    """The violation to which SMO goes next; at first, which share of it."""
    turns: NDArray[np.int64]
    steps: NDArray[np.int64]
    flattest: Vector
    """The smallest curvature met."""

    @classmethod
    def begin(cls, starts: Index, share: float = FIRST) -> SmoNewtonState:
        """Begin with SMO down to a share of the violation that there is."""
        target, flattest = np.array([[share], [np.inf]]).repeat(len(starts) - 1, axis=1)
        turns, steps = np.zeros((2, len(target)), np.int64)
        return cls(starts, target, turns, steps, flattest)

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which problems are as near to their optimum as turns come."""
        return self.turns >= TURNS

    def go_on(
        self,
        rows: Matrix,
        point: tuple[Vector, Vector, Vector, Vector],
        product: Vector,
        tol: float,
        most: int | None = None,
    ) -> None:
        """Take turns for some tenths of a second at most, and at most so many steps a problem.

        ``point`` is beta, F, lower and upper; ``product`` becomes K beta, summed anew.
        """
        longest = STEPS * np.maximum(self.starts[1:] - self.starts[:-1], FEWEST)
        source = rows.source
        soon = max(1, _LOOKS * WORK // max(1, int(self.starts[-1])))
        engine_of(rows.store).smo_polish.smo_and_polish(
            source.kind,
            source.K,
            source.XT,
            source.norms,
            source.params,
            rows.diagonal,
            source.index,
            self.starts,
            rows.store.reshape(-1),
            rows.slots,
            rows.taken,
            *point,
            product,
            self.target,
            self.turns,
            self.steps,
            self.flattest,
            EXACT * tol,
            ENOUGH * tol,
            longest,
            soon if most is None else min(most, soon),
        )
