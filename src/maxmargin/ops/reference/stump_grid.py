"""The obvious versions of ``ops.cpu.stump_grid``."""

from __future__ import annotations

from typing import Any

import numpy as np


def sum_sizes(values: Any) -> float:
    """Sum the sizes of values, every fourth one apart."""
    size, whole = np.abs(values), len(values) // 4 * 4
    lanes = np.zeros((1 + whole // 4, 4))
    lanes[1:] = size[:whole].reshape(-1, 4)
    a, b, c, d = lanes.cumsum(axis=0)[-1]
    for rest in size[whole:]:
        a += rest
    return float((a + b) + (c + d))


def round_to_grid(values: Any, anchor: float, rounded: Any) -> None:
    """Round values to the nearest multiples of the anchor's last bit."""
    unit = np.spacing(anchor)
    rounded[:] = np.rint(values / unit) * unit


def total_and_size(values: Any) -> tuple[float, float]:
    """Sum the values and their sizes."""
    return float(np.sum(values)), float(np.sum(np.abs(values)))
