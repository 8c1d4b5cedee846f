"""What the solvers of a box QP share: a point over a window of kernel rows, and what it is worth.

Problem: ``problems.box_qp``. Each of these solvers raises the dual

    max_beta  p'beta - beta'K beta / 2,   l <= beta <= u,   sum beta = 0 with a bias,

and knows the gradient F = p - K beta by the running product of its ``Iterate``. They differ in
``step`` only. Fresh products for the judge come from the iterate, whoever moved it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from maxmargin.certify import Point
from maxmargin.ops.cpu.selection import survey
from maxmargin.problems import BoxQP
from maxmargin.solvers.iterate import Iterate, Vector, Window
from maxmargin.solvers.row_cache import Index
from maxmargin.solvers.run import Limits

SIZE = 2048  # variables of which a square matrix is stored; SMO on more costs more than their rows
_FLAT = 1e-4  # curvature below -_FLAT times the largest diagonal value is not rounding
_TIMED_STEPS = 20_000  # of SMO take some tenths of a second


class DualAscent(ABC):
    """A dual point of one problem over one window of the kernel cache.

    ``size`` is the number of variables of which the solver may store a square matrix, ``seed``
    fixes its random choices.
    """

    biases: ClassVar[tuple[bool, ...]] = (True, False)
    """With which ``BoxQP.bias`` it solves."""
    squares: ClassVar[int] = 0
    """Square matrices of ``size`` variables it stores beside the rows."""
    fewest_lines: ClassVar[int] = 1
    """Kernel rows it needs at the same time."""
    whole_rows: ClassVar[bool] = False
    """Whether its window has to be all of the cache."""

    def __init__(self, problem: BoxQP, window: Window, size: int = SIZE, seed: int = 0) -> None:
        if problem.bias not in self.biases:
            kind = "with" if problem.bias else "without"
            raise ValueError(f"{type(self).__name__} does not solve problems {kind} a bias.")
        self.problem, self.iterations = problem, 0
        self.iterate = Iterate(window)
        self._gram = window.cache.gram
        if self.whole_rows and len(problem) != len(self._gram):
            raise ValueError(f"{type(self).__name__} needs a cache of its problem's rows alone.")
        if window.cache.lines < min(self.fewest_lines, len(problem)):
            raise ValueError(f"{type(self).__name__} needs {self.fewest_lines} lines of cache.")
        self._size = min(size, len(problem))
        self._random = np.random.default_rng(seed)
        self._flattest = np.inf

    @abstractmethod
    def step(self, limits: Limits) -> None:
        """Raise the dual."""

    def gradient(self) -> Vector:
        """F = p - K beta by the running product."""
        return self.problem.linear - self.iterate.running

    def violation(self) -> float:
        """Violation by the running product."""
        up, low, _ = self._limits(self.gradient())
        return up - low if self.problem.bias else max(up, -low)

    def _limits(self, F: Vector) -> tuple[float, float, float]:
        """Like ``BoxQP.limits``, and a bias between them: the free variables' if there are any."""
        problem = self.problem
        up, low, total, free = survey(F, self.iterate.beta, problem.lower, problem.upper)
        if not problem.bias:
            return max(up, 0.0), min(low, 0.0), 0.0
        b = total / free if free else 0.5 * (up + low)
        return up, low, min(max(b, low), up)

    def merit(self) -> float:
        """Give the dual by the running product."""
        with np.errstate(invalid="ignore", over="ignore"):  # a NaN is what ends such a run
            return self.problem.dual(self.iterate.beta, self.iterate.running)

    def objectives(self) -> tuple[float, float]:
        """Primal and dual by the running product."""
        return self.problem.objectives(self.iterate.beta, self.iterate.running)

    def point(self) -> Point:
        """Give the point with a fresh product."""
        iterate = self.iterate
        scale = float(np.abs(self._gram.diagonal()[iterate.index]).max(initial=0.0))
        heaviest = iterate.index[np.argsort(-np.abs(iterate.beta))]
        convex = self._flattest >= -_FLAT * scale and self._gram.seems_convex(heaviest)
        product = iterate.fresh_product()
        return Point(iterate.beta.copy(), product, self._gram.dtype, convex, scale)

    def restart(self, point: Point) -> None:
        """Go on from a fresh product."""
        self.iterate.restart(point.product)

    def move(self, variables: Index, values: Vector) -> None:
        """Set some variables."""
        free = (values > self.problem.lower[variables]) & (values < self.problem.upper[variables])
        self.iterate.move(variables, values, free)

    def _worst_pair(self, F: Vector) -> Index:
        """Find the pair that violates most: whatever the bias, SMO can move it."""
        beta, problem = self.iterate.beta, self.problem
        up = np.where(beta < problem.upper, F, -np.inf)
        low = np.where(beta > problem.lower, F, np.inf)
        return np.array([up.argmax(), low.argmin()], dtype=np.intp)

    def _left(self, limits: Limits, most: int) -> int:
        """Count the steps to make now: at most so many, within what is left of the limits."""
        if limits.time_limit is not None:  # which is looked at between steps only
            most = min(most, _TIMED_STEPS)
        return most if limits.max_iter < 0 else min(most, limits.max_iter - self.iterations)
