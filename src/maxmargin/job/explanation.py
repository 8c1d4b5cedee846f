"""Which columns moved the prediction of a row the most.

A column's effect on a row is how far the prediction falls when the column's value is replaced by
typical ones: for a class its probability, for a quantity the prediction itself. Typical are five
values that part a column's rows into shares of a tenth, four fifths and a tenth. No model is
asked how it works, and nothing is drawn at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from maxmargin.ops.clock import stop_if_over
from maxmargin.tables import Feature, Schema

Vector = NDArray[np.float64]
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
_SHORT = 40  # letters of a value that are shown
_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True)
class Typical:
    """Typical values of the features.

    Parameters
    ----------
    values : dict of str to list
        As many of each feature as there are ``SHARES``.
    """

    values: dict[str, list[Any]]

    @property
    def count(self) -> int:
        """How many of each feature."""
        return len(SHARES)


def learn_typical(X: pl.DataFrame) -> Typical:
    """Find the typical values of features.

    Parameters
    ----------
    X : DataFrame
        Rows that were learned from.

    Returns
    -------
    Typical

    Examples
    --------
    >>> frame = pl.DataFrame({"a": [float(i) for i in range(11)], "b": ["u"] * 8 + ["v"] * 3})
    >>> learn_typical(frame).values
    {'a': [1.0, 3.0, 5.0, 7.0, 9.0], 'b': ['u', 'u', 'u', 'u', 'v']}
    """
    return Typical({name: _typical(X.get_column(name)) for name in X.columns})


def _typical(column: pl.Series) -> list[Any]:
    present = column.drop_nulls()
    if not len(present):
        return [None] * len(SHARES)
    places = [round(share * (len(present) - 1)) for share in SHARES]
    if present.dtype.is_numeric():
        return present.sort().gather(places).to_list()
    # as if rows stood in order of how common their values are
    counts = present.value_counts().sort("count", present.name, descending=[True, False])
    ends = counts.get_column("count").cum_sum().to_numpy()
    found = np.searchsorted(ends, places, side="right")
    return counts.get_column(present.name).gather(found).to_list()


@dataclass(frozen=True)
class Reason:
    """A column that moved the prediction of a row.

    ``effect`` is how far the prediction falls without what the column says: above 0 it speaks for
    what is predicted.
    """

    column: str
    value: str
    effect: float


def explain(
    model: Pipeline, schema: Schema, typical: Typical, X: pl.DataFrame, most: int
) -> list[list[Reason]]:
    """List the columns that moved the prediction of each row the most.

    Parameters
    ----------
    model : Pipeline
        Fitted.
    schema : Schema
        Whose columns are replaced one by one, parts of a date together.
    typical : Typical
    X : DataFrame
        Features.
    most : int
        Columns a row.

    Returns
    -------
    list of list of Reason
        For each row, the largest effect first; columns that move nothing are left out.
    """
    units = _units(schema.features)
    whole = model.predict(X)
    target = _said(model, X, whole)
    effects = np.column_stack(
        [target - _without(model, X, whole, names, typical) for names in units.values()]
    )
    columns = list(units)
    order = np.argsort(-np.abs(effects), axis=1, kind="stable")[:, :most]
    return [
        [
            Reason(columns[j], _show(columns[j], units, row), float(effects[i, j]))
            for j in order[i]
            if effects[i, j] != 0.0
        ]
        for i, row in enumerate(X.iter_rows(named=True))
    ]


def _units(features: Sequence[Feature]) -> dict[str, list[Feature]]:
    units: dict[str, list[Feature]] = {}
    for each in features:
        units.setdefault(each.column, []).append(each)
    return units


def _said(model: Pipeline, X: pl.DataFrame, whole: NDArray[Any]) -> Vector:
    """Return the probability of the classes that were predicted at first, or the quantity."""
    stop_if_over()
    if not hasattr(model, "predict_proba"):
        return np.asarray(model.predict(X), np.float64)
    places = np.searchsorted(np.asarray(model.classes_), whole)
    return np.asarray(model.predict_proba(X))[np.arange(len(whole)), places]


def _without(
    model: Pipeline,
    X: pl.DataFrame,
    whole: NDArray[Any],
    unit: Sequence[Feature],
    typical: Typical,
) -> Vector:
    """Return what is said of rows on average when a column has its typical values."""
    kinds = X.schema
    said = np.zeros(len(X))
    for place in range(typical.count):
        values = [
            pl.lit(typical.values[each.name][place], dtype=kinds[each.name]).alias(each.name)
            for each in unit
        ]
        said += _said(model, X.with_columns(values), whole)
    return said / typical.count


def _show(column: str, units: dict[str, list[Feature]], row: dict[str, Any]) -> str:
    parts = {each.part: row[each.name] for each in units[column]}
    if parts.get("days") is not None:
        return str(_EPOCH + timedelta(days=int(parts["days"])))
    said = [
        _write(value) if not part else f"{part} {_write(value)}" for part, value in parts.items()
    ]
    return ", ".join(said)


def _write(value: Any) -> str:
    if value is None:
        return "missing"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = " ".join(str(value).split())
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


def columns_of(reasons: Sequence[Sequence[Reason]], most: int) -> pl.DataFrame:
    """Write reasons as columns of a table of predictions.

    Parameters
    ----------
    reasons : sequence of sequence of Reason
        Of each row.
    most : int

    Returns
    -------
    DataFrame
        "reason 1" such as "age = 61", "effect 1", and so on.

    Examples
    --------
    >>> columns_of([[Reason("age", "61", 0.25)]], 1).rows(named=True)
    [{'reason 1': 'age = 61', 'effect 1': 0.25}]
    """
    columns: dict[str, pl.Series] = {}
    for place in range(most):
        own = [each[place] if place < len(each) else None for each in reasons]
        told = [None if each is None else f"{each.column} = {each.value}" for each in own]
        columns[f"reason {place + 1}"] = pl.Series(told, dtype=pl.String)
        effects = [None if each is None else each.effect for each in own]
        columns[f"effect {place + 1}"] = pl.Series(effects, dtype=pl.Float64)
    return pl.DataFrame(columns)
