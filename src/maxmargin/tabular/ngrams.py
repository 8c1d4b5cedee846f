"""Texts as rows of n-grams: runs of three to five letters within words, words, and pairs of words.

Every n-gram is a number: a polynomial of its letters modulo 2^64, of which the highest bits, after
a multiplication, name one of a fixed number of buckets (Weinberger, Dasgupta, Langford, Smola and
Attenberg, "Feature hashing for large scale multitask learning", ICML 2009). So no list of n-grams
has to be kept, and memory is bounded. Letters are lower-case; white space is one space.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.ops.clock import stop_if_over

Codes = NDArray[np.uint64]

BITS = 18  # of the number of a bucket; words have buckets of their own
BUCKETS = 2 << BITS
SHORTEST, LONGEST = 3, 5  # runs of letters
PIECE = 1 << 20  # letters that are read at a time
BEGINNING = 1_000  # letters of a text that say what share of them are capitals or digits
_LAST_LETTER = 0x110000
_SPACE = ord(" ")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, with bits that look random
_PAIR = np.uint64(0xC2B2AE3D27D4EB4F)
_SPREAD = np.uint64(0xD6E8FEB86659FD93)
_HIGHEST = np.uint64(64 - BITS)


def count_ngrams(texts: Sequence[str | None], longest: int) -> Iterator[Any]:
    """Yield the counts of n-grams of texts, some rows at a time.

    Parameters
    ----------
    texts : sequence of str or None
    longest : int
        Letters after which a text is cut.

    Yields
    ------
    csr_array of shape (some rows, BUCKETS)

    Examples
    --------
    >>> counts = next(count_ngrams(["so so", None], 10))
    >>> counts.shape[0], counts.sum(axis=1).tolist()
    (2, [9.0, 0.0])
    """
    for part in _pieces(texts, longest):
        stop_if_over()
        plain = [_normalise(text, longest) for text in part]
        sizes = np.array([len(text) for text in plain])
        joined = "".join(plain)
        code = _code(joined)
        row = np.repeat(np.arange(len(plain), dtype=np.int32), sizes)
        found = [*_runs(code.astype(np.uint64), row), *_words(code, row, joined)]
        rows = np.concatenate([where for where, _ in found])
        buckets = np.concatenate([which for _, which in found])
        ones = np.ones(len(rows), np.float32)
        shape = len(plain), BUCKETS
        yield sparse.csr_array(sparse.coo_array((ones, (rows, buckets)), shape=shape))


def share_of(kind: Callable[[str], bool], texts: Sequence[str | None]) -> NDArray[np.float64]:
    """Return the share of letters of a kind at the beginning of each text; NaN where none is.

    Examples
    --------
    >>> share_of(str.isupper, ["Ab", "", None]).tolist()
    [0.5, 0.0, nan]
    """
    shares = []
    for part in _pieces(texts, BEGINNING):
        stop_if_over()
        plain = [(text or "")[:BEGINNING] for text in part]
        sizes = np.array([len(text) for text in plain])
        joined = "".join(plain)
        ends = np.append(0, np.cumsum(_find(kind, joined, _code(joined))))
        last = np.cumsum(sizes)
        shares.append((ends[last] - ends[last - sizes]) / np.maximum(sizes, 1))
    found = np.concatenate(shares)
    found[[text is None for text in texts]] = np.nan
    return found


def _code(joined: str) -> NDArray[np.uint32]:
    return np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)


def _find(kind: Callable[[str], bool], joined: str, code: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Find the letters of a kind."""
    known = np.zeros(_LAST_LETTER, dtype=bool)
    known[[ord(letter) for letter in set(joined) if kind(letter)]] = True
    return np.asarray(known[code])


def _pieces(texts: Sequence[str | None], longest: int) -> Iterator[Sequence[str | None]]:
    first, letters = 0, 0
    for place, text in enumerate(texts):
        letters += 2 + min(longest, len(text or ""))
        if letters >= PIECE:
            yield texts[first : place + 1]
            first, letters = place + 1, 0
    if first < len(texts):
        yield texts[first:]


def _normalise(text: str | None, longest: int) -> str:
    """Return a text whose words stand between single spaces; two of them part it from the next."""
    return f" {' '.join(text[:longest].lower().split())} " if text else "  "


def _runs(code: Codes, row: NDArray[np.int32]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield the rows and buckets of runs of letters, in which a space is at the ends only."""
    space = code == _SPACE
    number = code
    inside = np.zeros(len(code), dtype=bool)
    for length in range(2, LONGEST + 1):
        number = number[:-1] * _FACTOR + code[length - 1 :]
        inside = inside[:-1] if length == 2 else inside[:-1] | space[length - 2 : -1]
        if length >= SHORTEST:
            kept = np.flatnonzero(~inside)
            yield row[kept], _bucket(number[kept] + np.uint64(length))


def _words(
    code: NDArray[np.uint32], row: NDArray[np.int32], joined: str
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield the rows and buckets of words, and of pairs of neighbours."""
    place = np.flatnonzero(_find(str.isalnum, joined, code))
    if not len(place):
        return
    new = np.diff(place, prepend=-2) > 1
    starts = np.flatnonzero(new)
    position = np.arange(len(place)) - np.repeat(starts, np.diff(starts, append=len(place)))
    power = np.cumprod(np.full(int(position.max()) + 1, _FACTOR))
    number = np.add.reduceat(code[place].astype(np.uint64) * power[position], starts)
    rows = row[place[starts]]
    own = np.int32(1 << BITS)
    yield rows, _bucket(number) + own
    pairs = np.flatnonzero(rows[1:] == rows[:-1])
    yield rows[pairs], _bucket(number[pairs] * _PAIR + number[pairs + 1]) + own


def _bucket(number: Codes) -> NDArray[np.int32]:
    mixed = (number ^ (number >> np.uint64(32))) * _SPREAD
    return (mixed >> _HIGHEST).astype(np.int32)
