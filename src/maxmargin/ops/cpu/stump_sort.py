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

from maxmargin.ops.kinds import BUCKETS, LAST
from maxmargin.ops.loop import njit

DIGIT = 11
_LEAD = np.uint64(32)
_NUMBER = np.uint64(0xFFFFFFFF)  # the half of a word that is the row's
_MOVES = 8  # for each row, before insertion gives up


@njit(nogil=True)
def _sort_keys(
    bits: Any, values: Any, top: Any, zeros: bool, key: Any, word: Any, missing: Any
) -> tuple[Any, Any]:
    """Turn values (and their bits) into keys that sort as they do.

    Their rows are written as words, without those of zeros if these are not wanted, and the rows
    of missing values to missing; returns how many of each there are.
    """
    n, m = np.uint64(0), np.uint64(0)
    for i in range(len(values)):
        if values[i] == 0.0:  # of either sign
            key[i], word[n] = top, i
            n += np.uint64(zeros)
        elif np.isnan(values[i]):
            missing[m] = i
            m += np.uint64(1)
        else:
            key[i] = ~bits[i] if bits[i] & top else bits[i] | top
            word[n] = i
            n += np.uint64(1)
    return n, m


@njit(nogil=True)
def _span(key: Any, word: Any) -> tuple[Any, Any]:
    """Return the least key of rows, and how many bits others have beyond its leading half."""
    low, high = key[word[0]], key[word[0]]
    for i in range(len(word)):
        k = key[word[i]]
        low = k if k < low else low
        high = k if k > high else high
    drop = np.uint64(0)
    while (np.uint64(high - low) >> drop) >> _LEAD:
        drop += np.uint64(1)
    return low, drop


@njit(nogil=True)
def _pack(key: Any, low: Any, drop: Any, lead: bool, word: Any) -> None:
    """Word = the leading bits of the key, or those dropped from them, then the number of the row.

    Rows are the lower halves of the words before.
    """
    dropped = (np.uint64(1) << drop) - np.uint64(1)
    for i in range(len(word)):
        row = word[i] & _NUMBER
        above = np.uint64(key[row] - low)
        word[i] = ((above >> drop if lead else above & dropped) << _LEAD) | row


@njit(nogil=True)
def _sort_words(word: Any, spare: Any, count: Any) -> bool:
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


@njit(nogil=True)
def _unpack(word: Any, key: Any, row: Any, ascending: Any) -> bool:
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


@njit(nogil=True)
def _find_frequent(key: Any) -> tuple[int, int]:
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


@njit(nogil=True)
def _mark_runs(key: Any, row: Any, first: int, stop: int, below: Any, above: Any) -> None:
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


@njit(nogil=True)
def _mostly_zero(values: Any) -> bool:
    n = 0
    for i in range(len(values)):
        n += values[i] == 0.0
    return 2 * n > len(values)


@njit(nogil=True)
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


@njit(nogil=True)
def _sort_line(
    bits: Any,
    values: Any,
    sparse: bool,
    top: Any,
    key: Any,
    missing: Any,
    words: Any,
    count: Any,
    row: Any,
    ascending: Any,
) -> tuple[Any, Any, Any, Any]:
    """Write the rows and keys of a column in order.

    Returns where among them the frequent value is, from first to stop, and how many of them and how
    many missing values there are.
    """
    n, m = _sort_keys(bits, values, top, not sparse, key, words[0], missing)
    if n == 0:
        return 0, 0, n, m
    word, spare = words[0, :n], words[1, :n]
    low, drop = _span(key, word)
    # Where much of the order is in the bits dropped: by these, then stably by the leading ones.
    for lead, is_last in ((True, False), (False, False), (True, True)):
        _pack(key, low, drop, lead, word)
        if _sort_words(word, spare, count):
            word, spare = spare, word
        if lead and (_unpack(word, key, row[:n], ascending[:n]) or is_last):
            break
    if sparse:
        first = _first_from(ascending[:n], top)
        return first, first, n, m
    first, stop = _find_frequent(ascending[:n])
    return first, stop, n, m


@njit(cache=True, nogil=True)
def sort_columns(
    bits: Any,
    values: Any,
    sparse: bool,
    top: Any,
    key: Any,
    missing: Any,
    words: Any,
    count: Any,
    row: Any,
    ascending: Any,
    runs: Any,
    absent: Any,
    lengths: Any,
    frequent: Any,
) -> None:
    """Sort columns, each a line, of which the zeros may not be stored; mostly zeros are read so.

    Both runs of each are written one after the other, and so are rows without a value. Lengths are
    those of the runs and how many values are missing; the frequent value is written as its key,
    and 0 where there is none, which is the key of no number.
    """
    at = lacking = np.uint64(0)
    for j in range(len(values)):
        apart = sparse or _mostly_zero(values[j])
        first, stop, n, m = _sort_line(
            bits[j], values[j], apart, top, key, missing, words, count, row, ascending
        )
        middle, end = at + first, at + first + n - stop
        _mark_runs(ascending[:n], row[:n], first, stop, runs[at:middle], runs[middle:end])
        for k in range(m):
            absent[lacking + k] = missing[k]
        lengths[j, 0], lengths[j, 1], lengths[j, 2] = first, n - stop, m
        frequent[j] = top if apart else (ascending[first] if n > 0 else key.dtype.type(0))
        at, lacking = end, lacking + m
