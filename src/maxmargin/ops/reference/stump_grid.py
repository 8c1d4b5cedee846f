"""The obvious version of ``ops.cpu.stump_grid``."""

from __future__ import annotations

from typing import Any

import numpy as np


def put_on_grid(values: Any, size: float, rounded: Any) -> tuple[float, float]:
    """Round values so that all sums of them are exact; returns those of all and of their sizes."""
    exponent = np.frexp(size)[1] - 51
    unit = np.ldexp(1.0, max(exponent, -1074))  # of which all numbers are multiples
    rounded[:] = np.rint(values / unit) * unit
    return float(rounded.sum()), float(np.abs(rounded).sum())


def size_of(values: Any) -> float:
    """Sum the sizes of values, every fourth one apart."""
    size = np.abs(values)
    whole = len(size) // 4 * 4
    lanes = np.zeros((1 + whole // 4, 4))
    lanes[1:] = size[:whole].reshape(-1, 4)
    a, b, c, d = lanes.cumsum(axis=0)[-1]
    for rest in size[whole:]:
        a += rest
    return float((a + b) + (c + d))
