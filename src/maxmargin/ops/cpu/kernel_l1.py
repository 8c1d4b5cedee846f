"""City-block distances between dense rows, and their weighted sums by column.

The rows of B are transposed a tile at a time to lie side by side; the inner loop runs over them, so
it vectorises without reordering any sum. Fast-math flags: ``contract`` only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit

_TILE = 256


@njit(cache=True, nogil=True, fastmath={"contract"})
def l1_product(a: Any, b: Any, out: Any, stride: int) -> None:
    """Set out[i, j] <- -|a_i - b_j|_1 / 2.

    That is what a dot product would have to be for the epilogue to find this distance, so that one
    epilogue serves both distances.
    """
    half = out.dtype.type(0.5)
    turned = np.empty((a.shape[1], _TILE), out.dtype)
    for start in range(0, b.shape[0], _TILE):
        stop = min(start + _TILE, b.shape[0])
        for j in range(start, stop):
            for c in range(b.shape[1]):
                turned[c, j - start] = b[j, c]
        for i in range(a.shape[0]):
            row = out[i * stride + start : i * stride + stop]
            row[:] = 0
            for c in range(a.shape[1]):
                value, others = a[i, c], turned[c]
                for j in range(row.size):
                    row[j] -= half * abs(value - others[j])


@njit(cache=True, nogil=True, fastmath={"contract"})
def l1_by_column(a: Any, weight: Any, out: Any) -> None:
    """Set out[c] <- sum_ij weight[i, j] |a_ic - a_jc| for a symmetric weight."""
    line = np.empty(a.shape[1], a.dtype)
    out[:] = 0
    for i in range(a.shape[0]):
        line[:] = 0
        for j in range(i):
            pull = weight[i, j]
            for c in range(a.shape[1]):
                line[c] += pull * abs(a[i, c] - a[j, c])
        for c in range(a.shape[1]):
            out[c] += 2.0 * line[c]
