"""Files in ARFF, dense or sparse, of Weka and (with its own words for types) of KEEL.

% a comment
@relation weather
@attribute 'outlook today' {sunny, 'partly rainy'}
@attribute humidity numeric
@data
sunny, 85
{1 90}          what a sparse row leaves out is 0, or the first of the nominal values
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from maxmargin.tables.error import InputError
from maxmargin.tables.hint import counted, listed
from maxmargin.tables.memory import check_memory

_BYTES_A_FIELD = 64  # a word of Python and its place in a list
_START = re.compile(rb"(?:\s|%[^\n]*\n)*@relation\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{\[]+))\s*(.*)""",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"(?:real|integer|numeric)\b", re.IGNORECASE)
_WORDS = re.compile(r"(?:string|date)\b", re.IGNORECASE)
# Possessive throughout: a long line of blanks or quotes is read once, not once from each of them.
_FIELD = re.compile(r"""\s*+(?:'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)"|([^,]*+))\s*+(?:,|$)""")
_SPARSE_FIELD = re.compile(
    r"""(?:[^,'"]|'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|(?P<open>['"].*))++"""
)
_DIGITS = 9  # of the place of a column
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True)
class Attribute:
    """A column: its name, its values where it is nominal, and whether it holds numbers."""

    name: str
    values: tuple[str, ...] | None = None
    number: bool = True

    @property
    def usual(self) -> str | None:
        """What a sparse row means by leaving it out."""
        if self.values:
            return self.values[0]
        return "0" if self.number else None


def is_arff(text: bytes) -> bool:
    r"""Whether a text begins as ARFF does.

    >>> is_arff(b"% weather\n@RELATION weather\n"), is_arff(b"a,b\n")
    (True, False)
    """
    return _START.match(text) is not None


def read_arff(text: bytes, path: Path, free: int | None = None) -> pl.DataFrame:
    r"""Read an ARFF file as words, nominal columns as categories.

    Parameters
    ----------
    text : bytes
        In UTF-8.
    path : Path
        For errors.
    free : int or None
        Bytes of memory that may be taken.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> text = b"@relation r\n@attribute 'a b' real\n@attribute c {x, y}\n@data\n1,x\n{1 y}\n"
    >>> read_arff(text, Path("r.arff")).rows()
    [('1', 'x'), ('0', 'y')]
    """
    lines = enumerate(text.decode().split("\n"), 1)
    attributes = _read_header(lines, path)
    data = [*_data(lines)]
    check_memory(path, _BYTES_A_FIELD * len(data) * len(attributes), free)
    rows = [_row(line, attributes, number, path) for number, line in data]
    if not rows:
        raise InputError(f"{str(path)!r} holds no rows, only names of columns.")
    columns = zip(*rows, strict=True)
    return pl.DataFrame(
        [
            pl.Series(each.name, column, pl.String if each.values is None else pl.Categorical)
            for each, column in zip(attributes, columns, strict=True)
        ]
    )


def _read_header(lines: Iterator[tuple[int, str]], path: Path) -> list[Attribute]:
    attributes = []
    for number, line in lines:
        word = line.split(maxsplit=1)[0].lower() if line.strip() else ""
        if word == "@data":
            break
        if word == "@attribute":
            attributes.append(_attribute(line.strip(), number, path))
    twice = [name for name, n in Counter(each.name for each in attributes).items() if n > 1]
    if twice:
        raise InputError(
            f"{str(path)!r} has more than one column of the name {listed(twice)}: rename them."
        )
    if not attributes:
        raise InputError(f"{str(path)!r} has no @attribute, so nobody knows its columns.")
    return attributes


def _attribute(line: str, number: int, path: Path) -> Attribute:
    found = _ATTRIBUTE.match(line)
    kind = found[4].strip() if found else ""
    if not found or not (kind.startswith("{") or _NUMBERS.match(kind) or _WORDS.match(kind)):
        raise InputError(
            f"Line {number} of {str(path)!r} is no attribute of numbers, words, dates or listed"
            f" values: {line[:60]!r}."
        )
    name = next(_unescape(each) for each in found.group(1, 2, 3) if each is not None)
    if not kind.startswith("{"):
        return Attribute(name, None, number=bool(_NUMBERS.match(kind)))
    values = _split(kind[1:].rpartition("}")[0])
    return Attribute(name, tuple(value or "" for value in values), number=False)


def _data(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    return ((n, line.strip()) for n, line in lines if line.strip() and line.lstrip()[0] != "%")


def _row(line: str, attributes: list[Attribute], number: int, path: Path) -> list[str | None]:
    if line.startswith("{"):
        return _sparse_row(line, attributes, number, path)
    row = _split(line)
    if len(row) == len(attributes) + 1 and not row[-1]:
        row.pop()
    if len(row) != len(attributes):
        raise InputError(
            f"Line {number} of {str(path)!r} has {counted(len(row), 'field')} where the header has"
            f" {counted(len(attributes), 'attribute')}: check its quotes."
        )
    return row


def _sparse_row(
    line: str, attributes: list[Attribute], number: int, path: Path
) -> list[str | None]:
    row: list[str | None] = [each.usual for each in attributes]
    for field in _SPARSE_FIELD.finditer(line.strip("{} ")):
        if field["open"]:
            raise InputError(f"Line {number} of {str(path)!r} has a quote that is not closed.")
        place, _, value = field[0].strip().partition(" ")
        known = place.isdecimal() and len(place) <= _DIGITS and int(place) < len(attributes)
        if not known:
            raise InputError(
                f"Line {number} of {str(path)!r} has no column {place[:60]!r} to fill."
            )
        row[int(place)] = _split(value.strip())[0]
    return row


def _split(line: str) -> list[str | None]:
    """Split at commas outside of quotes; a bare question mark is missing."""
    if "'" not in line and '"' not in line:
        return [_bare(field) for field in line.split(",")]
    fields: list[str | None] = []
    place = 0
    while place <= len(line):
        found = _FIELD.match(line, place)
        assert found is not None, "whatever is no quoted field is a bare one"
        single, double, bare = found.groups()
        quoted = single if single is not None else double
        fields.append(_bare(bare) if quoted is None else _unescape(quoted))
        place = found.end() + (found.end() == len(line) and not found[0].endswith(","))
    return fields


def _bare(field: str) -> str | None:
    field = field.strip()
    return None if field == "?" else field


def _unescape(text: str) -> str:
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text
