r"""The kernel machine's solver on the linear kernel: the hinge, a free intercept, many columns.

Problem: that of ``problems.linear`` with the hinge, the penalty "l2" and a free intercept. Its dual
is the box QP of ``problems.box_qp`` with K = X X', which ``working_set`` solves whatever the number
of columns. Coordinates alone cannot: sum beta = 0 ties them together, and Newton's matrix would be
of all columns. The coefficients are theta = sum_i beta_i x_i and the bias of the free variables.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import LinearPoint
from maxmargin.kernels import Linear
from maxmargin.kernels.gram import Gram
from maxmargin.ops.design import Design
from maxmargin.problems import LinearProblem, c_svc
from maxmargin.solvers.iterate import Window
from maxmargin.solvers.propose import propose
from maxmargin.solvers.row_cache import RowCache
from maxmargin.solvers.run import Limits
from maxmargin.solvers.working_set import WorkingSet, working_set_size

Vector = NDArray[np.float64]

_BUDGET = 200 * 2**20  # bytes of kernel values, as SVC's default
_FINER = 0.1  # of the pairs' tolerance, when the gap asks for more


class LinearWorkingSet:
    """A working-set solver whose point is one of the linear problem."""

    def __init__(self, problem: LinearProblem, design: Design, seed: int = 0) -> None:
        self.problem, self._design, self.iterations = problem, design, 0
        gram = Gram.of(Linear(), design.X)
        size = working_set_size(len(gram), gram.dtype.itemsize, _BUDGET)
        room = _BUDGET - 2 * size**2 * gram.dtype.itemsize
        cache = RowCache(gram, room, design.workers)
        box = c_svc(problem.t, problem.cost)
        self._inner = WorkingSet(box, Window(cache, (0,)), size=size, seed=seed)
        self._pairs = np.inf  # the tolerance of the pairs of variables

    def violation(self) -> float:
        """Give the relative gap by the running numbers."""
        primal, dual = self.objectives()
        size = max(abs(primal), abs(dual))
        return 0.0 if size == 0 else (primal - dual) / size

    def merit(self) -> float:
        """Give the dual."""
        return self._inner.merit()

    def objectives(self) -> tuple[float, float]:
        """Primal and dual by the running numbers."""
        return self._inner.objectives()

    def step(self, limits: Limits) -> None:
        """Optimise a working set; to finer pairs whenever the present ones are solved."""
        self._pairs = min(self._pairs, limits.tol)
        if self._inner.violation() <= self._pairs:
            self._pairs *= _FINER
        self._inner.step(replace(limits, tol=self._pairs, max_iter=-1))
        self.iterations += 1

    def point(self) -> LinearPoint:
        """Give coefficients and duals with fresh products."""
        beta = self._inner.iterate.beta.copy()
        theta = self._design.back(beta)
        theta[-1] = self._inner.problem.intercept(beta, self._inner.gradient())
        return propose(self.problem, self._design, theta, self.problem.balanced(beta))

    def restart(self, point: LinearPoint) -> None:
        """Go on from fresh products."""
        self._inner.iterate.restart(point.values - point.theta[-1])
