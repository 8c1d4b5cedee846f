"""The obvious versions of ``ops.cpu.rows``."""

from __future__ import annotations

from typing import Any

import numpy as np


def add_rows(total: Any, store: Any, slots: Any, weights: Any, start: int) -> None:
    """Add weights @ store[slots] to the total, whose columns begin at ``start`` of the store."""
    total += weights @ store[slots, start : start + len(total)].astype(np.float64)


def row_dots(block: Any, start: int, weights: Any, total: Any) -> None:
    """Add the rows of a block, from a column on, times weights to the total of as many rows."""
    total += block[: len(total), start : start + len(weights)].astype(np.float64) @ weights


def put_rows(block: Any, store: Any, slots: Any, start: int, width: int) -> None:
    """Copy so many columns of a block of new rows to their slots, from column ``start`` on."""
    store[slots, start : start + width] = block[: len(slots), :width]


def gather_square(old: Any, place: Any, first: int, stop: int, new: Any) -> None:
    """Copy rows first to stop of old[place][:, place] to the same rows of ``new``."""
    new[first:stop, : len(place)] = old[np.ix_(place[first:stop], place)]


def take_columns(store: Any, slots: Any, columns: Any, first: int, stop: int, new: Any) -> None:
    """Set new[i, j] to store[slots[i], columns[j]] for rows i from first to stop, at the right."""
    new[first:stop, new.shape[1] - len(columns) :] = store[np.ix_(slots[first:stop], columns)]


def mirror(values: Any, first: int, stop: int, low: int, high: int) -> None:
    """Copy the block of rows first to stop and columns low to high across the diagonal."""
    values[low:high, first:stop] = values[first:stop, low:high].T
