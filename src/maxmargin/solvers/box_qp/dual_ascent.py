"""What the solvers of a box QP share: a dual point over kernel values, and what it is worth.

Problem: ``problems.box_qp``. Each of these solvers raises the dual

    max_beta  p'beta - beta'K beta / 2,   l <= beta <= u,   sum beta = 0 with a bias,

and knows the gradient F = p - K beta by a running product. They differ in where they find kernel
values (``view``: a ``Window`` of cached rows, or a ``Matrix`` in memory) and in ``step``.

A solver begins at beta = 0, or where sums are fixed at something else as near to it as they allow,
or at a ``Start``: the duals of a neighbouring problem, put into this one's box.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Point
from maxmargin.kernels.gram import Gram
from maxmargin.ops.engine import engine_of
from maxmargin.problems import BoxQP
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import Solver

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

SIZE = 2048  # variables of which a square matrix is stored; SMO on more costs more than their rows
_SAME = 1e-12  # of the largest dual: a change in others that is rounding
FLAT = 1e-4  # curvature below -FLAT times the largest diagonal value is not rounding


class View(Protocol):
    """What a problem sees of the Gram matrix: some of its rows and columns."""

    @property
    def gram(self) -> Gram:
        """The matrix of all rows."""
        ...

    @property
    def index(self) -> Index:
        """For each of the problem's variables its row."""
        ...


@dataclass(frozen=True)
class Start:
    """Duals to begin at, and K times them where that is known."""

    beta: Vector
    product: Vector | None = None

    def within(self, problem: BoxQP) -> Start:
        """Put the duals into a box, with a bias so that they have its sums."""
        beta = np.minimum(np.maximum(self.beta, problem.lower), problem.upper)
        if problem.bias:
            beta = _filled(problem, beta) if any(problem.totals) else _balanced(beta)
        near = np.abs(beta - self.beta).max(initial=0.0) <= _SAME * np.abs(beta).max(initial=0.0)
        return Start(beta, self.product if near else None)

    @classmethod
    def of(cls, problem: BoxQP) -> Start | None:
        """Return where to begin with nothing known; None for beta = 0."""
        return cls(np.zeros(len(problem))).within(problem) if any(problem.totals) else None


def _filled(problem: BoxQP, beta: Vector) -> Vector:
    """Move variables to their far bounds, one after the other, until every group has its sum.

    The first ones, as LIBSVM does: most of them belong there if many do, and few rows are needed.
    """
    beta = beta.copy()
    for members, total in zip(problem.members, problem.totals, strict=True):
        some, off = beta[members], total - float(beta[members].sum())
        bound = (problem.upper if off > 0 else problem.lower)[members]
        room = np.cumsum(np.abs(bound - some))
        whole = int(np.searchsorted(room, abs(off), side="right"))
        some[:whole] = bound[:whole]
        if whole < len(some):
            some[whole] += total - float(some.sum())
        beta[members] = some
    return beta


def _balanced(beta: Vector) -> Vector:
    """Scale the heavier sign towards 0, which no box forbids, until both weigh the same."""
    up, down = float(beta[beta > 0].sum()), -float(beta[beta < 0].sum())
    if up == 0 or down == 0:
        return np.zeros_like(beta)
    if abs(up - down) <= _SAME * up:
        return beta
    return np.where(beta > 0, min(1.0, down / up), min(1.0, up / down)) * beta


class DualAscent(Solver):
    """A dual point of one problem over one view of the Gram matrix."""

    biases: ClassVar[tuple[bool, ...]] = (True, False)
    """With which ``BoxQP.bias`` it solves."""

    iterations = 0
    beta: Vector
    """The point."""

    def __init__(self, problem: BoxQP, view: View) -> None:
        if problem.bias not in self.biases:
            kind = "with" if problem.bias else "without"
            raise ValueError(f"{type(self).__name__} does not solve problems {kind} a bias.")
        self.problem, self._view = problem, view
        self.engine = engine_of(problem.p)
        self._flattest = np.inf

    @property
    @abstractmethod
    def running(self) -> Vector:
        """K beta, updated by every step."""

    @abstractmethod
    def fresh_product(self) -> Vector:
        """K beta, summed anew from kernel values and beta as it is now."""

    @abstractmethod
    def step(self, limits: Limits) -> None:
        """Raise the dual."""

    @abstractmethod
    def restart(self, point: Point) -> None:
        """Go on from a fresh product."""

    def gradient(self) -> Vector:
        """F = p - K beta by the running product."""
        return self.problem.p - self.running

    def violation(self) -> float:
        """Violation by the running product."""
        worst = 0.0 if not self.problem.bias else -np.inf
        for up, low, _ in self._levels(self.gradient()):
            worst = max(worst, up - low if self.problem.bias else max(up, -low))
        return worst

    def _levels(self, F: Vector) -> list[tuple[float, float, float]]:
        """Like ``BoxQP.limits``, and a bias between them, for every group of variables.

        The bias is the free variables' if there are any.
        """
        problem, survey, levels = self.problem, self.engine.selection.survey, []
        for members in problem.members:
            vectors = F[members], self.beta[members], problem.lower[members], problem.upper[members]
            up, low, total, free = survey(*vectors)
            if not problem.bias:
                levels.append((max(up, 0.0), min(low, 0.0), 0.0))
            else:
                b = total / free if free else 0.5 * (up + low)
                levels.append((up, low, min(max(b, low), up)))
        return levels

    def _slopes(self, F: Vector) -> Vector:
        """How much each variable wants to rise (positive) or fall, at the bias of its group."""
        problem, slope, levels = self.problem, np.empty(len(F)), self._levels(F)
        b = levels[0][2]
        if problem.groups is not None:
            F, b = F - problem.spread(np.array([level[2] for level in levels])), 0.0
        self.engine.selection.slopes(F, self.beta, problem.lower, problem.upper, b, slope)
        return slope

    def merit(self) -> float:
        """Return the dual by the running product."""
        with np.errstate(invalid="ignore", over="ignore"):  # a NaN is what ends such a run
            return self.problem.dual(self.beta, self.running)

    def objectives(self) -> tuple[float, float]:
        """Primal and dual by the running product."""
        return self.problem.objectives(self.beta, self.running)

    def point(self) -> Point:
        """Return the point with a fresh product."""
        gram, index, beta = self._view.gram, self._view.index, self.beta.copy()
        convex = gram.psd if gram.psd is not None else self._seems_convex(beta)
        convex = convex and not self._has_negative_curvature()
        return Point(beta, self.fresh_product(), gram.rounding.of(index), convex)

    def _has_negative_curvature(self) -> bool:
        """Whether a pair was met whose curvature is more negative than rounding explains."""
        longest = float(self._view.gram.rounding.lengths[self._view.index].max(initial=0.0))
        return self._flattest < -FLAT * longest**2

    def _seems_convex(self, beta: Vector) -> bool:
        """Look at the matrix of the heaviest variables."""
        index = self._view.index
        return self._view.gram.seems_convex(index[np.argsort(-np.abs(beta))])

    def _worst_pair(self, F: Vector) -> Index:
        """Find the pair that violates most: whatever the bias, SMO can move it."""
        problem = self.problem
        up = np.where(self.beta < problem.upper, F, -np.inf)
        low = np.where(self.beta > problem.lower, F, np.inf)
        if problem.groups is not None:
            worst = int(np.argmax([a - b for a, b, _ in self._levels(F)]))
            others = problem.groups != worst
            up[others], low[others] = -np.inf, np.inf
        return np.array([up.argmax(), low.argmin()], dtype=np.intp)
