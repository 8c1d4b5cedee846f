"""What happens to kernel rows on a range of columns: stored in the cache, or added to a sum.

Kernel values may be float32; the sums are float64 always, because a float32 gradient cycles.
``store`` has one kernel row a line. Four rows are added at a time so that the sum is read and
written a quarter as often; the order of additions is fixed, so results do not depend on threads.

Fast-math: ``contract`` for fused multiply-add; ``reassoc`` where a row is summed up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit


@njit(cache=True, nogil=True, fastmath={"contract"})
def add_rows(total: Any, store: Any, slots: Any, weights: Any, start: int) -> None:
    """Add weights @ store[slots] to the total, whose columns begin at ``start`` of the store."""
    stop, whole = start + len(total), len(slots) // 4 * 4
    for r in range(0, whole, 4):
        a, b = store[slots[r], start:stop], store[slots[r + 1], start:stop]
        c, d = store[slots[r + 2], start:stop], store[slots[r + 3], start:stop]
        wa, wb, wc, wd = weights[r], weights[r + 1], weights[r + 2], weights[r + 3]
        for t in range(len(total)):
            total[t] += (wa * a[t] + wb * b[t]) + (wc * c[t] + wd * d[t])
    for r in range(whole, len(slots)):
        a, wa = store[slots[r], start:stop], weights[r]
        for t in range(len(total)):
            total[t] += wa * a[t]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"})
def row_dots(block: Any, start: int, weights: Any, total: Any) -> None:
    """Add the rows of a block, from a column on, times weights to the total of as many rows.

    Summed in double precision in vector registers.
    """
    for r in range(len(total)):
        row, dot = block[r, start : start + len(weights)], 0.0
        for t in range(len(weights)):
            dot += np.float64(row[t]) * weights[t]
        total[r] += dot


@njit(cache=True, nogil=True)
def put_rows(block: Any, store: Any, slots: Any, start: int, width: int) -> None:
    """Copy so many columns of a block of new rows to their slots, from column ``start`` on."""
    for r in range(len(slots)):
        row, source = store[slots[r], start : start + width], block[r]
        for t in range(width):
            row[t] = source[t]


@njit(cache=True, nogil=True)
def gather_square(old: Any, place: Any, first: int, stop: int, new: Any) -> None:
    """Copy rows first to stop of old[place][:, place] to the same rows of ``new``."""
    for i in range(first, stop):
        source, row = old[place[i]], new[i]
        for j in range(len(place)):
            row[j] = source[place[j]]


@njit(cache=True, nogil=True)
def take_columns(store: Any, slots: Any, columns: Any, first: int, stop: int, new: Any) -> None:
    """Set new[i, j] to store[slots[i], columns[j]] for rows i from first to stop, at the right."""
    left = new.shape[1] - len(columns)
    for i in range(first, stop):
        source, row = store[slots[i]], new[i]
        for j in range(len(columns)):
            row[left + j] = source[columns[j]]


@njit(cache=True, nogil=True)
def mirror(values: Any, first: int, stop: int, low: int, high: int) -> None:
    """Copy the block of rows first to stop and columns low to high across the diagonal.

    In tiles of a few columns, so that what is read along columns stays in the cache.
    """
    for left in range(low, high, 32):
        for i in range(left, min(left + 32, high)):
            for j in range(first, stop):
                values[i, j] = values[j, i]
