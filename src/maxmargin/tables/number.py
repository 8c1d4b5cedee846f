"""Words that are numbers, in the ways in which people write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from maxmargin.tables.reading import MISSING_AMONG_NUMBERS, Reading

_OTHER = {".": ",", ",": "."}
_BLANKS = " \u00a0\u202f'’"  # typesetters group digits with narrow blanks that do not break
_SIGNS = re.compile("[$€£¥%]")
_EXACT = 2.0**53
_LOOKED_AT = 200


@dataclass(frozen=True)
class Notation:
    """A way to write numbers: the decimal sign, and signs that may group digits by three.

    >>> Notation(",", ".").read(pl.Series(["1.234,5", "7"])).to_list()
    [1234.5, 7.0]
    """

    decimal: str
    groups: str

    @property
    def pattern(self) -> str:
        """A regular expression of whole words."""
        # Not \d, which takes digits of other scripts too.
        grouped = f"[1-9][0-9]{{0,2}}(?:[{self.groups}][0-9]{{3}})+" if self.groups else "[0-9]"
        fraction = f"[{self.decimal}][0-9]"
        return f"^[+-]?(?:(?:{grouped}|[0-9]+)(?:{fraction}*)?|{fraction}+)(?:[eE][+-]?[0-9]+)?$"

    def fits(self, frame: pl.DataFrame) -> list[str]:
        """Name the columns whose words are all written in this way."""
        names = frame.columns
        return that(names, ask(frame, names, lambda word: word.str.contains(self.pattern).all()))

    def read(self, words: pl.Series) -> pl.Series:
        """Read words that are written in this way."""
        if self.groups:
            words = words.str.replace_all(f"[{self.groups}]", "")
        numbers = as_numbers(words.str.replace(self.decimal, ".", literal=True))
        assert numbers is not None, "only of words that fit"
        return numbers


def notations(reading: Reading, decimal: str) -> dict[str, Notation]:
    """List the notations that may be, by their decimal signs, the likelier first.

    >>> list(notations(Reading(thousands="."), "."))
    [',']
    """
    sign = reading.decimal or _OTHER.get(reading.thousands or "")
    group = reading.thousands
    if group is not None and group in _BLANKS:
        group = _BLANKS
    order = [sign] if sign else [decimal, _OTHER[decimal]]
    return {mark: Notation(mark, group or _OTHER[mark] + _BLANKS) for mark in order}


def ask(frame: pl.DataFrame, names: Sequence[str], what: Callable[[pl.Expr], pl.Expr]) -> list[Any]:
    """Ask the same of many columns at once, at a cost linear in their number.

    >>> ask(pl.DataFrame({"a": [1, 2], "b": [3, None]}), ["a", "b"], pl.Expr.null_count)
    [0, 1]
    """
    return list(frame.select(what(pl.col(list(names)))).row(0)) if names else []


def that(names: Sequence[str], answers: Iterable[Any]) -> list[str]:
    """Pick the names with the answer yes.

    >>> that(["a", "b"], [False, True])
    ['b']
    """
    return [name for name, answer in zip(names, answers, strict=True) if answer]


def as_numbers(words: pl.Series) -> pl.Series | None:
    """Read numbers as programs write them, as whole ones where all are; None where one is none.

    >>> as_numbers(pl.Series(["1", None, "2"])).dtype, as_numbers(pl.Series(["1", "x"]))
    (Int64, None)
    """
    return next(iter(_numbers(words.to_frame()).values()), None)


def _numbers(frame: pl.DataFrame) -> dict[str, pl.Series]:
    """Read all columns at once: Polars answers one question of thousands in one go."""
    floats = _cast_whole_columns(frame, pl.Float64)
    whole = _cast_whole_columns(frame.select(list(floats)), pl.Int64)
    rest = pl.DataFrame([column for name, column in floats.items() if name not in whole])
    return whole | {each.name: each for each in rest.select(pl.all().fill_nan(None))}


def _cast_whole_columns(frame: pl.DataFrame, kind: type[pl.DataType]) -> dict[str, pl.Series]:
    cast = frame.select(pl.all().cast(kind, strict=False)).get_columns()
    pairs = zip(frame.get_columns(), cast, strict=True)
    return {new.name: new for old, new in pairs if new.null_count() == old.null_count()}


def read_plain(frame: pl.DataFrame) -> tuple[dict[str, pl.Series], set[str]]:
    """Read the columns of words that hold numbers as programs write them.

    Returns
    -------
    numbers : dict of str to Series
    codes : set of str
        Columns that are digits but no numbers.
    """
    read = _numbers(frame)
    numbers = {name: each for name, each in read.items() if each.null_count() < len(each)}
    codes = _codes(frame, numbers)
    return {name: column for name, column in numbers.items() if name not in codes}, codes


def _codes(frame: pl.DataFrame, numbers: dict[str, pl.Series]) -> set[str]:
    """Name the columns of codes: 01234 among digits as long, or digits that no number holds."""
    whole = that([*numbers], (column.dtype == pl.Int64 for column in numbers.values()))
    padded = that(whole, ask(frame, whole, lambda word: word.str.starts_with("0").any()))
    shortest = ask(frame, padded, lambda word: word.str.len_chars().min())
    longest = ask(frame, padded, lambda word: word.str.len_chars().max())
    even = that(padded, (1 < a == b for a, b in zip(shortest, longest, strict=True)))
    floats = [name for name, column in numbers.items() if column.dtype == pl.Float64]
    largest = ask(pl.DataFrame(list(numbers.values())), floats, lambda word: word.abs().max())
    large = that(floats, (_EXACT <= each < float("inf") for each in largest))
    digits = ask(frame, large, lambda word: word.str.contains("^[+-]?[0-9]+$").all())
    return {*even, *that(large, digits)}


def read_grouped(
    frame: pl.DataFrame, plain: pl.DataFrame, ways: dict[str, Notation]
) -> tuple[dict[str, pl.Series], list[str]]:
    """Read columns with a decimal comma, digits in groups, a sign of currency or per cent.

    Where a column can be read with a decimal comma only, points group digits in the others.

    Parameters
    ----------
    frame : DataFrame
        Columns of words that are no plain numbers.
    plain : DataFrame
        Columns of words that are.
    ways : dict of str to Notation
        By decimal signs, the likelier first.

    Returns
    -------
    numbers : dict of str to Series
    with_comma : list of str
        Those that hold decimal commas.
    """
    bare = _bare(frame)
    fits = {sign: way.fits(bare) for sign, way in ways.items()}
    order = list(ways)
    if "," in ways and ({*fits[","]} - {*fits.get(".", ())} or "." not in ways):
        order.sort(key=",".__ne__)
        dotted = _dotted(plain, ways[","])
        bare = bare.hstack(plain.select(dotted))
        fits[","] += dotted
    found: dict[str, pl.Series] = {}
    with_comma: list[str] = []
    for sign in order:
        names = [name for name in fits[sign] if name not in found]
        found |= {name: ways[sign].read(bare.get_column(name)) for name in names}
        with_comma += _with(bare.select(names), ",") if sign == "," else []
    return found, with_comma


def _dotted(plain: pl.DataFrame, way: Notation) -> list[str]:
    """Name the columns in which points could group digits."""
    return _with(plain.select(way.fits(plain)), ".")


def _with(frame: pl.DataFrame, sign: str) -> list[str]:
    names = frame.columns
    return that(names, ask(frame, names, lambda word: word.str.contains(sign, literal=True).any()))


def _bare(frame: pl.DataFrame) -> pl.DataFrame:
    """Take those columns that may hold numbers, without signs and without words for nothing."""
    columns = [(each.name, first_word(each)) for each in frame.get_columns()]
    likely = [(name, word) for name, word in columns if re.search(r"\d", word)]
    gone = list(MISSING_AMONG_NUMBERS)
    bare = [_without_sign(name, word).replace(gone, [None] * len(gone)) for name, word in likely]
    return frame.select(bare)


def _without_sign(name: str, word: str) -> pl.Expr:
    sign = _SIGNS.search(word)
    column = pl.col(name)
    return column.str.replace(sign[0], "", literal=True).str.strip_chars() if sign else column


def first_word(words: pl.Series) -> str:
    """Give a word of a column that does not stand for nothing, if there is one near its start.

    >>> first_word(pl.Series([None, "-", "7"]))
    '7'
    """
    start = words.head(_LOOKED_AT)
    if start.null_count() == len(start):
        start = words.drop_nulls().head(_LOOKED_AT)
    nothing = (None, *MISSING_AMONG_NUMBERS)
    return next((word for word in start.to_list() if word not in nothing), "")
