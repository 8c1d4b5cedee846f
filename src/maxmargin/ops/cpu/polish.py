"""Newton steps on the free variables of a small box QP whose rows are at hand.

Problem, for a q x q matrix K (its rows as in ``smo``), with F = p - K beta given at the start:

    max_beta  p'beta - beta'K beta / 2,   lower <= beta <= upper,   sum beta = 0 with a bias.

Once SMO has found which variables are at their bounds, the others solve a linear system: on the
free set A look for delta and b with

    K_AA delta + b 1 = F_A,     sum delta = 0         (b = 0 and no sum without a bias),

the maximum of the dual on the face of the box where the bound variables stay put (Nocedal and
Wright, "Numerical Optimization", 2nd ed., section 16.5, primal active set). A step that would
leave the box stops at its edge and frees no variable, so the dual never falls.

The factor is Cholesky's, a row of it at a time from products of earlier rows: these are contiguous,
and LLVM takes their sums into vector registers (``reassoc``). Small functions are put into their
caller as they are written (``inline``): each compiled by itself would take seconds altogether.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.cpu.extremes import larger, size, smaller
from maxmargin.ops.loop import njit

_FAST = {"contract", "reassoc", "nsz"}
_EPS = 2.0**-52
_TRACE = 1e-11  # of the largest variable: what linear systems leave of one that is at its bound
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
def _factorise(A: Any) -> bool:
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
def _solve_factored(L: Any, x: Any) -> None:
    """Solve L L'x = x in place."""
    for i in range(len(x)):
        x[i] = (x[i] - _dot(L[i], x, i)) / L[i, i]
    for i in range(len(x) - 1, -1, -1):
        x[i] /= L[i, i]
        for j in range(i):
            x[j] -= L[i, j] * x[i]


@njit(cache=True, nogil=True, inline="always")
def _find_free(beta: Any, F: Any, lower: Any, upper: Any, bias: bool, free: Any) -> Any:
    """List the free variables; returns how many, whether they are others, and their violation."""
    count, changed, low, high = 0, False, np.inf, -np.inf
    for t in range(len(beta)):
        if lower[t] < beta[t] < upper[t]:
            changed |= free[count] != t
            free[count] = t
            count += 1
            low, high = smaller(low, F[t]), larger(high, F[t])
    changed |= free[count] != -1
    free[count] = -1
    return count, changed, (high - low if bias else larger(size(low), size(high)))


@njit(cache=True, nogil=True, inline="always")
def _step_towards(L: Any, F: Any, free: Any, bias: bool, delta: Any, ones: Any) -> float:
    """Solve for the step of the free variables; returns the sum of its sizes."""
    m, mean = len(delta), 0.0
    for r in range(m):
        mean += F[free[r]] / m if bias else 0.0
    for r in range(m):
        delta[r], ones[r] = F[free[r]] - mean, 1.0
    _solve_factored(L, delta)
    if bias:  # only F up to a constant matters; without the constant less cancels here
        _solve_factored(L, ones)
        off, of_ones = 0.0, 0.0
        for r in range(m):
            off += delta[r]
            of_ones += ones[r]
        left = 0.0
        for r in range(m):
            delta[r] -= off / of_ones * ones[r]
            left += delta[r]
        for r in range(m):
            delta[r] -= left / m
    total = 0.0
    for r in range(m):
        total += size(delta[r])
    return total


@njit(cache=True, nogil=True, inline="always")
def _advance(beta: Any, lower: Any, upper: Any, free: Any, delta: Any) -> float:
    """Go as far as the box allows, and write into delta what was moved; returns which part.

    An edge that is reached up to rounding is reached.
    """
    length = 1.0
    for r in range(len(delta)):
        t = free[r]
        if delta[r] != 0.0:
            edge = upper[t] if delta[r] > 0.0 else lower[t]
            length = smaller(length, (edge - beta[t]) / delta[r])
    for r in range(len(delta)):
        t = free[r]
        before, edge = beta[t], upper[t] if delta[r] > 0.0 else lower[t]
        moved = smaller(larger(before + length * delta[r], lower[t]), upper[t])
        if size(edge - moved) <= 4.0 * _EPS * larger(size(before), size(moved)):
            moved = edge
        beta[t], delta[r] = moved, moved - before
    return length


@njit(cache=True, nogil=True, inline="always")
def _put_on_bounds(beta: Any, lower: Any, upper: Any, bias: bool) -> None:
    """Put variables on a bound that is a trace away: they are not free, but would pass for it.

    The freest variable takes over what they leave of the sum.
    """
    largest, left, widest, freest = 0.0, 0.0, 0.0, 0
    for t in range(len(beta)):
        largest = larger(largest, size(beta[t]))
    for t in range(len(beta)):
        before = beta[t]
        if size(before - lower[t]) <= _TRACE * largest:
            beta[t] = lower[t]
        elif size(before - upper[t]) <= _TRACE * largest:
            beta[t] = upper[t]
        left += before - beta[t]
        room = smaller(beta[t] - lower[t], upper[t] - beta[t])
        if room > widest:
            widest, freest = room, t
    if bias and widest > 2.0 * size(left):
        beta[freest] += left


@njit(cache=True, nogil=True, inline="always")
def _gather(store: Any, slots: Any, free: Any, rows: Any, L: Any) -> None:
    """Copy the rows of the free variables, and what they have in common with a jitter."""
    m, q = rows.shape
    largest = 1e-300
    for r in range(m):
        row, line = store[slots[free[r]]], rows[r]
        for t in range(q):
            line[t] = row[t]
        for s in range(m):
            L[r, s] = line[free[s]]
        largest = larger(largest, L[r, r])
    for r in range(m):
        L[r, r] += _JITTER * largest


@njit(cache=True, nogil=True, inline="always")
def _follow(rows: Any, delta: Any, F: Any) -> None:
    """Update F by the step."""
    for r in range(len(delta)):
        line, step = rows[r], delta[r]
        for t in range(len(F)):
            F[t] -= step * line[t]


@njit(cache=True, nogil=True, error_model="numpy")
def _polish(
    store: Any,
    slots: Any,
    beta: Any,
    F: Any,
    lower: Any,
    upper: Any,
    bias: bool,
    target: float,
) -> bool:
    """Improve beta and F in place, as far as the present set of bound variables allows.

    The rows of all free variables must be there. No farther than where these violate by at most
    the target. Returns whether they are few enough to be solved for.
    """
    q = len(beta)
    free, rows, L = np.empty(q + 1, np.int64), np.empty((0, q)), np.empty((0, 0))
    for t in range(q + 1):
        free[t] = -1
    work, full, few = 0.0, 0, True
    while work < _MOST_WORK and full < _FULL_STEPS:
        m, changed, violation = _find_free(beta, F, lower, upper, bias, free)
        few = m <= MOST_FREE
        if m == 0 or not few or not violation > target:
            break
        work += 1.0 * m * m * m + 10_000.0
        if changed:
            rows, L = np.empty((m, q)), np.empty((m, m))
            _gather(store, slots, free, rows, L)
            if not _factorise(L):
                break
        delta, ones = np.empty(m), np.empty(m)
        length = _step_towards(L, F, free, bias, delta, ones)
        if not 0.0 < length < np.inf:
            break
        length = _advance(beta, lower, upper, free, delta)
        _follow(rows, delta, F)
        full += 1 if length == 1.0 else 0
    _put_on_bounds(beta, lower, upper, bias)
    return few


@njit(cache=True, nogil=True, error_model="numpy")
def factorise(*arguments: Any) -> bool:
    """Call ``_factorise``, for Python."""
    return _factorise(*arguments)


@njit(cache=True, nogil=True, error_model="numpy")
def solve_factored(*arguments: Any) -> None:
    """Call ``_solve_factored``, for Python."""
    _solve_factored(*arguments)


@njit(cache=True, nogil=True, error_model="numpy")
def polish(*arguments: Any) -> bool:
    """Call ``_polish``, for Python."""
    return _polish(*arguments)
