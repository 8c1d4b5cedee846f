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


def round_to_grid(values: Any, size: float, rounded: Any) -> None:
    """Round values of this sum of sizes to the nearest multiples."""
    unit = np.ldexp(1.0, np.frexp(size)[1] - 51)
    rounded[:] = np.rint(values / unit) * unit


def total_and_size(values: Any) -> tuple[float, float]:
    """Sum the values and their sizes."""
    return float(np.sum(values)), float(np.sum(np.abs(values)))


def put_on_grid(values: Any, rounded: Any) -> tuple[float, float]:
    """Round values so that all sums of them are exact; returns those of all and of their sizes."""
    round_to_grid(values, sum_sizes(values), rounded)
    return total_and_size(rounded)
