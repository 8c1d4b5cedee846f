"""What is done to columns before a model sees them; all of it is learned in the folds.

as_vectors    numbers: gaps become the median, with a column that says where they were, then mean 0
              and deviation 1; categories: a column of zeros and ones a level, "missing" a level
              like any other, rare ones together; texts and sequences: tf-idf of n-grams
MarkedWords   everything as it is; levels are marked, so that none is read as a number
as_codes      numbers as they are, gaps too; levels as integers in alphabetical order, "missing"
              the last of them; one that is new is a gap
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from maxmargin.tables import Table
from maxmargin.tabular.text_vectors import TextVectors

RARE = 3  # a level that fewer training rows have shares a column with the other rare ones
LEVELS = 100  # columns that a category becomes at most


def as_vectors(table: Table) -> ColumnTransformer:
    """Make columns of numbers without gaps, all of about the same size.

    Parameters
    ----------
    table : Table
        What columns there are; its values are not looked at.

    Returns
    -------
    ColumnTransformer
    """
    numbers = [
        ("impute", SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)),
        ("scale", StandardScaler()),
    ]
    levels = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        min_frequency=RARE,
        max_categories=LEVELS,
        sparse_output=False,
        dtype=np.dtype(np.float64),
    )
    texts = [(f"texts {place}", TextVectors(), name) for place, name in enumerate(_texts_of(table))]
    return _by_kind(table, Pipeline(numbers), levels, texts)


def _texts_of(table: Table) -> list[str]:
    return table.texts + table.sequences


def as_codes(table: Table) -> ColumnTransformer:
    """Make columns of numbers that trees split: gaps of numbers stay, levels become integers.

    Parameters
    ----------
    table : Table
        What columns there are; its values are not looked at.

    Returns
    -------
    ColumnTransformer
    """
    unknown = {"handle_unknown": "use_encoded_value", "unknown_value": np.nan}
    return _by_kind(table, "passthrough", OrdinalEncoder(**unknown, dtype=np.dtype(np.float64)))


def _by_kind(
    table: Table, numbers: object, categories: object, texts: Sequence[tuple[str, object, str]] = ()
) -> ColumnTransformer:
    steps = [("numbers", numbers, table.numbers), ("categories", categories, table.categories)]
    used = [*(step for step in steps if step[2]), *texts]
    return ColumnTransformer(used, verbose_feature_names_out=False)


def count_vectors(table: Table) -> int:
    """Count the columns that ``as_vectors`` makes of all rows.

    Parameters
    ----------
    table : Table

    Returns
    -------
    int
    """
    gaps = sum(table.features[name].null_count() > 0 for name in table.numbers)
    levels = sum(min(table.features[name].n_unique(), LEVELS) for name in table.categories)
    return len(table.numbers) + gaps + levels


class MarkedWords(TransformerMixin, BaseEstimator):
    """Levels of categories with a sign before them, so that ``12`` is a word as ``12a`` is.

    Parameters
    ----------
    columns : sequence of str
        The categories; all others stay as they are.
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
        self : MarkedWords
        """
        del X, y
        self.is_fitted_ = True
        return self

    def transform(self, X: pl.DataFrame) -> pl.DataFrame:
        """Return the same columns with marked levels; missing ones stay missing."""
        marked = [(pl.lit("=") + pl.col(name)).alias(name) for name in self.columns]
        return X.with_columns(marked)
