"""Regular expressions of a file: those alone whose search cannot take for ever.

Python tries one way after another to match, from every letter of a text on. Repeats within repeats,
alternatives within repeats and long rows of either have more ways than can be tried, for texts that
whoever wrote the file can guess. A bound on the ways is worked out before anything is searched.

Two endless repeats in a row divide the same letters in as many ways as there are letters. A letter
between them that the first cannot match divides them in one way only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from re import _parser  # type: ignore[attr-defined]
from typing import Any, Final

_DEEPEST: Final = 1  # endless repeats that divide the same letters
_MOST_WAYS: Final = {0: 1_000.0, 1: 8.0}  # besides, for so many endless repeats
_LONG: Final = 64  # repeats that are as good as endless
_LETTERS: Final = {"LITERAL", "NOT_LITERAL", "ANY", "IN", "CATEGORY", "AT", "RANGE"}
_REPEATS: Final = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}
_CATEGORIES: Final = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
_WAYS: Final = "its search could take for ever: write it without repeats in repeats."


class PatternError(ValueError):
    """A regular expression whose search could take for ever."""


@dataclass(frozen=True)
class _Ways:
    """From each letter at most ``factor`` times the length of the text to the ``degree``."""

    degree: int = 0
    factor: float = 1.0
    open: tuple[Any, ...] = ()
    """What the last endless repeats match, with no letter behind that divides them from others."""

    def beside(self, other: _Ways) -> _Ways:
        """Either of the two."""
        more = max(self.open, other.open, key=len)
        return _Ways(max(self.degree, other.degree), self.factor + other.factor, more)


def check_pattern(pattern: str) -> None:
    r"""Refuse a regular expression with too many ways to match.

    Parameters
    ----------
    pattern : str
        That Python compiles.

    Raises
    ------
    PatternError
        With a sentence.

    Examples
    --------
    >>> check_pattern(r"\b\w\w+\b")
    >>> check_pattern(r"(\w+\s?)+$")
    Traceback (most recent call last):
    maxmargin.storage.pattern.PatternError: The stored pattern '(\\w+\\s?)+$' ...
    """
    try:
        ways = _sequence(_parser.parse(pattern), _Ways())
    except (_TooMany, RecursionError):
        ways = _Ways(_DEEPEST + 1)
    if ways.degree > _DEEPEST or ways.factor > _MOST_WAYS[ways.degree]:
        raise PatternError(f"The stored pattern {pattern[:80]!r} is refused, as {_WAYS}")


class _TooMany(Exception):  # noqa: N818  (it never leaves this file)
    """A part whose ways are not counted."""


def _sequence(parts: Any, before: _Ways) -> _Ways:
    ways = before
    for kind, what in parts:
        ways = _extend_ways(ways, str(kind), what)
    return ways


def _extend_ways(before: _Ways, kind: str, what: Any) -> _Ways:
    """Count the ways of a sequence with one part more."""
    if kind in _LETTERS:
        divided = kind == "LITERAL" and not any(_matches(each, what) for each in before.open)
        return replace(before, open=()) if divided else before
    if kind == "SUBPATTERN":
        return _sequence(what[-1], before)
    if kind == "BRANCH":
        first, *others = (_sequence(each, before) for each in what[1])
        for each in others:
            first = first.beside(each)
        return first
    if kind in _REPEATS:
        return _repeat(before, *what)
    raise _TooMany  # what was found before, what comes next: none of it is needed for words


def _repeat(before: _Ways, least: Any, most: Any, inner: Any) -> _Ways:
    least, most = int(least), int(most)
    letters = len(inner) == 1 and str(inner[0][0]) in _LETTERS
    if letters and most > max(least, _LONG):
        found = (*before.open, inner[0])
        return _Ways(max(before.degree, len(found)), before.factor, found)
    if letters:
        return replace(before, factor=before.factor * (most - least + 1.0))
    if most == 1:
        return _sequence(inner, before).beside(before)
    inside = _sequence(inner, _Ways())
    if least == most <= _LONG and inside.degree == 0:
        return replace(before, factor=before.factor * min(inside.factor**most, 1e300))
    raise _TooMany


def _matches(part: Any, letter: int) -> bool:
    """Whether what is repeated can match a letter, in either case; True where that is not known."""
    kind, what = str(part[0]), part[1]
    letters = {ord(each) for each in (chr(letter).lower(), chr(letter).upper()) if len(each) == 1}
    if kind in {"LITERAL", "NOT_LITERAL"}:
        return (what in letters) == (kind == "LITERAL")
    if kind != "IN":
        return True
    negated = str(what[0][0]) == "NEGATE"
    found = [_is_among(each, code) for each in what[negated:] for code in letters | {letter}]
    if negated:
        return not all(found)
    return any(found)


def _is_among(part: Any, letter: int) -> bool:
    kind, what = str(part[0]), part[1]
    if kind == "LITERAL":
        return bool(what == letter)
    if kind == "RANGE":
        return bool(what[0] <= letter <= what[1])
    name = str(what).rpartition("CATEGORY_")[2]
    plain = _CATEGORIES.get(name.removeprefix("NOT_"))
    if kind != "CATEGORY" or plain is None:
        return True
    found = re.fullmatch(plain, chr(letter)) is not None
    return found != name.startswith("NOT_")
