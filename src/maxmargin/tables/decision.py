"""What a column holds, and what becomes of it.

Encoders such as skrub's TableVectorizer decide too, but inside of a model and for that model: here
one decision is shown before the work begins, serves models that want categories and gaps as they
are beside those that do not, and is stored as plain data.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace

import polars as pl

from maxmargin.tables.date import (
    DAYS_OF_A_YEAR,
    days_between,
    find_form,
    is_ambiguous,
    parts_of,
    plain_dates,
    read_dates,
)
from maxmargin.tables.hint import counted
from maxmargin.tables.number import ask
from maxmargin.tables.schema import Feature
from maxmargin.tables.table import Column
from maxmargin.tables.text import MOST_LETTERS, are_texts, count_cut, name_alphabet
from maxmargin.tables.value import WORDS, read_words

MOST_CATEGORIES = 10_000
FEW_WORDS = 20  # as many different words are categories, however few rows there are
AS_SAID = ", as you said"
TREATMENTS = {
    "text": "texts, by their words and runs of letters",
    "sequence": "sequences, by string kernels",
}
_YEARS = 1500, 2200  # a table of a row a year counts these, and means them
MANY_DATES = 20  # of a column that suggests an order in time
_BIRTHS = {"birth", "birthday", "birthdate", "born", "dob"}
FEW_ROWS = 20  # in a table as small, numbers may count up by chance
_NAMES_OF_ROWS = {
    *("id", "ids", "key", "uuid", "guid", "index", "idx", "row", "rows", "rowid", "rownames"),
    *("rowname", "nr", "no", "number", "serial", "instance", "record", "unnamed"),
}


@dataclass(frozen=True)
class Decision:
    """A column with the features that are made of it, and notes about it."""

    column: Column
    features: tuple[Feature, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Facts:
    """A column's values where rows have a label, and counts of them."""

    values: pl.Series
    missing: int
    distinct: int
    warning: str = ""

    @property
    def name(self) -> str:
        """Its name."""
        return self.values.name

    @property
    def unique(self) -> bool:
        """Whether each row has a value of its own."""
        return self.distinct == len(self.values) and not self.missing


def count_values(frame: pl.DataFrame) -> Iterator[Facts]:
    """Count what is missing and what differs, in all columns at once."""
    plain = [name for name, kind in frame.schema.items() if not _is_strange(kind)]
    distinct = dict(zip(plain, ask(frame, plain, pl.Expr.n_unique), strict=True))
    for values in frame.get_columns():
        missing = values.null_count()
        yield Facts(values, missing, distinct.get(values.name, len(values)) - (missing > 0))


def decide(facts: Facts) -> Decision:
    """Say what a column holds and what becomes of it, where the user did not.

    Parameters
    ----------
    facts : Facts

    Returns
    -------
    Decision

    Examples
    --------
    >>> [facts] = count_values(pl.DataFrame({"age": [1.5, None, 2.5]}))
    >>> decide(facts).column.treatment
    'a number'
    """
    useless = _find_useless(facts)
    if useless is not None:
        return useless
    when, form = find_dates(facts.values)
    if when is not None:
        return as_dates(facts, when, form)
    if facts.distinct == 1 and not facts.missing:
        return dropped(facts, kind_of(facts.values), "every row has the same value")
    return (_decide_words if kind_of(facts.values) == "category" else _decide_numbers)(facts)


def decide_time(facts: Facts) -> Decision:
    """Say what becomes of the column that orders rows in time: of it features recur or are none.

    Days go on for ever, so that those of the future lie beyond all that were learned from; hours,
    weekdays, and months where there is more than a year of them, come again.
    """
    when, form = find_dates(facts.values)
    parts = [] if when is None else [part for part in parts_of(when) if part != "days"]
    if when is not None and when.dtype != pl.Time and days_between(when) < DAYS_OF_A_YEAR:
        parts = [part for part in parts if part != "month"]
    made = tuple(
        Feature(f"{facts.name}.{part}", "number", facts.name, part, form=form) for part in parts
    )
    becomes = f", and becomes {', '.join(parts)}" if parts else ""
    counts, kind = (facts.missing, facts.distinct), "number" if when is None else "date"
    told = "orders the rows in time" + becomes
    return Decision(Column(facts.name, kind, "time", told, *counts), made)


def with_advice_on_time(decision: Decision) -> Decision:
    """Warn of a column of many dates, by which later rows may have to be predicted.

    Parameters
    ----------
    decision : Decision

    Returns
    -------
    Decision
    """
    column = decision.column
    days = any(each.part == "days" for each in decision.features)
    if not days or column.distinct < MANY_DATES or _BIRTHS & {*_words_of(column.name)}:
        return decision
    option = shlex.join(["--time", column.name])
    advice = (
        "holds dates, and random test rows lie between those learned from: to predict later rows"
        f" from earlier ones, give {option}"
    )
    warning = "; ".join(each for each in (column.warning, advice) if each)
    return replace(decision, column=replace(column, warning=warning))


def _find_useless(facts: Facts) -> Decision | None:
    kind = facts.values.dtype
    if facts.missing == len(facts.values):
        return dropped(facts, "nothing", "every value is missing")
    if _is_strange(kind):
        return dropped(facts, "text", f"a {str(kind).lower()} is neither number nor category")
    return None


def _is_strange(kind: pl.DataType) -> bool:
    return kind.is_nested() or kind in (pl.Binary, pl.Object)


def find_dates(values: pl.Series) -> tuple[pl.Series | None, str]:
    """Read dates or times, and give the form they have in words."""
    if values.dtype in (pl.Date, pl.Datetime, pl.Time):
        return plain_dates(values), ""
    form = find_form(values) if values.dtype == pl.String else None
    return (None, "") if form is None else (read_dates(values, form), form)


def kind_of(values: pl.Series) -> str:
    """Name what a column holds, by its type alone."""
    if values.dtype.is_numeric() or values.dtype == pl.Duration:
        return "number"
    if values.dtype.is_temporal():
        return "date"
    return "category" if values.dtype in WORDS or values.dtype == pl.Boolean else "text"


def dropped(facts: Facts, kind: str, why: str) -> Decision:
    """Leave a column out."""
    return Decision(_column(facts, kind, "dropped", f"dropped: {why}"))


def named_rows(facts: Facts, why: str) -> Decision:
    """Leave a column out that names rows, and keep it for their names."""
    return Decision(_column(facts, kind_of(facts.values), "id", f"left out: {why}"))


def _column(facts: Facts, kind: str, role: str, treatment: str, warning: str = "") -> Column:
    warning = "; ".join(each for each in (facts.warning, warning) if each)
    return Column(facts.name, kind, role, treatment, facts.missing, facts.distinct, warning)


def _decide_numbers(facts: Facts) -> Decision:
    if facts.values.dtype.is_integer() and facts.unique and len(facts.values) > 2:
        if _counts_up(facts):
            return named_rows(facts, "it numbers the rows")
        if _says_id(facts.name):
            return named_rows(facts, "it names the rows")
    return as_number(facts)


def as_number(facts: Facts, *, said: bool = False) -> Decision:
    """Take a column for a number."""
    doubt = "" if said else _doubt(facts)
    column = _column(facts, "number", "feature", f"a number{AS_SAID * said}", doubt)
    return Decision(column, (Feature(facts.name, "number", facts.name),))


def _counts_up(facts: Facts) -> bool:
    """Whether it counts row by row, in a table where that is hardly chance; years may do so."""
    values, n_rows = facts.values, len(facts.values)
    likely = n_rows >= FEW_ROWS or _says_id(facts.name)
    first, last = values[0], values[-1]
    years = _YEARS[0] <= first and last <= _YEARS[1] and not _says_id(facts.name)
    return likely and last == first + n_rows - 1 and values.is_sorted() and not years


def _says_id(name: str) -> bool:
    """Whether a name is that of row names, or no name at all.

    >>> [_says_id(name) for name in ("", "PassengerId", "row_id", "humidity", "Unnamed: 0")]
    [True, True, True, False, True]
    """
    return not name or not _NAMES_OF_ROWS.isdisjoint(_words_of(name))


def _words_of(name: str) -> list[str]:
    """Split a name at signs and at capitals.

    >>> _words_of("customerID"), _words_of("row_no")
    (['customer', 'id'], ['row', 'no'])
    """
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]


def _doubt(facts: Facts) -> str:
    """Warn of a feature that may stand for who it is rather than for what it is like."""
    several = 2 * facts.distinct > len(facts.values) or facts.distinct > FEW_WORDS
    if several and "id" in _words_of(facts.name):
        return "by its name it tells who a row is of: consider --id, --group or --drop"
    return ""


def _decide_words(facts: Facts) -> Decision:
    words = facts.values
    if facts.unique and len(words) > 2 and _says_id(facts.name):
        return named_rows(facts, "it names the rows")
    many = facts.distinct > max(FEW_WORDS, len(words) // 2)
    if (many or facts.distinct > MOST_CATEGORIES) and are_texts(words.cast(pl.String)):
        return as_words(facts, "text")
    if many:
        facts = replace(facts, warning="; ".join(filter(None, [facts.warning, _suggest(facts)])))
        if facts.unique and not words.cast(pl.String).str.contains(" ", literal=True).any():
            return named_rows(facts, "each row has a word of its own")
        return dropped(facts, "text", "nearly every row differs")
    if facts.distinct > MOST_CATEGORIES:
        return dropped(facts, "text", f"{facts.distinct:,} different words are too many")
    return as_category(facts)


def _suggest(facts: Facts) -> str:
    """Say how sequences are read, where words look like them."""
    letters = name_alphabet(facts.values.cast(pl.String))
    read = f"--kind {facts.name}=sequence reads it by string kernels"
    return f"looks like {letters}: {read}" if letters else ""


def as_category(facts: Facts, *, said: bool = False) -> Decision:
    """Take a column for a category."""
    known = tuple(sorted({*read_words(facts.values.unique()).to_list()} - {None}))
    what = f"a category of {counted(len(known), 'value')}{AS_SAID * said}"
    column = _column(facts, "category", "feature", what, "" if said else _doubt(facts))
    return Decision(column, (Feature(facts.name, "category", facts.name, categories=known),))


def as_words(facts: Facts, kind: str, *, said: bool = False) -> Decision:
    """Take a column for texts or sequences, of which the beginning is read."""
    what = TREATMENTS[kind] + AS_SAID * said
    long = count_cut(facts.values)
    if long:
        what += f"; {long:,} longer than {MOST_LETTERS:,} letters are cut"
    column = _column(facts, kind, "feature", what)
    return Decision(column, (Feature(facts.name, kind, facts.name),))


def as_dates(facts: Facts, when: pl.Series, form: str) -> Decision:
    """Make numbers of dates, one for each part of them that differs."""
    parts = parts_of(when)
    if not parts:
        return dropped(facts, "date", "every row has the same value")
    features = tuple(
        Feature(f"{facts.name}.{part}", "number", facts.name, part, form=form) for part in parts
    )
    notes: tuple[str, ...] = ()
    if form and is_ambiguous(facts.values, form):
        first = "months" if form.startswith("%m") else "days"
        notes = (
            f"Dates in {facts.name!r} could have months or days first: {first} first is taken;"
            " write them as 2024-12-31 to be sure.",
        )
    return Decision(
        _column(facts, "date", "feature", "becomes " + ", ".join(parts)), features, notes
    )
