"""Dual coordinate ascent on the machine of Crammer and Singer: all classes of one row at a time.

Rows are stored as in CSR: row i has the values data[starts[i]:starts[i + 1]] in the columns
columns[...]; without ``columns`` it has one in each column. A ``constant`` that is not 0 is the
value of one more column, the last row of W. W is kept a row for each column and an entry for each
class, because a row of X meets all classes of a column together.

With g_k = e_k + w_k'x, A = |x|^2 and B = g - A alpha, the duals of one row solve

    min_alpha  A |alpha|^2 / 2 + B'alpha,    alpha_k <= bound_k,   sum_k alpha_k = 0,

where bound is the row's cost for its own class and 0 elsewhere. So alpha_k is the smaller of
bound_k and (s - B_k) / A, with the level s at which they sum to 0. It is found from below: s for
all classes, for those still above it, and so on until none falls any more (Michelot, "A finite
algorithm for finding the projection of a point onto the canonical simplex of R^n", J. Optim. Theory
Appl. 50, 1986).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit

_FAST = {"contract"}  # fused multiply-add
_FULL = 1 - 1e-12  # share of the cost that is all of it, up to rounding


@njit(cache=True, nogil=True)
def level(corners: Any, total: float) -> float:
    """Find s with sum_k max(0, D_k - s) = total > 0, for corners D."""
    s, count = -np.inf, len(corners) + 1
    while True:
        above, many = -total, 0
        for k in range(len(corners)):
            if corners[k] > s:
                above += corners[k]
                many += 1
        if many >= count or many == 0:  # more is rounding: a corner at the level itself
            return s
        s, count = above / many, many


@njit(cache=True, nogil=True)
def best_duals(g: Any, alpha: Any, own: int, cost: float, A: float, corners: Any, best: Any) -> Any:
    """Solve a row's problem into ``best``; ``corners`` is room for as many numbers.

    alpha_k = bound_k - max(0, D_k - s) / A with D = B + A bound, and the bounds sum to the cost.
    The own class gets what the others give, and all its cost if rounding alone keeps it from that:
    rows whose duals are 0 or at their bounds look like it.
    """
    for k in range(len(g)):
        corners[k] = g[k] - A * alpha[k]
    corners[own] += A * cost
    s = level(corners, A * cost)
    given = 0.0
    for k in range(len(g)):
        if k != own:
            best[k] = min(0.0, (s - g[k]) / A + alpha[k])
            given -= best[k]
    best[own] = given if given < _FULL * cost else cost


@njit(cache=True, nogil=True, fastmath=_FAST)
def _challenge(
    data: Any, columns: Any, first: int, stop: int, constant: float, W: Any, g: Any
) -> Any:
    """Add w_k'x to all g_k."""
    classes = len(g)
    for m in range(first, stop):
        weights = W[columns[m]] if len(columns) else W[m - first]
        value = np.float64(data[m])
        for k in range(classes):
            g[k] += value * weights[k]
    if constant != 0.0:
        weights = W[len(W) - 1]
        for k in range(classes):
            g[k] += constant * weights[k]


@njit(cache=True, nogil=True, fastmath=_FAST)
def _move(
    data: Any,
    columns: Any,
    first: int,
    stop: int,
    constant: float,
    changed: Any,
    change: Any,
    count: int,
    W: Any,
) -> Any:
    """Add change_m x to w_k for the classes k = changed_m."""
    for m in range(first, stop):
        weights = W[columns[m]] if len(columns) else W[m - first]
        value = np.float64(data[m])
        for r in range(count):
            weights[changed[r]] += value * change[r]
    if constant != 0.0:
        weights = W[len(W) - 1]
        for r in range(count):
            weights[changed[r]] += constant * change[r]


@njit(cache=True, nogil=True)
def survey(g: Any, alpha: Any, own: int, cost: float) -> Any:
    """Return the row's part of the gap, its violation, and by how much its own class is ahead.

    It is ahead where all duals are 0 and g is largest for the row's own class; elsewhere by -1.
    """
    top, second, lowest, idle = g[own], -np.inf, np.inf, True
    for k in range(len(g)):
        top = max(top, g[k])
        if k != own:
            second = max(second, g[k])
        if alpha[k] < (cost if k == own else 0.0):
            lowest = min(lowest, g[k])
        idle = idle and alpha[k] == 0.0
    gap = 0.0
    for k in range(len(g)):
        gap += ((cost if k == own else 0.0) - alpha[k]) * (top - g[k])
    return gap, max(0.0, top - lowest), (g[own] - second if idle else -1.0)


@njit(cache=True, nogil=True)
def ascend(
    data: Any,
    columns: Any,
    starts: Any,
    constant: float,
    norms: Any,
    labels: Any,
    cost: Any,
    order: Any,
    slack: float,
    alpha: Any,
    W: Any,
) -> Any:
    """Take the rows in this order, each to its best duals; alpha and W change in place.

    A row with all duals 0 whose own class is ahead by more than ``slack`` leaves: the rows that
    stay are moved to the front of ``order``. Returns how many stay, the sum of all rows' parts of
    the gap, each as met, and the worst violation.
    """
    classes = W.shape[1]
    g, corners, best, change = (
        np.empty(classes),
        np.empty(classes),
        np.empty(classes),
        np.empty(classes),
    )
    changed = np.empty(classes, np.int64)
    stay, total, worst = 0, 0.0, 0.0
    for place in range(len(order)):
        i = order[place]
        own = labels[i]
        g[:] = 1.0
        g[own] = 0.0
        _challenge(data, columns, starts[i], starts[i + 1], constant, W, g)
        gap, violation, ahead = survey(g, alpha[i], own, cost[i])
        total += gap
        if ahead > slack:
            continue
        order[stay] = i
        stay += 1
        worst = max(worst, violation)
        if violation == 0.0 or norms[i] == 0.0:
            continue
        best_duals(g, alpha[i], own, cost[i], norms[i], corners, best)
        count = 0
        for k in range(classes):
            if best[k] != alpha[i, k]:
                changed[count], change[count] = k, best[k] - alpha[i, k]
                alpha[i, k] = best[k]
                count += 1
        _move(data, columns, starts[i], starts[i + 1], constant, changed, change, count, W)
    return stay, total, worst
