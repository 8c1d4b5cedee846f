"""Sorting the rows by a column: a stable radix sort, and the runs around the frequent value.

The bits of a floating-point number, with the sign turned over, sort as unsigned integers do; all
bits of a negative number are turned over. The leading 32 bits of such a key, counted from where
the keys of a column differ, and the number of the row make one word, and three digits of eleven
bits are sorted from the lowest to the highest (D. E. Knuth, The Art of Computer Programming, volume
3, section 5.2.5). What double precision has beyond these bits is put in order by insertion, or
where that would take long by sorting twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from maxmargin.ops.kinds import BUCKETS, LAST

DIGIT = 11
_LEAD = np.uint64(32)
_NUMBER = np.uint64(0xFFFFFFFF)  # the half of a word that is the row's
_MOVES = 8  # for each row, before insertion gives up


@njit(cache=True, nogil=True, no_cfunc_wrapper=True)
def sort_keys(
    bits: Any, values: Any, top: Any, zeros: bool, key: Any, present: Any, missing: Any
) -> tuple[Any, Any]:
    """Turn values (and their bits) into keys that sort as they do.

    Their numbers are written to present, without those of zeros if these are not wanted, and the
    numbers of missing values to missing; returns how many of each there are.
    """
    n, m = np.uint64(0), np.uint64(0)
    for i in range(len(values)):
        if values[i] == 0.0:  # of either sign
            key[i], present[n] = top, i
            n += np.uint64(zeros)
        elif np.isnan(values[i]):
            missing[m] = i
            m += np.uint64(1)
        else:
            key[i] = ~bits[i] if bits[i] & top else bits[i] | top
            present[n] = i
            n += np.uint64(1)
    return n, m


@njit(cache=True, nogil=True, no_cfunc_wrapper=True)
def span(key: Any, present: Any) -> tuple[Any, Any]:
    """Give the least key, and how many bits the others have above it beyond the leading half."""
    low, high = key[present[0]], key[present[0]]
    for i in range(len(present)):
        k = key[present[i]]
        low, high = min(low, k), max(high, k)
    drop = np.uint64(0)
    while (np.uint64(high - low) >> drop) >> _LEAD:
        drop += np.uint64(1)
    return low, drop


@njit(cache=True, nogil=True, no_cfunc_wrapper=True)
def pack(key: Any, rows: Any, low: Any, drop: Any, lead: bool, word: Any) -> None:
    """Word = the leading bits of the key, or those dropped from them, then the number of the row.

    Rows are the lower halves of what is given, which may be words.
    """
    dropped = (np.uint64(1) << drop) - np.uint64(1)
    for i in range(len(word)):
        row = np.uint64(rows[i]) & _NUMBER
        above = np.uint64(key[row] - low)
        word[i] = ((above >> drop if lead else above & dropped) << _LEAD) | row


@njit(cache=True, nogil=True, no_cfunc_wrapper=True)
def sort_words(word: Any, spare: Any, count: Any) -> bool:
    """Sort by the leading half; returns whether the spare array holds the result."""
    n, mask = len(word), np.uint64(BUCKETS - 1)
    for d in range(count.shape[0]):
        for b in range(BUCKETS):
            count[d, b] = 0
    for i in range(n):
        rest = word[i] >> _LEAD
        for d in range(count.shape[0]):
            count[d, rest & mask] += np.uint32(1)
            rest = rest >> np.uint64(DIGIT)
    swapped = False
    for d in range(count.shape[0]):
        if count[d, (word[0] >> np.uint64(32 + d * DIGIT)) & mask] == n:  # a digit in common
            continue
        total = np.uint32(0)
        for b in range(BUCKETS):
            here = count[d, b]
            count[d, b] = total
            total += here
        shift = np.uint64(32 + d * DIGIT)
        for i in range(n):
            bucket = (word[i] >> shift) & mask
            spare[count[d, bucket]] = word[i]
            count[d, bucket] += np.uint32(1)
        word, spare = spare, word
        swapped = not swapped
    return swapped


@njit(cache=True, nogil=True, no_cfunc_wrapper=True)
def unpack(word: Any, key: Any, row: Any, ascending: Any) -> bool:
    """Write rows and keys in order of the whole key; returns whether few moves were enough."""
    left = _MOVES * len(word)
    for i in range(len(word)):
        here = np.uint32(word[i] & _NUMBER)
        k, j = key[here], i
        while j > 0 and ascending[j - 1] > k:
            ascending[j], row[j] = ascending[j - 1], row[j - 1]
            j -= 1
        ascending[j], row[j] = k, here
        left -= i - j
        if left < 0:
            return False
    return True


@njit(cache=True, nogil=True, no_cfunc_wrapper=True)
def find_frequent(key: Any) -> tuple[int, int]:
    """Find the longest block of equal keys; of equally long ones the nearest to the middle."""
    n, first, length, begin = len(key), 0, 0, 0
    for i in range(1, n + 1):
        if i == n or key[i] != key[i - 1]:
            here = i - begin
            nearer = abs(begin + i - n) < abs(2 * first + length - n)
            if here > length or (here == length and nearer):
                first, length = begin, here
            begin = i
    return first, first + length


@njit(cache=True, nogil=True, no_cfunc_wrapper=True)
def mark_runs(key: Any, row: Any, first: int, stop: int, below: Any, above: Any) -> None:
    """Write the rows below the frequent value and, backwards, those above; mark where keys differ.

    The frequent value's rows are those from first to stop.
    """
    n = len(key)
    for i in range(first):
        differs = i + 1 == first or key[i + 1] != key[i]
        below[i] = row[i] | LAST if differs else row[i]
    for i in range(stop, n):
        differs = i == stop or key[i - 1] != key[i]
        above[n - 1 - i] = row[i] | LAST if differs else row[i]


@njit(cache=True, nogil=True, no_cfunc_wrapper=True)
def _mostly_zero(values: Any) -> bool:
    n = 0
    for i in range(len(values)):
        n += values[i] == 0.0
    return 2 * n > len(values)


@njit(cache=True, nogil=True, no_cfunc_wrapper=True)
def _first_from(key: Any, least: Any) -> int:
    """Find the first of the ascending keys that is not below the least."""
    first, stop = 0, len(key)
    while first < stop:
        middle = (first + stop) // 2
        if key[middle] < least:
            first = middle + 1
        else:
            stop = middle
    return first


@njit(cache=True, nogil=True, no_cfunc_wrapper=True)
def sort_column(
    bits: Any,
    values: Any,
    sparse: bool,
    top: Any,
    key: Any,
    present: Any,
    missing: Any,
    words: Any,
    count: Any,
    row: Any,
    ascending: Any,
) -> tuple[Any, Any, Any, Any, bool]:
    """Sort one column, of which the zeros may not be stored; those that mostly are 0 are read so.

    Rows and keys are written in order. Returns where among them the frequent value is, from first
    to stop, how many of them and how many missing values there are, and whether zeros, which then
    are the frequent value, are not among them.
    """
    sparse = sparse or _mostly_zero(values)
    n, m = sort_keys(bits, values, top, not sparse, key, present, missing)
    if n == 0:
        return 0, 0, n, m, sparse
    word, spare = words[0, :n], words[1, :n]
    low, drop = span(key, present[:n])
    pack(key, present, low, drop, True, word)
    last = sort_words(word, spare, count)
    if not unpack(spare if last else word, key, row[:n], ascending[:n]):
        # Much of the order is in the bits dropped: by these first, then stably by the leading ones.
        pack(key, present, low, drop, False, word)
        last = sort_words(word, spare, count)
        pack(key, spare if last else word, low, drop, True, spare if last else word)
        last = last != sort_words(spare if last else word, word if last else spare, count)
        unpack(spare if last else word, key, row[:n], ascending[:n])
    if sparse:
        first = stop = _first_from(ascending[:n], top)
    else:
        first, stop = find_frequent(ascending[:n])
    return first, stop, n, m, sparse
