"""One pass of dual coordinate descent over the rows of explicit features.

The dual of the l1- and l2-loss linear SVM without a free intercept, in alpha_i = t_i beta_i >= 0:

    max_alpha  sum_i alpha_i - |sum_i alpha_i t_i x_i|^2 / 2 - sum_i d_i alpha_i^2 / 2,
               0 <= alpha_i <= u_i

A step on alpha_i needs G = t_i theta'x_i - 1 + d_i alpha_i, which is one product with a row, and
moves theta = sum alpha_i t_i x_i along that row (Hsieh, Chang, Lin, Keerthi, Sundararajan, "A dual
coordinate descent method for large-scale linear SVM", ICML 2008, algorithm 3).

Rows are fetched into the cache some ahead: on 160 values a row of a matrix far larger than the
cache, a pass took 4.3 instead of 5.2 ms. What is known of a row besides its features stands side
by side in ``duals`` (``ops.kinds``) and the loops over a row stand in the pass itself, since as
functions they are not inlined: a visit of 14 values takes 30 nanoseconds, and took 61.

Rows are stored as in CSR; a dense matrix comes without column numbers. ``reassoc`` and ``contract``
let a row's product be summed in vector registers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.cpu.prefetch import prefetch
from maxmargin.ops.kinds import (
    DUAL_ALPHA,
    DUAL_CURVATURE,
    DUAL_DIAGONAL,
    DUAL_INVERSE,
    DUAL_LABEL,
    DUAL_LINE,
    DUAL_UPPER,
)
from maxmargin.ops.loop import njit

_FAST = {"contract", "reassoc", "nsz"}
_NOTHING = 0.01  # of the gain that a pass should have
_FEW = 8  # passes to make at least: primal errors fall with the root of what the dual gains
_AHEAD = 4  # rows between the one at work and the one being fetched


@njit(cache=True, nogil=True)
def shuffle(order: Any, active: int, state: Any) -> None:
    """Put the first ``active`` rows of ``order`` into random order (Fisher and Yates).

    ``state`` holds one number other than 0 of Marsaglia's xorshift generator (J. Stat. Softw. 8,
    2003). NumPy's own shuffle took a quarter of a pass over a few hundred short rows.
    """
    x = state[0]
    for last in range(active - 1, 0, -1):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        other = ((x >> np.uint64(32)) * np.uint64(last + 1)) >> np.uint64(32)
        order[last], order[other] = order[other], order[last]
    state[0] = x


@njit(cache=True, nogil=True)
def draw(order: Any, state: Any) -> None:
    """Fill ``order`` with rows drawn from as many as it has places, each equally likely."""
    x = state[0]
    for place in range(len(order)):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        order[place] = ((x >> np.uint64(32)) * np.uint64(len(order))) >> np.uint64(32)
    state[0] = x


@njit(cache=True, nogil=True, fastmath=_FAST)
def slope_between(
    values: Any, change: Any, t: Any, cost: Any, squared: bool, share: float
) -> float:
    """Return the derivative in ``share`` of the price of all rows at values + share change."""
    total = 0.0
    for i in range(len(values)):
        short = 1.0 - t[i] * (values[i] + share * change[i])
        if short > 0.0:
            total -= cost[i] * t[i] * change[i] * (2.0 * short if squared else 1.0)
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def descend(  # noqa: C901, PLR0912  (calls are not inlined, and would take as long as the work)
    data: Any,
    indices: Any,
    indptr: Any,
    constant: float,
    duals: Any,
    order: Any,
    active: int,
    theta: Any,
) -> Any:
    """Visit the first ``active`` rows of ``order`` once; duals and theta change in place.

    A row that rests at a bound is left out of ``order``. Returns how many stay in it, and by how
    much the dual has risen.
    """
    kept, gain, line, eight = 0, 0.0, np.uint64(DUAL_LINE), np.uint64(8)
    dense = len(indices) == 0
    last = theta[-1] if constant != 0.0 else 0.0
    for position in range(active):
        i = np.uint64(order[position])
        if position + _AHEAD < active:
            ahead = np.uint64(order[position + _AHEAD])
            prefetch(duals, line * ahead)
            fetched = indptr[ahead]
            while fetched < indptr[ahead + np.uint64(1)]:
                prefetch(data, fetched)
                prefetch(indices, fetched)
                fetched += eight
        first, stop, mine = indptr[i], indptr[i + np.uint64(1)], line * i
        f = constant * last
        if dense:
            for k in range(stop - first):
                f += data[first + k] * theta[k]
        else:
            for k in range(first, stop):
                f += data[k] * theta[indices[k]]
        alpha, t = duals[mine + np.uint64(DUAL_ALPHA)], duals[mine + np.uint64(DUAL_LABEL)]
        upper = duals[mine + np.uint64(DUAL_UPPER)]
        G = t * f - 1.0 + duals[mine + np.uint64(DUAL_DIAGONAL)] * alpha
        if (alpha == 0.0 and G >= 0.0) or (alpha == upper and G <= 0.0):
            continue
        order[kept] = i
        kept += 1
        moved = min(max(alpha - G * duals[mine + np.uint64(DUAL_INVERSE)], 0.0), upper)
        step = moved - alpha
        if step != 0.0:
            duals[mine + np.uint64(DUAL_ALPHA)] = moved
            gain -= step * (G + 0.5 * step * duals[mine + np.uint64(DUAL_CURVATURE)])
            step *= t
            last += step * constant
            if dense:
                for k in range(stop - first):
                    theta[k] += step * data[first + k]
            else:
                for k in range(first, stop):
                    theta[indices[k]] += step * data[k]
    if constant != 0.0:
        theta[-1] = last
    return kept, gain


@njit(cache=True, nogil=True)
def descend_often(
    data: Any,
    indices: Any,
    indptr: Any,
    constant: float,
    duals: Any,
    order: Any,
    active: int,
    most: int,
    visits: float,
    goal: float,
    state: Any,
    theta: Any,
) -> Any:
    """Make passes in random order, until ``most`` or so many visits were made or none is left.

    After half the visits it also ends where a pass gains less than ``goal``, and after a few
    passes where it gains next to nothing. Returns how
    many passes it made, how many rows stay in ``order``, and how many visits that were.
    """
    passes, made = 0, 0.0
    while passes < most and made < visits and active > 0:
        shuffle(order, active, state)
        made += active
        passes += 1
        active, gain = descend(data, indices, indptr, constant, duals, order, active, theta)
        enough = goal if made > 0.5 * visits else _NOTHING * goal
        if gain < enough and (passes >= _FEW or made > 0.5 * visits):
            break
    return passes, active, made


@njit(cache=True, nogil=True, fastmath=_FAST)
def gather(values: Any, duals: Any, order: Any) -> Any:
    """List the rows that a step would move; also gives sum alpha_i and sum d_i alpha_i^2."""
    count, total, squares, line = 0, 0.0, 0.0, np.uint64(DUAL_LINE)
    for row in range(len(values)):
        mine = line * np.uint64(row)
        alpha, d = duals[mine + np.uint64(DUAL_ALPHA)], duals[mine + np.uint64(DUAL_DIAGONAL)]
        total += alpha
        squares += d * alpha * alpha
        G = duals[mine + np.uint64(DUAL_LABEL)] * values[row] - 1.0 + d * alpha
        moves = alpha < duals[mine + np.uint64(DUAL_UPPER)] if G < 0.0 else alpha > 0.0
        order[count] = row
        count += 1 if moves else 0
    return count, total, squares
