"""Classification problems on a Gram matrix, and a way to solve them with everything open."""

from dataclasses import dataclass

import numpy as np
import pytest

from maxmargin.kernels import RBF
from maxmargin.kernels.gram import Gram
from maxmargin.ops.threads import Workers
from maxmargin.problems import BoxQP, c_svc
from maxmargin.solvers import Limits, RowCache, WorkingSet, run
from maxmargin.solvers.iterate import Window

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
        return self.problem.violation(beta, self.problem.linear - self.K @ beta)

    def true_dual(self, beta):
        return self.problem.dual(beta, self.K @ beta)

    def solve(self, limits=None, *, budget=PLENTY, n_jobs=1, solver=WorkingSet, **options):
        with Workers(n_jobs) as workers:
            cache = RowCache(self.gram, budget, workers, options.pop("boundaries", None))
            window = Window(cache, tuple(range(len(cache.boundaries) - 1)))
            return run(solver(self.problem, window, **options), limits or Limits())

    def intercept(self, solution):
        beta, product = solution.point.beta, solution.point.product
        return self.problem.intercept(beta, self.problem.linear - product)


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
