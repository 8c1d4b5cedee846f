"""Newton steps on the free variables of a small box QP whose matrix is stored.

Problem, for a q x q matrix K (in blocks, as in ``smo``), with F = p - K beta given at the start:

    max_beta  p'beta - beta'K beta / 2,   lower <= beta <= upper,   sum beta = 0 with a bias.

Once SMO has found which variables are at their bounds, the others solve a linear system: on the
free set A look for delta and b with

    K_AA delta + b 1 = F_A,     sum delta = 0         (b = 0 and no sum without a bias),

the maximum of the dual on the face of the box where the bound variables stay put (Nocedal and
Wright, "Numerical Optimization", 2nd ed., section 16.5, primal active set). A step that would
leave the box stops at its edge and frees no variable, so the dual never falls.

The factor is Cholesky's, a row of it at a time from products of earlier rows: these are contiguous,
and LLVM takes their sums into vector registers (``reassoc``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from maxmargin.ops.cpu.smo import take_rows

_FAST = {"contract", "reassoc", "nsz"}
_EPS = 2.0**-52
_TINY = 1e-300
MOST_FREE = 400  # a factorisation of this size takes a few milliseconds
_MOST_WORK = 1e9  # multiplications, a tenth of a second; singular problems take a step a bound
_FULL_STEPS = 3  # Newton steps that met no bound; more than one, because of the jitter
_JITTER = 1e-11  # of the largest diagonal value: duplicate rows make K_AA singular


@njit(cache=True, nogil=True, fastmath=_FAST)
def _dot(a: Any, b: Any, n: int) -> float:
    total = 0.0
    for t in range(n):
        total += a[t] * b[t]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def factorise(A: Any) -> bool:
    """Write Cholesky's factor into the lower triangle; False if A is not positive definite."""
    for i in range(len(A)):
        row = A[i]
        for j in range(i):
            row[j] = (row[j] - _dot(row, A[j], j)) / A[j, j]
        square = row[i] - _dot(row, row, i)
        if not square > 0.0:
            return False
        row[i] = np.sqrt(square)
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def solve_factored(L: Any, x: Any) -> None:
    """Solve L L'x = x in place."""
    for i in range(len(x)):
        x[i] = (x[i] - _dot(L[i], x, i)) / L[i, i]
    for i in range(len(x) - 1, -1, -1):
        x[i] /= L[i, i]
        for j in range(i):
            x[j] -= L[i, j] * x[i]


@njit(cache=True, nogil=True)
def _free(beta: Any, lower: Any, upper: Any, free: Any) -> int:
    count = 0
    for t in range(len(beta)):
        if lower[t] < beta[t] < upper[t]:
            free[count] = t
            count += 1
    return count


@njit(cache=True, nogil=True)
def _spread(F: Any, free: Any, bias: bool) -> float:
    """By how much the free variables violate the optimality conditions."""
    low, high = np.inf, -np.inf
    for t in free:
        low, high = min(low, F[t]), max(high, F[t])
    return high - low if bias else max(abs(low), abs(high))


@njit(cache=True, nogil=True, error_model="numpy")
def _direction(L: Any, F: Any, free: Any, bias: bool, delta: Any, ones: Any) -> bool:
    """Solve for the step of the free variables; False where it is not finite or nothing."""
    mean = 0.0
    for t in free:
        mean += F[t] / len(free) if bias else 0.0
    for r in range(len(free)):
        delta[r], ones[r] = F[free[r]] - mean, 1.0
    solve_factored(L, delta)
    if bias:  # only F up to a constant matters; without the constant less cancels here
        solve_factored(L, ones)
        ratio = delta.sum() / ones.sum()
        for r in range(len(free)):
            delta[r] -= ratio * ones[r]
        delta -= delta.sum() / len(free)
    total = 0.0
    for r in range(len(free)):
        total += abs(delta[r])
    return np.isfinite(total) and total > 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _room(beta: Any, lower: Any, upper: Any, free: Any, delta: Any) -> float:
    """How much of the step fits in the box, at most 1."""
    length = 1.0
    for r in range(len(free)):
        t = free[r]
        if delta[r] > 0.0:
            length = min(length, (upper[t] - beta[t]) / delta[r])
        elif delta[r] < 0.0:
            length = min(length, (lower[t] - beta[t]) / delta[r])
    return length


@njit(cache=True, nogil=True)
def _advance(beta: Any, lower: Any, upper: Any, free: Any, delta: Any, length: float) -> None:
    """Take the step, and write into delta what was moved; an edge reached up to rounding is it."""
    for r in range(len(free)):
        t = free[r]
        before = beta[t]
        moved = min(max(before + length * delta[r], lower[t]), upper[t])
        edge = upper[t] if delta[r] > 0.0 else lower[t]
        if abs(edge - moved) <= 4.0 * _EPS * max(abs(before), abs(moved)):
            moved = edge
        beta[t], delta[r] = moved, moved - before


@njit(cache=True, nogil=True, fastmath={"contract"})
def _subtract(F: Any, rows: Any, delta: Any) -> None:
    """Take delta's rows off F."""
    for r in range(len(delta)):
        row, step = rows[r], delta[r]
        for t in range(len(F)):
            F[t] -= step * row[t]


@njit(cache=True, nogil=True)
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
    """Improve beta and F in place, as far as the present set of bound variables allows.

    No farther than where the free variables violate by at most the target. Returns whether they
    are few enough to be solved for.
    """
    q = len(beta)
    free, last = np.empty(q, np.int64), np.empty(0, np.int64)
    rows, L = np.empty((0, q)), np.empty((0, 0))
    work, full = 0.0, 0
    while work < _MOST_WORK and full < _FULL_STEPS:
        m = _free(beta, lower, upper, free)
        if m > MOST_FREE:
            return False
        if m == 0 or not _spread(F, free[:m], bias) > target:
            return True
        work += float(m) ** 3 + 10_000.0
        if m != len(last) or (last != free[:m]).any():
            last, rows, L = free[:m].copy(), np.empty((m, q)), np.empty((m, m))
            take_rows(K00, K01, K10, K11, at, split, last, rows)
            largest = _TINY
            for r in range(m):
                for s in range(m):
                    L[r, s] = rows[r, last[s]]
                largest = max(largest, L[r, r])
            for r in range(m):
                L[r, r] += _JITTER * largest
            if not factorise(L):
                return True
        delta, ones = np.empty(m), np.empty(m)
        if not _direction(L, F, last, bias, delta, ones):
            return True
        length = _room(beta, lower, upper, last, delta)
        _advance(beta, lower, upper, last, delta, length)
        _subtract(F, rows, delta)
        full += 1 if length == 1.0 else 0
    return True
