"""The obvious versions of ``ops.cpu.stump_sort``."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.kinds import LAST


def sort_keys(
    bits: Any, values: Any, top: Any, zeros: bool, key: Any, present: Any, missing: Any
) -> tuple[int, int]:
    """Turn values (and their bits) into keys that sort as they do; returns how many there are."""
    absent = np.isnan(values)
    wanted = ~absent if zeros else ~absent & (values != 0.0)
    keys = np.where(bits & top, ~bits, bits | top)
    keys[values == 0.0] = top
    key[~absent] = keys[~absent]
    n, m = int(np.count_nonzero(wanted)), int(np.count_nonzero(absent))
    present[:n], missing[:m] = np.flatnonzero(wanted), np.flatnonzero(absent)
    return n, m


def span(key: Any, present: Any) -> tuple[Any, Any]:
    """Give the least key, and how many bits the others have above it beyond the leading half."""
    low = key[present].min()
    return low, np.uint64(max(0, int(key[present].max() - low).bit_length() - 32))


def pack(key: Any, rows: Any, low: Any, drop: Any, lead: bool, word: Any) -> None:
    """Word = the leading bits of the key, or those dropped from them, then the row's number."""
    row = rows[: len(word)].astype(np.uint64) & np.uint64(0xFFFFFFFF)
    above = (key[row] - low).astype(np.uint64)
    part = above >> drop if lead else above & np.uint64((1 << int(drop)) - 1)
    word[:] = (part << np.uint64(32)) | row


def sort_words(word: Any, spare: Any, count: Any) -> bool:  # noqa: ARG001
    """Sort by the leading half; returns whether the spare array holds the result."""
    spare[:] = word[np.argsort(word >> np.uint64(32), kind="stable")]
    return True


def unpack(word: Any, key: Any, row: Any, ascending: Any) -> bool:
    """Write rows and keys in order of the whole key; returns whether few moves were enough."""
    rows = (word & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    row[:] = rows[np.argsort(key[rows], kind="stable")]
    ascending[:] = key[row]
    return True


def find_frequent(key: Any) -> tuple[int, int]:
    """Find the longest block of equal keys; of equally long ones the nearest to the middle."""
    starts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    counts = np.diff(np.append(starts, len(key)))
    longest = starts[counts == counts.max()]
    first = int(longest[np.argmin(np.abs(2 * longest + counts.max() - len(key)))])
    return first, first + int(counts.max())


def mark_runs(key: Any, row: Any, first: int, stop: int, below: Any, above: Any) -> None:
    """Write the rows below the frequent value and, backwards, those above; mark where keys differ.

    The frequent value's rows are those from first to stop.
    """
    differs = np.append(key[1:] != key[:-1], True)
    below[:] = row[:first] | np.where(differs[:first], LAST, np.uint32(0))
    before = np.append(True, differs[:-1])
    above[:] = (row[stop:] | np.where(before[stop:], LAST, np.uint32(0)))[::-1]


def sort_column(
    bits: Any,
    values: Any,
    sparse: bool,
    top: Any,
    key: Any,
    present: Any,
    missing: Any,
    words: Any,  # noqa: ARG001
    count: Any,  # noqa: ARG001
    row: Any,
    ascending: Any,
) -> tuple[int, int, int, int, bool]:
    """Sort one column, of which the zeros may not be stored; mostly zeros are read so too."""
    sparse = bool(sparse or 2 * np.count_nonzero(values == 0.0) > len(values))
    n, m = sort_keys(bits, values, top, not sparse, key, present, missing)
    row[:n] = present[:n][np.argsort(key[present[:n]], kind="stable")]
    ascending[:n] = key[row[:n]]
    first = stop = int(np.searchsorted(ascending[:n], top))
    if n and not sparse:
        first, stop = find_frequent(ascending[:n])
    return first, stop, n, m, bool(sparse)
