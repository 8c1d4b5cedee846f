"""What is done to columns before a model sees them; all of it is learned in the folds.

as_vectors    numbers: gaps become the median, with a column that says where they were, then mean 0
              and deviation 1; categories: a column of zeros and ones a level, "missing" a level
              like any other, rare ones together
as_codes      numbers as they are, gaps too; levels as integers in alphabetical order, "missing"
              the last of them; one that is new is a gap
"""

from __future__ import annotations

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from maxmargin.tables import Table

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
    return _by_kind(table, Pipeline(numbers), levels)


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


def _by_kind(table: Table, numbers: object, categories: object) -> ColumnTransformer:
    steps = [("numbers", numbers, table.numbers), ("categories", categories, table.categories)]
    return ColumnTransformer([step for step in steps if step[2]], verbose_feature_names_out=False)


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
