"""The obvious version of ``ops.cpu.primal_coordinate``."""

from __future__ import annotations

from typing import Any

import numpy as np


def best_weight(weight: float, G: float, H: float, penalty: float) -> float:
    """Minimise G z + H z^2 / 2 + penalty |weight + z|, and give weight + z; stays where H is 0."""
    if H <= 0:
        return weight
    free = weight - G / H
    return float(np.sign(free) * max(0.0, abs(free) - penalty / H))


def violation(weight: float, G: float, penalty: float) -> float:
    """How far 0 is from the subgradients of the model in one weight."""
    return abs(G + np.sign(weight) * penalty) if weight else max(0.0, abs(G) - penalty)


def column(data: Any, rows: Any, starts: Any, j: int, length: int) -> Any:
    """Write out one column."""
    part = slice(starts[j], starts[j + 1])
    x = np.zeros(length)
    x[rows[part] if len(rows) else slice(part.stop - part.start)] = data[part]
    return x


def descend(
    data: Any,
    rows: Any,
    starts: Any,
    penalty: Any,
    H: Any,
    D: Any,
    order: Any,
    slack: float,
    weights: Any,
    P: Any,
) -> tuple[int, float]:
    """Each column in its turn to its best weight; see ``ops.cpu.primal_coordinate.descend``."""
    stay, worst = 0, 0.0
    for j in order.copy():
        x = column(data, rows, starts, j, len(P))
        G = float(x @ P)
        if weights[j] == 0 and abs(G) < penalty[j] - slack:
            continue
        order[stay] = j
        stay, worst = stay + 1, max(worst, violation(weights[j], G, penalty[j]))
        moved = best_weight(weights[j], G, H[j], penalty[j])
        P += (moved - weights[j]) * D * x
        weights[j] = moved
    return stay, worst


def descend_products(A: Any, penalty: Any, aim: float, most: int, weights: Any, G: Any) -> int:
    """Do the same with products; see ``ops.cpu.primal_coordinate.descend_products``."""
    for epoch in range(most):
        worst = 0.0
        for j in range(len(G)):
            worst = max(worst, violation(weights[j], G[j], penalty[j]))
            moved = best_weight(weights[j], G[j], A[j, j], penalty[j])
            G += (moved - weights[j]) * A[j]
            weights[j] = moved
        if worst <= aim:
            return epoch + 1
    return most
