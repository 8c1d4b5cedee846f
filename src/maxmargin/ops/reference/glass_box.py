"""Rounds of boosted shapes: the same verbs in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

_TINY = 1e-300


def code_numbers(values: Any, cuts: Any, codes: Any) -> None:
    """Write 1 plus the number of cuts below each value; 0 for NaN."""
    codes[:] = np.where(np.isnan(values), 0, 1 + np.searchsorted(cuts, values, side="left"))


def sum_bins(codes: Any, begin: Any, values: Any, sums: Any) -> None:
    """Write the sums of the rows' values by the bins of every term."""
    for t, line in enumerate(codes):
        sums[begin[t] : begin[t + 1]] = np.bincount(line, values, begin[t + 1] - begin[t])


def square_slopes(z: Any, t: Any, weight: Any, fold: Any, bag: int, g: Any, h: Any) -> None:
    """Write slopes and curvatures of w (z - t)^2 / 2; both 0 for the rows that a bag holds out."""
    h[:] = np.where(fold == bag, 0.0, weight)
    g[:] = h * (z - t)


def logistic_slopes(z: Any, t: Any, weight: Any, fold: Any, bag: int, g: Any, h: Any) -> None:
    """Write slopes and curvatures of w log(1 + exp(-t z)); both 0 for rows held out."""
    w, p = np.where(fold == bag, 0.0, weight), 1.0 / (1.0 + np.exp(np.clip(t * z, -700, 700)))
    g[:] = -w * t * p
    h[:] = w * p * (1.0 - p)


def logistic_loss(z: Any, t: Any, weight: Any, rows: Any) -> float:
    """Sum w log(1 + exp(-t z)) over some rows."""
    return float(weight[rows] @ np.logaddexp(0.0, -t[rows] * z[rows]))


def softmax_slopes(z: Any, label: Any, weight: Any, fold: Any, bag: int, g: Any, h: Any) -> None:
    """Write those of -w log of the class's share of the exponentials; z, g and h by class."""
    w, powers = np.where(fold == bag, 0.0, weight), np.exp(z - z.max(axis=0))
    p, own = powers / powers.sum(axis=0), np.arange(len(z))[:, None] == label
    g[:] = w * (p - own)
    h[:] = w * p * (1.0 - p)


def softmax_loss(z: Any, label: Any, weight: Any, rows: Any) -> float:
    """Sum -w log of the class's share of the exponentials over some rows."""
    top = z.max(axis=0)
    loss = np.log(np.exp(z - top).sum(axis=0)) + top - z[label, np.arange(len(label))]
    return float(weight[rows] @ loss[rows])


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
    """Let every column take a step, one after the other."""
    d[:] = 0.0
    for t, line in enumerate(codes):
        if gains[t] < floor:
            continue
        part = slice(begin[t], begin[t + 1])
        G = np.bincount(line, g + h * d, begin[t + 1] - begin[t])
        u, gains[t] = column_step(G, H[part], W[part], n_bins[t], kind[t], rule)
        values[part] += u
        d += u[line]


def column_step(G: Any, H: Any, W: Any, n: int, kind: int, rule: Any) -> tuple[Any, float]:
    """Give the step of every bin of a column, and the largest gain; -1 without a step."""
    rate, least, _, _, softer, power = rule[:6]
    u, alone = np.zeros(len(G)), -1.0
    if W[0] >= least:
        u[0] = rate * _step(G[0], H[0], rule)
        alone = _price(G[0], H[0], rule) if u[0] != 0.0 else -1.0
    order = 1 + np.arange(n)
    if kind == 1:
        order = 1 + np.argsort(-G[order] / (H[order] + softer), kind="stable")
    sign = {2: 1, 3: -1}.get(int(kind), 0)
    moves, found = np.zeros((n - 1 if n else 0, n)), np.zeros(max(n - 1, 0))
    for k in range(n - 1):
        left, right = order[: k + 1], order[k + 1 :]
        if W[left].sum() < least or W[right].sum() < least:
            continue
        low = _step(G[left].sum(), H[left].sum(), rule)
        high = _step(G[right].sum(), H[right].sum(), rule)
        gain = _gain([left, right], order, G, H, rule)
        if sign * (high - low) >= 0.0 and gain > 0.0:
            found[k], moves[k, : k + 1], moves[k, k + 1 :] = gain, low, high
    if not found.any():
        return u, alone
    weight = np.where(found > 0, (found / found.max()) ** power, 0.0)
    u[order] = rate * (weight @ moves) / weight.sum()
    return u, max(float(found.max()), alone)


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
    """Let every pair take a step by cells, as ``sweep_columns`` does for columns."""
    d[:] = 0.0
    for t, line in enumerate(codes):
        if gains[t] < floor:
            continue
        part, size = slice(begin[t], begin[t + 1]), tuple(shape[t])
        G = np.bincount(line, g + h * d, size[0] * size[1]).reshape(size)
        tables = G, H[part].reshape(size), W[part].reshape(size)
        u, gains[t] = pair_step(*tables, kind[t], rule)
        values[part] += u.ravel()
        d += u.ravel()[line]


def pair_step(G: Any, H: Any, W: Any, kind: Any, rule: Any) -> tuple[Any, float]:
    """Give the step of every cell of a pair, and the largest gain; -1 without a step."""
    rate, least, power = rule[0], rule[1], rule[5]
    moves, found, whole = [], [], [np.ones(G.shape, bool)]
    for a in range(1, G.shape[0]):
        for b in range(1, G.shape[1]):
            first = np.arange(G.shape[0])[:, None] < a
            second = np.arange(G.shape[1])[None, :] < b
            cells = [first & second, first & ~second, ~first & second, ~first & ~second]
            if min(W[cell].sum() for cell in cells) < least:
                continue
            s = [_step(G[cell].sum(), H[cell].sum(), rule) for cell in cells]
            along = min(kind[0] * (s[2] - s[0]), kind[0] * (s[3] - s[1]))
            across = min(kind[1] * (s[1] - s[0]), kind[1] * (s[3] - s[2]))
            gain = _gain(cells, whole[0], G, H, rule)
            if along >= 0.0 and across >= 0.0 and gain > 0.0:
                found.append(gain)
                moves.append(sum(v * cell for v, cell in zip(s, cells, strict=True)))
    if not found:
        return np.zeros(G.shape), -1.0
    weight = (np.array(found) / max(found)) ** power
    return rate * np.tensordot(weight, np.array(moves), 1) / weight.sum(), max(found)


def _step(G: float, H: float, rule: Any) -> float:
    bend, most = H + rule[2], rule[3]
    return float(np.clip(-G / bend, -most, most)) if bend > _TINY else 0.0


def _price(G: float, H: float, rule: Any) -> float:
    return G * G / (H + rule[2]) if H + rule[2] > _TINY else 0.0


def _gain(parts: Any, whole: Any, G: Any, H: Any, rule: Any) -> float:
    """Give by how much parts are better than the whole, 0 where it is rounding."""
    before = _price(G[whole].sum(), H[whole].sum(), rule)
    gain = sum(_price(G[part].sum(), H[part].sum(), rule) for part in parts) - before
    return gain if gain > 1e-12 * before else 0.0


def pair_gain(one: Any, other: Any, na: int, nb: int, g: Any, h: Any, least: float) -> float:
    """Give the gain of the best four cells over what their two columns give: FAST."""
    best = 0.0
    for a in range(1, na):
        for b in range(1, nb):
            cells = [(one < a) == i for i in (True, False)]
            H = np.array([[h[c & ((other < b) == j)].sum() for j in (True, False)] for c in cells])
            G = np.array([[g[c & ((other < b) == j)].sum() for j in (True, False)] for c in cells])
            if H.min() >= least:
                q = G / H
                best = max(best, (q[0, 0] - q[0, 1] - q[1, 0] + q[1, 1]) ** 2 / (1 / H).sum())
    return float(best)


def add_term(codes: Any, values: Any, total: Any) -> None:
    """Add the value of each row's bin."""
    total += values[codes]
