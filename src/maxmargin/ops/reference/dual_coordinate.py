"""The obvious version of ``ops.cpu.dual_coordinate``."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.kinds import DUAL_ALPHA, DUAL_LINE

_NOTHING = 0.01  # of the gain that a pass should have
_FEW = 8  # passes to make at least: primal errors fall with the root of what the dual gains


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
    """Return the derivative in ``share`` of the price of all rows at values + share change."""
    short = np.maximum(0.0, 1.0 - t * (values + share * change))
    steepness = 2.0 * short if squared else short > 0
    return -float(np.sum(cost * t * change * steepness))


def descend(
    data: Any,
    indices: Any,
    indptr: Any,
    constant: float,
    duals: Any,
    order: Any,
    active: int,
    theta: Any,
) -> Any:
    """Visit the first ``active`` rows of ``order`` once; duals and theta change in place."""
    kept, gain, lines = 0, 0.0, duals.reshape(-1, DUAL_LINE)
    for i in order[:active].copy():
        alpha, t, d, upper, curvature, inverse, _, _ = lines[i]
        x = _row(data, indices, indptr, i, constant, len(theta))
        G = t * (x @ theta) - 1.0 + d * alpha
        if (alpha == 0.0 and G >= 0.0) or (alpha == upper and G <= 0.0):
            continue
        order[kept], kept = i, kept + 1
        moved = min(max(alpha - G * inverse, 0.0), upper)
        step = moved - alpha
        gain -= step * (G + 0.5 * step * curvature)
        theta += step * t * x
        lines[i, DUAL_ALPHA] = moved
    return kept, gain


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
    """Make passes in random order, until ``most`` or so many visits were made or none is left."""
    passes, made = 0, 0.0
    while passes < most and made < visits and active > 0:
        shuffle(order, active, state)
        made, passes = made + active, passes + 1
        active, gain = descend(data, indices, indptr, constant, duals, order, active, theta)
        enough = goal if made > 0.5 * visits else _NOTHING * goal
        if gain < enough and (passes >= _FEW or made > 0.5 * visits):
            break
    return passes, active, made


def gather(values: Any, duals: Any, order: Any) -> Any:
    """List the rows that a step would move; also gives sum alpha_i and sum d_i alpha_i^2."""
    alpha, t, d, upper, *_ = duals.reshape(-1, DUAL_LINE).T
    G = t * values - 1.0 + d * alpha
    found = np.flatnonzero(np.where(G < 0, alpha < upper, alpha > 0))
    order[: len(found)] = found
    return len(found), float(alpha.sum()), float(np.sum(d * alpha**2))
