"""A vocabulary of words of integers: equal words have one number, new ones the next.

A word is what a graph is seen to contain: a node with the labels around it, two labels and how far
they are apart. The number of a word is its column among the features.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from maxmargin.kernels.graph_union import Integers
from maxmargin.ops.engine import engine_of


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Known words: word i is letters[starts[i] : starts[i + 1]]."""

    starts: Integers
    letters: Integers

    @classmethod
    def none(cls) -> Lexicon:
        """Know nothing yet."""
        return cls(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64))

    def __restored__(self) -> None:
        """Check what was read: compiled loops follow the starts without looking."""
        whole = all(each.dtype == "=i8" and each.ndim == 1 for each in (self.starts, self.letters))
        inside = whole and len(self.starts) and self.starts[0] == 0
        if not (
            inside and (np.diff(self.starts) > 0).all() and self.starts[-1] == len(self.letters)
        ):
            raise ValueError("The words of a stored vocabulary do not fit together.")

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[list[int]]:
        letters = self.letters.tolist()
        return (letters[a:b] for a, b in pairwise(self.starts.tolist()))

    def number(self, starts: Integers, letters: Integers) -> tuple[Integers, Lexicon]:
        """Assign each of some words its number, and all words known then."""
        known, n = len(self), len(starts) - 1
        all_starts = np.concatenate([self.starts, np.empty(n, dtype=np.int64)])
        all_letters = np.concatenate([self.letters, np.empty(len(letters), dtype=np.int64)])
        hashes, numbers = np.empty(known + n, dtype=np.uint64), np.empty(n, dtype=np.int64)
        table = np.full(1 << int(2 * (known + n) + 1).bit_length(), -1, dtype=np.int64)
        number_words = engine_of(letters).graph_words.number_words
        count = number_words(
            starts, letters, known, hashes, table, all_starts, all_letters, numbers
        )
        kept = all_starts[: count + 1]
        return numbers, Lexicon(kept.copy(), all_letters[: kept[-1]].copy())

    def number_rows(self, rows: Integers) -> tuple[Integers, Lexicon]:
        """Return words of one length, the rows of a matrix, their numbers."""
        n, width = rows.shape
        return self.number(
            np.arange(n + 1, dtype=np.int64) * width, np.ascontiguousarray(rows.ravel())
        )
