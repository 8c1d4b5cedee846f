"""Dot products of sparse rows with sparse rows, as long additions of contiguous vectors.

A tile of rows of B is written out as a small dense matrix, one line for each column that occurs in
it. A row of A then needs one multiply-add of a whole line for each of its nonzeros, and its dot
products with the tile come out side by side, ready to be stored. The work is nnz(A) * rows(B),
against columns * rows(A) * rows(B) for a dense product.

Fast-math flags: ``contract`` for fused multiply-adds; sums keep their order, so that results repeat
bit for bit. The helpers are inlined before compilation, which takes less than half the time of
compiling each by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit

_FAST = {"contract"}


@njit(inline="always")
def _spread(
    data: Any, indices: Any, indptr: Any, start: int, stop: int, line_of: Any, lines: Any
) -> None:
    """Write rows start..stop as columns of ``lines``.

    ``line_of``, all -1 before, learns which line holds a column.
    """
    used = 0
    for j in range(start, stop):
        for p in range(indptr[j], indptr[j + 1]):
            column = indices[p]
            if line_of[column] < 0:
                line_of[column] = used
                lines[used, :] = 0
                used += 1
            lines[line_of[column], j - start] += data[p]


@njit(inline="always")
def _add_lines(weights: Any, chosen: Any, count: int, lines: Any, total: Any) -> None:
    """Set total <- sum of weights[p] * lines[chosen[p]].

    Four lines a pass, because each pass also costs a load and a store of the total.
    """
    total[:] = 0
    p = 0
    while p + 4 <= count:
        w0, w1, w2, w3 = weights[p], weights[p + 1], weights[p + 2], weights[p + 3]
        l0, l1, l2, l3 = (
            lines[chosen[p]],
            lines[chosen[p + 1]],
            lines[chosen[p + 2]],
            lines[chosen[p + 3]],
        )
        for j in range(total.size):
            total[j] += w0 * l0[j] + w1 * l1[j] + w2 * l2[j] + w3 * l3[j]
        p += 4
    while p < count:
        weight, line = weights[p], lines[chosen[p]]
        for j in range(total.size):
            total[j] += weight * line[j]
        p += 1


@njit(inline="always")
def _forget(indices: Any, first: int, last: int, line_of: Any) -> None:
    for p in range(first, last):
        line_of[indices[p]] = -1


@njit(cache=True, nogil=True, fastmath=_FAST)
def sparse_dot(
    a_data: Any,
    a_indices: Any,
    a_indptr: Any,
    b_data: Any,
    b_indices: Any,
    b_indptr: Any,
    columns: int,
    tile: int,
    most_lines: int,
    out: Any,
    stride: int,
) -> None:
    """Set out[i, j] <- <a_i, b_j>, ``tile`` rows of B at a time.

    ``most_lines`` bounds the number of distinct columns of any tile.
    """
    n_a, n_b = a_indptr.size - 1, b_indptr.size - 1
    lines = np.empty((most_lines, tile), out.dtype)
    line_of = np.full(columns, -1, np.int32)
    chosen, weights = np.empty(columns, np.int32), np.empty(columns, out.dtype)
    for start in range(0, n_b, tile):
        stop = min(start + tile, n_b)
        _spread(b_data, b_indices, b_indptr, start, stop, line_of, lines)
        for i in range(n_a):
            count = 0
            for p in range(a_indptr[i], a_indptr[i + 1]):
                line = line_of[a_indices[p]]
                if line >= 0:
                    chosen[count], weights[count] = line, a_data[p]
                    count += 1
            _add_lines(weights, chosen, count, lines, out[i * stride + start : i * stride + stop])
        _forget(b_indices, b_indptr[start], b_indptr[stop], line_of)


@njit(cache=True, nogil=True)
def count_nonzeros(X: Any, indptr: Any) -> None:
    """Set indptr to where each row's nonzeros begin, as CSR has it."""
    indptr[0] = 0
    for i in range(X.shape[0]):
        row, count = X[i], 0
        for j in range(X.shape[1]):
            count += row[j] != 0
        indptr[i + 1] = indptr[i] + count


@njit(cache=True, nogil=True)
def collect_nonzeros(X: Any, indptr: Any, indices: Any, data: Any) -> None:
    """Write the nonzeros of each row and their columns from indptr on.

    A value is written before it is known to stay, which saves a jump for each of them; hence one
    place more at the end of ``indices`` and ``data`` than there are nonzeros.
    """
    for i in range(X.shape[0]):
        row, p = X[i], indptr[i]
        for j in range(X.shape[1]):
            indices[p], data[p] = j, row[j]
            p += row[j] != 0
