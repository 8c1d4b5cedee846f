"""Columns of words as the numbers or booleans that all of their words are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from maxmargin.tables.hint import listed, quoted
from maxmargin.tables.number import (
    as_numbers,
    ask,
    first_word,
    notations,
    read_grouped,
    read_plain,
    that,
)
from maxmargin.tables.parquet import Sampled
from maxmargin.tables.reading import Reading

_NEARLY = 0.9
_FEW = 5


@dataclass(frozen=True)
class Settled:
    """A table of numbers, booleans and words.

    ``notes`` say what is not obvious; ``warnings``, by columns, what few words stand in the way;
    ``written`` is a column as the file spells it, where one was asked for; ``sampled`` are rows of
    a file too large to be read whole.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()
    written: pl.Series | None = None
    sampled: Sampled | None = None


def settle(frame: pl.DataFrame, reading: Reading, decimal: str = ".") -> Settled:
    """Turn columns of words into numbers or booleans where all of their words are.

    Parameters
    ----------
    frame : DataFrame
        Columns of other types stay as they are.
    reading : Reading
        What is known of the file.
    decimal : {".", ","}
        The decimal sign where words leave it open, as 1,234 does.

    Returns
    -------
    Settled

    Examples
    --------
    >>> settle(pl.DataFrame({"a": ["1.234,5", "?"], "b": ["x", "1"]}), Reading()).frame.rows()
    [(1234.5, 'x'), (None, '1')]
    """
    names = [name for name, kind in frame.schema.items() if kind == pl.String]
    words = frame.select(names)
    found, _ = read_plain(words)  # most columns of most files, at no further cost
    rest = _forget(words.drop([*found]), reading)
    more, codes = read_plain(rest)
    found |= more
    words = words.with_columns(rest)
    rest = rest.drop([*more, *codes])
    grouped, with_comma = read_grouped(rest, words.select([*found]), notations(reading, decimal))
    found |= grouped
    found |= _flags(rest.select(name for name in rest.columns if name not in grouped))
    columns = [found.get(each.name, each) for each in frame.with_columns(words)]
    settled = _forget_numbers(pl.DataFrame(columns), reading)
    return Settled(settled, _notes([*grouped], with_comma), tuple(_nearly(settled)))


def _forget(words: pl.DataFrame, reading: Reading) -> pl.DataFrame:
    """Strip blanks, and make what counts as missing null."""
    if not words.width:
        return words
    gone = list(dict.fromkeys(reading.words))
    return words.with_columns(pl.all().str.strip_chars().replace(gone, [None] * len(gone)))


def _forget_numbers(frame: pl.DataFrame, reading: Reading) -> pl.DataFrame:
    """Make numbers null that the user named as missing, however they are written."""
    gone = [float(number) for word in reading.missing if (number := _number(word)) is not None]
    if not gone:
        return frame
    names = [name for name, kind in frame.schema.items() if kind.is_numeric()]
    kept = [
        pl.when(~pl.col(each).cast(pl.Float64).is_in(gone)).then(pl.col(each)) for each in names
    ]
    return frame.with_columns(each.alias(name) for each, name in zip(kept, names, strict=True))


def _number(word: str) -> float | None:
    read = as_numbers(pl.Series([word.strip()]))
    return None if read is None else read.to_list()[0]


def _flags(words: pl.DataFrame) -> dict[str, pl.Series]:
    """Read columns of true and false, in whatever case."""
    likely = that(
        words.columns,
        (first_word(each).lower() in ("true", "false") for each in words.get_columns()),
    )
    lower = words.select(pl.col(likely).str.to_lowercase())
    flags = that(likely, ask(lower, likely, lambda word: word.is_in(["true", "false"]).all()))
    return {name: lower.get_column(name) == "true" for name in flags}


def _nearly(frame: pl.DataFrame) -> list[tuple[str, str]]:
    """Find columns that would be numbers but for a few words."""
    found = []
    for column in frame.get_columns():
        if column.dtype == pl.String and any(letter.isdigit() for letter in first_word(column)):
            others = _others(column)
            if others:
                found.append((column.name, _stray(others)))
    return found


def _others(column: pl.Series) -> list[str]:
    present = column.drop_nulls()
    others = present.filter(present.cast(pl.Float64, strict=False).is_null())
    few = len(others) <= (1.0 - _NEARLY) * len(present)
    kinds = others.unique(maintain_order=True).to_list() if few else []
    return kinds if len(kinds) <= _FEW else []


def _stray(others: Sequence[str]) -> str:
    return (
        f"would be numbers but for {listed(others)}: if that means missing, give --missing"
        f" {quoted(others[0])}"
    )


def _notes(grouped: list[str], with_comma: list[str]) -> tuple[str, ...]:
    others = [name for name in grouped if name not in with_comma]
    notes = []
    if with_comma:
        names = listed(with_comma)
        notes.append(f"Numbers in {names} are read with a decimal comma: --decimal changes that.")
    if others:
        notes.append(
            "Signs, groups of digits and words such as '-' or 'none' are left out of the numbers"
            f" in {listed(others)}: --decimal and --thousands change how numbers are read."
        )
    return tuple(notes)
