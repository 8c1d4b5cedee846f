"""The logistic loss over pairs of rows that belong to one query and are not equally relevant.

Rows lie query by query, those of query q from starts[q] to starts[q + 1], the most relevant first;
lower[i] is the first row of i's query that is less relevant. So the pairs (i, j) in which i should
come first are j = lower[i], ..., the end of the query: no list of pairs is ever made.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
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
    """Evaluate sum w_i w_j log(1 + exp(-(z_i - z_j))) over the pairs of queries first to stop.

    loss[q] is the sum of query q; pull and curvature of its rows are minus the first and the second
    derivative in z_i.
    """
    for q in range(first, stop):
        begin, end = starts[q], starts[q + 1]
        total = 0.0
        pull[begin:end] = 0.0
        curvature[begin:end] = 0.0
        for i in range(begin, end):
            own_pull, own_curvature = 0.0, 0.0
            for j in range(lower[i], end):
                d = z[i] - z[j]
                e = np.exp(-abs(d))
                p = (e if d > 0.0 else 1.0) / (1.0 + e)
                w = weight[i] * weight[j]
                total += w * (np.log1p(e) + max(0.0, -d))
                force = w * p
                bend = force * (1.0 - p)
                own_pull += force
                own_curvature += bend
                pull[j] -= force
                curvature[j] += bend
            pull[i] += own_pull
            curvature[i] += own_curvature
        loss[q] = total


@njit(cache=True, nogil=True)
def ordered_pairs(
    z: Any, weight: Any, starts: Any, lower: Any, first: int, stop: int, ordered: Any
) -> None:
    """ordered[q] = weight of the pairs of query q whose scores are in order, of ties a half."""
    for q in range(first, stop):
        total = 0.0
        for i in range(starts[q], starts[q + 1]):
            for j in range(lower[i], starts[q + 1]):
                share = 1.0 if z[i] > z[j] else (0.5 if z[i] == z[j] else 0.0)
                total += share * weight[i] * weight[j]
        ordered[q] = total
