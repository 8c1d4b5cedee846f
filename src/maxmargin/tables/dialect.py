"""How a delimited text is written: what separates fields, whether quotes count, where lines end."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.intp]

# A comma is the last of them: beside a semicolon it is the decimal sign.
_SEPARATORS = ("\t", ";", "|", ",")
_SAMPLE = 1 << 16
_LINE_FEED, _QUOTE = ord("\n"), ord('"')


@dataclass(frozen=True)
class Lines:
    """Where the lines of a text begin and end, and how many fields each has.

    Lines inside quotes belong to one field; ``number`` counts them all the same.
    """

    start: Counts
    end: Counts
    fields: Counts
    number: Counts

    def without(self, empty: NDArray[np.bool_]) -> Lines:
        """Leave lines out."""
        keep = ~empty
        return Lines(self.start[keep], self.end[keep], self.fields[keep], self.number[keep])


@dataclass(frozen=True)
class Dialect:
    """A separator, and whether fields may stand in quotes."""

    separator: str
    quoted: bool

    def lines(self, text: bytes) -> Lines:
        r"""Split a text into lines and count their fields.

        Parameters
        ----------
        text : bytes
            In UTF-8.

        Returns
        -------
        Lines
            Those that are not blank.

        Examples
        --------
        >>> Dialect(",", quoted=True).lines(b'a,b\n\n1,"x,y"\n').fields.tolist()
        [2, 2]
        """
        letters = np.frombuffer(text, np.uint8)
        breaks, marks = letters == _LINE_FEED, letters == ord(self.separator)
        every = np.flatnonzero(breaks)
        if self.quoted and b'"' in text:
            outside = ~np.logical_xor.accumulate(letters == _QUOTE)
            breaks, marks = breaks & outside, marks & outside
        end = np.flatnonzero(breaks)
        if not len(end) or end[-1] != len(text) - 1:
            end = np.append(end, len(text))
        start = np.append(0, end[:-1] + 1)
        fields = np.diff(np.searchsorted(np.flatnonzero(marks), end), prepend=0) + 1
        lines = Lines(start, end, fields, np.searchsorted(every, start) + 1)
        return lines.without(_are_blank(text, lines))


def _are_blank(text: bytes, lines: Lines) -> NDArray[np.bool_]:
    blank = lines.end == lines.start
    for i in np.flatnonzero((lines.fields == 1) & ~blank).tolist():
        blank[i] = not text[lines.start[i] : lines.end[i]].strip()
    return blank


def regular(fields: Counts) -> bool:
    """Whether all lines have as many fields, or all but a header that has one less."""
    first, rest = fields[:1], fields[1:]
    return bool((rest == rest[:1]).all() and ((first == rest[:1]) | (first == rest[:1] - 1)).all())


def find_quoting(text: bytes, separator: str) -> Dialect:
    r"""Find out whether quotes count: not if that makes lines irregular that are not.

    Parameters
    ----------
    text : bytes
        In UTF-8.
    separator : str

    Returns
    -------
    Dialect

    Examples
    --------
    >>> find_quoting(b'ham\the said "no\nspam\t"yes" she said\n', "\t").quoted
    False
    """
    if b'"' in text:
        for dialect in (Dialect(separator, quoted) for quoted in _quoting(text, separator)):
            if regular(dialect.lines(text).fields):
                return dialect
    return Dialect(separator, quoted=True)


def find_separator(text: bytes) -> str:
    r"""Find the separator that gives the most lines the same number of fields, above one.

    Parameters
    ----------
    text : bytes
        In UTF-8.

    Returns
    -------
    str
        A blank stands for one or more of them.

    Examples
    --------
    >>> find_separator(b"a;b\n1,5;2,5\n"), find_separator(b" 1  2\n 3 4\n")
    (';', ' ')
    """
    sample = text[:_SAMPLE]
    if len(sample) < len(text):
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    scores = {each: _agreement(sample, each) for each in _SEPARATORS}
    best = max(scores, key=lambda each: scores[each])
    if scores[best] < 0.5 and _agreement(blanks_to_tabs(sample), "\t") > scores[best]:
        return " "
    return best if scores[best] > 0.0 else ","


def _agreement(sample: bytes, separator: str) -> float:
    """Give the share of lines that have the most frequent number of fields, 0 if that is one."""
    quoted = next(iter(_quoting(sample, separator)))
    fields = Dialect(separator, quoted).lines(sample).fields
    if not len(fields):
        return 0.0
    counts = np.bincount(fields)
    return 0.0 if counts.argmax() < 2 else float(counts.max() / len(fields))


def _quoting(text: bytes, separator: str) -> tuple[bool, bool]:
    """Whether quotes count, likelier answer first: not if one stands in the middle of a field."""
    if b'"' not in text:
        return True, False
    mark = re.escape(separator.encode())
    stray = re.search(rb'[^\n"' + mark + rb']"[^\n"' + mark + rb"]", text)
    return (False, True) if stray else (True, False)


def close_up(text: bytes, separator: str) -> bytes:
    r"""Leave out blanks between a separator and a quote that opens, which they would hide.

    >>> close_up(b'"a", "b, c"\n"say, ""d"" ", ""\n', ",")
    b'"a","b, c"\n"say, ""d"" ",""\n'
    """
    mark = separator.encode()
    if separator == "\t" or mark + b' "' not in text:
        return text
    opening = re.compile(
        re.escape(mark) + rb' +("(?:[^"]|"?$|"' + re.escape(mark) + rb"))", re.MULTILINE
    )
    return opening.sub(lambda found: mark + found[1], text)


def blanks_to_tabs(text: bytes) -> bytes:
    r"""Put one tab where blanks stand between fields, and none at the ends of lines.

    >>> blanks_to_tabs(b'  1.5   x\n2 "a b" \n')
    b'1.5\tx\n2\t"a b"\n'
    """
    if b'"' not in text:
        return b"\n".join(b"\t".join(line.split()) for line in text.split(b"\n"))
    token = re.compile(rb'"[^"\n]*"|\S+')
    return b"\n".join(b"\t".join(token.findall(line)) for line in text.split(b"\n"))
