"""The obvious versions of ``ops.cpu.features``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def _rows(data: Any, indices: Any, indptr: Any, first: int, stop: int, width: int) -> Any:
    shape = (len(indptr) - 1, width)
    return sparse.csr_matrix((np.asarray(data, np.float64), indices, indptr), shape)[first:stop]


def row_values(
    data: Any, indices: Any, indptr: Any, theta: Any, first: int, stop: int, values: Any
) -> None:
    """values[i] = x_i'theta for rows first to stop."""
    values[first:stop] = _rows(data, indices, indptr, first, stop, len(theta)) @ theta


def add_rows_back(
    data: Any, indices: Any, indptr: Any, beta: Any, first: int, stop: int, back: Any
) -> None:
    """Add sum_i beta_i x_i over rows first to stop."""
    back += _rows(data, indices, indptr, first, stop, len(back)).T @ beta[first:stop]


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
    """Add sum_i weight_i (x_i'theta + shift) x_i; returns the sum without x_i."""
    rows = _rows(data, indices, indptr, first, stop, len(back))
    scaled = weight[first:stop] * (rows @ theta + shift)
    back += rows.T @ scaled
    return float(scaled.sum())


def add_squares(
    data: Any, indices: Any, indptr: Any, weight: Any, first: int, stop: int, squares: Any
) -> None:
    """Add sum_i weight_i x_ij^2 over rows first to stop."""
    rows = _rows(data, indices, indptr, first, stop, len(squares))
    squares += rows.multiply(rows).T @ weight[first:stop]


def add_products(
    data: Any, indices: Any, indptr: Any, weight: Any, first: int, stop: int, total: Any
) -> None:
    """Add sum_i weight_i x_i x_i' over rows first to stop, for columns j >= l of each pair."""
    rows = _rows(data, indices, indptr, first, stop, len(total)).toarray()
    total += np.tril((weight[first:stop, None] * rows).T @ rows)


def row_squares(data: Any, indptr: Any, first: int, stop: int, squares: Any) -> None:
    """squares[i] = |x_i|^2 for rows first to stop."""
    for i in range(first, stop):
        row = np.asarray(data[indptr[i] : indptr[i + 1]], np.float64)
        squares[i] = row @ row


def add_dense_back(X: Any, beta: Any, first: int, stop: int, back: Any) -> None:
    """Add sum_i beta_i x_i over dense rows first to stop."""
    back += beta[first:stop] @ X[first:stop].astype(np.float64)
