"""The obvious version of ``ops.cpu.kernel_sparse``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from maxmargin.ops.reference.kernel_epilogue import block_of


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
    block_of(out, rows_a, rows_b, stride)[...] = A @ B.T


def count_nonzeros(X: Any, indptr: Any) -> None:
    """Set indptr to where each row's nonzeros begin, as CSR has it."""
    indptr[:] = np.concatenate([[0], np.cumsum((X != 0).sum(axis=1))])


def collect_nonzeros(X: Any, indptr: Any, indices: Any, data: Any) -> None:
    """Write the nonzeros of each row and their columns, one after the other."""
    rows, columns = np.nonzero(X)
    indices[: indptr[-1]], data[: indptr[-1]] = columns, X[rows, columns]
