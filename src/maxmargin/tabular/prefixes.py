r"""Beginnings of words that rare levels of a column share: codes often say more from left to right.

Rare levels have few rows each, so nothing can be learned of one alone. Where those that begin alike
have other targets than rare levels as a whole, they are a group. With the sum s and the weight n of
the residuals of a group's rows, and their variance v over all rare rows,

    s^2 / (n v)

is about chi-squared of one degree of freedom where the beginning says nothing; groups are taken one
after the other, the largest ratio first, as long as it is plainly larger than chance makes it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import look

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Index = NDArray[np.intp]
Words = NDArray[np.str_]

MOST_PREFIXES = 8
LONGEST = 6  # letters of a beginning
LEAST_LEVELS, LEAST_ROWS = 3, 10.0  # that a group has
LEAST_RATIO = 16.0  # of a group; more, the more groups there could be


def find_prefixes(levels: Words, counts: Vector, sums: Matrix, squares: Vector) -> Words:
    """Return the beginnings by which rare levels are grouped.

    Parameters
    ----------
    levels : ndarray of shape (levels,)
        Rare ones, in order.
    counts : ndarray of shape (levels,)
        Weights of their rows.
    sums : ndarray of shape (levels, outputs)
        Of the weighted targets of each level's rows.
    squares : ndarray of shape (outputs,)
        Of all those targets, weighted and summed.

    Examples
    --------
    >>> levels = np.array([f"{c}{i:02}" for c in "AB" for i in range(20)])
    >>> sums = np.where(np.char.startswith(levels, "A"), 1.0, -1.0)[:, None]
    >>> find_prefixes(levels, np.ones(40), sums, np.full(1, 40.0)).tolist()
    ['A', 'B']
    """
    total, found = max(float(counts.sum()), 1.0), list[str]()
    mean = sums.sum(axis=0) / total
    variance = np.maximum(squares / total - np.square(mean), np.finfo(float).tiny)
    left = (sums - counts[:, None] * mean) / np.sqrt(variance)
    cuts = list(_cuts(levels))
    chance = LEAST_RATIO + 2.0 * np.log(max(1, sum(_groups(cut) for cut in cuts)))
    free = np.ones(len(levels))
    while len(found) < MOST_PREFIXES and free.any() and sums.shape[1]:
        look()
        best = [_best_group(cut, counts * free, left * free[:, None], free) for cut in cuts]
        length = int(np.argmax([ratio for ratio, _ in best]))
        if not best[length][0] > chance:
            break
        members = cuts[length] == best[length][1]
        found.append(str(levels[members.argmax()])[: length + 1])
        free[members] = 0.0
    return np.array(found, dtype=np.str_)


def _cuts(levels: Words) -> Iterator[Index]:
    """Yield for each length the numbers of groups of levels in order that begin alike."""
    for length in range(1, LONGEST + 1):
        look()
        begin = levels.astype(f"<U{length}")
        yield np.append(0, np.cumsum(begin[1:] != begin[:-1]))[: len(levels)]


def _groups(cut: Index) -> int:
    """Count the groups of a cut that have levels enough."""
    return int((np.bincount(cut) >= LEAST_LEVELS).sum())


def _best_group(cut: Index, counts: Vector, left: Matrix, free: Vector) -> tuple[float, int]:
    """Return the largest ratio of a group, and its number."""
    rows, levels = np.bincount(cut, counts), np.bincount(cut, free)
    sums = np.column_stack([np.bincount(cut, each) for each in left.T])
    ratio = np.square(sums).max(axis=1) / np.maximum(rows, LEAST_ROWS)
    ratio[(levels < LEAST_LEVELS) | (rows < LEAST_ROWS)] = 0.0
    best = int(ratio.argmax())
    return float(ratio[best]), best


def match_prefixes(words: list[str], prefixes: Words) -> Index:
    """Return the number of the longest beginning of each word, -1 where there is none.

    Examples
    --------
    >>> match_prefixes(["A1", "AB", "C"], np.array(["A", "AB"])).tolist()
    [0, 1, -1]
    """
    number = {prefix: place for place, prefix in enumerate(prefixes.tolist())}
    lengths = sorted({len(prefix) for prefix in number}, reverse=True)
    found = (
        next((number[w[:length]] for length in lengths if w[:length] in number), -1) for w in words
    )
    return np.fromiter(found, dtype=np.intp, count=len(words))
