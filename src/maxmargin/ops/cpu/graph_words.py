"""Words of integers, numbered by an exact vocabulary; and those that nodes and paths spell.

A hash finds the place in an open table, and a word is compared letter by letter before it is taken
for another: two different words never share a number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit

_SORTED_BY_HAND = 24  # letters, up to which insertion beats a general sort


@njit(inline="always")
def _hash(letters: Any, start: int, stop: int) -> Any:
    """Mix letters as Fowler, Noll and Vo do, eight bytes at a time, and stir the result."""
    h = np.uint64(14695981039346656037)
    for p in range(start, stop):
        h = (h ^ np.uint64(letters[p])) * np.uint64(1099511628211)
        h ^= h >> np.uint64(29)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(32))


@njit(inline="always")
def _equal(a: Any, a0: int, a1: int, b: Any, b0: int, b1: int) -> bool:
    same = a1 - a0 == b1 - b0
    p = 0
    while same and p < a1 - a0:
        same = a[a0 + p] == b[b0 + p]
        p += 1
    return same


@njit(cache=True, nogil=True)
def number_words(
    starts: Any,
    letters: Any,
    known: int,
    hashes: Any,
    table: Any,
    all_starts: Any,
    all_letters: Any,
    numbers: Any,
) -> int:
    """Assign words numbers in the order in which they come up; return how many are known then.

    ``all_starts`` and ``all_letters`` hold ``known`` words, and room for all others; ``table``, of
    a size that is a power of two, is -1 everywhere.
    """
    mask = np.uint64(table.size - 1)
    for word in range(known):
        hashes[word] = _hash(all_letters, all_starts[word], all_starts[word + 1])
        place = hashes[word] & mask
        while table[place] >= 0:
            place = (place + np.uint64(1)) & mask
        table[place] = word
    count = known
    for i in range(numbers.size):
        first, last = starts[i], starts[i + 1]
        h = _hash(letters, first, last)
        place = h & mask
        while True:
            word = table[place]
            if word < 0:
                break
            a, b = all_starts[word], all_starts[word + 1]
            if hashes[word] == h and _equal(all_letters, a, b, letters, first, last):
                break
            place = (place + np.uint64(1)) & mask
        if word < 0:
            word = count
            table[place], hashes[count] = count, h
            end = all_starts[count] + last - first
            all_letters[all_starts[count] : end] = letters[first:last]
            all_starts[count + 1] = end
            count += 1
        numbers[i] = word
    return count


@njit(inline="always")
def _sort(letters: Any) -> None:
    if letters.size > _SORTED_BY_HAND:
        letters.sort()
        return
    for p in range(1, letters.size):
        letter, q = letters[p], p
        while q > 0 and letters[q - 1] > letter:
            letters[q] = letters[q - 1]
            q -= 1
        letters[q] = letter


@njit(cache=True, nogil=True)
def spell_subtrees(starts: Any, neighbours: Any, lines: Any, labels: Any, letters: Any) -> None:
    """Write a word a node: its label, then those of its neighbours with their edges', sorted.

    The word of node i begins at starts[i] + i. A letter holds an edge's label in its upper half.
    """
    for i in range(labels.size):
        first, last = starts[i], starts[i + 1]
        letters[first + i] = labels[i]
        for p in range(first, last):
            letters[p + i + 1] = (lines[p] << 32) | labels[neighbours[p]]
        _sort(letters[first + i + 1 : last + i + 1])


@njit(cache=True, nogil=True)
def spell_paths(
    starts: Any,
    neighbours: Any,
    labels: Any,
    first: int,
    last: int,
    distance: Any,
    queue: Any,
    words: Any,
    sources: Any,
) -> int:
    """Write a word for every node reached from nodes first..last: both labels and the distance.

    ``distance`` is -1 for all nodes, before and after; ``sources`` learns where each word's path
    begins. Return the number of words.
    """
    count = 0
    for source in range(first, last):
        queue[0], distance[source] = source, 0
        head, tail = 0, 1
        while head < tail:
            node = queue[head]
            head += 1
            for p in range(starts[node], starts[node + 1]):
                other = neighbours[p]
                if distance[other] < 0:
                    distance[other] = distance[node] + 1
                    queue[tail] = other
                    tail += 1
        for q in range(tail):
            node = queue[q]
            if q > 0:
                words[count, 0], words[count, 1] = labels[source], labels[node]
                words[count, 2], sources[count] = distance[node], source
                count += 1
            distance[node] = -1
    return count
