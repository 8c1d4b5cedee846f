"""The obvious versions of ``ops.cpu.polish``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, solve_triangular

from maxmargin.ops.reference.smo import joined

MOST_FREE, _MOST_WORK, _FULL_STEPS, _JITTER = 400, 1e9, 3, 1e-11


def factorise(A: Any) -> bool:
    """Write Cholesky's factor into the lower triangle; False if A is not positive definite."""
    try:
        A[np.tril_indices_from(A)] = cholesky(A, lower=True)[np.tril_indices_from(A)]
    except LinAlgError:
        return False
    return True


def solve_factored(L: Any, x: Any) -> None:
    """Solve L L'x = x in place."""
    L = np.tril(L)
    x[:] = solve_triangular(L.T, solve_triangular(L, x, lower=True), lower=False)


def polish(
    K00: Any,
    K01: Any,
    K10: Any,
    K11: Any,
    at: Any,
    split: int,
    beta: Any,
    F: Any,
    lower: Any,
    upper: Any,
    bias: bool,
    target: float,
) -> bool:
    """Newton steps on the free variables; see ``ops.cpu.polish``."""
    K, work, full = joined(K00, K01, K10, K11, at, split, len(beta)), 0.0, 0
    while work < _MOST_WORK and full < _FULL_STEPS:
        free = np.flatnonzero((lower < beta) & (beta < upper))
        if len(free) > MOST_FREE:
            return False
        if len(free) == 0:
            return True
        spread = np.ptp(F[free]) if bias else np.abs(F[free]).max()
        delta = _step(K[np.ix_(free, free)], F[free], bias)
        if not spread > target or delta is None or not np.isfinite(delta).all():
            return True
        work += len(free) ** 3 + 10_000
        edge = np.where(delta > 0, upper[free], lower[free])
        fits = np.divide(edge - beta[free], delta, out=np.ones(len(free)), where=delta != 0)
        length = min(1.0, float(fits.min()))
        moved = np.clip(beta[free] + length * delta, lower[free], upper[free])
        near = 4 * 2.0**-52 * np.maximum(np.abs(beta[free]), np.abs(moved))
        moved = np.where(np.abs(edge - moved) <= near, edge, moved)
        F -= (moved - beta[free]) @ K[free]
        beta[free] = moved
        full += length == 1.0
    return True


def _step(K: Any, F: Any, bias: bool) -> Any:
    try:
        factor = cho_factor(K + _JITTER * np.diag(K).max() * np.eye(len(K)))
    except LinAlgError:
        return None
    if not bias:
        return cho_solve(factor, F)
    delta, ones = cho_solve(factor, np.column_stack([F - F.mean(), np.ones(len(F))])).T
    delta = delta - delta.sum() / ones.sum() * ones
    return delta - delta.mean()
