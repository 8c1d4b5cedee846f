"""Columns that give the target away."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import polars as pl
from numpy.typing import NDArray

from maxmargin.tables.decision import Facts, kind_of

_SAME = 1.0 - 1e-9
_FIRST = 1000  # rows that show of most columns that they are no copies
_TARGET = " the target "


def find_leaks(facts: Sequence[Facts], target: NDArray[Any], n_classes: int) -> dict[str, str]:
    """Find columns that equal the target or say the same in other words.

    Of classes, those whose values match them one to one; of a quantity, those that are the same up
    to scale and shift.

    Parameters
    ----------
    facts : sequence of Facts
        Of the columns.
    target : ndarray
        One value for each of their rows.
    n_classes : int
        0 for a quantity.

    Returns
    -------
    dict of str to str
        Warnings by columns.

    Examples
    --------
    >>> from maxmargin.tables.decision import count_values
    >>> frame = pl.DataFrame({"a": [1, 2, 1], "b": ["yes", "no", "yes"]})
    >>> list(find_leaks([*count_values(frame)], frame["b"].to_numpy(), 2))
    ['a', 'b']
    """
    leaks = _one_to_one(facts, target, n_classes) if n_classes else _proportional(facts, target)
    return {column.name: _warning(column, target) for column in leaks}


def _one_to_one(facts: Sequence[Facts], target: NDArray[Any], n_classes: int) -> list[pl.Series]:
    as_many = [
        each.values
        for each in facts
        if each.distinct == n_classes and not each.missing and kind_of(each.values) != "text"
    ]
    rows = pl.DataFrame([*as_many, pl.Series(_TARGET, target)])
    for part in (rows.head(_FIRST), rows):
        pairs = part.select(pl.struct(each.name, _TARGET).n_unique() for each in as_many)
        counts = pairs.row(0) if as_many else ()
        as_many = [each for each, n in zip(as_many, counts, strict=True) if n <= n_classes]
    return as_many


def _proportional(facts: Sequence[Facts], target: NDArray[Any]) -> list[pl.Series]:
    numbers = [
        each.values
        for each in facts
        if each.values.dtype.is_numeric() and not each.missing and each.distinct > 2
    ]
    rows = pl.DataFrame([*numbers, pl.Series(_TARGET, target)])
    found = rows.select(pl.corr(each.name, _TARGET).alias(each.name) for each in numbers)
    return [each for each, r in zip(numbers, found, strict=True) if abs(r.item() or 0.0) > _SAME]


def _warning(column: pl.Series, target: Sequence[Any] | NDArray[Any]) -> str:
    words = column.cast(pl.String).to_list()
    same = words == [str(value) for value in target]
    how = "equals the target" if same else "duplicates the target in other values"
    option = shlex.join(["--drop", column.name])
    return f"{how} (a leak?): give {option} if it is not known when predicting"
