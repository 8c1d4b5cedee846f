"""What a model's columns are, so that files that come later are read in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Feature:
    """A column that models see.

    Parameters
    ----------
    name : str
        Its name in the table of features.
    kind : {"number", "category"}
        Numbers are Float64 with nulls, categories String with nulls.
    column : str
        The column of the file that it is made of.
    part : str
        Of a date, what is taken of it, such as "year"; empty where the column is taken as it is.
    """

    name: str
    kind: str
    column: str
    part: str = ""


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
    """

    features: tuple[Feature, ...]
    target: str
    task: str
    classes: tuple[Any, ...] = ()
