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

from maxmargin.ops.loop import njit

_BETTER = 1.0 + 1e-9  # equal gains differ by the rounding of sums
_TINY = 1e-300


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
def logistic_rows(z: Any, t: Any, weight: Any, held: Any, g: Any, h: Any, bends: bool) -> float:
    """Write slopes, and with ``bends`` curvatures, of w log(1 + exp(-t z)); sum it over held rows.

    Rows held out have slope and curvature 0.
    """
    total = 0.0
    for i in range(len(z)):
        m = t[i] * z[i]
        e = np.exp(-abs(m))
        share = 1.0 / (1.0 + e)
        if held[i]:
            total += weight[i] * (np.log1p(e) + max(0.0, -m))
            g[i] = 0.0
            h[i] = 0.0
            continue
        g[i] = -weight[i] * t[i] * (e * share if m > 0.0 else share)
        if bends:
            h[i] = weight[i] * (e * share * share)
    return total


@njit(cache=True, nogil=True)
def softmax_rows(z: Any, label: Any, weight: Any, held: Any, g: Any, h: Any, bends: bool) -> float:
    """Do the same for -w log of the class's share of the exponentials; z, g and h by class."""
    total, n_classes = 0.0, len(z)
    for i in range(len(label)):
        top = z[0, i]
        for k in range(1, n_classes):
            top = max(top, z[k, i])
        norm = 0.0
        for k in range(n_classes):
            norm += np.exp(z[k, i] - top)
        if held[i]:
            total += weight[i] * (np.log(norm) + top - z[label[i], i])
        w = 0.0 if held[i] else weight[i]
        for k in range(n_classes):
            p = np.exp(z[k, i] - top) / norm
            g[k, i] = w * (p - (1.0 if label[i] == k else 0.0))
            if bends:
                h[k, i] = w * p * (1.0 - p)
    return total


@njit(cache=True, nogil=True)
def _sum_slopes(line: Any, g: Any, h: Any, d: Any, n_bins: int, sums: Any) -> None:
    sums[:, :n_bins] = 0.0
    even = len(g) - len(g) % 2
    for i in range(0, even, 2):
        sums[0, line[i]] += g[i] + h[i] * d[i]
        sums[1, line[i + 1]] += g[i + 1] + h[i + 1] * d[i + 1]
    for i in range(even, len(g)):
        sums[0, line[i]] += g[i] + h[i] * d[i]


@njit(cache=True, nogil=True)
def _move_and_sum(
    before: Any, u: Any, line: Any, g: Any, h: Any, d: Any, n_bins: int, sums: Any
) -> None:
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


@njit(cache=True, nogil=True)
def _step(G: float, H: float, ridge: float, most: float) -> float:
    bend = H + ridge
    if bend <= _TINY:
        return 0.0
    return min(max(-G / bend, -most), most)


@njit(cache=True, nogil=True)
def _price(G: float, H: float, ridge: float) -> float:
    bend = H + ridge
    return G * G / bend if bend > _TINY else 0.0


@njit(cache=True, nogil=True)
def _wrong(low: float, high: float, sign: int) -> bool:
    return (sign > 0 and low > high) or (sign < 0 and low < high)


@njit(cache=True, nogil=True)
def _by_slope(order: Any, n: int, G: Any, H: Any, softer: float, key: Any) -> None:
    """Put bins 1 to n in the order of the steps that they want, those with few rows near 0."""
    for k in range(n):
        key[k] = -G[k + 1] / (H[k + 1] + softer)
    order[:n] = np.argsort(key[:n], kind="mergesort") + 1


@njit(cache=True, nogil=True)
def _cuts(
    n: int, G: Any, H: Any, W: Any, order: Any, rule: Any, sign: int, gain: Any, low: Any, high: Any
) -> float:
    """Write the gain and both steps of every cut of bins in two; gives the largest gain."""
    least, ridge, most = rule[1], rule[2], rule[3]
    g = h = w = 0.0
    for k in range(n):
        g += G[order[k]]
        h += H[order[k]]
        w += W[order[k]]
    whole = _price(g, h, ridge)
    best = 0.0
    a = b = c = 0.0
    for k in range(n - 1):
        a += G[order[k]]
        b += H[order[k]]
        c += W[order[k]]
        gain[k] = 0.0
        if c < least or w - c < least:
            continue
        left, right = _step(a, b, ridge, most), _step(g - a, h - b, ridge, most)
        if _wrong(left, right, sign):
            continue
        found = _price(a, b, ridge) + _price(g - a, h - b, ridge) - whole
        if found > 1e-12 * whole:
            gain[k], low[k], high[k] = found, left, right
            best = max(best, found)
    return best


@njit(cache=True, nogil=True)
def _power(share: float, power: float) -> float:
    weight = 1.0
    for _ in range(int(power)):
        weight *= share
    return weight if share > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _spread_cuts(n: int, order: Any, scale: float, gain: Any, low: Any, high: Any, u: Any) -> None:
    """Write the mean of all cuts by their weights, which are in the place of the gains."""
    total = left = right = 0.0
    for k in range(n - 1):
        if gain[k] > 0.0:
            total += gain[k]
            left += gain[k] * low[k]
    for k in range(n):
        u[order[k]] = scale * (left + right) / total
        if k < n - 1 and gain[k] > 0.0:
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
    if W[0] >= least:
        u[0] = rate * _step(G[0], H[0], ridge, most)
        alone = _price(G[0], H[0], ridge) if u[0] != 0.0 else -1.0
    if kind == 1:
        _by_slope(order, n, G, H, rule[4], room[0])
    else:
        for k in range(n):
            order[k] = k + 1
    sign = 1 if kind == 2 else -1 if kind == 3 else 0
    gain, low, high = room[0], room[1], room[2]
    best = _cuts(n, G, H, W, order, rule, sign, gain, low, high)
    if best <= 0.0:
        return alone
    for k in range(n - 1):
        gain[k] = _power(gain[k] / best, rule[5])
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
    order, room = np.zeros(widest, np.int64), np.zeros((3, widest))
    d[:] = 0.0
    before = -1
    for t in range(len(codes)):
        if gains[t] < floor:
            continue
        a, width = begin[t], begin[t + 1] - begin[t]
        if before < 0:
            _sum_slopes(codes[t], g, h, d, width, sums)
        else:
            _move_and_sum(codes[before], steps[0], codes[t], g, h, d, width, sums)
        for k in range(width):
            sums[0, k] += sums[1, k]
        u, before = steps[1], -1
        part = H[a : a + width], W[a : a + width]
        gains[t] = _steps(n_bins[t], sums[0], part[0], part[1], kind[t], rule, order, room, u)
        if gains[t] > 0.0:
            for k in range(width):
                values[a + k] += u[k]
                steps[0, k] = u[k]
            before = t
    if before >= 0:
        line = codes[before]
        for i in range(len(d)):
            d[i] += steps[0, line[i]]


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
def _cross(a: int, b: int, PG: Any, PH: Any, PW: Any, kind: Any, rule: Any, step: Any) -> float:
    """Write the steps of the four cells around a corner; gives what they save, -1 if refused."""
    least, ridge, most = rule[1], rule[2], rule[3]
    na, nb = len(PG) - 1, PG.shape[1] - 1
    w00, w01 = PW[a, b], PW[a, nb] - PW[a, b]
    w10 = PW[na, b] - w00
    w11 = PW[na, nb] - PW[a, nb] - w10
    if w00 < least or w01 < least or w10 < least or w11 < least:
        return -1.0
    g00, g01 = PG[a, b], PG[a, nb] - PG[a, b]
    g10 = PG[na, b] - g00
    g11 = PG[na, nb] - PG[a, nb] - g10
    h00, h01 = PH[a, b], PH[a, nb] - PH[a, b]
    h10 = PH[na, b] - h00
    h11 = PH[na, nb] - PH[a, nb] - h10
    step[0], step[1] = _step(g00, h00, ridge, most), _step(g01, h01, ridge, most)
    step[2], step[3] = _step(g10, h10, ridge, most), _step(g11, h11, ridge, most)
    if _wrong(step[0], step[2], kind[0]) or _wrong(step[1], step[3], kind[0]):
        return -1.0
    if _wrong(step[0], step[1], kind[1]) or _wrong(step[2], step[3], kind[1]):
        return -1.0
    left = _price(g00, h00, ridge) + _price(g01, h01, ridge)
    return left + _price(g10, h10, ridge) + _price(g11, h11, ridge)


@njit(cache=True, nogil=True)
def _crosses(PG: Any, PH: Any, PW: Any, kind: Any, rule: Any, S: Any) -> float:
    """Write the steps and the gain of every cross; gives the largest gain."""
    na, nb = len(PG) - 1, PG.shape[1] - 1
    whole, step, best = _price(PG[na, nb], PH[na, nb], rule[2]), np.zeros(4), 0.0
    S[:] = 0.0
    for a in range(1, na):
        for b in range(1, nb):
            gain = _cross(a, b, PG, PH, PW, kind, rule, step) - whole
            if gain > 1e-12 * whole:
                S[4, a, b] = gain
                best = max(best, gain)
                for q in range(4):
                    S[q, a, b] = step[q]
    return best


@njit(cache=True, nogil=True)
def _weigh_crosses(S: Any, na: int, nb: int, best: float, power: float) -> float:
    total = 0.0
    for a in range(1, na):
        for b in range(1, nb):
            weight = _power(S[4, a, b] / best, power)
            total += weight
            for q in range(4):
                S[q, a, b] *= weight
    return total


@njit(cache=True, nogil=True)
def _spread_crosses(S: Any, na: int, nb: int) -> None:
    """Sum each quadrant's steps over the corners that a cell lies in this quadrant of.

    It lies before the corners that are beyond it, and beyond those up to it.
    """
    for a in range(na - 1, -1, -1):
        for b in range(nb - 1, -1, -1):
            S[0, a, b] += S[0, a + 1, b] + S[0, a, b + 1] - S[0, a + 1, b + 1]
        for b in range(1, nb):
            S[1, a, b] += S[1, a + 1, b] + S[1, a, b - 1] - S[1, a + 1, b - 1]
    for a in range(1, na):
        for b in range(nb - 1, -1, -1):
            S[2, a, b] += S[2, a - 1, b] + S[2, a, b + 1] - S[2, a - 1, b + 1]
        for b in range(1, nb):
            S[3, a, b] += S[3, a - 1, b] + S[3, a, b - 1] - S[3, a - 1, b - 1]


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
    scale = rule[0] / _weigh_crosses(S, na, nb, best, rule[5])
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
        if before < 0:
            _sum_slopes(codes[t], g, h, d, width, sums)
        else:
            _move_and_sum(codes[before], steps[0], codes[t], g, h, d, width, sums)
        for k in range(width):
            sums[0, k] += sums[1, k]
        rows, columns = shape[t, 0], shape[t, 1]
        part = P[:, : rows + 1, : columns + 1]
        _add_up(sums[0], rows, columns, part[0])
        _add_up(H[a : a + width], rows, columns, part[1])
        _add_up(W[a : a + width], rows, columns, part[2])
        u, before = steps[1], -1
        gains[t] = _cells(part[0], part[1], part[2], kind[t], rule, room, u)
        if gains[t] > 0.0:
            for k in range(width):
                values[a + k] += u[k]
                steps[0, k] = u[k]
            before = t
    if before >= 0:
        line = codes[before]
        for i in range(len(d)):
            d[i] += steps[0, line[i]]


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


@njit(cache=True, nogil=True)
def add_term(codes: Any, values: Any, total: Any) -> None:
    """Add the value of each row's bin."""
    for i in range(len(codes)):
        total[i] += values[codes[i]]
