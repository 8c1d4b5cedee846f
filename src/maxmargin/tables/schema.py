"""What a model's columns are, so that files that come later are read in the same way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from maxmargin.tables.date import take_part
from maxmargin.tables.error import InputError
from maxmargin.tables.hint import close, counted, listed
from maxmargin.tables.svmlight import is_sparse_frame
from maxmargin.tables.text import cut
from maxmargin.tables.value import make_finite, read_numbers, read_when, read_words


@dataclass(frozen=True)
class Feature:
    """A column that models see.

    Parameters
    ----------
    name : str
        Its name in the table of features.
    kind : {"number", "category", "text", "sequence"}
        Numbers are Float64 with nulls, all others String with nulls.
    column : str
        The column of the file that it is made of.
    part : str
        Of a date, what is taken of it, such as "month"; empty where the column is taken as it is.
    categories : tuple of str
        Those that were there, sorted; empty for numbers.
    form : str
        Of a date in words, how it is written, such as "%d.%m.%Y".
    """

    name: str
    kind: str
    column: str
    part: str = ""
    categories: tuple[str, ...] = ()
    form: str = ""


@dataclass(frozen=True)
class Schema:
    """Which columns a model reads, and what it predicts.

    Parameters
    ----------
    features : tuple of Feature
        In the order of the model's columns.
    target : str
        The column that is predicted.
    task : {"classification", "regression"}
    classes : tuple
        The labels, sorted; empty for regression.
    ids : tuple of str
        Columns that name rows, of the file that the model was fitted to; a later one may lack them.
    unused : tuple of str
        Its columns that were dropped or grouped rows.

    Examples
    --------
    >>> schema = Schema((Feature("a", "number", "a"),), "y", "classification", ("no", "yes"))
    >>> X, notes = schema.features_of(pl.DataFrame({"b": ["x"], "a": ["1,5"]}))
    >>> X.rows(), notes
    ([(1.5,)], ("Columns that the model does not know are ignored: 'b'.",))
    >>> schema.target_of(pl.DataFrame({"y": ["yes"]})).tolist()
    ['yes']
    """

    features: tuple[Feature, ...]
    target: str
    task: str
    classes: tuple[Any, ...] = ()
    ids: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    def features_of(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
        """Read the features of a table, in the order and the types that the model knows.

        Parameters
        ----------
        frame : DataFrame
            As ``read_frame`` gives it. Columns may stand in any order. Numbers may be words; dates
            too. A word that is no number is refused; a category that is new is passed on.

        Returns
        -------
        features : DataFrame
            One row for each of ``frame``.
        notes : tuple of str
            What is not as it was: columns that are ignored, categories that are new.

        Raises
        ------
        InputError
            If a column is not there or holds something else.
        """
        frame, filled = self._complete(frame)
        read = self.read(frame)
        return read, (*filled, *self._ignored(frame), *_new_categories(self.features, read))

    def read(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Read the features of a table that has all columns, without a word."""
        numbers = [each.column for each in self.features if each.kind == "number" and not each.part]
        kinds = frame.schema  # made anew whenever it is asked for
        ready = [name for name in numbers if kinds[name].is_numeric()]
        floats = make_finite(frame.select(pl.col(ready).cast(pl.Float64)))
        columns = {each.name: each for each in frame.get_columns() + floats.get_columns()}
        return pl.DataFrame([_read(each, columns[each.column]) for each in self.features])

    def target_of(self, frame: pl.DataFrame) -> NDArray[Any]:
        """Read the labels of a table, in the type that the model knows.

        Parameters
        ----------
        frame : DataFrame
            As ``read_frame`` gives it; ``labelled`` leaves out rows without a label.

        Returns
        -------
        ndarray
            int64 or str as ``classes``, float64 for regression.

        Raises
        ------
        InputError
            If the target is not there, has gaps, or holds what is no class of the model.
        """
        values = self._target(frame)
        if values.null_count():
            row = values.is_null().arg_true()[0] + 1
            raise InputError(
                f"Column {self.target!r} has no label in {counted(values.null_count(), 'row')}, the"
                f" first of them row {row}: leave such rows out."
            )
        if self.task == "regression":
            return read_numbers(values).to_numpy().copy()
        return self._labels(values)

    def labelled(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
        """Leave out the rows without a label.

        Parameters
        ----------
        frame : DataFrame

        Returns
        -------
        frame : DataFrame
        notes : tuple of str
            How many rows were left out, if any.
        """
        rows = frame.filter(self._target(frame).is_not_null())
        gone = frame.height - rows.height
        if not rows.height:
            raise InputError(f"Column {self.target!r} is empty: no row has a label.")
        note = f"{counted(gone, 'row')} of {frame.height:,} set aside for want of a label."
        return (rows, (note,)) if gone else (frame, ())

    def _target(self, frame: pl.DataFrame) -> pl.Series:
        if self.target not in frame.columns:
            raise InputError(_absent([self.target], frame.columns))
        values = frame.get_column(self.target)
        return values.fill_nan(None) if values.dtype.is_float() else values

    def _labels(self, values: pl.Series) -> NDArray[Any]:
        known = tuple(map(str, self.classes))
        words = read_words(values, known)
        strange = words.filter(~words.is_in(list(known))).unique(maintain_order=True).to_list()
        if strange:
            raise InputError(
                f"Column {self.target!r} holds {listed(strange)}, and the model's classes are"
                f" {listed(known, 5)}: spell labels as they were when it was fitted."
            )
        kind = np.int64 if isinstance(self.classes[0], int) else str
        return np.array(words.to_list(), dtype=str).astype(kind)

    def _complete(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
        """Refuse a table that lacks columns; those that sparse rows never name are zero."""
        columns = {*frame.columns}
        wanted = dict.fromkeys(each.column for each in self.features)
        absent = [name for name in wanted if name not in columns]
        if not absent:
            return frame, ()
        if not is_sparse_frame(frame.columns) or not all(map(str.isdecimal, absent)):
            raise InputError(_absent(absent, frame.columns))
        zeros = frame.with_columns(pl.lit(0.0).alias(name) for name in absent)
        return zeros, (f"Columns that no row of the file names are zero: {listed(absent)}.",)

    def _ignored(self, frame: pl.DataFrame) -> tuple[str, ...]:
        known = {self.target, *(each.column for each in self.features), *self.ids, *self.unused}
        extra = [name for name in frame.columns if name not in known]
        return (f"Columns that the model does not know are ignored: {listed(extra)}.",) * bool(
            extra
        )


def _read(feature: Feature, column: pl.Series) -> pl.Series:
    if feature.part:
        read = take_part(read_when(column, feature.form), feature.part)
    elif feature.kind == "number":
        read = column if column.dtype == pl.Float64 else read_numbers(column)
    elif feature.kind == "category":
        read = read_words(column, feature.categories)
    else:
        read = cut(read_words(column))
    return read.alias(feature.name)


def _new_categories(features: tuple[Feature, ...], read: pl.DataFrame) -> Iterator[str]:
    for feature, column in zip(features, read.get_columns(), strict=True):
        if feature.kind == "category":
            new = column.drop_nulls()
            new = new.filter(~new.is_in(list(feature.categories)))
            if len(new):
                kinds = new.unique(maintain_order=True).to_list()
                yield (
                    f"Column {feature.column!r} holds {listed(kinds)} in"
                    f" {counted(len(new), 'row')}, which the model has never seen."
                )


def _absent(names: list[str], columns: list[str]) -> str:
    near = dict.fromkeys(each for name in names[:3] for each in close(name, columns))
    hint = f"did you mean {listed([*near])}?" if near else f"it has {listed(columns, 10)}."
    plural = "s" if len(names) > 1 else ""
    return f"The table lacks the column{plural} {listed(names, 5)} that the model reads: {hint}"
