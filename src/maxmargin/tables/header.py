"""Whether a first line that was taken for names of columns looks like data."""

from __future__ import annotations

from itertools import pairwise

import polars as pl

DOUBT = (
    "The first line was taken for the names of columns and looks like data: if it is, give"
    " --no-header, which names columns c0, c1 and so on."
)


def doubt_header(frame: pl.DataFrame) -> tuple[str, ...]:
    """Doubt names of which most could be values of their columns.

    Numbers over columns of numbers could, unless they grow from one to the next, as years and the
    numbers of pixels do; words that are found again below could.

    Parameters
    ----------
    frame : DataFrame

    Returns
    -------
    tuple of str
        A note, or nothing.

    Examples
    --------
    >>> len(doubt_header(pl.DataFrame({"5.1": [4.9, 4.7], "rosy": ["rosy", "blue"]})))
    1
    >>> doubt_header(pl.DataFrame({"2001": [1, 2], "2002": [3, 4]}))
    ()
    """
    numbers = [float(name) for name in frame.columns if _is_number(name)]
    grow = len(numbers) > 1 and all(a < b for a, b in pairwise(numbers))
    fit = sum(_could_be_value(column, grow) for column in frame.get_columns())
    return (DOUBT,) if 2 * fit > frame.width else ()


def _could_be_value(column: pl.Series, grow: bool) -> bool:
    if column.dtype.is_numeric():
        return _is_number(column.name) and not grow
    return column.dtype == pl.String and bool((column == column.name).any())


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True
