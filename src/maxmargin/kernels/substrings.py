"""The substrings of a length that occur in sequences, numbered in the order of their letters.

A substring u_1 ... u_d over q letters has the key u_1 q^(d-1) + ... + u_d, which is exact: no two
substrings share one. Where keys would outgrow 64 bits, the beginnings met so far are numbered anew,
and their numbers take the place of their keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels.sequences import Letters, Sequences, offsets
from maxmargin.ops.engine import engine_of

Keys = NDArray[np.int64]

_LARGEST = 1 << 62  # of a key
_LONGEST = 1_000  # letters of a stored substring: as many passes, even if none is stored
_TABLE = 1 << 20  # keys that are numbered by a table rather than by sorting


@dataclass(frozen=True, eq=False, slots=True)
class Substrings:
    """Distinct substrings of one length, in the order of their letters' numbers."""

    letters: Letters
    base: int
    known: tuple[Keys, ...]
    """Keys of the beginnings that were numbered anew, and last of the substrings themselves."""
    codes: NDArray[np.int32]
    """The letters of each substring, one row each."""

    def __restored__(self) -> None:
        """Check what was read: compiled loops trust that every number has its column."""
        whole = self.codes.ndim == 2 and self.known and len(self.known[-1]) == len(self.codes)
        if not whole or self.codes.shape[1] > _LONGEST:
            raise ValueError("The substrings of a stored vocabulary do not fit together.")

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def names(self) -> list[str]:
        """Write them out."""
        return [spelled(row, self.letters) for row in self.codes.tolist()]


@dataclass(frozen=True, eq=False, slots=True)
class Windows:
    """Where the substrings of one length lie in sequences: their first letters, and in which."""

    first: NDArray[np.int64]
    row: NDArray[np.int64]


def spelled(codes: list[int], letters: Letters) -> str:
    """Write letters one after the other, tokens with spaces between them."""
    chosen = [letters[code] for code in codes]
    if all(isinstance(letter, bytes) for letter in chosen):
        return b"".join(chosen).decode("ascii", "backslashreplace")
    single = all(isinstance(letter, str) and len(letter) == 1 for letter in letters)
    return ("" if single else " ").join(map(str, chosen))


def windows_of(sequences: Sequences, length: int) -> Windows:
    """Find all places where a substring of a length begins."""
    counts = np.maximum(sequences.lengths - length + 1, 0)
    row = np.repeat(np.arange(len(sequences)), counts)
    before = np.concatenate([[0], np.cumsum(counts)[:-1]])
    first = np.repeat(sequences.starts[:-1] - before, counts) + np.arange(len(row))
    return Windows(first, row)


def find_substrings(sequences: Sequences, length: int) -> tuple[Substrings, Any]:
    """List the distinct substrings of a length, and count them in each sequence (CSR)."""
    base = max(1, len(sequences.letters))
    keys, bound = _no_keys(sequences, length), 1
    known: list[Keys] = []
    for offset in range(length):
        if bound > _LARGEST // base:
            distinct, keys = _distinct(keys, bound)
            known, bound = [*known, distinct], len(distinct)
        keys, bound = keys * base + _letters_at(sequences, offset, length), bound * base
    windows = windows_of(sequences, length)
    distinct, number = _distinct(keys[windows.first], bound)
    some = np.zeros(len(distinct), np.int64)
    some[number] = windows.first
    codes = sequences.codes[some[:, None] + np.arange(length)]
    listed = Substrings(sequences.letters, base, (*known, distinct), codes)
    return listed, counted(windows.row, number, (len(sequences), len(listed)))


def _no_keys(sequences: Sequences, length: int) -> Keys:
    """Begin with a key for every place where a substring could begin, across ends too."""
    return np.zeros(max(0, len(sequences.codes) - length + 1), np.int64)


def _letters_at(sequences: Sequences, offset: int, length: int) -> NDArray[np.int32]:
    """Return the letter at an offset from each of these places."""
    return sequences.codes[offset : max(offset, len(sequences.codes) - length + 1 + offset)]


def _distinct(keys: Keys, bound: int) -> tuple[Keys, NDArray[np.int64]]:
    """Sort the distinct keys, and give every key its place among them."""
    if bound > _TABLE:
        distinct, number = np.unique(keys, return_inverse=True)
        return distinct, number.reshape(-1)
    distinct = np.flatnonzero(np.bincount(keys, minlength=1))
    place = np.zeros(bound, np.int64)
    place[distinct] = np.arange(len(distinct))
    return distinct, place[keys]


def count_substrings(sequences: Sequences, listed: Substrings) -> Any:
    """Count each listed substring in each sequence (CSR)."""
    length, base, known = listed.codes.shape[1], listed.base, iter(listed.known)
    keys, bound = _no_keys(sequences, length), 1
    there = np.ones(len(keys), np.bool_)
    for offset in range(length):
        if bound > _LARGEST // base:
            keys, bound = _place(keys, next(known), there)
        letter = _letters_at(sequences, offset, length)
        there &= letter < base
        keys, bound = keys * base + np.minimum(letter, base - 1), bound * base
    number, _ = _place(keys, next(known), there)
    windows = windows_of(sequences, length)
    kept = there[windows.first]
    shape = len(sequences), len(listed)
    return counted(windows.row[kept], number[windows.first[kept]], shape)


def _place(keys: Keys, known: Keys, there: NDArray[np.bool_]) -> tuple[Keys, int]:
    """Assign keys their places among known ones; ``there`` forgets those that are not."""
    if len(known) == 0:
        there[:] = False
        return np.zeros_like(keys), 0
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    there &= known[place] == keys
    return place, len(known)


def counted(rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]) -> Any:
    """Count pairs of a row and a column, rows in order, into a CSR matrix."""
    starts = offsets(np.bincount(rows, minlength=shape[0]))
    indptr, indices = np.empty(shape[0] + 1, np.int32), np.empty(len(columns), np.int32)
    data, last = np.empty(len(columns)), np.full((2, shape[1]), -1)
    size = engine_of(data).string_lists.count_columns(columns, starts, last, indptr, indices, data)
    return sparse.csr_matrix((data[:size], indices[:size], indptr), shape)
