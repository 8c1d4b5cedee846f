"""The Gram matrix of one small problem, as its loops read it: rows that lie somewhere in memory.

They are all there, or filled when a loop first wants them: copied from the larger matrix of a fit,
or evaluated from vectors. Most variables of a problem never move, and their rows are never wanted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import WORK
from maxmargin.ops.engine import engine_of
from maxmargin.ops.kinds import COPIED, GIVEN
from maxmargin.problems import BoxQP
from maxmargin.solvers.run import Limits

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
Floats = NDArray[Any]


@dataclass(frozen=True)
class Source:
    """Where rows come from that are not there (``ops.kinds``)."""

    kind: int
    K: Floats | None
    index: Index
    XT: Floats | None
    norms: Floats | None
    params: Vector

    @classmethod
    def none(cls, count: int) -> Source:
        """Nowhere: all of them, so many, are there; what would fill them is not even compiled."""
        return cls(GIVEN, None, np.arange(count), None, None, _NOTHING)

    @classmethod
    def copied(cls, K: Floats, index: Index) -> Source:
        """From a larger matrix, of which the problem sees these rows and columns."""
        return cls(COPIED, K, index, None, None, _NOTHING)

    @classmethod
    def evaluated(cls, kind: int, XT: Floats, norms: Floats, params: Vector) -> Source:
        """From the vectors of the problem, which are columns here, by a formula."""
        return cls(kind, np.empty((0, 0), XT.dtype), np.arange(len(norms)), XT, norms, params)

    def seen_by(self, index: Index) -> Source:
        """Return the same for variables that have these rows."""
        return Source(self.kind, self.K, index, self.XT, self.norms, self.params)

    @property
    def parts(self) -> tuple[int, Floats | None, Index, Floats | None, Floats | None, Vector]:
        """As compiled loops take it."""
        return self.kind, self.K, self.index, self.XT, self.norms, self.params


NO_GROUPS = np.empty(0, np.int8)
_NOTHING: Vector = np.empty(0)
_NO_ROWS: Index = np.empty(0, np.intp)


@dataclass(frozen=True)
class Matrix:
    """Kernel rows in memory, and which of them is which row: -1 for one that is not there yet.

    They are those of one problem, or of several one after the other, each with a count of its own
    of the rows that are there (``taken``).
    """

    store: Floats
    slots: Index
    diagonal: Floats
    source: Source
    gram: Any = None
    """The matrix of all rows of the fit, where the problem is a part of it."""
    index: Index = field(default_factory=lambda: _NO_ROWS)
    """The row of every variable in that matrix."""
    taken: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))

    @classmethod
    def of(cls, values: Floats, gram: Any = None, index: Index = _NO_ROWS) -> Matrix:
        """Take a matrix that is all there."""
        diagonal, source = values.diagonal().copy(), Source.none(len(values))
        return cls(values, source.index, diagonal, source, gram, index)

    @classmethod
    def on_demand(
        cls, memory: Floats, diagonal: Floats, source: Source, gram: Any, index: Index
    ) -> Matrix:
        """Fill rows into memory for a square of them as they are wanted."""
        q = len(diagonal)
        return cls(memory[: q * q].reshape(q, q), np.full(q, -1), diagonal, source, gram, index)

    def bring(self, variables: Index) -> None:
        """Fill the rows of some variables."""
        if self.source.kind != GIVEN:
            engine_of(self.store).kernel_row.bring_rows(
                variables, self.store, self.slots, self.taken, *self.source.parts
            )

    def rows(self, variables: Index) -> Vector:
        """Copy some rows, in double precision."""
        self.bring(variables)
        return self.store[self.slots[variables]].astype(np.float64)

    def times(self, beta: Vector) -> Vector:
        """K beta, summed in double precision; the rows of what is not 0 are there."""
        out = np.empty(len(self.slots))
        engine_of(self.store).smo.times(self.store, self.slots, beta, out)
        return out

    def polish(self, problem: BoxQP, beta: Vector, F: Vector, target: float) -> bool:
        """Solve for the free variables as far as the bound ones allow; beta and F in place.

        False if they are too many, or in groups.
        """
        if problem.groups is not None:
            return False
        box = problem.lower, problem.upper, problem.bias
        return bool(
            engine_of(self.store).polish.polish(self.store, self.slots, beta, F, *box, target)
        )

    def ascend(
        self, problem: BoxQP, beta: Vector, F: Vector, target: float, most: int, limits: Limits
    ) -> tuple[int, float]:
        """Optimise beta and F = p - K beta in place by SMO until the violation is at the target.

        Returns the steps made, at most so many, and the smallest curvature met.
        """
        made, flattest, chunk = 0, np.inf, max(1, WORK // len(self.slots))
        loops = engine_of(self.store).smo
        rows = self.store, self.slots, self.taken, *self.source.parts, self.diagonal
        point = beta, F, problem.lower, problem.upper, target
        used, groups = np.empty(len(self.slots), np.bool_), problem.groups
        parts = (NO_GROUPS, 1) if groups is None else (groups, len(problem.totals))
        while made < most and not limits.clock.over():
            some = min(chunk, most - made)
            if problem.bias:
                steps, flat, _, _ = loops.smo_pairs(*rows, *point, some, True, used, *parts)
            else:
                steps, flat = loops.smo_single(*rows, *point, some)
            made, flattest = made + int(steps), min(flattest, float(flat))
            if steps < some:
                break
        return made, flattest


def violation(problem: BoxQP, beta: Vector, F: Vector) -> float:
    """By how much the optimality conditions fail, given the gradient."""
    up, low, _, _ = engine_of(F).selection.survey(F, beta, problem.lower, problem.upper)
    return float(up - low) if problem.bias else float(max(up, 0.0, -low))
