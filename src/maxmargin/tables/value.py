"""Values of a column as numbers or as words, whichever a model wants."""

from __future__ import annotations

import polars as pl

from maxmargin.tables.date import find_form, plain_dates, read_dates
from maxmargin.tables.error import InputError
from maxmargin.tables.hint import quoted
from maxmargin.tables.number import as_numbers, ask, that
from maxmargin.tables.reading import MISSING_AMONG_NUMBERS, Reading
from maxmargin.tables.settle import settle

WORDS = (pl.String, pl.Categorical, pl.Enum)


def whole_numbers(column: pl.Series) -> pl.Series:
    """Give floats as integers where none has a fraction.

    >>> whole_numbers(pl.Series([1.0, 2.0])).dtype
    Int64
    """
    if not column.dtype.is_float():
        return column
    whole = column.cast(pl.Int64, strict=False)
    return (
        whole if (whole == column).all() and whole.null_count() == column.null_count() else column
    )


def read_numbers(column: pl.Series) -> pl.Series:
    """Read a column of a later file as numbers, infinite ones as missing.

    >>> read_numbers(pl.Series("a", ["1,5", "-"])).to_list()
    [1.5, None]
    >>> read_numbers(pl.Series("a", ["1", "two"]))
    Traceback (most recent call last):
    ...
    maxmargin.tables.error.InputError: Column 'a' holds 'two' in row 2, where the model knows
    numbers: correct it, or give --missing 'two' if that means missing.
    """
    if column.dtype in WORDS:
        column = _numbers_of_words(column.cast(pl.String))
    elif column.dtype == pl.Duration:
        column = column.dt.total_milliseconds() / 1000.0
    elif column.dtype.is_temporal() or column.dtype.is_nested() or column.dtype == pl.Binary:
        raise InputError(
            f"Column {column.name!r} holds {str(column.dtype).lower()} values, where the model"
            " knows numbers: give numbers."
        )
    return make_finite(column.cast(pl.Float64).to_frame()).to_series()


def make_finite(frame: pl.DataFrame) -> pl.DataFrame:
    """Make floats null that are infinite or none.

    >>> make_finite(pl.DataFrame({"a": [1.0, float("inf"), float("nan")]})).to_series().to_list()
    [1.0, None, None]
    """
    names = [name for name, kind in frame.schema.items() if kind.is_float()]
    strange = that(names, ask(frame, names, lambda number: ~number.is_finite().all()))
    return frame.with_columns(
        pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in strange
    )


def _numbers_of_words(words: pl.Series) -> pl.Series:
    settled = settle(words.to_frame(), Reading()).frame.to_series()
    if settled.dtype.is_numeric() or settled.dtype == pl.Boolean:
        return settled
    plain = as_numbers(settled)  # of codes such as 007 too
    if plain is not None:
        return plain
    wrong = (settled.cast(pl.Float64, strict=False).is_null() & ~_gone(settled)).arg_true()
    row = wrong[0] if len(wrong) else 0
    raise InputError(
        f"Column {words.name!r} holds {quoted(words[row])} in row {row + 1}, where the model knows"
        f" numbers: correct it, or give --missing {quoted(words[row])} if that means missing."
    )


def read_words(column: pl.Series, known: tuple[str, ...] = ()) -> pl.Series:
    """Read a column of a later file as words, spelt as the known ones where they mean the same.

    A file whose values all are numbers is read as numbers, and 1.50 then has to be found again;
    the same holds for True.

    >>> read_words(pl.Series([1.5, 2.0]), ("1.50", "2", "x")).to_list()
    ['1.50', '2']
    >>> read_words(pl.Series([True, False]), ("True", "False", "maybe")).to_list()
    ['True', 'False']
    """
    if column.dtype in WORDS:
        return column.cast(pl.String)
    column = whole_numbers(column)
    words, names = column.cast(pl.String), pl.Series(known, dtype=pl.String)
    if column.dtype == pl.Boolean:
        keys = names.str.to_lowercase()
    elif column.dtype.is_integer():
        numbers = names.cast(pl.Float64, strict=False)
        whole = numbers.cast(pl.Int64, strict=False)
        keys = whole.set(~(whole == numbers).fill_null(value=False), None).cast(pl.String)
    else:
        keys = names.cast(pl.Float64, strict=False).cast(pl.String)
    spelt = dict(zip(keys.to_list(), known, strict=True))
    spelt.pop(None, None)
    return words.replace(list(spelt), list(spelt.values())) if spelt else words


def read_when(column: pl.Series, form: str) -> pl.Series:
    """Read a column of a later file as dates or times.

    >>> read_when(pl.Series("day", ["2024-02-30"]), "%Y-%m-%d")
    Traceback (most recent call last):
    ...
    maxmargin.tables.error.InputError: Column 'day' holds '2024-02-30' in row 1, where the model
    knows dates such as 2024-12-31: correct it.
    """
    if column.dtype in (pl.Date, pl.Datetime, pl.Time):
        return plain_dates(column)
    words = column.cast(pl.String)
    own = find_form(words) or ""
    if own.startswith("%Y") or not form:  # written so that nobody can mistake it
        form = own or "%Y-%m-%d"
    when = read_dates(words, form)
    wrong = (when.is_null() & ~_gone(words)).arg_true()
    if len(wrong):
        raise InputError(
            f"Column {column.name!r} holds {words[wrong[0]]!r} in row {wrong[0] + 1}, where the"
            f" model knows dates such as {_example(form)}: correct it."
        )
    return when


def _gone(words: pl.Series) -> pl.Series:
    return words.is_in(list(MISSING_AMONG_NUMBERS)).fill_null(value=True)


def _example(form: str) -> str:
    shown = {"%Y": "2024", "%m": "12", "%d": "31", "%B": "December", "%H": "23", "%M": "59"}
    shown |= {"%S": "58", "%I": "11", "%p": "pm", "%.f": "", "%#z": "Z"}
    for code, example in shown.items():
        form = form.replace(code, example)
    return form
