"""The obvious version of ``ops.cpu.string_lists``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array

from maxmargin.ops.reference.kernel_epilogue import block_of


def add_by_lists(
    a_data: Any,
    a_indices: Any,
    a_indptr: Any,
    b_data: Any,
    b_rows: Any,
    b_indptr: Any,
    columns: int,
    fresh: bool,
    out: Any,
    stride: int,
) -> None:
    """Add <a_i, b_j> to out[i, j], or to 0 if ``fresh``; b_j are given feature by feature (CSC)."""
    rows, width = a_indptr.size - 1, b_indptr.size - 1
    A = csr_array((a_data, a_indices, a_indptr), shape=(rows, width)).toarray()
    B = csc_array((b_data, b_rows, b_indptr), shape=(columns, width)).toarray()
    block = block_of(out, rows, columns, stride)
    block[...] = (0 if fresh else block) + A @ B.T


def count_columns(
    columns: Any,
    starts: Any,
    last: Any,  # noqa: ARG001  (only the fast version remembers)
    indptr: Any,
    indices: Any,
    data: Any,
) -> int:
    """Count how often each column occurs in each row, into CSR; how many entries that makes."""
    counts = [np.unique(part, return_counts=True) for part in np.split(columns, starts[1:-1])]
    indptr[:] = np.cumsum([0, *(len(found) for found, _ in counts)])
    size = int(indptr[-1])
    indices[:size] = np.concatenate([found for found, _ in counts])
    data[:size] = np.concatenate([times for _, times in counts])
    return size
