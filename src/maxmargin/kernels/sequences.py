"""Strings, bytes and lists of tokens as sequences of numbers, which is what loops compare.

A letter is a character of a string, a byte, or a token of a list; it gets the number of its place
among the letters of the items. New items keep the numbers of the letters they share with prepared
ones, and letters nobody has seen get numbers after those: they are equal to themselves alone.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from numbers import Number
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.container import by_position, count_rows
from maxmargin.kernels.base import Kernel, Takes
from maxmargin.kernels.points import Rows
from maxmargin.ops.clock import WORK, pieces, stop_if_over

Letters: TypeAlias = tuple[Any, ...]
Codes: TypeAlias = NDArray[np.int32]

_TOGETHER, _FEWEST = 256, 16  # strings that others are compared with before the clock is looked at


@dataclass(frozen=True, eq=False, slots=True)
class Sequences:
    """The numbers of all letters, one sequence after the other."""

    codes: Codes
    starts: NDArray[np.int64]
    """Where each sequence begins, and where the last one ends."""
    letters: Letters
    """The letter of each number."""

    def __restored__(self) -> None:
        """Check what was read: compiled loops trust where sequences begin and end."""
        codes, starts = self.codes, self.starts
        flat = codes.ndim == starts.ndim == 1 and len(starts) > 0
        ends = flat and starts[0] == 0 and starts[-1] == len(codes) and (np.diff(starts) >= 0).all()
        known = flat and codes.min(initial=0) >= 0 and codes.max(initial=-1) < len(self.letters)
        if not (ends and known):
            raise ValueError("The letters of stored sequences do not fit together.")

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, rows: Rows) -> Sequences:
        chosen = np.arange(len(self))[rows]
        lengths = self.lengths[chosen]
        starts = offsets(lengths)
        places = np.repeat(self.starts[chosen] - starts[:-1], lengths) + np.arange(starts[-1])
        return Sequences(self.codes[places], starts, self.letters)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How long each sequence is."""
        return np.diff(self.starts)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Double precision."""
        return np.dtype(np.float64)


def offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where parts of these lengths begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def as_sequences(X: Any, known: Letters = ()) -> Sequences:
    """Return the letters of all items numbers, those that are known their own."""
    items = as_strings(X)
    starts = offsets(np.fromiter(map(len, items), np.int64, len(items)))
    kinds = set(map(type, items))
    if kinds <= {str}:
        points = np.frombuffer("".join(items).encode("utf-32-le", "surrogatepass"), np.uint32)
        return _of_points(points, starts, chr, known)
    if kinds <= {bytes}:
        points = np.frombuffer(b"".join(items), np.uint8)
        return _of_points(points, starts, lambda point: bytes([point]), known)
    return _of_tokens(items, starts, known)


def _of_points(points: NDArray[Any], starts: Any, letter: Any, known: Letters) -> Sequences:
    """Assign code points numbers, by a table of those that occur."""
    present = np.flatnonzero(np.bincount(points))
    numbers, letters = _numbered([letter(point) for point in present.tolist()], known)
    table = np.zeros(int(points.max(initial=0)) + 1, np.int32)
    table[present] = numbers
    return Sequences(table[points], starts, letters)


def _of_tokens(items: list[Any], starts: Any, known: Letters) -> Sequences:
    tokens = list(chain.from_iterable(map(_split, items)))
    try:
        distinct = list(dict.fromkeys(tokens))
    except TypeError:
        raise ValueError(
            "X holds tokens that cannot be told apart by a dictionary, such as lists; make "
            "strings, numbers or tuples of them."
        ) from None
    numbers, letters = _numbered(distinct, known)
    number = dict(zip(distinct, numbers, strict=True))
    return Sequences(np.array([number[token] for token in tokens], np.int32), starts, letters)


def _split(item: Any) -> Sequence[Any]:
    if isinstance(item, bytes):
        return [item[i : i + 1] for i in range(len(item))]
    return item.tolist() if isinstance(item, np.ndarray) else item


def _numbered(found: list[Any], known: Letters) -> tuple[list[int], Letters]:
    """Assign letters their known numbers, and new ones the next."""
    number = {letter: place for place, letter in enumerate(known)}
    new = _in_order([letter for letter in found if letter not in number])
    _refuse_unfit(found, known, new)
    number |= {letter: place for place, letter in enumerate(new, start=len(known))}
    return [number[letter] for letter in found], (*known, *new)


def _in_order(letters: list[Any]) -> list[Any]:
    try:
        return sorted(letters)
    except TypeError:  # of different kinds: as they came
        return letters


def _refuse_unfit(found: list[Any], known: Letters, new: list[Any]) -> None:
    missing = [letter for letter in new if _is_missing(letter)]
    if missing:
        raise ValueError(f"X holds the missing token {missing[0]!r}; leave it out, or name it.")
    kinds, others = {_kind(letter) for letter in found}, {_kind(letter) for letter in known}
    foreign = bool(kinds and others) and kinds.isdisjoint(others)
    if foreign or ("bytes" in kinds | others and len(kinds | others) > 1):
        beside = f", and what it is compared with of {_and(others)}" if others else ""
        raise ValueError(
            f"X is made of {_and(kinds)}{beside}; letters of different kinds are never equal, so "
            "give all of them as one kind."
        )


def _and(kinds: set[str]) -> str:
    return " and ".join(sorted(kinds))


def _kind(letter: Any) -> str:
    kinds = {str: "text", bytes: "bytes", Number: "numbers"}
    named = [name for kind, name in kinds.items() if isinstance(letter, kind)]
    return named[0] if named else type(letter).__name__


def as_strings(X: Any) -> list[Any]:
    """Check that X holds strings, bytes or lists of tokens, and list them."""
    items = by_position(X)
    if count_rows(items) == 0:
        raise ValueError("Found no items; a kernel needs at least one.")
    if hasattr(items, "shape"):
        items = _one_column(items).tolist()
    plain = [str(x) if isinstance(x, np.str_) else x for x in items]
    if not set(map(type, plain)) <= {str, bytes, list, tuple}:
        for place, item in enumerate(plain):
            _refuse_other(place, item)
    return plain


def _one_column(items: Any) -> NDArray[Any]:
    if items.ndim > 1 and items.shape[1:] != (1,):
        raise ValueError(
            f"A kernel of strings takes one column of them, and X has shape {items.shape}; choose "
            "one with restrict('its name'), or give tokens as a list of lists."
        )
    return np.asarray(items).reshape(len(items))


def _refuse_other(place: int, item: Any) -> None:
    if isinstance(item, str | bytes | Sequence) or getattr(item, "ndim", 0) == 1:
        return
    if _is_missing(item):
        raise ValueError(
            f"Item {place} of X is missing ({item!r}); leave it out, or give '' for no letters."
        )
    unordered = isinstance(item, Mapping | AbstractSet)
    found = "which has no order" if unordered else "which is no string"
    raise ValueError(
        f"Item {place} of X is {reprlib.repr(item)}, {found}; this kernel takes strings, bytes or "
        "lists of tokens."
    )


def _is_missing(item: Any) -> bool:
    """Whether it is None, NaN, NaT or pandas' NA: what is not plainly equal to itself."""
    return item is None or (np.ndim(item) == 0 and (item == item) is not True)  # noqa: PLR0124


def between_looks(A: Sequences, B: Sequences, steps: float) -> Iterator[tuple[slice, slice]]:
    """Cut a block whose loops make so many steps a pair of letters, and look at the clock between.

    Long strings take long: Ctrl-C and time limits act here.
    """
    longest = [float(each.lengths.max(initial=0)) for each in (A, B)]
    together = _TOGETHER if steps * np.prod(longest) * _TOGETHER <= WORK else _FEWEST
    for first in range(0, len(B), together):
        columns = slice(first, first + together)
        letters = B.starts[min(first + together, len(B))] - B.starts[first]
        for rows in pieces(len(A), steps * float(A.starts[-1]) * float(letters)):
            stop_if_over()
            yield rows, columns


class SequenceKernel(Kernel):
    """A kernel of strings, bytes or lists of tokens."""

    @property
    def takes(self) -> Takes:
        """Strings, bytes or lists of tokens."""
        return Takes.ITEMS

    @property
    def concurrent(self) -> bool:
        """True: blocks are compiled loops."""
        return True
