"""Sorting the columns of a training set once: rows in runs around the most frequent value.

The layout is that of ``ops/cpu/stump.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.ops.cpu.stump import LAST
from maxmargin.ops.threads import Workers

Rows = NDArray[np.uint32]

_NONE = np.zeros(0, dtype=np.uint32)


@dataclass(frozen=True)
class Sorted:
    """One column: rows below and above the frequent value, and those without a value."""

    below: Rows
    above: Rows
    missing: Rows
    middle: float


def sort_column(X: Any, j: int) -> Sorted:
    """Sort the rows by column j."""
    if not sparse.issparse(X):
        return _sort(X[:, j], None)
    part = slice(X.indptr[j], X.indptr[j + 1])
    values, rows = X.data[part], X.indices[part]
    if len(rows) == X.shape[0]:  # nothing is left to be 0
        return _sort(values, rows)
    stored = values != 0
    return _sort(values[stored], rows[stored], background=0.0)


def _sort(values: Any, rows: Any, background: float | None = None) -> Sorted:
    order = np.argsort(values, kind="stable")
    ascending = values[order]  # NaN comes last
    order = order if rows is None else rows[order]
    n = len(values) - int(np.count_nonzero(np.isnan(values)))
    ascending, missing = ascending[:n], order[n:].astype(np.uint32)
    if background is None and n == 0:
        return Sorted(_NONE, _NONE, missing, np.nan)
    first, stop, middle = _middle(ascending, background)
    row = order[:n].astype(np.uint32)
    differs = np.append(ascending[1:] != ascending[:-1], True)
    below = _flag(row[:first], differs[:first])
    above = _flag(row[stop:][::-1], np.append(True, differs[:-1])[stop:][::-1])
    return Sorted(below, above, missing, middle)


def _middle(ascending: Any, background: float | None) -> tuple[int, int, float]:
    """Find the block of the frequent value; of equally frequent ones the nearest to the middle."""
    if background is not None:
        place = int(np.searchsorted(ascending, background))
        return place, place, background
    starts = np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1]))
    counts = np.diff(np.append(starts, len(ascending)))
    longest = starts[counts == counts.max()]
    first = int(longest[np.argmin(np.abs(2 * longest - len(ascending)))])
    return first, first + int(counts.max()), float(ascending[first]) + 0.0


def _flag(rows: Rows, differs: NDArray[np.bool_]) -> Rows:
    """Mark the rows after which the value differs; the frequent value is behind the last one."""
    flagged = rows.copy()
    flagged[differs] |= LAST
    if len(flagged):
        flagged[-1] |= LAST
    return flagged


def sort_columns(X: Any, features: NDArray[np.intp], workers: Workers) -> list[Sorted]:
    """Sort the rows by every one of the features; all other columns stay empty."""
    columns = [Sorted(_NONE, _NONE, _NONE, np.nan)] * X.shape[1]

    def sort(j: int) -> None:
        columns[j] = sort_column(X, j)

    workers.each(sort, features.tolist())
    return columns
