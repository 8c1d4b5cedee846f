"""The obvious version of ``ops.cpu.pairs``."""

from __future__ import annotations

from typing import Any

import numpy as np


def pairwise_logistic(
    z: Any,
    weight: Any,
    starts: Any,
    lower: Any,
    first: int,
    stop: int,
    loss: Any,
    pull: Any,
    curvature: Any,
) -> None:
    """Evaluate sum w_i w_j log(1 + exp(-(z_i - z_j))) over the pairs of queries first to stop."""
    for q in range(first, stop):
        rows = np.arange(starts[q], starts[q + 1])
        d = z[rows][:, None] - z[rows]
        w = np.where(rows >= lower[rows][:, None], np.outer(weight[rows], weight[rows]), 0.0)
        p = np.exp(-np.logaddexp(0.0, d))
        force, bend = w * p, w * p * (1.0 - p)
        loss[q] = np.sum(w * np.logaddexp(0.0, -d))
        pull[rows] = force.sum(axis=1) - force.sum(axis=0)
        curvature[rows] = bend.sum(axis=1) + bend.sum(axis=0)


def ordered_pairs(
    z: Any, weight: Any, starts: Any, lower: Any, first: int, stop: int, ordered: Any
) -> None:
    """ordered[q] = weight of the pairs of query q whose scores are in order, of ties a half."""
    for q in range(first, stop):
        rows = np.arange(starts[q], starts[q + 1])
        d = np.sign(z[rows][:, None] - z[rows])
        w = np.where(rows >= lower[rows][:, None], np.outer(weight[rows], weight[rows]), 0.0)
        ordered[q] = np.sum(w * (1.0 + d) / 2.0)
