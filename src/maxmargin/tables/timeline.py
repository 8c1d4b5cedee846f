"""The order of rows in time: the past is learned from, the future is predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from maxmargin.tables.date import best_form, find_form, plain_dates, read_dates
from maxmargin.tables.error import InputError
from maxmargin.tables.hint import counted, quoted


@dataclass(frozen=True)
class Timeline:
    """When rows are.

    Parameters
    ----------
    name : str
        The column.
    ranks : ndarray of int
        The place of each row's time among the different times, from 0.
    times : Series
        The different times in order: dates or numbers.
    """

    name: str
    ranks: NDArray[np.intp]
    times: pl.Series

    def show(self, rank: int) -> str:
        """Write a time.

        Parameters
        ----------
        rank : int

        Returns
        -------
        str
        """
        return str(self.times[int(rank)]).removesuffix(" 00:00:00")


def timeline_of(column: pl.Series) -> Timeline:
    """Read the column that orders rows in time.

    Parameters
    ----------
    column : Series
        Dates, words that are dates, or numbers.

    Returns
    -------
    Timeline

    Raises
    ------
    InputError
        If some row has no time, if a word is no date, or if all rows are of one time.

    Examples
    --------
    >>> timeline_of(pl.Series("day", ["2.1.2024", "31.12.2023", "2.1.2024"])).ranks.tolist()
    [1, 0, 1]
    """
    times = _read(column)
    if times.null_count():
        row = int(times.is_null().arg_true()[0]) + 1
        raise InputError(
            f"Column {column.name!r} is to order rows in time and has no value in"
            f" {counted(times.null_count(), 'row')}, the first of them labelled row {row}: fill"
            " them, or leave such rows out."
        )
    ranks = times.rank("dense").to_numpy().astype(np.intp) - 1
    if ranks.max() == 0:
        raise InputError(
            f"Column {column.name!r} holds one time only, {quoted(column[0])}: there is no past"
            " and no future."
        )
    return Timeline(column.name, ranks, times.unique().sort())


def _read(column: pl.Series) -> pl.Series:
    kind: Any = column.dtype
    if kind == pl.String:
        form = find_form(column)
        if form is None:
            raise InputError(_no_date(column))
        column = read_dates(column, form)
    elif kind.is_temporal() and kind != pl.Duration:
        column = plain_dates(column)
    elif not kind.is_numeric() or kind.is_nested():
        raise InputError(
            f"Column {column.name!r} is to order rows in time and holds {str(kind).lower()} values:"
            " name a column of dates or numbers."
        )
    if column.dtype == pl.Time:
        raise InputError(
            f"Column {column.name!r} holds times of day, which begin again every day: name a column"
            " with dates."
        )
    return column


def _no_date(words: pl.Series) -> str:
    """Name the first word that is no date of the form that most words have."""
    form = best_form(words)
    read = words if form is None else read_dates(words, form)
    wrong = words.is_not_null() if form is None else read.is_null() & words.is_not_null()
    row = int(wrong.arg_true()[0])
    return (
        f"Column {words.name!r} is to order rows in time and holds {quoted(words[row])} in labelled"
        f" row {row + 1}, which is no date: write dates such as 2024-12-31, or numbers."
    )
