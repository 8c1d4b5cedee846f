"""The mismatch kernel: common substrings, some letters of which may differ.

    phi_u(x) = #(substrings v of x with u and v different in at most m of k letters),
    k(x, y)  = sum over all words u of k letters  phi_u(x) phi_u(y)

(Leslie, Eskin, Cohen, Weston and Noble, "Mismatch string kernels for discriminative protein
classification", Bioinformatics 20, 2004).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels.base import check_count
from maxmargin.kernels.counts import CountingKernel
from maxmargin.kernels.sequences import Letters, Sequences, as_sequences
from maxmargin.kernels.substrings import find_substrings, spelled
from maxmargin.ops.clock import pieces, stop_if_over

_LARGEST = 1 << 62  # number of a word
_MOST = 1 << 27  # words near the substrings of some items
_TABLE = 1 << 26  # possible words
_SLOW = 16.0  # times a number that compiled loops read


@dataclass(frozen=True, eq=False, slots=True)
class WordNumbers:
    """Words over an alphabet, by number: those near some substring."""

    letters: Letters
    q: int
    k: int
    numbers: NDArray[np.int64]

    @property
    def names(self) -> list[str]:
        """Spell the words."""
        places = self.q ** np.arange(self.k - 1, -1, -1)
        codes = self.numbers[:, None] // places % max(1, self.q)
        return [spelled(row, self.letters[: self.q]) for row in codes.tolist()]


class Mismatch(CountingKernel):
    """Count common substrings of k letters, up to m of which may be others.

    Parameters
    ----------
    k : int, default=4
        The length of a substring.
    m : int, default=1
        How many of its letters may differ, at least 0 and less than k.
    alphabet : str, bytes or sequence of tokens, optional
        The letters that words are made of; those of the training items where it is not given. Any
        other letter is a mismatch wherever it stands.

    Notes
    -----
    Each word over the alphabet is a feature: it counts the substrings near it. A substring is near
    sum_i C(k, i) (q - 1)^i words for i up to m and q letters, which is what it costs to prepare and
    to keep: small alphabets and small m.

    Examples
    --------
    >>> Mismatch(2, 1, alphabet="ab")(["aa", "ab", "bb"]).tolist()
    [[3.0, 2.0, 2.0], [2.0, 3.0, 2.0], [2.0, 2.0, 3.0]]
    """

    def __init__(self, k: int = 4, m: int = 1, alphabet: Any = None) -> None:
        self.k = k
        self.m = m
        self.alphabet = alphabet
        self._check_params()

    def _check_params(self) -> None:
        check_count(self, "k", self.k, low=1)
        check_count(self, "m", self.m)
        if self.m >= self.k:
            raise ValueError(f"Mismatch needs m < k, got m={self.m} and k={self.k}.")
        letters = self._letters()
        if len(set(letters)) != len(letters):
            raise ValueError(
                f"Mismatch needs an alphabet of different letters, got {self.alphabet!r}."
            )

    def _letters(self) -> Letters:
        if isinstance(self.alphabet, bytes):
            return tuple(bytes([letter]) for letter in self.alphabet)
        return () if self.alphabet is None else tuple(self.alphabet)

    def resolved(self, X: Any, weight: Any = None) -> Mismatch:  # noqa: ARG002
        """Take the letters of X as the alphabet, if none is given."""
        if self.alphabet is not None:
            return self
        letters = as_sequences(X).letters
        single = all(isinstance(letter, str) and len(letter) == 1 for letter in letters)
        return Mismatch(self.k, self.m, "".join(letters) if single else letters)

    def _learn(self, sequences: Sequences) -> tuple[WordNumbers, Any]:
        q = len(sequences.letters if self.alphabet is None else self._letters())
        self._refuse_many(q, len(sequences.codes))
        substrings, counts = find_substrings(sequences, self.k)
        near = list(self._near(substrings.codes, q))
        numbers = _distinct([words for _, words in near], q**self.k)
        return WordNumbers(sequences.letters, q, self.k, numbers), _counted(near, counts, numbers)

    def _count(self, sequences: Sequences, vocabulary: WordNumbers) -> Any:
        self._refuse_many(vocabulary.q, 1)  # which a file may have made too many
        substrings, counts = find_substrings(sequences, self.k)
        near = self._near(substrings.codes, vocabulary.q)
        return _counted(near, counts, vocabulary.numbers)

    def _near(self, codes: NDArray[np.int32], q: int) -> Iterator[tuple[Any, Any]]:
        """List the words near substrings, some substrings between two looks at the clock."""
        for part in pieces(len(codes), _SLOW * float(len(codes)) * self._words(q)):
            stop_if_over()
            which, words = _near(codes[part], q, self.m)
            yield which + part.start, words

    def _words(self, q: int) -> int:
        """Count the words near a substring."""
        return sum(comb(self.k, i) * (q - 1) ** i for i in range(self.m + 1))

    def _refuse_many(self, q: int, letters: int) -> None:
        words = self._words(q)
        if q**self.k > _LARGEST or min(letters, q**self.k) * words > _MOST:
            raise ValueError(
                f"Mismatch(k={self.k}, m={self.m}) over {q} letters has too many words, {words} "
                "near each substring; take a smaller k or m, or an alphabet of fewer letters."
            )


def _counted(near: Iterable[tuple[Any, Any]], counts: Any, known: NDArray[np.int64]) -> Any:
    """Count known words near substrings, given how often those are in each sequence."""
    found = []
    for which, words in near:
        stop_if_over()
        place = np.searchsorted(known, words)
        there = np.append(known, -1)[place] == words
        found.append((which[there], place[there]))
    rows, columns = map(np.concatenate, zip(*found, strict=True))
    matrix = _ones(rows, columns, (counts.shape[1], len(known)))
    work = float(counts.nnz) * matrix.nnz / max(1, counts.shape[1])
    products = []
    for part in pieces(counts.shape[0], _SLOW * work):
        stop_if_over()
        products.append(counts[part] @ matrix)
    return sparse.vstack(products, format="csr")


def _distinct(parts: Iterable[NDArray[np.int64]], bound: int) -> NDArray[np.int64]:
    """Sort the distinct numbers of all parts; few possible ones are ticked off in a table."""
    if bound <= _TABLE:
        seen = np.zeros(bound, np.bool_)
        for part in parts:
            seen[part] = True
        return np.flatnonzero(seen)
    merged = np.empty(0, np.int64)
    for part in parts:
        merged = np.sort(np.concatenate([merged, np.sort(part)]), kind="stable")  # of two runs
        merged = merged[np.diff(merged, prepend=-1) > 0]
    return merged


def _near(codes: NDArray[np.int32], q: int, m: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """List all words within m letters of each row of letters: which row, and the word's number.

    Letter by letter: every beginning goes on with each letter of the alphabet, if it may still
    differ or the letter is the right one.
    """
    which, words = np.arange(len(codes)), np.zeros(len(codes), np.int64)
    differ = np.zeros(len(codes), np.int8)
    for own in codes.T:
        apart = differ[:, None] + (own[which, None] != np.arange(q))
        kept, letter = np.nonzero(apart <= m)
        which, words, differ = which[kept], words[kept] * q + letter, apart[kept, letter]
    return which, words


def _ones(rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape)
