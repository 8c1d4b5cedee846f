"""NumPy twins of the loops in ``ops.cpu.kernel_*``, with the same arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from scipy.sparse import csr_array


def _block(out: Any, rows: int, columns: int, stride: int) -> Any:
    return as_strided(out, (rows, columns), (stride * out.itemsize, out.itemsize))


def exp_of_distance(gamma: Any, a: Any, b: Any, out: Any, stride: int) -> None:
    """Set out[i, j] <- exp(-gamma * max(0, a[i] + b[j] - 2 out[i, j]))."""
    block = _block(out, a.size, b.size, stride)
    block[...] = np.exp(-gamma * np.maximum(0, a[:, None] + b - 2 * block))


def affine_power(
    gamma: Any, coef0: Any, degree: int, rows: int, columns: int, out: Any, stride: int
) -> None:
    """Set out[i, j] <- (gamma * out[i, j] + coef0) ** degree."""
    block = _block(out, rows, columns, stride)
    block[...] = (gamma * block + coef0) ** degree


def sparse_dot(
    a_data: Any,
    a_indices: Any,
    a_indptr: Any,
    b_data: Any,
    b_indices: Any,
    b_indptr: Any,
    columns: int,
    tile: int,  # noqa: ARG001  (only the fast version works in tiles)
    most_lines: int,  # noqa: ARG001
    out: Any,
    stride: int,
) -> None:
    """Set out[i, j] <- <a_i, b_j>."""
    rows_a, rows_b = a_indptr.size - 1, b_indptr.size - 1
    A = csr_array((a_data, a_indices, a_indptr), shape=(rows_a, columns)).toarray()
    B = csr_array((b_data, b_indices, b_indptr), shape=(rows_b, columns)).toarray()
    _block(out, rows_a, rows_b, stride)[...] = A @ B.T


def l1_product(a: Any, b: Any, out: Any, stride: int) -> None:
    """Set out[i, j] <- -|a_i - b_j|_1 / 2."""
    _block(out, len(a), len(b), stride)[...] = -0.5 * np.abs(a[:, None, :] - b[None, :, :]).sum(
        axis=2
    )


def count_nonzeros(X: Any, indptr: Any) -> None:
    """Set indptr to where each row's nonzeros begin, as CSR has it."""
    indptr[:] = np.concatenate([[0], np.cumsum((X != 0).sum(axis=1))])


def collect_nonzeros(X: Any, indptr: Any, indices: Any, data: Any) -> None:
    """Write the nonzeros of each row and their columns, one after the other."""
    rows, columns = np.nonzero(X)
    indices[: indptr[-1]], data[: indptr[-1]] = columns, X[rows, columns]
