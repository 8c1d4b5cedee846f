"""Text with separators, read as a table of words."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from maxmargin.inputs.exhaustion import lacks_memory
from maxmargin.tables.dialect import (
    Dialect,
    Lines,
    blanks_to_tabs,
    close_up,
    find_quoting,
    find_separator,
)
from maxmargin.tables.error import InputError
from maxmargin.tables.hint import counted, listed
from maxmargin.tables.memory import check_memory
from maxmargin.tables.panic import quiet_panics
from maxmargin.tables.parquet import Sampled
from maxmargin.tables.reading import Reading

_SEP = re.compile(rb'"?sep=([\t !#-~])"?[ \t]*\n', re.IGNORECASE)
_BYTES_A_LETTER, _BYTES_A_FIELD = 4, 32  # measured: text and masks; views of words and numbers


@dataclass(frozen=True)
class Words:
    """A table whose values are words or None, and what was found out on the way.

    ``decimal`` is the sign that the separator speaks for, where the values leave it open; columns
    are ``named`` by a line of text; ``sampled`` are rows of a file too large to be read whole.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    decimal: str = "."
    named: bool = False
    sampled: Sampled | None = None


def read_delimited(text: bytes, path: Path, reading: Reading, free: int | None = None) -> Words:
    """Read delimited text.

    Parameters
    ----------
    text : bytes
        In UTF-8, with plain line ends.
    path : Path
        For errors.
    reading : Reading
        What is known of it.
    free : int or None
        Bytes of memory that may be taken.

    Returns
    -------
    Words
    """
    text, separator = _take_hint(text, reading.separator)
    separator = separator or find_separator(text)
    decimal = "," if separator == ";" else "."
    if separator == " ":
        text, separator = blanks_to_tabs(text), "\t"
    text = close_up(text, separator)
    dialect = find_quoting(text, separator)
    lines = dialect.lines(text)
    check_memory(path, _need(text, lines), free)
    _check_regular(path, lines, reading.header)
    return _read(text, lines, dialect, path, reading.header, decimal)


def _take_hint(text: bytes, separator: str | None) -> tuple[bytes, str | None]:
    """Take the separator from a first line such as ``sep=;``, which spreadsheets write."""
    found = _SEP.match(text)
    if not found:
        return text, separator
    return b"\n" + text[found.end() :], separator or found[1].decode()


def _need(text: bytes, lines: Lines) -> int:
    return _BYTES_A_LETTER * len(text) + _BYTES_A_FIELD * int(lines.fields.sum())


def _check_regular(path: Path, lines: Lines, header: bool) -> None:
    if not len(lines.fields):
        raise InputError(f"{str(path)!r} is empty.")
    if len(lines.fields) <= header:
        raise InputError(f"{str(path)!r} holds no rows, only names of columns.")
    body = lines.fields[int(header) :]
    usual = int(np.bincount(body).argmax())
    named = header and usual != lines.fields[0] + 1  # a header may lack the name of row names
    expected, of = (lines.fields[0], "the header has") if named else (usual, "most lines have")
    wrong = np.flatnonzero(body != expected)
    if len(wrong):
        line = lines.number[wrong[0] + int(header)]
        raise InputError(
            f"Line {line} of {str(path)!r} has {counted(int(body[wrong[0]]), 'field')}"
            f" where {of} {expected}: check its separator and its quotes."
        )


def _read(
    text: bytes, lines: Lines, dialect: Dialect, path: Path, header: bool, decimal: str
) -> Words:
    frame = _parse(_body(text, lines, header), dialect, path)
    names = [f"c{j}" for j in range(frame.width)]
    if header:
        first = _parse(text[lines.start[0] : lines.end[0]], dialect, path).row(0)
        names = _fit_names([" ".join((name or "").split()) for name in first], frame)
    if len(names) != frame.width:
        raise InputError(f"The first lines of {str(path)!r} do not fit together: check its quotes.")
    odd = b'"' in text and not dialect.quoted
    notes = ("Quotes stand inside of fields: they are read as letters.",) if odd else ()
    return Words(_rename(frame, names, path), notes, decimal)


def _body(text: bytes, lines: Lines, header: bool) -> bytes:
    """Cut out the lines of data, without blank ones between them."""
    start, end = lines.start[int(header) :], lines.end[int(header) :]
    if (start[1:] == end[:-1] + 1).all():
        return text[start[0] : end[-1]]
    return b"\n".join(text[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True))


def _parse(body: bytes, dialect: Dialect, path: Path) -> pl.DataFrame:
    try:
        with quiet_panics():
            return pl.read_csv(
                body,
                has_header=False,
                separator=dialect.separator,
                quote_char='"' if dialect.quoted else None,
                infer_schema_length=0,
            )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        if lacks_memory(error):
            raise MemoryError from error
        reason = (str(error).strip().splitlines() or [""])[0].rstrip(".")
        raise InputError(f"Cannot read {str(path)!r} as a table: {reason}.") from None


def _fit_names(names: list[str], frame: pl.DataFrame) -> list[str]:
    """Name a column more than there are names: behind them if empty, else in front, as R does."""
    if len(names) != frame.width - 1:
        return names
    last = frame.get_column(frame.columns[-1])
    empty = last.is_null().all() or bool((last.fill_null("").str.strip_chars() == "").all())
    return [*names, ""] if empty else ["", *names]


def _rename(frame: pl.DataFrame, names: list[str], path: Path) -> pl.DataFrame:
    columns = dict(enumerate(frame.get_columns()))
    for j in [j for j, name in enumerate(names) if not name]:
        if columns[j].is_null().all():
            del columns[j]  # what a separator at the end of each line makes
        else:
            names[j] = f"unnamed {j}"
    twice = [name for name, n in Counter(names[j] for j in columns).items() if n > 1]
    if twice:
        raise InputError(
            f"{str(path)!r} has more than one column of the name {listed(twice)}: rename them, or"
            " give --no-header if its first line holds data."
        )
    return pl.DataFrame([column.alias(names[j]) for j, column in columns.items()])
