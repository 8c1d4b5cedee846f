"""Numbers and dates that are written as text, and columns of one kind where another was fitted.

A column of text is read as numbers, or as dates, where every value that is there is written in one
way that leaves no doubt. Digits that begin with 0 are codes, and a day and a month between slashes
may have changed places: such columns stay words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

NUMBER = "number"
_NUMBER = re.compile(r"\s*[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
_DIGITS = re.compile(r"[0-9]+")
_CLOCK = (
    r"(?:[T ](?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:\.(?P<part>[0-9]{1,6})[0-9]*)?)?"
    r"(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_YEAR, _MONTH, _DAY = r"(?P<year>[0-9]{4})", r"(?P<month>[0-9]{1,2})", r"(?P<day>[0-9]{1,2})"
_FORMS = {
    "year-month-day": re.compile(rf"{_YEAR}-{_MONTH}-{_DAY}{_CLOCK}"),
    "year/month/day": re.compile(rf"{_YEAR}/{_MONTH}/{_DAY}{_CLOCK}"),
    "year.month.day": re.compile(rf"{_YEAR}\.{_MONTH}\.{_DAY}{_CLOCK}"),
    "day.month.year": re.compile(rf"{_DAY}\.{_MONTH}\.{_YEAR}{_CLOCK}"),
}
FORMS = (NUMBER, *_FORMS)
_LIKE_DATES = re.compile(rf"[0-9]{{1,4}}([-/.])[0-9]{{1,2}}\1[0-9]{{2,4}}{_CLOCK}")
_EXACT = 16  # digits of a whole number; of more it is a code
_MICROSECONDS = "datetime64[us]"
_MIDNIGHT = "T00:00:00.000000"


def find_form(words: Iterable[str]) -> str:
    """Find how all words are written: NUMBER, a form of dates, or nothing.

    Examples
    --------
    >>> find_form(["12", "3.5"]), find_form(["2024-01-05", "2024-1-6 12:30"])
    ('number', 'year-month-day')
    >>> find_form(["01234", "12345"]), find_form(["1/2/2024"]), find_form(["1.2.2024", "x"])
    ('', '', '')
    """
    words = list(words)
    if words and all(_is_number(word) for word in words):
        return NUMBER
    for form in _FORMS if words and words[0].strip()[:1].isdigit() else ():
        if all(_date(word, form) is not None for word in words):
            return form
    return ""


def look_like_dates(words: Iterable[str]) -> bool:
    """Whether all words could be dates.

    Examples
    --------
    >>> look_like_dates(["1/2/2024", "2024-01-05"]), look_like_dates(["1/2/2024", "soon"])
    (True, False)
    """
    return all(_LIKE_DATES.fullmatch(word.strip()) for word in words)


def to_numbers(name: str, column: NDArray[Any]) -> Vector:
    """Return a column as numbers; refuse what is none."""
    if column.dtype.kind == "f":
        return column
    if column.dtype.kind == "M":
        raise _other(name, "numbers", "dates")
    numbers = np.full(len(column), np.nan)
    for row, word in enumerate(column.tolist()):
        if word is not None:
            if not _is_number(word):
                raise _other(name, "numbers", word)
            numbers[row] = float(word)
    return numbers


def to_dates(name: str, column: NDArray[Any], form: str) -> NDArray[np.datetime64]:
    """Return a column as dates; refuse what is none."""
    if column.dtype.kind == "M":
        return column
    dates = np.full(len(column), np.datetime64("NaT"), dtype=_MICROSECONDS)
    if column.dtype.kind == "f":
        if not np.isnan(column).all():
            raise _other(name, "dates", "numbers")
        return dates
    for row, word in enumerate(column.tolist()):
        if word is not None:
            found = _date(word, form or "year-month-day")
            if found is None:
                raise _other(name, "dates", word)
            dates[row] = found
    return dates


def to_words(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column as words, with None where a value is missing.

    Examples
    --------
    >>> to_words(np.array([1.0, 2.5, np.nan])).tolist()
    ['1', '2.5', None]
    """
    if column.dtype.kind == "O":
        return column
    words = np.empty(len(column), dtype=object)
    if column.dtype.kind == "M":
        there = ~np.isnat(column)
        words[there] = [_word_of(date) for date in column[there]]
    else:
        there = ~np.isnan(column)
        words[there] = [write_number(number) for number in column[there].tolist()]
    return words


def write_number(number: Any) -> str:
    """Write a number as a word, whole ones alike whatever their type.

    Examples
    --------
    >>> write_number(2.0), write_number(2), write_number(0.5)
    ('2', '2', '0.5')
    """
    value = float(number)
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else str(number)


def _word_of(date: np.datetime64) -> str:
    """Write a date as Python does."""
    said = str(date)
    return said.removesuffix(_MIDNIGHT).replace("T", " ").removesuffix(".000000")


def _is_number(word: str) -> bool:
    """Whether a word is a number that is neither a code nor too large."""
    return (
        _NUMBER.fullmatch(word) is not None
        and (len(word) < _EXACT or not (_DIGITS.fullmatch(word.strip()) and len(word) > _EXACT))
        and bool(np.isfinite(float(word)))
    )


def _date(word: str, form: str) -> np.datetime64 | None:
    """Read a word of a form, in universal time if it has a zone; None if it is no such date."""
    found = _FORMS[form].fullmatch(word.strip())
    if found is None:
        return None
    parts = found.groupdict()
    year, month, day, hour, minute, second = (
        int(parts[part] or 0) for part in ("year", "month", "day", "hour", "minute", "second")
    )
    fraction = int((parts["part"] or "").ljust(6, "0"))
    try:
        when = datetime(year, month, day, hour, minute, second, fraction)
    except ValueError:
        return None
    return np.datetime64(when, "us") - _offset(parts["zone"])


def _offset(zone: str | None) -> np.timedelta64:
    if zone in (None, "Z"):
        return np.timedelta64(0, "m")
    assert zone is not None
    minutes = 60 * int(zone[1:3]) + int(zone[-2:])
    return np.timedelta64(-minutes if zone[0] == "-" else minutes, "m")


def _other(name: str, kind: str, given: str) -> ValueError:
    shown = given if given in ("dates", "numbers") else f"{given[:40]!r}"
    return ValueError(
        f"Column {name!r} held {kind} in fit and holds {shown} now: correct it, or give None where "
        "a value is missing."
    )
