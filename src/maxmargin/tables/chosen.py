"""What becomes of a column whose kind the user has said."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from maxmargin.tables.date import best_form, read_dates
from maxmargin.tables.decision import (
    MOST_CATEGORIES,
    Decision,
    Facts,
    as_category,
    as_dates,
    as_number,
    as_words,
    dropped,
    find_dates,
    kind_of,
)
from maxmargin.tables.error import InputError
from maxmargin.tables.hint import quoted
from maxmargin.tables.value import read_numbers


def decide_as(facts: Facts, kind: str) -> Decision:
    """Do with a column what its kind asks for, and refuse it where its values are of another.

    Parameters
    ----------
    facts : Facts
    kind : {"text", "sequence", "category", "number", "date", "ignore"}

    Returns
    -------
    Decision

    Raises
    ------
    InputError
        If the values cannot be read so.

    Examples
    --------
    >>> from maxmargin.tables.decision import count_values
    >>> [facts] = count_values(pl.DataFrame({"zip": [4001, 8001, 4001]}))
    >>> decide_as(facts, "category").column.treatment
    'a category of 2 values, as you said'
    """
    if kind == "ignore":
        return dropped(facts, kind_of(facts.values), "as you said")
    if facts.missing == len(facts.values):
        return dropped(facts, "nothing", "every value is missing")
    if facts.values.dtype.is_nested() or facts.values.dtype in (pl.Binary, pl.Object):
        raise InputError(
            f"Column {facts.name!r} holds {str(facts.values.dtype).lower()} values, which cannot be"
            f" read as a {kind}: leave it out with --kind {facts.name}=ignore."
        )
    return _BY_KIND[kind](facts)


def _number(facts: Facts) -> Decision:
    read_numbers(facts.values)  # refuses words, by value and row
    return as_number(facts, said=True)


def _category(facts: Facts) -> Decision:
    if facts.distinct > MOST_CATEGORIES:
        raise InputError(
            f"Column {facts.name!r} has {facts.distinct:,} different values, and a category at most"
            f" {MOST_CATEGORIES:,}: say text or ignore."
        )
    return as_category(facts, said=True)


def _date(facts: Facts) -> Decision:
    when, form = find_dates(facts.values)
    if when is None:
        odd = quoted(_no_date(facts))
        raise InputError(
            f"Column {facts.name!r} cannot be read as dates: it holds {odd}, and"
            " dates are written in one way, such as 2024-12-31, 31.12.2024 or 12/31/2024."
        )
    return as_dates(facts, when, form)


def _no_date(facts: Facts) -> object:
    """Return a value that has not the form of most dates; the first where none is a date."""
    present = facts.values.drop_nulls()
    form = best_form(present) if present.dtype == pl.String else None
    if form is None:
        return present[0]
    odd = present.filter(read_dates(present, form).is_null())
    return odd[0] if len(odd) else present[0]


def _text(facts: Facts) -> Decision:
    return as_words(facts, "text", said=True)


def _sequence(facts: Facts) -> Decision:
    return as_words(facts, "sequence", said=True)


_BY_KIND: Mapping[str, Callable[[Facts], Decision]] = {
    "number": _number,
    "category": _category,
    "date": _date,
    "text": _text,
    "sequence": _sequence,
}
