"""Sorting the rows by a column: a stable radix sort, and the runs around the frequent value.

The bits of a floating-point number, with the sign turned over, sort as unsigned integers do; all
bits of a negative number are turned over. Then digits of eleven bits are sorted from the lowest to
the highest (D. E. Knuth, The Art of Computer Programming, volume 3, section 5.2.5), about ten times
as fast as comparing values. Missing values come last.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from maxmargin.ops.cpu.stump import LAST

DIGIT = 11
BUCKETS = 1 << DIGIT


@njit(cache=True, nogil=True)
def sort_keys(bits: Any, values: Any, top: Any, key: Any) -> int:
    """Turn values (and their bits) into keys that sort as they do; returns how many are missing."""
    n_missing = 0
    for i in range(len(values)):
        if np.isnan(values[i]):
            key[i] = ~(top ^ top)
            n_missing += 1
        elif values[i] == 0.0:  # of either sign
            key[i] = top
        else:
            key[i] = ~bits[i] if bits[i] & top else bits[i] | top
    return n_missing


@njit(cache=True, nogil=True)
def sort_rows(key: Any, row: Any, spare_key: Any, spare_row: Any, count: Any) -> bool:
    """Sort keys and rows together; returns whether the spare arrays hold the result.

    ``count`` has a line of buckets for each digit.
    """
    n = np.uint64(len(key))
    digits = count.shape[0]
    mask = key.dtype.type(BUCKETS - 1)
    count[:] = 0
    for i in range(n):
        rest = key[i]
        for d in range(digits):
            count[d, rest & mask] += np.uint32(1)
            rest = rest >> key.dtype.type(DIGIT)
    swapped = False
    for d in range(digits):
        if count[d].max() == n:  # all rows have this digit in common
            continue
        total = np.uint32(0)
        for b in range(BUCKETS):
            here = count[d, b]
            count[d, b] = total
            total += here
        shift = key.dtype.type(d * DIGIT)
        for i in range(n):
            bucket = (key[i] >> shift) & mask
            place = count[d, bucket]
            count[d, bucket] = place + np.uint32(1)
            spare_key[place] = key[i]
            spare_row[place] = row[i]
        key, spare_key = spare_key, key
        row, spare_row = spare_row, row
        swapped = not swapped
    return swapped


@njit(cache=True, nogil=True)
def find_frequent(key: Any, n: int) -> tuple[int, int]:
    """Find the longest block of equal keys; of equally long ones the nearest to the middle."""
    first, length, begin = 0, 0, 0
    for i in range(1, n + 1):
        if i == n or key[i] != key[i - 1]:
            here = i - begin
            if here > length or (
                here == length and abs(begin + i - n) < abs(2 * first + length - n)
            ):
                first, length = begin, here
            begin = i
    return first, first + length


@njit(cache=True, nogil=True)
def mark_runs(key: Any, row: Any, first: int, stop: int, n: int, below: Any, above: Any) -> None:
    """Write the rows below the frequent value and, backwards, those above; mark where keys differ.

    The frequent value's rows are those from first to stop of the n that are not missing.
    """
    for i in range(first):
        differs = i + 1 == first or key[i + 1] != key[i]
        below[i] = row[i] | LAST if differs else row[i]
    for i in range(stop, n):
        differs = i == stop or key[i - 1] != key[i]
        above[n - 1 - i] = row[i] | LAST if differs else row[i]
