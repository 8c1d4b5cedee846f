"""A table made ready: features, target, and what was done to get them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from maxmargin.tables.schema import Schema
from maxmargin.tables.timeline import Timeline


@dataclass(frozen=True)
class Column:
    """A column of the file, and what became of it.

    Parameters
    ----------
    name : str
    kind : {"number", "category", "date", "text", "sequence", "nothing"}
        What it holds.
    role : {"feature", "target", "group", "time", "id", "dropped"}
    treatment : str
        What is done with it, in words.
    missing : int
        Rows without a value.
    distinct : int
        Different values.
    warning : str
        What the user should look at, such as a column that equals the target.
    leaks : bool
        Whether that is a suspected leak: the column duplicates the target.
    """

    name: str
    kind: str
    role: str
    treatment: str
    missing: int
    distinct: int
    warning: str = ""
    leaks: bool = False


@dataclass(frozen=True)
class Table:
    """The rows of a file that have a label, ready to be split.

    Parameters
    ----------
    features : DataFrame
        Numbers as Float64 with nulls, all others as String with nulls, in the schema's order.
    target : ndarray
        Labels (int64 or str), or float64 for regression; no gaps.
    schema : Schema
    columns : tuple of Column
        All columns of the file, in its order.
    source : str
        Name of the file.
    digest : str
        SHA-256 of its bytes.
    n_rows : int
        Rows in the file.
    rows : ndarray
        Their places in the file, from 0.
    groups : ndarray or None
    ids : DataFrame or None
        The columns that name rows.
    notes : tuple of str
        What else was decided while reading, a sentence each.
    positive : object
        The class to be found, of two, where the user named one.
    timeline : Timeline or None
        The order of the rows in time, where the user named a column.
    """

    features: pl.DataFrame
    target: NDArray[Any]
    schema: Schema
    columns: tuple[Column, ...]
    source: str
    digest: str
    n_rows: int
    rows: NDArray[np.intp]
    groups: NDArray[Any] | None = None
    ids: pl.DataFrame | None = None
    notes: tuple[str, ...] = ()
    positive: Any = None
    timeline: Timeline | None = None

    @property
    def leaks(self) -> tuple[Column, ...]:
        """Features that are suspected of giving the target away."""
        return tuple(each for each in self.columns if each.leaks and each.role == "feature")

    @property
    def numbers(self) -> list[str]:
        """Names of the numeric features."""
        return self._of_kind("number")

    @property
    def categories(self) -> list[str]:
        """Names of the categorical features."""
        return self._of_kind("category")

    @property
    def texts(self) -> list[str]:
        """Names of the features that are texts."""
        return self._of_kind("text")

    @property
    def sequences(self) -> list[str]:
        """Names of the features that are sequences."""
        return self._of_kind("sequence")

    def _of_kind(self, kind: str) -> list[str]:
        return [each.name for each in self.schema.features if each.kind == kind]
