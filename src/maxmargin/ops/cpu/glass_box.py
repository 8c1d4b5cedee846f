"""Rounds of boosted shapes: bins, their sums, the best few leaves of a column or a pair.

The loss of a round is a parabola in what the round adds to the rows' values, d_i:

    sum_i g_i d_i + h_i d_i^2 / 2

Every term adds a step by bin, u[code_i], and the next term sees the slopes g_i + h_i d_i. So a term
costs one pass: it adds the step of the term before and sums the slopes by the bins of this one. Two
tables of sums are filled by turns, since an addition would wait for the one before it.

Bin 0 holds missing values; it is a leaf of its own. Terms are lines of ``codes``, whose sums lie
one after the other, those of term t at ``begin[t]`` to ``begin[t + 1]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.cpu.kernel_epilogue import FAST, exp_nonpositive
from maxmargin.ops.loop import njit

_TINY = 1e-300
_BLOCK = 512  # rows whose exponentials stay in the fastest cache


@njit(cache=True, nogil=True)
def code_numbers(values: Any, cuts: Any, codes: Any) -> None:
    """Write 1 plus the number of cuts below each value; 0 for NaN."""
    for i in range(len(values)):
        x = values[i]
        low, high = 0, len(cuts)
        while low < high:
            middle = (low + high) >> 1
            if cuts[middle] < x:
                low = middle + 1
            else:
                high = middle
        codes[i] = 0 if x != x else low + 1  # noqa: PLR0124  (NaN)


@njit(cache=True, nogil=True)
def sum_bins(codes: Any, begin: Any, values: Any, sums: Any) -> None:
    """Write the sums of the rows' values by the bins of every term."""
    sums[:] = 0.0
    for t in range(len(codes)):
        line, first = codes[t], begin[t]
        for i in range(len(values)):
            sums[first + line[i]] += values[i]


@njit(cache=True, nogil=True)
def add_term(codes: Any, values: Any, total: Any) -> None:
    """Add the value of each row's bin."""
    for i in range(len(codes)):
        total[i] += values[codes[i]]


@njit(cache=True, nogil=True, fastmath=FAST)
def square_slopes(z: Any, t: Any, weight: Any, fold: Any, bag: int, g: Any, h: Any) -> None:
    """Write slopes and curvatures of w (z - t)^2 / 2; both 0 for the rows that a bag holds out."""
    for i in range(len(z)):
        h[i] = weight[i] * (fold[i] != bag)
    for i in range(len(z)):
        g[i] = h[i] * (z[i] - t[i])


@njit(cache=True, nogil=True, fastmath=FAST)
def logistic_slopes(z: Any, t: Any, weight: Any, fold: Any, bag: int, g: Any, h: Any) -> None:
    """Write slopes and curvatures of w log(1 + exp(-t z)); both 0 for rows held out.

    LLVM computes several rows at once only where it has few arrays to tell apart: hence the blocks.
    """
    p, w = np.empty(_BLOCK), np.empty(_BLOCK)
    for first in range(0, len(z), _BLOCK):
        rows = slice(first, min(first + _BLOCK, len(z)))
        now, sign, held, weights, G, H = (
            z[rows],
            t[rows],
            fold[rows],
            weight[rows],
            g[rows],
            h[rows],
        )
        for i in range(len(now)):
            m = sign[i] * now[i]
            e = exp_nonpositive(-abs(m))
            p[i] = (e if m > 0.0 else 1.0) / (1.0 + e)
        for i in range(len(now)):
            w[i] = weights[i] * (held[i] != bag)
        for i in range(len(now)):
            G[i] = -w[i] * sign[i] * p[i]
        for i in range(len(now)):
            H[i] = w[i] * (p[i] * (1.0 - p[i]))


@njit(cache=True, nogil=True)
def logistic_loss(z: Any, t: Any, weight: Any, rows: Any) -> float:
    """Sum w log(1 + exp(-t z)) over some rows."""
    total = 0.0
    for i in rows:
        m = t[i] * z[i]
        total += weight[i] * (np.log1p(np.exp(-abs(m))) + max(0.0, -m))
    return total


@njit(cache=True, nogil=True, fastmath=FAST)
def softmax_slopes(z: Any, label: Any, weight: Any, fold: Any, bag: int, g: Any, h: Any) -> None:
    """Write those of -w log of the class's share of the exponentials; z, g and h by class."""
    w = np.empty(_BLOCK)
    for first in range(0, len(label), _BLOCK):
        rows = slice(first, min(first + _BLOCK, len(label)))
        held, weights, own = fold[rows], weight[rows], label[rows]
        for i in range(len(own)):
            w[i] = weights[i] * (held[i] != bag)
        _shares(z[:, rows], g[:, rows])
        for k in range(len(z)):
            G, H = g[k, rows], h[k, rows]
            for i in range(len(own)):
                H[i] = w[i] * (G[i] * (1.0 - G[i]))
            for i in range(len(own)):
                G[i] = w[i] * (G[i] - (own[i] == k))


@njit(cache=True, nogil=True, fastmath=FAST)
def _shares(z: Any, p: Any) -> None:
    """Write the softmax of the values of each row, by class."""
    count = z.shape[1]
    top, norm = np.full(count, -np.inf), np.zeros(count)
    for k in range(len(z)):
        for i in range(count):
            top[i] = max(top[i], z[k, i])
    for k in range(len(z)):
        share, now = p[k], z[k]
        for i in range(count):
            share[i] = exp_nonpositive(now[i] - top[i])
        for i in range(count):
            norm[i] += share[i]
    for k in range(len(z)):
        share = p[k]
        for i in range(count):
            share[i] /= norm[i]


@njit(cache=True, nogil=True)
def softmax_loss(z: Any, label: Any, weight: Any, rows: Any) -> float:
    """Sum -w log of the class's share of the exponentials over some rows."""
    total = 0.0
    for i in rows:
        top = z[0, i]
        for k in range(1, len(z)):
            top = max(top, z[k, i])
        norm = 0.0
        for k in range(len(z)):
            norm += np.exp(z[k, i] - top)
        total += weight[i] * (np.log(norm) + top - z[label[i], i])
    return total


@njit(cache=True, nogil=True)
def _sum_slopes(line: Any, g: Any, h: Any, d: Any, n_bins: int, sums: Any) -> None:
    """Sum the slopes of the rows' losses, after d, by the bins of a term."""
    sums[:, :n_bins] = 0.0
    even = len(g) - len(g) % 2
    for i in range(0, even, 2):
        sums[0, line[i]] += g[i] + h[i] * d[i]
        sums[1, line[i + 1]] += g[i + 1] + h[i + 1] * d[i + 1]
    for i in range(even, len(g)):
        sums[0, line[i]] += g[i] + h[i] * d[i]
    for k in range(n_bins):
        sums[0, k] += sums[1, k]


@njit(cache=True, nogil=True)
def _move_and_sum(
    before: Any, u: Any, line: Any, g: Any, h: Any, d: Any, n_bins: int, sums: Any
) -> None:
    """Add the step of the term before to d, and sum slopes in the same pass."""
    sums[:, :n_bins] = 0.0
    even = len(g) - len(g) % 2
    for i in range(0, even, 2):
        a = d[i] + u[before[i]]
        b = d[i + 1] + u[before[i + 1]]
        d[i] = a
        d[i + 1] = b
        sums[0, line[i]] += g[i] + h[i] * a
        sums[1, line[i + 1]] += g[i + 1] + h[i + 1] * b
    for i in range(even, len(g)):
        d[i] += u[before[i]]
        sums[0, line[i]] += g[i] + h[i] * d[i]
    for k in range(n_bins):
        sums[0, k] += sums[1, k]


@njit(cache=True, nogil=True)
def _pass(
    codes: Any, before: int, t: int, u: Any, g: Any, h: Any, d: Any, n: int, sums: Any
) -> None:
    """Sum slopes by the bins of term t; the step of the term before, if any, is added first."""
    if before < 0:
        _sum_slopes(codes[t], g, h, d, n, sums)
    else:
        _move_and_sum(codes[before], u, codes[t], g, h, d, n, sums)


@njit(cache=True, nogil=True)
def _take(u: Any, n: int, values: Any, kept: Any) -> None:
    """Add a step to the values of a term, and keep it for the next pass."""
    for k in range(n):
        values[k] += u[k]
        kept[k] = u[k]


@njit(cache=True, nogil=True)
def _by_slope(order: Any, n: int, G: Any, H: Any, softer: float, key: Any) -> None:
    """Put bins 1 to n in the order of the steps that they want, those with few rows near 0."""
    for k in range(n):
        key[k] = -G[k + 1] / (H[k + 1] + softer)
    order[:n] = np.argsort(key[:n], kind="mergesort") + 1


@njit(cache=True, nogil=True)
def _add_along(n: int, order: Any, G: Any, H: Any, W: Any, sums: Any) -> None:
    """Sum slopes, curvatures and weights up to each bin, in an order of the bins."""
    g = h = w = 0.0
    for k in range(n):
        g += G[order[k]]
        h += H[order[k]]
        w += W[order[k]]
        sums[0, k], sums[1, k], sums[2, k] = g, h, w


@njit(cache=True, nogil=True)
def _cuts(n: int, rule: Any, sign: int, sums: Any, gain: Any, low: Any, high: Any) -> float:
    """Write the gain and both steps of every cut of bins in two; gives the largest gain.

    A gain of 0 marks cuts that are not allowed. The loop has no branches, so that several cuts are
    computed at once.
    """
    least, ridge, most = rule[1], rule[2], rule[3]
    G, H, W = sums[0], sums[1], sums[2]
    g, h, w = G[n - 1], H[n - 1], W[n - 1]
    whole = g * g / max(h + ridge, _TINY)
    for k in range(n - 1):
        left, right = 1.0 / max(H[k] + ridge, _TINY), 1.0 / max(h - H[k] + ridge, _TINY)
        found = G[k] * G[k] * left + (g - G[k]) * (g - G[k]) * right - whole
        a = min(max(-G[k] * left, -most), most)
        b = min(max((G[k] - g) * right, -most), most)
        allowed = (W[k] >= least) & (w - W[k] >= least) & (sign * (a - b) <= 0.0)
        gain[k] = found if allowed & (found > 1e-12 * whole) else 0.0
        low[k], high[k] = a, b
    best = 0.0
    for k in range(n - 1):
        best = max(best, gain[k])
    return best


@njit(cache=True, nogil=True)
def _raise(n: int, best: float, power: int, gain: Any) -> None:
    """Replace gains by powers of their shares of the best one; those of 0 stay 0."""
    scale = 1.0 / best
    for k in range(n):
        share = gain[k] * scale
        weight = 1.0 if share > 0.0 else 0.0
        for _ in range(power):
            weight *= share
        gain[k] = weight


@njit(cache=True, nogil=True)
def _spread_cuts(n: int, order: Any, scale: float, gain: Any, low: Any, high: Any, u: Any) -> None:
    """Write the mean of all cuts by their weights, which are in the place of the gains."""
    total = left = right = 0.0
    for k in range(n - 1):
        total += gain[k]
        left += gain[k] * low[k]
    scale /= total
    for k in range(n):
        u[order[k]] = scale * (left + right)
        if k < n - 1:
            left -= gain[k] * low[k]
            right += gain[k] * high[k]


@njit(cache=True, nogil=True)
def _steps(
    n: int, G: Any, H: Any, W: Any, kind: int, rule: Any, order: Any, room: Any, u: Any
) -> float:
    """Write the step of every bin: the mean of all cuts in two, weighed by powers of their gains.

    Gives the largest gain; -1 where there is no step.
    """
    rate, least, ridge, most = rule[0], rule[1], rule[2], rule[3]
    u[: n + 2] = 0.0
    alone = -1.0
    if W[0] >= least and H[0] + ridge > _TINY:
        step = -G[0] / (H[0] + ridge)
        u[0] = rate * min(max(step, -most), most)
        alone = -G[0] * step if u[0] != 0.0 else -1.0
    if kind == 1:
        _by_slope(order, n, G, H, rule[4], room[0])
    else:
        for k in range(n):
            order[k] = k + 1
    sign = 1 if kind == 2 else -1 if kind == 3 else 0
    gain, low, high = room[0], room[1], room[2]
    best = 0.0
    if n > 1:
        _add_along(n, order, G, H, W, room[3:])
        best = _cuts(n, rule, sign, room[3:], gain, low, high)
    if best <= 0.0:
        return alone
    _raise(n - 1, best, int(rule[5]), gain)
    _spread_cuts(n, order, rate, gain, low, high, u)
    if sign != 0:
        for k in range(2, n + 1):
            u[k] = max(u[k], u[k - 1]) if sign > 0 else min(u[k], u[k - 1])
    return max(best, alone)


@njit(cache=True, nogil=True)
def sweep_columns(
    codes: Any,
    begin: Any,
    n_bins: Any,
    kind: Any,
    rule: Any,
    g: Any,
    h: Any,
    H: Any,
    W: Any,
    d: Any,
    values: Any,
    gains: Any,
    floor: float,
) -> None:
    """Let every column take a step, one after the other.

    Those whose gain was below the floor are left out; ``gains`` are those of the last step of each.

    ``n_bins`` counts the bins of values, without those of missing and unknown ones; ``kind`` is 0
    for numbers, 1 for categories, 2 and 3 for shapes that must not fall or rise; ``rule`` holds the
    learning rate, the least weight of a leaf, the ridge, the largest step, what categories' slopes
    are softened by and the power of gains; H and W are the sums of curvatures and weights by bin.
    """
    widest = 0
    for t in range(len(codes)):
        widest = max(widest, begin[t + 1] - begin[t])
    sums, steps = np.zeros((2, widest)), np.zeros((2, widest + 2))
    order, room = np.zeros(widest, np.int64), np.zeros((6, widest))
    d[:] = 0.0
    before = -1
    for t in range(len(codes)):
        if gains[t] < floor:
            continue
        a, width = begin[t], begin[t + 1] - begin[t]
        _pass(codes, before, t, steps[0], g, h, d, width, sums)
        u, before = steps[1], -1
        part = H[a : a + width], W[a : a + width]
        gains[t] = _steps(n_bins[t], sums[0], part[0], part[1], kind[t], rule, order, room, u)
        if gains[t] > 0.0:
            _take(u, width, values[a : a + width], steps[0])
            before = t
    if before >= 0:
        add_term(codes[before], steps[0], d)


@njit(cache=True, nogil=True)
def _add_up(T: Any, rows: int, columns: int, P: Any) -> None:
    """Sum a table from its first corner, with a line and a column of zeros before it."""
    for b in range(columns + 1):
        P[0, b] = 0.0
    for a in range(rows):
        P[a + 1, 0] = 0.0
        along = 0.0
        for b in range(columns):
            along += T[a * columns + b]
            P[a + 1, b + 1] = P[a, b + 1] + along


@njit(cache=True, nogil=True)
def _crosses(PG: Any, PH: Any, PW: Any, kind: Any, rule: Any, S: Any) -> float:
    """Write the steps and the gain of every cross; gives the largest gain.

    A cross is a corner with the four cells around it. Its gain is 0 if it is not allowed.
    """
    least, ridge, most = rule[1], rule[2], rule[3]
    na, nb = len(PG) - 1, PG.shape[1] - 1
    whole, best = PG[na, nb] * PG[na, nb] / max(PH[na, nb] + ridge, _TINY), 0.0
    one, other = kind[0], kind[1]
    S[:] = 0.0
    for a in range(1, na):
        for b in range(1, nb):
            w01, w10 = PW[a, nb] - PW[a, b], PW[na, b] - PW[a, b]
            w11 = PW[na, nb] - PW[a, nb] - w10
            g00, g01, g10 = PG[a, b], PG[a, nb] - PG[a, b], PG[na, b] - PG[a, b]
            g11 = PG[na, nb] - PG[a, nb] - g10
            h10 = PH[na, b] - PH[a, b]
            r00 = 1.0 / max(PH[a, b] + ridge, _TINY)
            r01 = 1.0 / max(PH[a, nb] - PH[a, b] + ridge, _TINY)
            r10 = 1.0 / max(h10 + ridge, _TINY)
            r11 = 1.0 / max(PH[na, nb] - PH[a, nb] - h10 + ridge, _TINY)
            s00, s01 = _within(-g00 * r00, most), _within(-g01 * r01, most)
            s10, s11 = _within(-g10 * r10, most), _within(-g11 * r11, most)
            along = max(one * (s00 - s10), one * (s01 - s11))
            across = max(other * (s00 - s01), other * (s10 - s11))
            gain = g00 * g00 * r00 + g01 * g01 * r01 + (g10 * g10 * r10 + g11 * g11 * r11) - whole
            weight = min(PW[a, b], w01, w10, w11)
            allowed = (weight >= least) & (max(along, across) <= 0.0) & (gain > 1e-12 * whole)
            S[0, a, b], S[1, a, b], S[2, a, b], S[3, a, b] = s00, s01, s10, s11
            S[4, a, b] = gain if allowed else 0.0
        for b in range(1, nb):
            best = max(best, S[4, a, b])
    return best


@njit(cache=True, nogil=True)
def _within(step: float, most: float) -> float:
    return min(max(step, -most), most)


@njit(cache=True, nogil=True)
def _weigh_crosses(S: Any, na: int, nb: int, best: float, power: int) -> float:
    """Weigh the steps by powers of gains; gives the sum of the weights."""
    total = 0.0
    for a in range(1, na):
        weight = S[4, a, :nb]
        _raise(nb, best, power, weight)
        for b in range(1, nb):
            S[0, a, b] *= weight[b]
            S[1, a, b] *= weight[b]
            S[2, a, b] *= weight[b]
            S[3, a, b] *= weight[b]
        for b in range(1, nb):
            total += weight[b]
    return total


@njit(cache=True, nogil=True)
def _spread_crosses(S: Any, na: int, nb: int) -> None:
    """Sum each quadrant's steps over the corners that a cell lies in this quadrant of.

    It lies before the corners that are beyond it, and beyond those up to it.
    """
    for a in range(na - 1, -1, -1):
        left = right = 0.0
        for k in range(nb):
            left += S[0, a, nb - 1 - k]
            right += S[1, a, k]
            S[0, a, nb - 1 - k] = S[0, a + 1, nb - 1 - k] + left
            S[1, a, k] = S[1, a + 1, k] + right
    for a in range(1, na):
        left = right = 0.0
        for k in range(nb):
            left += S[2, a, nb - 1 - k]
            right += S[3, a, k]
            S[2, a, nb - 1 - k] = S[2, a - 1, nb - 1 - k] + left
            S[3, a, k] = S[3, a - 1, k] + right


@njit(cache=True, nogil=True)
def _cells(PG: Any, PH: Any, PW: Any, kind: Any, rule: Any, room: Any, u: Any) -> float:
    """Write the step of every cell: the mean of all crosses, weighed by powers of their gains.

    Gives the largest gain; -1 where there is no step.
    """
    na, nb = len(PG) - 1, PG.shape[1] - 1
    S = room[:, : na + 1, : nb + 1]
    best = _crosses(PG, PH, PW, kind, rule, S)
    if best <= 0.0:
        return -1.0
    scale = rule[0] / _weigh_crosses(S, na, nb, best, int(rule[5]))
    _spread_crosses(S, na, nb)
    for i in range(na):
        for j in range(nb):
            sums = S[0, i + 1, j + 1] + S[1, i + 1, j] + S[2, i, j + 1] + S[3, i, j]
            u[i * nb + j] = scale * sums
    _straighten(u, na, nb, kind)
    return best


@njit(cache=True, nogil=True)
def _straighten(u: Any, na: int, nb: int, kind: Any) -> None:
    """Take out what rounding has done to steps that must not fall, or rise, along a column."""
    for i in range(na):
        for j in range(nb):
            k = i * nb + j
            if i > 0 and kind[0] != 0:
                u[k] = max(u[k], u[k - nb]) if kind[0] > 0 else min(u[k], u[k - nb])
            if j > 0 and kind[1] != 0:
                u[k] = max(u[k], u[k - 1]) if kind[1] > 0 else min(u[k], u[k - 1])


@njit(cache=True, nogil=True)
def sweep_pairs(
    codes: Any,
    begin: Any,
    shape: Any,
    kind: Any,
    rule: Any,
    g: Any,
    h: Any,
    H: Any,
    W: Any,
    d: Any,
    values: Any,
    gains: Any,
    floor: float,
) -> None:
    """Let every pair take a step by cells, as ``sweep_columns`` does for columns.

    ``shape`` has the bins of both columns of each pair, ``kind`` 1 or -1 where it must not fall or
    rise along a column. Code of a row: its bin of the first column times the bins of the second,
    plus its bin of the second.
    """
    widest, na, nb = 0, 0, 0
    for t in range(len(codes)):
        widest = max(widest, begin[t + 1] - begin[t])
        na, nb = max(na, shape[t, 0]), max(nb, shape[t, 1])
    sums, steps = np.zeros((2, widest)), np.zeros((2, widest))
    P, room = np.zeros((3, na + 1, nb + 1)), np.zeros((5, na + 1, nb + 1))
    d[:] = 0.0
    before = -1
    for t in range(len(codes)):
        if gains[t] < floor:
            continue
        a, width = begin[t], begin[t + 1] - begin[t]
        _pass(codes, before, t, steps[0], g, h, d, width, sums)
        rows, columns = shape[t, 0], shape[t, 1]
        part = P[:, : rows + 1, : columns + 1]
        _add_up(sums[0], rows, columns, part[0])
        _add_up(H[a : a + width], rows, columns, part[1])
        _add_up(W[a : a + width], rows, columns, part[2])
        u, before = steps[1], -1
        gains[t] = _cells(part[0], part[1], part[2], kind[t], rule, room, u)
        if gains[t] > 0.0:
            _take(u, width, values[a : a + width], steps[0])
            before = t
    if before >= 0:
        add_term(codes[before], steps[0], d)


@njit(cache=True, nogil=True)
def pair_gain(one: Any, other: Any, na: int, nb: int, g: Any, h: Any, least: float) -> float:
    """Give the gain of the best four cells over what their two columns give: FAST.

    With slopes G and curvatures H of the four cells, q = G / H and c = q00 - q01 - q10 + q11, it is
    c^2 / sum(1 / H): by so much a weighted fit with an interaction is better than one without.
    """
    G, H = np.zeros(na * nb), np.zeros(na * nb)
    for i in range(len(g)):
        cell = one[i] * nb + other[i]
        G[cell] += g[i]
        H[cell] += h[i]
    PG, PH = np.zeros((na + 1, nb + 1)), np.zeros((na + 1, nb + 1))
    _add_up(G, na, nb, PG)
    _add_up(H, na, nb, PH)
    best = 0.0
    for a in range(1, na):
        for b in range(1, nb):
            h00, h01 = PH[a, b], PH[a, nb] - PH[a, b]
            h10 = PH[na, b] - PH[a, b]
            h11 = PH[na, nb] - PH[a, nb] - h10
            if h00 < least or h01 < least or h10 < least or h11 < least:
                continue
            g00, g01 = PG[a, b], PG[a, nb] - PG[a, b]
            g10 = PG[na, b] - PG[a, b]
            g11 = PG[na, nb] - PG[a, nb] - g10
            c = g00 / h00 - g01 / h01 - g10 / h10 + g11 / h11
            gain = c * c / (1.0 / h00 + 1.0 / h01 + 1.0 / h10 + 1.0 / h11)
            best = max(best, gain)
    return best
