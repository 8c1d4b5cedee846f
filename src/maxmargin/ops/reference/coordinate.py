"""The obvious version of ``ops.cpu.coordinate``."""

from __future__ import annotations

from typing import Any

import numpy as np


def best_value(beta: Any, F: Any, curvature: Any, lower: Any, upper: Any) -> Any:
    """Maximise over one variable, or over each of many alone."""
    return np.clip(beta + F / np.maximum(curvature, 1e-12), lower, upper)


def ascend(
    store: Any,
    slots: Any,
    diagonal: Any,
    order: Any,
    beta: Any,
    F: Any,
    lower: Any,
    upper: Any,
    most: int,
) -> tuple[int, int]:
    """Each variable in its turn to its best value; see ``ops.cpu.coordinate.ascend``."""
    updates = 0
    for k, i in enumerate(order):
        moved = best_value(beta[i], F[i], float(diagonal[i]), lower[i], upper[i])
        if moved == beta[i]:
            continue
        if slots[i] < 0 or updates == most:
            return k, updates
        F -= (moved - beta[i]) * store[slots[i]].astype(np.float64)
        beta[i] = moved
        updates += 1
    return len(order), updates
