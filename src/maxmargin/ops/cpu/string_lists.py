"""Counts of features, and dot products of them by lists of who has a feature.

Where a feature is rare, going through the list of those who share it does nothing for the others:
the work is the number of shared features, against nnz(A) rows(B) for ``kernel_sparse``. Sums are in
the order of A's features, so that results repeat bit for bit. Indices are unsigned, because Numba
asks of every signed one whether it counts from the end. Fast-math flags: ``contract`` only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit


@njit(cache=True, nogil=True, fastmath={"contract"})
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
    for i in range(a_indptr.size - 1):
        row = out[i * stride : i * stride + columns]
        if fresh:
            row[:] = 0
        for p in range(np.uint64(a_indptr[i]), np.uint64(a_indptr[i + 1])):
            value, feature = a_data[p], np.uint64(a_indices[p])
            first, last = b_indptr[feature], b_indptr[feature + np.uint64(1)]
            for q in range(np.uint64(first), np.uint64(last)):
                row[np.uint64(b_rows[q])] += value * b_data[q]


@njit(cache=True, nogil=True)
def count_columns(
    columns: Any, starts: Any, last: Any, indptr: Any, indices: Any, data: Any
) -> int:
    """Count how often each column occurs in each row, into CSR; how many entries that makes.

    Row i has columns[starts[i] : starts[i + 1]]. ``last``, all -1 before, learns of each column the
    row that had it last, and the entry.
    """
    size = 0
    for i in range(starts.size - 1):
        indptr[i] = size
        for p in range(starts[i], starts[i + 1]):
            column = columns[p]
            if last[0, column] != i:
                last[0, column], last[1, column] = i, size
                indices[size], data[size] = column, 0.0
                size += 1
            data[last[1, column]] += 1.0
    indptr[starts.size - 1] = size
    return size
