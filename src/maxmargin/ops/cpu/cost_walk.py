"""SMO for one cost after the other, on a matrix of kernel values that is all there.

Problem, for q variables, bounds a <= 0 <= e of a unit of cost, and rising costs C_1 < C_2 < ...:

    max_beta  p'beta - beta'K beta / 2,   C_c a <= beta <= C_c e,   sum beta = 0      for every c

A search over C solves it thousands of times, where starting a solver often costs more than solving
does; so costs are walked through here. Each begins at the solution of the cost before, stretched as
far as the dual rises and the box allows. A variable with bounds of 0 never moves, but has its F: so
rows held out for validation get their values on the way.

Steps are those of ``smo``. Late ones are many and move few variables, so they are made on the
square of those that may still move, which lies closer together (the shrinking of Joachims, "Making
large-scale SVM learning practical", 1999): a variable at a bound is left out if F pushes it there
harder than it pulls anybody. The others' F follow when that square is solved, and they may return.
Of 2,400 variables at a high cost about 300 are left for three quarters of the steps, which then
take 0.4 instead of 2.2 microseconds each. Where they do not end the free variables are solved for
(``polish``): kernels of large values can ask for millions of steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.cpu.extremes import larger, size, smaller
from maxmargin.ops.cpu.polish import _polish
from maxmargin.ops.cpu.smo import _smo_pairs
from maxmargin.ops.kinds import GIVEN
from maxmargin.ops.loop import njit

_FEW = 0.8  # of the variables that may still move are worth a square of their own
_ROUND = 2  # steps a variable before it is looked at again who may move
_MANY = 40  # steps a variable before Newton's are tried, then whenever they have doubled
_TRACE = 1e-11  # of the largest variable: what rounding leaves of the way to a bound
_BIAS = np.bool_(True)  # polish would be compiled once more for a True that is written out
_SOLVED = 0.1  # of the target is what Newton's steps aim at


@njit(cache=True, nogil=True)
def _smo(store: Any, beta: Any, F: Any, lower: Any, upper: Any, target: float, most: int) -> int:
    """Make at most so many steps of ``smo_pairs`` on a matrix that is all there."""
    q = len(beta)
    slots, used, diagonal = np.empty(q, np.int64), np.empty(q, np.bool_), store[0].copy()
    for t in range(q):
        slots[t], diagonal[t] = t, store[t, t]
    taken, source = slots[:1], (GIVEN, None, slots[:0], None, None, F[:0])
    point = diagonal, beta, F, lower, upper, target, most
    together = np.empty(0, np.int8), 1
    steps, _, _, _ = _smo_pairs(store, slots, taken, *source, *point, True, used, *together)
    return steps


@njit(cache=True, nogil=True)
def _movable(beta: Any, F: Any, lower: Any, upper: Any, index: Any) -> int:
    """List the variables that may still move; returns how many."""
    highest, lowest, count = -np.inf, np.inf, 0
    for t in range(len(beta)):
        if beta[t] < upper[t]:
            highest = larger(highest, F[t])
        if beta[t] > lower[t]:
            lowest = smaller(lowest, F[t])
    for t in range(len(beta)):
        up, down = beta[t] < upper[t], beta[t] > lower[t]
        if (up and (down or F[t] >= lowest)) or (down and F[t] <= highest):
            index[count] = t
            count += 1
    return count


@njit(cache=True, nogil=True)
def gather(store: Any, index: Any) -> Any:
    """Copy the square of some variables."""
    m = len(index)
    square = np.empty((m, m), store.dtype)
    for i in range(m):
        source, row = store[index[i]], square[i]
        for j in range(m):
            row[j] = source[index[j]]
    return square


@njit(cache=True, nogil=True, fastmath={"contract"})
def _follow(store: Any, before: Any, beta: Any, F: Any) -> None:
    """Update F by a change of beta."""
    for i in range(len(beta)):
        change = beta[i] - before[i]
        if change != 0.0:
            row = store[i]
            for t in range(len(F)):
                F[t] -= change * row[t]


@njit(cache=True, nogil=True)
def _taken(values: Any, places: Any) -> Any:
    """Take some of the values. Numba's own way makes sentences of shapes, and compiles seconds."""
    some = values[: len(places)].copy()
    for t in range(len(places)):
        some[t] = values[places[t]]
    return some


@njit(cache=True, nogil=True)
def _put(some: Any, places: Any, values: Any) -> None:
    """Put values back where they were taken from."""
    for t in range(len(places)):
        values[places[t]] = some[t]


@njit(cache=True, nogil=True)
def _ascend_some(
    store: Any, beta: Any, F: Any, lower: Any, upper: Any, index: Any, target: float, most: int
) -> int:
    """Make steps among a few variables, and ever fewer; all F follow in the end."""
    before, square, steps, enough = beta.copy(), gather(store, index), 0, _MANY * len(index)
    b, f = _taken(beta, index), _taken(F, index)
    low, up = _taken(lower, index), _taken(upper, index)
    while steps < most:
        m = len(b)
        some = 1 + _ROUND * m
        some = some if some < most - steps else most - steps
        made = _smo(square, b, f, low, up, target, some)
        steps += made
        if made < some:
            break
        place = np.empty(m, np.int64)
        if steps >= enough:
            enough = 2 * steps
            for t in range(m):
                place[t] = t
            _polish(square, place, b, f, low, up, _BIAS, _SOLVED * target)
        count = _movable(b, f, low, up, place)
        if 1 < count < _FEW * m:
            place = place[:count]
            _put(b, index, beta)
            square, index = gather(square, place), _taken(index, place)
            b, f = _taken(b, place), _taken(f, place)
            low, up = _taken(low, place), _taken(up, place)
    _put(b, index, beta)
    _follow(store, before, beta, F)
    return steps


@njit(cache=True, nogil=True)
def _ascend(store: Any, beta: Any, F: Any, lower: Any, upper: Any, target: float, most: int) -> int:
    """Optimise beta and F = p - K beta in place; returns the steps made, at most so many.

    Ends where the violation is at most the target, or where rounding eats a step.
    """
    q, steps, index = len(beta), 0, np.empty(len(beta), np.int64)
    while steps < most:
        some = 1 + q // 2
        some = some if some < most - steps else most - steps
        made = _smo(store, beta, F, lower, upper, target, some)
        steps += made
        if made < some:
            break
        count = _movable(beta, F, lower, upper, index)
        if count > 1:
            chosen = index[:count].copy()
            steps += _ascend_some(store, beta, F, lower, upper, chosen, target, most - steps)
    return steps


@njit(cache=True, nogil=True)
def _stretch(p: Any, beta: Any, F: Any, lower: Any, upper: Any) -> None:
    """Lengthen beta as far as the dual rises and the box allows."""
    slope, bend, most = 0.0, 0.0, np.inf
    for t in range(len(beta)):
        slope += beta[t] * F[t]
        bend += beta[t] * (p[t] - F[t])
        if beta[t] != 0.0:
            most = smaller(most, ((upper[t] if beta[t] > 0.0 else lower[t]) - beta[t]) / beta[t])
    length = most if bend <= 0.0 else smaller(most, slope / bend)
    if not 0.0 < length < np.inf:
        return
    for t in range(len(beta)):
        beta[t] = smaller(larger(beta[t] + length * beta[t], lower[t]), upper[t])
        F[t] -= length * (p[t] - F[t])


@njit(cache=True, nogil=True)
def _intercept(beta: Any, F: Any, lower: Any, upper: Any) -> float:
    """Take the mean of F over the free variables, or the middle where none is free.

    A variable that rounding alone keeps from its bound is at it: one such would speak for all.
    """
    count, total, highest, lowest, largest = 0, 0.0, -np.inf, np.inf, 0.0
    for t in range(len(beta)):
        largest = larger(largest, size(beta[t]))
    trace = _TRACE * largest
    for t in range(len(beta)):
        up, down = upper[t] - beta[t] > trace, beta[t] - lower[t] > trace
        if up and down:
            count += 1
            total += F[t]
        if up:
            highest = larger(highest, F[t])
        if down:
            lowest = smaller(lowest, F[t])
    if count > 0:
        return total / count
    if highest == -np.inf:
        return 0.0 if lowest == np.inf else lowest
    return highest if lowest == np.inf else 0.5 * (highest + lowest)


@njit(cache=True, nogil=True)
def walk(
    store: Any,
    p: Any,
    low: Any,
    high: Any,
    costs: Any,
    first: int,
    target: float,
    most: int,
    limit: int,
    beta: Any,
    F: Any,
    betas: Any,
    products: Any,
    intercepts: Any,
    steps: Any,
) -> int:
    """Solve for one cost after the other, from the first on; beta and F are where it stands.

    Each cost's solution, K times it, the intercept and the steps go to their places. Comes back
    after ``most`` steps all together, and says at which cost to go on; their number when done. A
    cost on which ``limit`` steps were made is left as it is.
    """
    made, lower, upper = 0, low.copy(), high.copy()
    for c in range(first, len(costs)):
        for t in range(len(p)):
            lower[t], upper[t] = costs[c] * low[t], costs[c] * high[t]
        if c > 0 and steps[c] == 0:
            _stretch(p, beta, F, lower, upper)
        some = limit - steps[c]
        some = some if some < most - made else most - made
        now = _ascend(store, beta, F, lower, upper, target, some)
        made, steps[c] = made + now, steps[c] + now
        if now == some and steps[c] < limit:
            return c
        for t in range(len(p)):
            betas[c, t], products[c, t] = beta[t], p[t] - F[t]
        intercepts[c] = _intercept(beta, F, lower, upper)
    return len(costs)
