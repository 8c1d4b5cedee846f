"""Classification problems on a Gram matrix, and a way to solve them with everything open."""

from dataclasses import dataclass

import numpy as np
import pytest

from maxmargin.kernels import RBF
from maxmargin.kernels.gram import Gram
from maxmargin.ops.threads import Workers
from maxmargin.problems import BoxQP, c_svc
from maxmargin.solvers import Limits, RowCache, Start, WorkingSet, run
from maxmargin.solvers.box_qp.dual_ascent import SIZE
from maxmargin.solvers.box_qp.in_memory import InMemory
from maxmargin.solvers.kernel_values.iterate import Window
from maxmargin.solvers.kernel_values.matrix import Matrix
from maxmargin.solvers.kernel_values.memory import evaluate

PLENTY = 2**26


@dataclass(frozen=True)
class Case:
    """A problem and the Gram matrix it is about."""

    problem: BoxQP
    gram: Gram

    @property
    def K(self):  # noqa: N802
        return self.gram.kernel.block(self.gram.rows, self.gram.rows).astype(np.float64)

    def true_violation(self, beta):
        return self.problem.violation(beta, self.problem.p - self.K @ beta)

    def true_dual(self, beta):
        return self.problem.dual(beta, self.K @ beta)

    def solve(self, limits=None, *, size=SIZE, solver=None, start=None, n_jobs=1, **memory):
        """Solve in memory where the whole matrix is allowed, by working sets of the size else."""
        begin = None if start is None else Start(start)
        with Workers(n_jobs) as workers:
            if solver is None and size >= len(self.problem):
                proposal = InMemory(self.problem, self.square(), begin)
            else:
                window = self.window(workers, size, **memory)
                proposal = (solver or WorkingSet)(self.problem, window, begin)
            return run(proposal, limits or Limits())

    def square(self):
        return Matrix.of(evaluate(self.gram), self.gram, np.arange(len(self.gram)))

    def window(self, workers, size, budget=PLENTY, boundaries=None):
        cache = RowCache(self.gram, budget, workers, boundaries)
        return Window(cache, tuple(range(len(cache.boundaries) - 1)), size)

    def intercept(self, solution):
        beta, product = solution.point.beta, solution.point.product
        return self.problem.intercept(beta, self.problem.p - product)


@pytest.fixture
def case():
    def make(n=300, *, C=1.0, bias=True, kernel=None, dtype=np.float64, seed=0):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 4)).astype(dtype)
        noisy = X[:, 0] * X[:, 1] + 0.3 * X[:, 2] + 0.3 * rng.normal(size=n)
        t = np.where(noisy > 0, 1.0, -1.0)
        return Case(c_svc(t, C, bias=bias), Gram.of(kernel or RBF(gamma=0.5), X))

    return make


@pytest.fixture
def case_of():
    """A problem on a Gram matrix of one's own."""

    def make(gram, t, C=1.0):
        return Case(c_svc(t, C), gram)

    return make
