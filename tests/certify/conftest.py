"""Small problems whose optimum is known from a conic solver at 1e-10."""

from dataclasses import dataclass

import clarabel
import numpy as np
import pytest
from scipy import sparse

from maxmargin.certify import Point
from maxmargin.kernels.rounding import Rounding
from maxmargin.problems import BoxQP, c_svc


@dataclass(frozen=True)
class Known:
    """A problem, its Gram matrix and its optimal value."""

    problem: BoxQP
    K: np.ndarray
    optimum: float

    def point(self, beta, precision=np.float64, **facts):
        K = self.K.astype(precision).astype(np.float64)
        lengths = np.sqrt(np.diag(self.K))
        return Point(beta, K @ beta, Rounding(np.dtype(precision), lengths, lengths), **facts)

    def feasible(self, rng):
        """A random point of the box; with a bias the heavier side is scaled down."""
        beta = rng.uniform(self.problem.lower, self.problem.upper)
        beta[rng.uniform(size=len(beta)) < rng.uniform()] = 0.0
        if self.problem.bias:
            plus, minus = beta[beta > 0].sum(), -beta[beta < 0].sum()
            beta[beta > 0] *= min(1.0, minus / plus) if plus > 0 else 1.0
            beta[beta < 0] *= min(1.0, plus / minus) if minus > 0 else 1.0
        return beta


def conic(problem, K):
    """The dual point and value by Clarabel's interior-point method."""
    n = len(problem)
    bounds = [sparse.eye(n), -sparse.eye(n)]
    rows = [sparse.csr_array(np.ones((1, n)))] if problem.bias else []
    A = sparse.csc_array(sparse.vstack([*rows, *bounds]))
    b = np.concatenate([np.zeros(len(rows)), problem.upper, -problem.lower])
    cones = [clarabel.ZeroConeT(1)] * len(rows) + [clarabel.NonnegativeConeT(2 * n)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    P = sparse.csc_array(np.triu(K))
    solution = clarabel.DefaultSolver(P, -problem.p, A, b, cones, settings).solve()
    beta = np.clip(np.array(solution.x), problem.lower, problem.upper)
    return beta, problem.dual(beta, K @ beta)


@pytest.fixture
def known():
    def make(seed, bias=True, n=14):
        rng = np.random.default_rng(seed)
        X, t = rng.normal(size=(n, 3)), np.where(np.arange(n) % 2, -1.0, 1.0)
        distances = ((X[:, None] - X) ** 2).sum(axis=2)
        K = np.exp(-0.5 * distances) if seed % 2 else X @ X.T
        problem = c_svc(t, rng.uniform(0.05, 5, n), bias=bias)
        return Known(problem, K, conic(problem, K)[1])

    return make
