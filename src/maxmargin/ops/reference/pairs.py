"""The obvious version of ``ops.cpu.pairs``."""

from __future__ import annotations

from typing import Any

import numpy as np


def pairwise_logistic(
    z: Any,
    powers: Any,  # noqa: ARG001
    near: Any,  # noqa: ARG001
    weight: Any,
    equal: bool,  # noqa: ARG001
    lower: Any,
    ends: Any,
    pull: Any,
    curvature: Any,
) -> float:
    """Sum w_i w_j log(1 + exp(-(z_i - z_j))) over the pairs of the rows that lower is given for."""
    total = 0.0
    for i in range(len(lower)):
        rows = slice(lower[i], ends[i])
        d, w = z[i] - z[rows], weight[i] * weight[rows]
        p = np.exp(-np.logaddexp(0.0, d))
        total += np.sum(w * np.logaddexp(0.0, -d))
        pull[i] += np.sum(w * p)
        curvature[i] += np.sum(w * p * (1.0 - p))
        pull[rows] -= w * p
        curvature[rows] += w * p * (1.0 - p)
    return float(total)


def ordered_pairs(z: Any, weight: Any, lower: Any, ends: Any) -> float:
    """Weigh the pairs whose scores are in order, of ties a half, by their first row."""
    total = 0.0
    for i in range(len(lower)):
        rows = slice(lower[i], ends[i])
        total += weight[i] * np.sum(weight[rows] * (1.0 + np.sign(z[i] - z[rows])) / 2.0)
    return float(total)
