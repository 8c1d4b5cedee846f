"""One pass of dual coordinate descent over the rows of explicit features.

The dual of the l1- and l2-loss linear SVM without a free intercept, in alpha_i = t_i beta_i >= 0:

    max_alpha  sum_i alpha_i - |sum_i alpha_i t_i x_i|^2 / 2 - sum_i d_i alpha_i^2 / 2,
               0 <= alpha_i <= u_i

A step on alpha_i needs G = t_i theta'x_i - 1 + d_i alpha_i, which is one product with a row, and
moves theta = sum alpha_i t_i x_i along that row (Hsieh, Chang, Lin, Keerthi, Sundararajan, "A dual
coordinate descent method for large-scale linear SVM", ICML 2008, algorithm 3).

Rows are stored as in CSR; a dense matrix comes without column numbers. ``reassoc`` and ``contract``
let a row's product be summed in vector registers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_FAST = {"contract", "reassoc", "nsz"}


@njit(cache=True, nogil=True, fastmath=_FAST)
def _dot(data: Any, indices: Any, first: int, stop: int, theta: Any) -> float:
    total = 0.0
    if len(indices) == 0:
        for k in range(stop - first):
            total += data[first + k] * theta[k]
    else:
        for k in range(first, stop):
            total += data[k] * theta[indices[k]]
    return total


@njit(cache=True, nogil=True, fastmath=_FAST)
def _add(data: Any, indices: Any, first: int, stop: int, step: float, theta: Any) -> None:
    if len(indices) == 0:
        for k in range(stop - first):
            theta[k] += step * data[first + k]
    else:
        for k in range(first, stop):
            theta[indices[k]] += step * data[k]


@njit(cache=True, nogil=True)
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
    """Visit the first ``active`` rows of ``order`` once; alpha and theta change in place.

    A row that rests at a bound is left out of ``order``. Returns how many stay in it, and the two
    extremes of their gradient.
    """
    top, bottom, kept = -np.inf, np.inf, 0
    for position in range(active):
        i = order[position]
        first, stop = indptr[i], indptr[i + 1]
        f = _dot(data, indices, first, stop, theta)
        if constant != 0.0:
            f += constant * theta[-1]
        G = t[i] * f - 1.0 + diagonal[i] * alpha[i]
        if (alpha[i] == 0.0 and G >= 0.0) or (alpha[i] == upper[i] and G <= 0.0):
            continue
        order[kept] = i
        kept += 1
        top, bottom = max(top, G), min(bottom, G)
        if G != 0.0 and curvature[i] > 0.0:
            moved = min(max(alpha[i] - G / curvature[i], 0.0), upper[i])
            step = (moved - alpha[i]) * t[i]
            alpha[i] = moved
            if step != 0.0:
                _add(data, indices, first, stop, step, theta)
                if constant != 0.0:
                    theta[-1] += step * constant
    return kept, top, bottom
