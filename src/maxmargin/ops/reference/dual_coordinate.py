"""The obvious version of ``ops.cpu.dual_coordinate``."""

from __future__ import annotations

from typing import Any

import numpy as np


def _row(
    data: Any, indices: Any, indptr: Any, i: int, constant: float, width: int
) -> np.ndarray[Any, Any]:
    x = np.zeros(width)
    part = slice(int(indptr[i]), int(indptr[i + 1]))
    columns = indices[part] if len(indices) else np.arange(part.stop - part.start)
    x[columns] = data[part]
    if constant:
        x[-1] = constant
    return x


def shuffle(order: Any, active: int, state: Any) -> None:
    """Put the first ``active`` rows of ``order`` into random order."""
    x, word = int(state[0]), 2**64 - 1
    for last in range(active - 1, 0, -1):
        x ^= (x << 13) & word
        x ^= x >> 7
        x ^= (x << 17) & word
        other = ((x >> 32) * (last + 1)) >> 32
        order[[last, other]] = order[[other, last]]
    state[0] = x


def draw(order: Any, state: Any) -> None:
    """Fill ``order`` with rows drawn from as many as it has places, each equally likely."""
    x, word = int(state[0]), 2**64 - 1
    for place in range(len(order)):
        x ^= (x << 13) & word
        x ^= x >> 7
        x ^= (x << 17) & word
        order[place] = ((x >> 32) * len(order)) >> 32
    state[0] = x


def slope_between(
    values: Any, change: Any, t: Any, cost: Any, squared: bool, share: float
) -> float:
    """Give the derivative in ``share`` of the price of all rows at values + share change."""
    short = np.maximum(0.0, 1.0 - t * (values + share * change))
    steepness = 2.0 * short if squared else short > 0
    return -float(np.sum(cost * t * change * steepness))


def descend(
    data: Any,
    indices: Any,
    indptr: Any,
    constant: float,
    t: Any,
    diagonal: Any,
    upper: Any,
    curvature: Any,
    order: Any,
    active: int,
    alpha: Any,
    theta: Any,
) -> Any:
    """Visit the first ``active`` rows of ``order`` once; alpha and theta change in place."""
    kept = 0
    for i in order[:active].copy():
        x = _row(data, indices, indptr, i, constant, len(theta))
        G = t[i] * (x @ theta) - 1.0 + diagonal[i] * alpha[i]
        if (alpha[i] == 0.0 and G >= 0.0) or (alpha[i] == upper[i] and G <= 0.0):
            continue
        order[kept], kept = i, kept + 1
        if curvature[i] > 0.0:
            moved = min(max(alpha[i] - G / curvature[i], 0.0), upper[i])
            theta += (moved - alpha[i]) * t[i] * x
            alpha[i] = moved
    return kept
