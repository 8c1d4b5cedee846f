"""Texts and sequences for models that take numbers, or strings alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin.tables import Feature, Table
from maxmargin.tabular.texts import SHAPE, TextColumn, learn_texts, read_shape

Build = Callable[[Table, Any], Pipeline]
_KINDS = ("letters", "words")


class TextsAsNumbers(TransformerMixin, BaseEstimator):
    """Texts as the values of linear machines, and as their length, capitals and digits.

    The rows of a fit get the values of machines that have not seen them.

    Parameters
    ----------
    columns : sequence of str
        Those that hold texts; all others stay as they are.
    classes : sequence, default=()
        All that there are; none where a quantity is predicted.

    Attributes
    ----------
    columns_ : list of TextColumn
    """

    def __init__(self, columns: Sequence[str], classes: Sequence[Any] = ()) -> None:
        self.columns = columns
        self.classes = classes

    def fit(self, X: pl.DataFrame, y: NDArray[Any]) -> Self:
        """Learn the machines.

        Parameters
        ----------
        X : DataFrame
        y : ndarray
            Labels, or a quantity.

        Returns
        -------
        self : TextsAsNumbers
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: pl.DataFrame, y: NDArray[Any], **_: Any) -> pl.DataFrame:
        """Learn the machines, and return values of such as have not seen the rows.

        Parameters
        ----------
        X : DataFrame
        y : ndarray

        Returns
        -------
        DataFrame
        """
        target, weight = self._target(y), np.ones(len(y))
        learned = [learn_texts(name, 0, _texts(X, name), target, weight) for name in self.columns]
        self.columns_: list[TextColumn] = [column for column, _ in learned]
        return self._replaced(X, [values for _, values in learned])

    def transform(self, X: pl.DataFrame) -> pl.DataFrame:
        """Return the values of new rows.

        Parameters
        ----------
        X : DataFrame

        Returns
        -------
        DataFrame
        """
        check_is_fitted(self)
        found = [
            np.hstack([part for _, part in column.blocks(_texts(X, column.name))])
            for column in self.columns_
        ]
        return self._replaced(X, found)

    def _target(self, y: NDArray[Any]) -> NDArray[np.float64]:
        if len(self.classes) == 0:
            spread = float(np.std(y)) or 1.0
            return ((y - np.mean(y)) / spread)[:, None]
        sides = (np.asarray(y)[:, None] == np.asarray(self.classes)) * 2.0 - 1.0
        sides = sides[:, 1:] if len(self.classes) == 2 else sides
        return np.asarray(sides - sides.mean(axis=0))

    def _replaced(self, X: pl.DataFrame, values: Sequence[NDArray[np.float64]]) -> pl.DataFrame:
        made: list[pl.Series] = []
        for name, found in zip(self.columns, values, strict=True):
            shape = [read_shape(_texts(X, name), part) for part in SHAPE]
            names = [*_names_of(name, self.classes)]
            made += map(_number, names, [*found.T, *shape])
        return X.drop(self.columns).with_columns(made)


def _texts(X: pl.DataFrame, name: str) -> NDArray[Any]:
    return np.array(X[name].to_list(), dtype=object)


def _number(name: str, values: NDArray[np.float64]) -> pl.Series:
    return pl.Series(name, values, dtype=pl.Float64, nan_to_null=True)


def _names_of(name: str, classes: Sequence[Any]) -> Iterator[str]:
    """Name the numbers that a column of texts becomes."""
    outputs = [""] if len(classes) < 3 else [f" for {label}" for label in classes]
    for kind in _KINDS:
        yield from (f"{name}, its {kind}{output}" for output in outputs)
    yield from (f"{name}, its {part}" for part in SHAPE)


def read_as_numbers(table: Table) -> tuple[Table, TextsAsNumbers]:
    """Return a table as it is when its texts have become numbers, and what makes them so.

    Parameters
    ----------
    table : Table

    Returns
    -------
    table : Table
        With the columns that a model will see; those of texts have no values yet.
    step : TextsAsNumbers
    """
    texts, schema = table.texts + table.sequences, table.schema
    names = [each for name in texts for each in _names_of(name, schema.classes)]
    others = tuple(each for each in schema.features if each.name not in texts)
    numbers = tuple(Feature(name, "number", name) for name in names)
    features = table.features.drop(texts).with_columns(pl.lit(0.0).alias(name) for name in names)
    seen = replace(table, features=features, schema=replace(schema, features=others + numbers))
    return seen, TextsAsNumbers(texts, schema.classes)


class JoinedSequences(TransformerMixin, BaseEstimator):
    """Sequences as a list of strings, those of several columns one after the other.

    Parameters
    ----------
    columns : sequence of str
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = columns

    def fit(self, X: pl.DataFrame, y: Any = None) -> Self:
        """Learn nothing.

        Parameters
        ----------
        X : DataFrame
        y : object

        Returns
        -------
        self : JoinedSequences
        """
        del X, y
        self.is_fitted_ = True
        return self

    def transform(self, X: pl.DataFrame) -> NDArray[Any]:
        """Return the strings; a missing one is empty.

        Parameters
        ----------
        X : DataFrame

        Returns
        -------
        ndarray of str objects
        """
        joined = X.select(pl.concat_str(pl.col(self.columns).fill_null("")).alias("joined"))
        return np.array(joined["joined"].to_list(), dtype=object)


def behind_numbers(build: Build) -> Build:
    """Let a model that knows numbers and categories alone see numbers where texts are.

    Parameters
    ----------
    build : callable
        Makes the pipeline for a table without texts.

    Returns
    -------
    callable
        Makes it for a table with texts.
    """

    def build_for_texts(table: Table, wanted: Any) -> Pipeline:
        seen, step = read_as_numbers(table)
        return Pipeline([("texts", step), *build(seen, wanted).steps])

    return build_for_texts
