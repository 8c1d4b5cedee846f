"""The obvious versions of ``ops.cpu.polish``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, solve_triangular

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
    store: Any,
    slots: Any,
    beta: Any,
    F: Any,
    lower: Any,
    upper: Any,
    bias: bool,
    target: float,
) -> bool:
    """Newton steps on the free variables; see ``ops.cpu.polish``."""
    work, full, few = 0.0, 0, True
    while work < _MOST_WORK and full < _FULL_STEPS:
        free = np.flatnonzero((lower < beta) & (beta < upper))
        few = len(free) <= MOST_FREE
        if not few or len(free) == 0:
            break
        rows = store[slots[free], : len(F)].astype(np.float64)
        spread = np.ptp(F[free]) if bias else np.abs(F[free]).max()
        delta = _step(rows[:, free], F[free], bias)
        if not spread > target or delta is None or not 0 < np.abs(delta).sum() < np.inf:
            break
        work += len(free) ** 3 + 10_000
        moved, length = _advanced(beta[free], lower[free], upper[free], delta)
        F -= (moved - beta[free]) @ rows
        beta[free] = moved
        full += length == 1.0
    _put_on_bounds(beta, lower, upper, bias)
    return few


def _advanced(beta: Any, lower: Any, upper: Any, delta: Any) -> tuple[Any, float]:
    edge = np.where(delta > 0, upper, lower)
    fits = np.divide(edge - beta, delta, out=np.ones(len(beta)), where=delta != 0)
    length = min(1.0, float(fits.min()))
    moved = np.clip(beta + length * delta, lower, upper)
    near = 4 * 2.0**-52 * np.maximum(np.abs(beta), np.abs(moved))
    return np.where(np.abs(edge - moved) <= near, edge, moved), length


def _put_on_bounds(beta: Any, lower: Any, upper: Any, bias: bool) -> None:
    trace, before = 1e-11 * np.abs(beta).max(initial=0.0), beta.copy()
    beta[:] = np.where(np.abs(before - upper) <= trace, upper, beta)
    beta[:] = np.where(np.abs(before - lower) <= trace, lower, beta)
    left, room = float((before - beta).sum()), np.minimum(beta - lower, upper - beta)
    if bias and room.max(initial=0.0) > 2.0 * abs(left):
        beta[room.argmax()] += left


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
