"""The obvious version of ``ops.cpu.crammer_singer``."""

from __future__ import annotations

from typing import Any

import numpy as np


def level(corners: Any, total: float) -> float:
    """Find s with sum_k max(0, D_k - s) = total > 0, for corners D: here by sorting."""
    down = np.sort(corners)[::-1]
    levels = (np.cumsum(down) - total) / np.arange(1, len(down) + 1)
    return float(levels[np.append(levels[:-1] >= down[1:], True).argmax()])


def best_duals(g: Any, alpha: Any, own: int, cost: float, A: float, corners: Any, best: Any) -> Any:
    """Solve a row's problem into ``best``; see ``ops.cpu.crammer_singer.best_duals``."""
    bounds = np.where(np.arange(len(g)) == own, cost, 0.0)
    corners[:] = g + A * (bounds - alpha)
    best[:] = np.minimum(0.0, (level(corners, A * cost) - g) / A + alpha)
    best[own] = 0.0
    best[own] = -best.sum() if -best.sum() < (1 - 1e-12) * cost else cost


def survey(g: Any, alpha: Any, own: int, cost: float) -> tuple[float, float, float]:
    """Return the row's part of the gap, its violation, and by how much its own class is ahead."""
    bounds = np.where(np.arange(len(g)) == own, cost, 0.0)
    gap = (bounds - alpha) @ (g.max() - g)
    violation = g.max() - np.where(alpha < bounds, g, np.inf).min()
    ahead = -1.0 if alpha.any() else g[own] - np.delete(g, own).max(initial=-np.inf)
    return float(gap), max(0.0, float(violation)), float(ahead)


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
) -> tuple[int, float, float]:
    """Each row in its turn to its best duals; see ``ops.cpu.crammer_singer.ascend``."""
    stay, total, worst = 0, 0.0, 0.0
    corners, best = np.empty(W.shape[1]), np.empty(W.shape[1])
    for i in order.copy():
        x = np.zeros(len(W))
        part = slice(starts[i], starts[i + 1])
        x[columns[part] if len(columns) else slice(part.stop - part.start)] = data[part]
        if constant:
            x[-1] = constant
        g = (np.arange(W.shape[1]) != labels[i]) + x @ W
        gap, violation, ahead = survey(g, alpha[i], labels[i], cost[i])
        total += gap
        if ahead > slack:
            continue
        order[stay] = i
        stay, worst = stay + 1, max(worst, violation)
        if violation > 0 and norms[i] > 0:
            best_duals(g, alpha[i], labels[i], cost[i], norms[i], corners, best)
            W += np.outer(x, best - alpha[i])
            alpha[i] = best
    return stay, total, worst
