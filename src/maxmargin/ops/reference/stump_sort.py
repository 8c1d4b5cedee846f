"""The obvious versions of ``ops.cpu.stump_sort``."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.kinds import LAST


def _sort_keys(
    bits: Any, values: Any, top: Any, zeros: bool, key: Any, word: Any, missing: Any
) -> tuple[int, int]:
    """Turn values (and their bits) into keys that sort as they do; returns how many there are."""
    absent = np.isnan(values)
    wanted = ~absent if zeros else ~absent & (values != 0.0)
    keys = np.where(bits & top, ~bits, bits | top)
    keys[values == 0.0] = top
    key[~absent] = keys[~absent]
    n, m = int(np.count_nonzero(wanted)), int(np.count_nonzero(absent))
    word[:n], missing[:m] = np.flatnonzero(wanted), np.flatnonzero(absent)
    return n, m


def _find_frequent(key: Any) -> tuple[int, int]:
    """Find the longest block of equal keys; of equally long ones the nearest to the middle."""
    starts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    counts = np.diff(np.append(starts, len(key)))
    longest = starts[counts == counts.max()]
    first = int(longest[np.argmin(np.abs(2 * longest + counts.max() - len(key)))])
    return first, first + int(counts.max())


def _mark_runs(key: Any, row: Any, first: int, stop: int, below: Any, above: Any) -> None:
    """Write the rows below the frequent value and, backwards, those above; mark where keys differ.

    The frequent value's rows are those from first to stop.
    """
    differs = np.append(key[1:] != key[:-1], True)
    below[:] = row[:first] | np.where(differs[:first], LAST, np.uint32(0))
    before = np.append(True, differs[:-1])
    above[:] = (row[stop:] | np.where(before[stop:], LAST, np.uint32(0)))[::-1]


def sort_columns(
    bits: Any,
    values: Any,
    sparse: bool,
    top: Any,
    key: Any,
    missing: Any,
    words: Any,
    count: Any,  # noqa: ARG001
    row: Any,
    ascending: Any,
    runs: Any,
    absent: Any,
    lengths: Any,
    frequent: Any,
) -> None:
    """Sort columns, each a line, of which the zeros may not be stored; mostly zeros are read so."""
    at = lacking = 0
    for j, line in enumerate(values):
        apart = bool(sparse or 2 * np.count_nonzero(line == 0.0) > len(line))
        n, m = _sort_keys(bits[j], line, top, not apart, key, words[0], missing)
        present = words[0, :n].astype(np.uint32)
        row[:n] = present[np.argsort(key[present], kind="stable")]
        ascending[:n] = key[row[:n]]
        first = stop = int(np.searchsorted(ascending[:n], top))
        if n and not apart:
            first, stop = _find_frequent(ascending[:n])
        middle, end = at + first, at + first + n - stop
        _mark_runs(ascending[:n], row[:n], first, stop, runs[at:middle], runs[middle:end])
        absent[lacking : lacking + m] = missing[:m]
        lengths[j] = first, n - stop, m
        frequent[j] = top if apart else (ascending[first] if n else 0)
        at, lacking = end, lacking + m
