"""Regular expressions of a file: those alone whose search cannot take for ever.

Python tries one way after another to match. Repeats within repeats, alternatives within repeats and
long rows of either have more ways than can be tried, for texts that whoever wrote the file can
guess. A bound on the ways is worked out before anything is searched.
"""

from __future__ import annotations

from dataclasses import dataclass
from re import _parser  # type: ignore[attr-defined]
from typing import Any, Final

_DEEPEST: Final = 2  # repeats in a row, each as long as the text
_MOST_WAYS: Final = 1_000.0
_LONG: Final = 64  # repeats that are as good as endless
_LETTERS: Final = {"LITERAL", "NOT_LITERAL", "ANY", "IN", "CATEGORY", "AT", "RANGE"}
_REPEATS: Final = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}
_WAYS: Final = "its search could take for ever: write it without repeats in repeats."


class PatternError(ValueError):
    """A regular expression whose search could take for ever."""


@dataclass(frozen=True)
class _Ways:
    """At most ``factor`` times the length of a text to the power of ``degree``."""

    degree: int = 0
    factor: float = 1.0

    def then(self, other: _Ways) -> _Ways:
        return _Ways(self.degree + other.degree, self.factor * other.factor)

    def beside(self, other: _Ways) -> _Ways:
        return _Ways(max(self.degree, other.degree), self.factor + other.factor)


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
        ways = _sequence(_parser.parse(pattern))
    except (_TooMany, RecursionError):
        ways = _Ways(_DEEPEST + 1)
    if ways.degree > _DEEPEST or ways.factor > _MOST_WAYS:
        raise PatternError(f"The stored pattern {pattern[:80]!r} is refused, as {_WAYS}")


class _TooMany(Exception):  # noqa: N818  (it never leaves this file)
    """Something whose ways are not counted."""


def _sequence(parts: Any) -> _Ways:
    ways = _Ways()
    for kind, what in parts:
        ways = ways.then(_ways(str(kind), what))
    return ways


def _ways(kind: str, what: Any) -> _Ways:
    if kind in _LETTERS:
        return _Ways()
    if kind == "SUBPATTERN":
        return _sequence(what[-1])
    if kind == "BRANCH":
        first, *others = map(_sequence, what[1])
        for each in others:
            first = first.beside(each)
        return first
    if kind in _REPEATS:
        return _repeat(*what)
    raise _TooMany  # what was found before, what comes next: none of it is needed for words


def _repeat(least: Any, most: Any, inner: Any) -> _Ways:
    least, most = int(least), int(most)
    letters = len(inner) == 1 and str(inner[0][0]) in _LETTERS
    if letters and most > max(least, _LONG):
        return _Ways(1)
    if letters:
        return _Ways(0, most - least + 1.0)
    inside = _sequence(inner)
    if most == 1:
        return inside.beside(_Ways())
    if least == most <= _LONG:
        return _Ways(inside.degree * most, min(inside.factor**most, 1e300))
    raise _TooMany
