"""Products with the rows of a sparse feature matrix, a range of rows at a time.

Rows are stored as in CSR: row i has the values data[indptr[i]:indptr[i + 1]] in the columns
indices[...]. All sums are in double precision. A thread is given a range of rows and, for sums over
rows, an output of its own.

Column numbers and row starts are unsigned: Numba would otherwise ask of every one whether it counts
from the end, which makes a product with a row two to three times as slow (measured on 44 values a
row: 2.0 against 0.64 nanoseconds a value).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit

_FAST = {"contract", "reassoc", "nsz"}  # a row's sum may be taken in any order


@njit(cache=True, nogil=True, fastmath=_FAST)
def row_values(
    data: Any, indices: Any, indptr: Any, theta: Any, first: int, stop: int, values: Any
) -> None:
    """values[i] = x_i'theta for rows first to stop."""
    for i in range(first, stop):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += data[k] * theta[indices[k]]
        values[i] = total


@njit(cache=True, nogil=True)
def add_rows_back(
    data: Any, indices: Any, indptr: Any, beta: Any, first: int, stop: int, back: Any
) -> None:
    """Add sum_i beta_i x_i over rows first to stop."""
    for i in range(first, stop):
        if beta[i] != 0.0:
            for k in range(indptr[i], indptr[i + 1]):
                back[indices[k]] += beta[i] * data[k]


@njit(cache=True, nogil=True, fastmath=_FAST)
def add_dense_back(X: Any, beta: Any, first: int, stop: int, back: Any) -> None:
    """Add sum_i beta_i x_i over dense rows first to stop, four at a time.

    BLAS is as fast on one thread; on two it took as long (16 ms of 581,012 x 54), this 12.
    """
    whole = first + (stop - first) // 4 * 4
    for i in range(first, whole, 4):
        a, b, c, d = beta[i], beta[i + 1], beta[i + 2], beta[i + 3]
        for k in range(X.shape[1]):
            back[k] += a * X[i, k] + b * X[i + 1, k] + c * X[i + 2, k] + d * X[i + 3, k]
    for i in range(whole, stop):
        for k in range(X.shape[1]):
            back[k] += beta[i] * X[i, k]


@njit(cache=True, nogil=True, fastmath=_FAST)
def add_curved(
    data: Any,
    indices: Any,
    indptr: Any,
    weight: Any,
    theta: Any,
    shift: float,
    first: int,
    stop: int,
    back: Any,
) -> float:
    """Add sum_i weight_i (x_i'theta + shift) x_i, reading a row once; returns the sum without x_i.

    This is a product with a second derivative: half the reading of two separate products.
    """
    last = 0.0
    for i in range(first, stop):
        if weight[i] != 0.0:
            total = shift
            for k in range(indptr[i], indptr[i + 1]):
                total += data[k] * theta[indices[k]]
            total *= weight[i]
            last += total
            for k in range(indptr[i], indptr[i + 1]):
                back[indices[k]] += total * data[k]
    return last


@njit(cache=True, nogil=True)
def add_squares(
    data: Any, indices: Any, indptr: Any, weight: Any, first: int, stop: int, squares: Any
) -> None:
    """Add sum_i weight_i x_ij^2 over rows first to stop."""
    for i in range(first, stop):
        if weight[i] != 0.0:
            for k in range(indptr[i], indptr[i + 1]):
                squares[indices[k]] += weight[i] * data[k] * data[k]


@njit(cache=True, nogil=True)
def add_products(
    data: Any, indices: Any, indptr: Any, weight: Any, first: int, stop: int, total: Any
) -> None:
    """Add sum_i weight_i x_i x_i' over rows first to stop, for columns j >= l of each pair."""
    for i in range(first, stop):
        if weight[i] != 0.0:
            for k in range(indptr[i], indptr[i + 1]):
                value = weight[i] * data[k]
                line = total[indices[k]]
                for m in range(indptr[i], k + np.uint64(1)):
                    line[indices[m]] += value * data[m]


@njit(cache=True, nogil=True)
def row_squares(data: Any, indptr: Any, first: int, stop: int, squares: Any) -> None:
    """squares[i] = |x_i|^2 for rows first to stop."""
    for i in range(first, stop):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            value = np.float64(data[k])
            total += value * value
        squares[i] = total
