"""What the precise solvers of ``optimum`` share: rows as an operator, and when a point will do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, cg

from benchmarks.contest import C
from benchmarks.linear_judge import Array, Problem

PRECISE = 1e-8  # the relative gap at which to stop
FEW = 1_000  # columns
_BLOCK = 65_536
Solution = tuple[Array, float, Array]
"""w, b and a feasible alpha."""


def balanced(problem: Problem, t: Array, alpha: Array) -> Array:
    """Inside the box, and with sum alpha t = 0 where it must be: the heavier class is scaled."""
    alpha = np.clip(alpha, 0.0, np.inf if problem.loss == "squared_hinge" else C)
    if not problem.free:
        return alpha
    plus, minus = alpha[t > 0].sum(), alpha[t < 0].sum()
    return alpha * np.where(t > 0, min(1.0, minus / plus), min(1.0, plus / minus))


class Rows:
    """G = diag(t) (X, 1) as an operator, R = diag(1, .., 1, r), and systems R + G'diag(d)G."""

    def __init__(self, problem: Problem, X: Any, t: Array) -> None:
        self.problem, self.X, self.t = problem, X, t
        self.R = np.ones(X.shape[1] + 1)
        self.R[-1] = 0.0 if problem.free else 1.0

    def forward(self, u: Array) -> Array:
        return self.t * (self.X @ u[:-1] + u[-1])

    def backward(self, v: Array) -> Array:
        return np.append(self.X.T @ (self.t * v), self.t @ v)

    def primal(self, u: Array) -> float:
        return self.problem.primal(self.X, self.t, u[:-1], float(u[-1]))

    def gap(self, u: Array, alpha: Array) -> float:
        """Relative to the primal value."""
        dual = self.problem.dual(self.X, self.t, balanced(self.problem, self.t, alpha))
        primal = self.primal(u)
        return (primal - dual) / primal

    def solution(self, u: Array, alpha: Array) -> Solution:
        return u[:-1], float(u[-1]), balanced(self.problem, self.t, alpha)

    def system(self, d: Array) -> Callable[[Array], Array]:
        """A function that solves (R + G'diag(d)G) u = v: factored, or for many columns by CG."""
        if self.X.shape[1] <= FEW:
            factor = cho_factor(np.diag(self.R) + self._gram(d))
            return lambda v: cho_solve(factor, v)

        def product(u: Array) -> Array:
            return self.R * u + self.backward(d * self.forward(u))

        A = LinearOperator((len(self.R), len(self.R)), matvec=product, dtype=np.float64)
        return lambda v: cg(A, v, rtol=1e-6, maxiter=1_000)[0]

    def _gram(self, d: Array) -> Any:
        return sum(self._part(slice(i, i + _BLOCK), d) for i in range(0, len(d), _BLOCK))

    def _part(self, rows: slice, d: Array) -> Array:
        X = self.X[rows]
        A = X.toarray() if sparse.issparse(X) else X
        A = np.column_stack([A, np.ones(len(A))])
        return A.T @ (A * d[rows, None])
