r"""The sequential dual method: the duals of all classes of one row at a time, in random order.

Problem: ``problems.crammer_singer``,

    max_alpha  - sum_k |w_k|^2 / 2 - sum_ik e_ik alpha_ik,     w_k = sum_i alpha_ik x_i
    s.t.       sum_k alpha_ik = 0,   alpha_ik <= c_i where k = y_i and <= 0 elsewhere.

The constraints tie no two rows together, so the duals of a row can be set to their best values with
all others fixed; that small problem is solved exactly (Crammer and Singer, "On the
algorithmic implementation of multiclass kernel-based vector machines", JMLR 2, 2001),
and W follows for the cost of reading the row (Keerthi, Sundararajan, Chang, Hsieh, Lin, "A
sequential dual method for large scale multi-class linear SVMs", KDD 2008).

An epoch goes through the rows in random order. Rows far on their side of the margin, with all duals
0, are left out of the next ones, and looked at again before the solver says that it is done. The
gap is summed from the rows as an epoch meets them, at weights that still move: an estimate, which
only asks to be judged.
"""

from __future__ import annotations

import numpy as np

from maxmargin.certify import CrammerSingerPoint
from maxmargin.ops.design import Design
from maxmargin.problems import CrammerSinger
from maxmargin.problems.crammer_singer import Matrix
from maxmargin.solvers.linear.propose import propose_joint
from maxmargin.solvers.linear.sweep import Index, sweep
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import Solver


class SequentialDual(Solver):
    """Epochs over all rows; theta has a row for each class and ``design.width`` columns."""

    def __init__(
        self, problem: CrammerSinger, design: Design, start: None = None, seed: int = 0
    ) -> None:
        del start  # a machine of all classes begins at 0
        self.problem, self.iterations = problem, 0
        self._design, self._norms = design, design.row_norms()
        self._verbs = design.engine.crammer_singer
        self._rows = design.csr
        self._labels = np.ascontiguousarray(problem.labels, dtype=np.intp)
        self._random = np.random.default_rng(seed)
        self._alpha = _settled(problem, self._norms)
        self._W = np.zeros((design.width, problem.classes))
        self._everyone()
        self._gap = problem.primal(self._W.T, np.zeros_like(self._alpha)) - self.merit()

    def _everyone(self) -> None:
        """Look at all rows again."""
        self._active, self._slack = np.arange(len(self.problem)), np.inf

    def violation(self) -> float:
        """Return the relative gap, by the rows as the last epoch met them."""
        dual = self.merit()
        size = max(abs(dual), abs(dual + self._gap))
        return self._gap / size if size > 0 else 0.0

    def merit(self) -> float:
        """Return the dual."""
        return self.problem.dual(self._alpha, self._W)

    def objectives(self) -> tuple[float, float]:
        """Primal and dual at the running weights."""
        return self.problem.primal(self._W.T, self._design.joint_values(self._W.T)), self.merit()

    def step(self, limits: Limits) -> None:
        """Make an epoch; one over all rows where the active ones say that it is done."""
        self._epoch(limits)
        left = limits.max_iter < 0 or self.iterations < limits.max_iter
        if self._shrunk() and self.violation() <= limits.tol:
            self._everyone()
            if left and not limits.clock.over():
                self._epoch(limits)

    def _epoch(self, limits: Limits) -> None:
        share = len(self._active) / len(self.problem)
        work = share * self._design.stored * self.problem.classes
        order = self._random.permutation(self._active)
        self._active, found = sweep(order, work, self._visit, limits)
        gaps, worst = zip(*found, strict=True)
        self._gap, self._slack = float(sum(gaps)), max(1e-12, *worst)
        self.iterations += 1

    def _visit(self, order: Index) -> tuple[int, float, float]:
        found: tuple[int, float, float] = self._verbs.ascend(
            *self._rows,
            float(self._design.constant),
            self._norms,
            self._labels,
            self.problem.cost,
            order,
            self._slack,
            self._alpha,
            self._W,
        )
        return found

    def _shrunk(self) -> bool:
        return len(self._active) < len(self.problem)

    def point(self) -> CrammerSingerPoint:
        """Return the duals, and fresh weights of them."""
        alpha = self._alpha.copy()
        return propose_joint(self.problem, self._design, self._design.joint_back(alpha), alpha)

    def restart(self, point: CrammerSingerPoint) -> None:
        """Go on from fresh weights, with all rows."""
        self._alpha, self._W = point.alpha.copy(), np.ascontiguousarray(point.back.T)
        self._everyone()
        self._gap = self.problem.primal(point.theta, point.values) - self.merit()


def _settled(problem: CrammerSinger, norms: Matrix) -> Matrix:
    """Start at 0, but for rows that are 0: no weights help them, and their best duals are known."""
    alpha = np.zeros((len(problem), problem.classes))
    lost = np.flatnonzero(norms == 0.0) if problem.classes > 1 else np.empty(0, np.intp)
    alpha[lost, problem.labels[lost]] = problem.cost[lost]
    alpha[lost, (problem.labels[lost] + 1) % problem.classes] = -problem.cost[lost]
    return alpha
