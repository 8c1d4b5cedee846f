"""What the user said about a file."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Any

from maxmargin.tables.error import InputError

# Missing in every column, blanks around them or not.
MISSING = (
    *("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN"),
    *("null", "NULL", "Null", "?"),
)
# Missing where everything else in the column is a number or a date: elsewhere "none" or "-" may
# well be a category, as in "no basement".
MISSING_AMONG_NUMBERS = ("-", "--", "---", ".", "*", "none", "None", "NONE", "#DIV/0!", "#VALUE!")

_SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_SEPARATORS |= {"blank": " ", "blanks": " ", "space": " "}


@dataclass(frozen=True)
class Reading:
    r"""What is known about the way a file is written; None where it is to be found out.

    Parameters
    ----------
    separator : str, optional
        What stands between fields: one character, or "tab", "comma", "semicolon", "pipe" or
        "blanks" (one or more of them).
    encoding : str, optional
        As Python calls it, such as "latin-1".
    header : bool
        Whether the first line holds the names of columns; else they are "c0", "c1", and so on.
    decimal : {".", ","}, optional
        The decimal sign.
    thousands : {",", ".", " ", "'"}, optional
        What groups digits by three.
    missing : tuple of str
        Words that count as missing besides ``MISSING``.

    Examples
    --------
    >>> Reading(separator="semicolon", decimal=",").separator
    ';'
    >>> Reading(separator="::")
    Traceback (most recent call last):
    ...
    maxmargin.tables.error.InputError: The separator is one character, not '::'.
    """

    separator: str | None = None
    encoding: str | None = None
    header: bool = True
    decimal: str | None = None
    thousands: str | None = None
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        separator = self.separator
        self._set("separator", None if separator is None else _separator(separator))
        self._set("missing", as_tuple(self.missing))
        _check_marks(self.decimal, self.thousands)
        _check_encoding(self.encoding)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def words(self) -> list[str]:
        """All words that count as missing in every column."""
        return [*MISSING, *(word.strip() for word in self.missing)]


def as_tuple(given: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Take one name for a tuple of one.

    >>> as_tuple("age")
    ('age',)
    """
    return (given,) if isinstance(given, str) else tuple(given)


def _separator(given: str) -> str:
    separator = _SEPARATORS.get(given, given)
    if len(separator) != 1 or separator in '"\n\r' or not separator.isascii():
        raise InputError(f"The separator is one character, not {given!r}.")
    return separator


def _check_marks(decimal: str | None, thousands: str | None) -> None:
    if decimal not in (None, ".", ","):
        raise InputError(f"The decimal sign is '.' or ',', not {decimal!r}.")
    if thousands not in (None, ".", ",", " ", "'"):
        raise InputError(
            f"What groups digits by three is ',', '.', a blank or an apostrophe, not {thousands!r}."
        )
    if thousands is not None and thousands == decimal:
        raise InputError(f"{decimal!r} cannot be both the decimal sign and what groups digits.")


def _check_encoding(encoding: str | None) -> None:
    try:
        codecs.lookup(encoding or "utf-8")
    except (LookupError, ValueError):
        raise InputError(
            f"There is no encoding {encoding!r}: usual ones are utf-8, latin-1, cp1252 and utf-16."
        ) from None
