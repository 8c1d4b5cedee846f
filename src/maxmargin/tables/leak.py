"""Columns that give the target away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

_SAME = 1.0 - 1e-9
_TARGET = " the target "


def find_leaks(
    frame: pl.DataFrame, target: NDArray[Any], task: str, n_classes: int
) -> dict[str, str]:
    """Find columns that equal the target or say the same in other words.

    Of classes, those whose values match them one to one; of a quantity, those that are the same up
    to scale and shift.

    Parameters
    ----------
    frame : DataFrame
        Rows with a label.
    target : ndarray
    task : {"classification", "regression"}
    n_classes : int
        0 for regression.

    Returns
    -------
    dict of str to str
        Warnings by columns.

    Examples
    --------
    >>> frame = pl.DataFrame({"a": [1, 2, 1], "b": ["yes", "no", "yes"]})
    >>> list(find_leaks(frame, np.array(["yes", "no", "yes"]), "classification", 2))
    ['a', 'b']
    """
    if task == "regression":
        names = [name for name, kind in frame.schema.items() if kind.is_numeric()]
        leaks = _proportional(frame.select(names), target)
    else:
        leaks = _one_to_one(frame, target, n_classes)
    return {name: _warning(frame.get_column(name), target) for name in leaks}


def _one_to_one(frame: pl.DataFrame, target: NDArray[Any], n_classes: int) -> list[str]:
    flat = [name for name, kind in frame.schema.items() if not kind.is_nested()]
    counts = frame.select(pl.col(flat).n_unique()).row(0)
    gaps = frame.select(pl.col(flat).null_count()).row(0)
    as_many = [
        name
        for name, n, missing in zip(flat, counts, gaps, strict=True)
        if n == n_classes and not missing
    ]
    if not as_many:
        return []
    rows = frame.select(as_many).with_columns(pl.Series(_TARGET, target))
    pairs = rows.select(pl.struct(name, _TARGET).n_unique().alias(name) for name in as_many).row(0)
    return [name for name, n in zip(as_many, pairs, strict=True) if n == n_classes]


def _proportional(frame: pl.DataFrame, target: NDArray[Any]) -> list[str]:
    if not frame.width or len(target) < 3:
        return []
    rows = frame.with_columns(pl.Series(_TARGET, target))
    names = frame.columns
    found = rows.select(pl.corr(pl.col(name), _TARGET).alias(name) for name in names).row(0)
    gaps = rows.select(pl.col(names).null_count()).row(0)
    return [
        name
        for name, r, missing in zip(names, found, gaps, strict=True)
        if r is not None and np.isfinite(r) and abs(r) > _SAME and not missing
    ]


def _warning(column: pl.Series, target: Sequence[Any] | NDArray[Any]) -> str:
    words = column.cast(pl.String).to_list()
    same = words == [str(value) for value in target]
    how = "equals the target" if same else "says the same as the target in other values"
    return f"{how}: drop it unless it is known before the target is"
