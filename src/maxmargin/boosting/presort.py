"""Sorting the columns of a training set once: rows in runs around the most frequent value.

The layout is that of ``ops/cpu/stump.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.ops.cpu import stump_sort as ops
from maxmargin.ops.threads import Workers

Rows = NDArray[np.uint32]
Array = NDArray[Any]

_BLOCK = 8  # columns read together: a line of memory holds eight numbers
_UNSIGNED: dict[int, type[np.unsignedinteger[Any]]] = {4: np.uint32, 8: np.uint64}


@dataclass(frozen=True)
class Sorted:
    """One column: rows below and above the frequent value, and those without a value."""

    below: Rows
    above: Rows
    missing: Rows
    middle: float


def sort_columns(X: Any, features: NDArray[np.intp], workers: Workers) -> list[Sorted]:
    """Sort the rows by every one of the features; all other columns stay empty."""
    none = np.zeros(0, dtype=np.uint32)
    columns = [Sorted(none, none, none, np.nan)] * X.shape[1]

    def sort(first: int) -> None:
        chosen = features[first : first + _BLOCK]
        for j, (values, rows) in zip(chosen, _read(X, chosen), strict=True):
            columns[j] = _sort(values, rows, X.shape[0])

    workers.each(sort, range(0, len(features), _BLOCK))
    return columns


def _read(X: Any, features: NDArray[np.intp]) -> Any:
    """Give values and rows of each column; None for all rows."""
    if not sparse.issparse(X):
        block = X[:, features[0] : features[-1] + 1].T
        lines = np.ascontiguousarray(block)[features - features[0]]
        return [_without_zeros(values) for values in lines]
    parts = [slice(X.indptr[j], X.indptr[j + 1]) for j in features]
    return [(X.data[part], X.indices[part]) for part in parts]


def _without_zeros(values: Array) -> tuple[Array, Array | None]:
    """Read a column that is mostly 0 as a sparse one: an indicator column sorts in no time."""
    if 2 * np.count_nonzero(values) >= len(values):
        return values, None
    rows = np.flatnonzero(values)
    return values[rows], rows


def _sort(values: Array, rows: Array | None, n_rows: int) -> Sorted:
    """Sort one column; in a sparse one with rows that are not stored, 0 is the frequent value."""
    some_not_stored = len(values) < n_rows
    if some_not_stored and not values.all():
        stored = values != 0
        values, rows = values[stored], None if rows is None else rows[stored]
    key, number, missing = _sort_rows(values)
    row = number if rows is None else rows[number].astype(np.uint32)
    absent = missing if rows is None else rows[missing].astype(np.uint32)
    if some_not_stored:
        first = stop = int(np.searchsorted(key, _zero(key.dtype)))
        middle = 0.0
    else:
        first, stop = ops.find_frequent(key)
        middle = _value(key[first], values.dtype) if len(key) else np.nan
    below, above = np.empty(first, np.uint32), np.empty(len(key) - stop, np.uint32)
    ops.mark_runs(key, row, first, stop, below, above)
    return Sorted(below, above, absent, middle)


def _sort_rows(values: Array) -> tuple[Array, Rows, Rows]:
    """Give keys in order and the numbers of their values, and the numbers of missing ones."""
    unsigned = np.dtype(_UNSIGNED[values.dtype.itemsize])
    key = np.empty(len(values), dtype=unsigned)
    present, missing = np.empty(len(values), np.uint32), np.empty(len(values), np.uint32)
    n = int(ops.sort_keys(values.view(unsigned), values, _zero(unsigned), key, present, missing))
    missing = missing[: len(values) - n].copy()
    if n == 0:
        return key[:0], present[:0], missing
    word, spare = np.empty(n, np.uint64), np.empty(n, np.uint64)
    ops.pack(key, present, word)
    if ops.sort_words(word, spare, np.empty((3, ops.BUCKETS), np.uint32)):
        word = spare
    number, ascending = np.empty(n, np.uint32), np.empty(n, unsigned)
    if not ops.unpack(word, key, number, ascending):
        number = present[:n][np.argsort(key[present[:n]], kind="stable")]
        ascending = key[number]
    return ascending, number, missing


def _zero(unsigned: Any) -> Any:
    """Give the key of 0, which is the top bit."""
    return unsigned.type(1 << (8 * unsigned.itemsize - 1))


def _value(key: Any, dtype: Any) -> float:
    """Turn a key back into the value it came from."""
    top = _zero(key.dtype)
    bits = key ^ top if key & top else ~key
    return float(bits.view(dtype))
