"""Labels spelt as the file spells them, where reading has made numbers or booleans of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from maxmargin.tables.error import InputError
from maxmargin.tables.task import Labels
from maxmargin.tables.wishes import find_column


def as_written(frame: pl.DataFrame, name: str) -> pl.Series | None:
    """Return a column of words before they are read; None if there is none of the name.

    Parameters
    ----------
    frame : DataFrame
    name : str
        As a user may type it.

    Returns
    -------
    Series or None
    """
    try:
        column = frame.get_column(find_column(name, frame.columns))
    except InputError:
        return None  # whoever needs the column says so
    return column if column.dtype == pl.String else None


def respell(labels: Labels, written: pl.Series | None, rows: NDArray[np.intp]) -> Labels:
    """Return the labels in the file's own spelling, if each class has one.

    Parameters
    ----------
    labels : Labels
    written : Series or None
        The target's words, for every row of the file.
    rows : ndarray
        The places of the labelled rows.

    Returns
    -------
    Labels
        Unchanged for quantities, and where a class is spelt in more than one way.

    Examples
    --------
    >>> from maxmargin.tables.task import read_labels
    >>> found = read_labels(pl.Series("y", [1, 2, 1, 2]), None)
    >>> respell(found, pl.Series(["01", "02", "01", "02"]), np.arange(4)).classes
    ('01', '02')
    """
    if written is None or labels.task != "classification":
        return labels
    words = written.gather(rows).str.strip_chars()
    pairs = pl.DataFrame({"label": labels.values, "word": words}).unique()
    one_spelling = pairs.height == len(labels.classes) == pairs.get_column("word").n_unique()
    same = pairs.get_column("label").cast(pl.String) == pairs.get_column("word")
    if not one_spelling or same.all() or pairs.get_column("word").null_count():
        return labels
    values = np.array(words.to_list(), dtype=str)
    return replace(labels, values=values, classes=tuple(np.unique(values).tolist()))
