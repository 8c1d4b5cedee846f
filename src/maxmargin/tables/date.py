"""Dates and times as features: the same from words and from Parquet's own types."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import polars as pl

from maxmargin.tables.number import first_word
from maxmargin.tables.reading import MISSING_AMONG_NUMBERS

# Months before days: where 13/01/2024 stands among them, the other one is found to be meant.
_DAYS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y"),
    *("%m-%d-%Y", "%d %B %Y", "%d-%B-%Y", "%B %d, %Y", "%B %d %Y"),
)
_CLOCK = ("%H:%M:%S%.f", "%H:%M", "%I:%M:%S %p", "%I:%M %p")
_ZONE = "%#z"
_TIMES = ("", *(gap + clock + zone for gap in "T " for clock in _CLOCK for zone in ("", _ZONE)))
_LIKELY = re.compile(
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}([-/. ])(?:\d{1,2}|[A-Za-z]{3,9})\1\d{4}"
    r"|[A-Za-z]{3,9} \d{1,2},? \d{4})(?:[T ]\d{1,2}:\d\d.*)?"
    r"|\d{1,2}:\d\d(?::\d\d.*)?(?: ?[AaPp][Mm])?"
)
_OLDEST = 1000  # a year of two digits is read as one of the first century
_SAMPLE = 50

PARTS: dict[str, Callable[[pl.Expr], pl.Expr]] = {
    "days": lambda when: when.dt.date().cast(pl.Int32),
    "month": lambda when: when.dt.month(),
    "weekday": lambda when: when.dt.weekday(),
    "hour": lambda when: 60 * when.dt.hour().cast(pl.Int32) + when.dt.minute(),
}
_MINUTES = 60.0
DAYS_OF_A_YEAR = 365


def find_form(words: pl.Series) -> str | None:
    """Find the form in which all words of a column are dates or times; None if there is none.

    >>> find_form(pl.Series(["31.12.2023", "1.2.2024", None]))
    '%d.%m.%Y'
    >>> find_form(pl.Series(["31.12.2023", "soon"])) is None
    True
    """
    if not _LIKELY.fullmatch(first_word(words)):
        return None
    present = words.drop_nulls()
    sample = present.head(_SAMPLE)
    for form in _forms(first_word(words)):
        if _fits(sample, form) and _fits(present, form):
            return form
    return None


def best_form(words: pl.Series) -> str | None:
    """Find the form that most words have; None if no word is a date.

    >>> best_form(pl.Series(["soon", "31.12.2023", "1.2.2024"]))
    '%d.%m.%Y'
    """
    present = words.drop_nulls()
    likely = [word for word in present.head(_SAMPLE) if _LIKELY.fullmatch(word)]
    forms = dict.fromkeys(form for word in likely for form in _forms(word))
    fits = {form: len(present) - read_dates(present, form).null_count() for form in forms}
    return max(fits, key=lambda form: fits[form], default=None)


def _forms(word: str) -> tuple[str, ...]:
    """List the forms that may be, of times alone where there is no date."""
    if re.match(r"\d{1,2}:", word):
        return _CLOCK
    times = [time for time in _TIMES if bool(time) == (":" in word)]
    return tuple(day + time for day in _DAYS for time in times)


def is_ambiguous(words: pl.Series, form: str) -> bool:
    """Whether months and days could have changed places.

    >>> is_ambiguous(pl.Series(["01/02/2024"]), "%m/%d/%Y")
    True
    """
    swapped = form.replace("%m", "#").replace("%d", "%m").replace("#", "%d")
    leads = form.startswith(("%m/%d", "%d/%m", "%d-%m", "%m-%d"))
    return leads and _fits(words.drop_nulls(), swapped)


def _fits(words: pl.Series, form: str) -> bool:
    read = read_dates(words, form)
    gone = words.is_in(list(MISSING_AMONG_NUMBERS)).sum()
    if read.null_count() > gone or read.null_count() == len(read):
        return False
    return read.dtype == pl.Time or not (read.dt.year() < _OLDEST).any()


def read_dates(words: pl.Series, form: str) -> pl.Series:
    """Read words of a form; those that are none become null.

    >>> read_dates(pl.Series(["5.1.2024", "x"]), "%d.%m.%Y").to_list()
    [datetime.datetime(2024, 1, 5, 0, 0), None]
    """
    if form in _CLOCK:
        return words.str.to_time(form, strict=False)
    zone: Any = {"time_zone": "UTC"} if form.endswith(_ZONE) else {}
    return plain_dates(words.str.to_datetime(form, strict=False, time_unit="us", **zone))


def plain_dates(when: pl.Series) -> pl.Series:
    """Give dates and times in one type, in universal time and without a zone.

    >>> from datetime import date
    >>> plain_dates(pl.Series([date(2024, 1, 5)])).dtype
    Datetime(time_unit='us', time_zone=None)
    """
    if when.dtype == pl.Time:
        return when
    if getattr(when.dtype, "time_zone", None) is not None:
        when = when.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return when.cast(pl.Datetime("us"))


def take_part(when: pl.Series, part: str) -> pl.Series:
    """Take a part of dates or times as numbers.

    Parameters
    ----------
    when : Series
        Of ``plain_dates`` or ``read_dates``.
    part : {"days", "month", "weekday", "hour"}
        Days since the first of January 1970; 1 to 12; 1 to 7 from Monday on; 0 to 24 with minutes.

    Returns
    -------
    Series of Float64

    Examples
    --------
    >>> from datetime import datetime
    >>> when = pl.Series([datetime(1970, 1, 2, 6, 30)])
    >>> [take_part(when, part).item() for part in PARTS]
    [1.0, 1.0, 5.0, 6.5]
    """
    found = when.to_frame("when").select(PARTS[part](pl.col("when")).cast(pl.Float64)).to_series()
    if part != "hour":
        return found
    # NumPy divides exactly; polars multiplies by 1/60 here and there, by a row's place in a block.
    return pl.Series(found.name, found.to_numpy() / _MINUTES).fill_nan(None)


def parts_of(when: pl.Series) -> list[str]:
    """List the parts that tell rows apart.

    >>> from datetime import date
    >>> parts_of(plain_dates(pl.Series([date(2024, 1, 1), date(2024, 1, 8)])))
    ['days']
    """
    possible = ["hour"] if when.dtype == pl.Time else list(PARTS)
    return [part for part in possible if take_part(when, part).drop_nulls().n_unique() > 1]


def days_between(when: pl.Series) -> int:
    """Count the days from the first date to the last.

    >>> from datetime import date
    >>> days_between(plain_dates(pl.Series([date(2024, 1, 8), date(2024, 1, 1), None])))
    7
    """
    days = take_part(when.drop_nulls(), "days")
    return int(float(days.max() or 0.0) - float(days.min() or 0.0))  # type: ignore[arg-type]
