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
    top, bottom, kept = -np.inf, np.inf, 0
    for i in order[:active].copy():
        x = _row(data, indices, indptr, i, constant, len(theta))
        G = t[i] * (x @ theta) - 1.0 + diagonal[i] * alpha[i]
        if (alpha[i] == 0.0 and G >= 0.0) or (alpha[i] == upper[i] and G <= 0.0):
            continue
        order[kept], kept = i, kept + 1
        top, bottom = max(top, G), min(bottom, G)
        if curvature[i] > 0.0:
            moved = min(max(alpha[i] - G / curvature[i], 0.0), upper[i])
            theta += (moved - alpha[i]) * t[i] * x
            alpha[i] = moved
    return kept, top, bottom
