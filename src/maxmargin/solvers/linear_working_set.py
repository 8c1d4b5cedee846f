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
from maxmargin.solvers.decomposition import Decomposition
from maxmargin.solvers.memory import Rows, arrange
from maxmargin.solvers.propose import propose
from maxmargin.solvers.run import Limits

Vector = NDArray[np.float64]

_BUDGET = 200 * 2**20  # bytes of kernel values, as SVC's default
_FINER = 0.1  # of the pairs' tolerance, when the gap asks for more


class LinearWorkingSet:
    """The kernel machine's solver, whose point is one of the linear problem."""

    def __init__(self, problem: LinearProblem, design: Design, seed: int = 0) -> None:
        self.problem, self._design, self.iterations = problem, design, 0
        rows = Rows(Gram.of(Linear(), design.X), np.array([0, len(design)]), [(0,)])
        view = arrange(rows, _BUDGET, design.workers, Decomposition).view((0,))
        self._inner = Decomposition(c_svc(problem.t, problem.cost), view, seed=seed)
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
        beta = self._inner.beta.copy()
        theta, box = self._design.back(beta), self._inner.problem
        theta[-1] = box.intercept(beta, box.linear - self._inner.running)
        return propose(self.problem, self._design, theta, self.problem.balanced(beta))

    def restart(self, point: LinearPoint) -> None:
        """Go on from fresh products."""
        inner = self._inner.point()
        self._inner.restart(replace(inner, product=point.values - point.theta[-1]))
