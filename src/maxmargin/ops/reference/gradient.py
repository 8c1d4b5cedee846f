"""The obvious versions of ``ops.cpu.gradient``."""

from __future__ import annotations

from typing import Any

import numpy as np


def logistic_pass(
    z: Any, t: Any, weight: Any, first: int, stop: int, pull: Any, curvature: Any
) -> float:
    """Sum w log(1 + exp(-t z)) over rows first to stop."""
    rows = slice(first, stop)
    m, w = t[rows] * z[rows], weight[rows]
    p, q = np.exp(-np.logaddexp(0.0, m)), np.exp(-np.logaddexp(0.0, -m))
    pull[rows], curvature[rows] = w * t[rows] * p, w * p * q
    return float(w @ np.logaddexp(0.0, -m))


def exponential_pass(
    z: Any, t: Any, weight: Any, first: int, stop: int, pull: Any, curvature: Any
) -> float:
    """Sum w exp(-t z) over rows first to stop."""
    rows = slice(first, stop)
    curvature[rows] = weight[rows] * np.exp(-t[rows] * z[rows])
    pull[rows] = t[rows] * curvature[rows]
    return float(curvature[rows].sum())


def side_sums(values: Any, right: Any) -> tuple[float, float]:
    """Sum values over the rows of the left side and of the right side."""
    return float(values[~right].sum()), float(values[right].sum())


def add_sides(z: Any, right: Any, low: float, high: float, moved: Any) -> None:
    """Write z + low for the left side and z + high for the right side."""
    moved[:] = z + np.where(right, high, low)
