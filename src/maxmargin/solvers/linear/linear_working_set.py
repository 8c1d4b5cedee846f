r"""The kernel machine's solver on the linear kernel: hinges and insensitive losses, by rows.

Problem: that of ``problems.linear`` with one of these losses and the penalty "l2". Its dual is the
box QP of ``problems.box_qp`` with K = X X', whatever the number of columns,

    hinge           beta_i t_i in [0, c_i]
    squared hinge   beta_i t_i >= 0,  and 1 / (2 c_i) added to K_ii

or that of ``problems.regression``, of two variables a row, for the insensitive loss and its square;
with a bias where the intercept is free, and with the square of the constant added to K where it is
regularised. Coordinates alone cannot do it with a free intercept: sum beta = 0 ties them together;
and few rows far apart are easier than Newton's matrix of all columns. The coefficients are
theta = sum_i beta_i x_i and the bias of the free variables.

The squared losses need their whole matrix in memory, of at most some thousand variables.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import LinearPoint
from maxmargin.kernels import Linear
from maxmargin.kernels.gram import Gram
from maxmargin.losses import Hinge, Insensitive, SquaredHinge, SquaredInsensitive
from maxmargin.ops.design import Design
from maxmargin.problems import BoxQP, LinearProblem, c_svc
from maxmargin.problems.regression import svr
from maxmargin.solvers.box_qp.decomposition import Decomposition
from maxmargin.solvers.box_qp.dual_ascent import Start
from maxmargin.solvers.kernel_values.iterate import Window
from maxmargin.solvers.kernel_values.matrix import Matrix
from maxmargin.solvers.kernel_values.memory import Rows, arrange, evaluate
from maxmargin.solvers.linear.propose import LinearStart, propose
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import GapSolver, Scope, hinge

Vector = NDArray[np.float64]

_BUDGET = 200 * 2**20  # bytes of kernel values, as SVC's default
_FINER = 0.1  # of the pairs' tolerance, when the gap asks for more


class LinearWorkingSet(GapSolver):
    """The kernel machine's solver, whose point is one of the linear problem."""

    scope: ClassVar = Scope(hinge, ("l2",), free=(True,))

    def __init__(
        self,
        problem: LinearProblem,
        design: Design,
        start: LinearStart | None = None,
        seed: int = 0,
    ) -> None:
        if not has_box_dual(problem):  # which is more than users may name it for
            self.scope.refuse_others(self, problem)
        self.problem, self._design, self.iterations = problem, design, 0
        box, view = _box(problem), _view(problem, design)
        begin = None if start is None else Start(start.beta)
        self._inner = Decomposition(box, view, begin, seed)
        self._pairs = np.inf  # the tolerance of the pairs of variables

    @property
    def spent(self) -> bool:  # type: ignore[override]
        """Whether the solver will get no farther."""
        return self._inner.spent

    def merit(self) -> float:
        """Return the dual."""
        return self._inner.merit()

    def objectives(self) -> tuple[float, float]:
        """Primal and dual by the running numbers."""
        beta, product, box = self._inner.beta, self._inner.running, self._inner.problem
        b, diagonal = box.intercept(beta, box.p - product), _diagonal(self.problem)
        values = product if diagonal is None else product - diagonal * beta
        values, beta = values[: len(self.problem)], self._of_rows(beta)
        primal = 0.5 * float(beta @ values) + float(self.problem.prices(values + b).sum())
        return primal, self._inner.merit()

    def _of_rows(self, beta: Vector) -> Vector:
        """Add up the variables of each row."""
        sums: Vector = beta.reshape(-1, len(self.problem)).sum(axis=0)
        return sums

    def step(self, limits: Limits) -> None:
        """Optimise a working set; to finer pairs whenever the present ones are solved."""
        self._pairs = min(self._pairs, limits.tol)
        if self._inner.violation() <= self._pairs:
            self._pairs *= _FINER
        self._inner.step(replace(limits, tol=self._pairs, max_iter=-1))
        self.iterations += 1

    def point(self) -> LinearPoint:
        """Return coefficients and duals with fresh products."""
        box, beta = self._inner.problem, self._of_rows(self._inner.beta)
        theta = self._design.back(beta)
        if self.problem.free:
            theta[-1] = box.intercept(self._inner.beta, box.p - self._inner.running)
        return propose(self.problem, self._design, theta, self.problem.balanced(beta))

    def restart(self, point: LinearPoint) -> None:
        """Go on from a fresh product."""
        del point
        self._inner.restart(self._inner.point())


def has_box_dual(problem: Any) -> bool:
    """Whether the dual of a problem is a box QP."""
    if not isinstance(problem, LinearProblem) or problem.penalty != "l2":
        return False
    return problem.loss in (Hinge(), SquaredHinge()) or _has_zone(problem)


def _has_zone(problem: LinearProblem) -> bool:
    return isinstance(problem.loss, Insensitive | SquaredInsensitive)


def copies_of(problem: LinearProblem) -> int:
    """Count the variables of a row: one for each side of a zone."""
    return 2 if _has_zone(problem) else 1


def _diagonal(problem: LinearProblem) -> Vector | None:
    squared = isinstance(problem.loss, SquaredHinge | SquaredInsensitive)
    return np.tile(0.5 / problem.cost, copies_of(problem)) if squared else None


def _box(problem: LinearProblem) -> BoxQP:
    cost = problem.cost if _diagonal(problem) is None else np.full(len(problem), np.inf)
    if isinstance(problem.loss, Insensitive | SquaredInsensitive):
        box = svr(problem.t, cost, float(problem.loss.epsilon))
        ridge = _diagonal(problem) is not None  # which makes the two variables of a row differ
        return replace(box, bias=problem.free, copies=1 if ridge else box.copies)
    return c_svc(problem.t, cost, bias=problem.free)


def _view(problem: LinearProblem, design: Design) -> Window | Matrix:
    offset = 0.0 if problem.free else design.constant**2
    gram, diagonal = Gram.of(Linear(), design.X, offset), _diagonal(problem)
    copies = copies_of(problem)
    if diagonal is None:
        rows = Rows(gram, np.array([0, len(design)]), [(0,)], copies)
        return arrange(rows, _BUDGET, design.workers, Decomposition).view((0,))
    matrix = np.tile(evaluate(gram, design.workers).astype(np.float64), (copies, copies))
    matrix[np.diag_indices_from(matrix)] += diagonal
    return Matrix.of(matrix, gram, np.tile(np.arange(len(gram)), copies))
