"""Dual points of the hinge loss for data of many columns.

Regularised intercept: Hsieh, Chang, Lin, Keerthi and Sundararajan, A dual coordinate descent
method for large-scale linear SVM, ICML 2008, algorithm 1, without shrinking. Free intercept: LIBSVM
at a tolerance of 1e-8.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy import sparse

from benchmarks.contest import C
from benchmarks.linear_judge import Array, Problem
from benchmarks.rows import PRECISE, Rows, Solution, balanced

ENOUGH = 2e-5
LONG = 2e7  # non-zero numbers times ten sweeps


def coordinate_descent(rows: Rows, turns: int = 300) -> Solution:
    """Stop when precise; on large data, whose last digits take hours, when precise enough."""
    X, t = sparse.csr_matrix(rows.X), rows.t
    norms = np.asarray(X.multiply(X).sum(axis=1)).ravel() + 1.0
    alpha, u, generator = np.zeros(len(t)), np.zeros(len(rows.R)), np.random.default_rng(0)
    best = u.copy()
    for turn in range(turns):
        for _ in range(10):
            order = generator.permutation(len(t))
            _sweep(X.data, X.indices, X.indptr, t, norms, C, order, alpha, u)
        best = min(best, u.copy(), key=rows.primal)  # of the two values only the dual is monotone
        long = turn * X.nnz > LONG
        if rows.gap(best, alpha) <= (ENOUGH if long else PRECISE):
            break
    return rows.solution(best, alpha)


@njit(cache=True, nogil=True)
def _sweep(  # type: ignore[no-untyped-def]
    values, columns, starts, t, norms, bound, order, alpha, u
):
    for i in order:
        product = u[-1]
        for k in range(starts[i], starts[i + 1]):
            product += values[k] * u[columns[k]]
        new = min(max(alpha[i] + (1.0 - t[i] * product) / norms[i], 0.0), bound)
        change = (new - alpha[i]) * t[i]
        alpha[i] = new
        u[-1] += change
        for k in range(starts[i], starts[i + 1]):
            u[columns[k]] += change * values[k]


def libsvm(X: Any, t: Array) -> Solution:
    from sklearn.svm import SVC

    model = SVC(C=C, kernel="linear", tol=1e-8, cache_size=1_000).fit(X, t)
    alpha = np.zeros(len(t))
    alpha[model.support_] = np.abs(_dense(model.dual_coef_))
    b = float(model.intercept_[0])
    return _dense(model.coef_), b, balanced(Problem("hinge", True), t, alpha)


def _dense(row: Any) -> Array:
    return (row.toarray() if sparse.issparse(row) else np.asarray(row)).ravel()
