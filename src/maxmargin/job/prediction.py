"""Predictions as a table: what is said of each row, and how surely."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import polars as pl
from sklearn.pipeline import Pipeline

from maxmargin.evaluation.run import decide
from maxmargin.job.conformal import intervals_of
from maxmargin.job.explanation import columns_of
from maxmargin.job.outcome import Outcome

_RUN: Final = re.compile(r"(^\s*|[;\t\r\n][\s\"]*)(?=[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])")
_NUMBER: Final = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")


def predict_frame(model: Pipeline, X: pl.DataFrame) -> pl.DataFrame:
    """Predict rows, with probabilities or else decision values where the model has them.

    Parameters
    ----------
    model : Pipeline
        Fitted.
    X : DataFrame
        Its features.

    Returns
    -------
    DataFrame
        "prediction", and "probability LABEL" for each class, or "decision for LABEL": the larger,
        the more for it. Of two classes it is that of the second alone, and above 0 it is predicted.
        Of a quantity "lower" and "upper", the ends of its interval.
    """
    ends = intervals_of(model, X)
    between = {} if ends is None else {"lower": ends[:, 0], "upper": ends[:, 1]}
    return pl.DataFrame({"prediction": model.predict(X), **between, **_surely(model, X)})


def _surely(model: Pipeline, X: pl.DataFrame) -> dict[str, Any]:
    if not hasattr(model, "classes_"):
        return {}
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        return {f"probability {label}": shares[:, i] for i, label in enumerate(model.classes_)}
    values = decide(model, X)
    if values is None:
        return {}
    if values.ndim == 1:
        return {f"decision for {model.classes_[1]}": values}
    return {f"decision for {label}": values[:, i] for i, label in enumerate(model.classes_)}


def predictions_of(outcome: Outcome) -> pl.DataFrame:
    """List the test rows with what is true and what was predicted.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    DataFrame
        "row" (its line of data in the file, from 1), the columns that name rows, "truth", and as in
        ``predict_frame``.
    """
    places, table = outcome.test.rows, outcome.table
    said = predict_frame(outcome.predictor or outcome.model, table.features[places])
    if outcome.reasons is not None:
        reasons = columns_of(outcome.reasons, outcome.job.explain)
        said = pl.concat([said, reasons], how="horizontal")
    ids = None if table.ids is None else table.ids[np.asarray(places)]
    truth = pl.DataFrame({"truth": outcome.test.truth})
    said = pl.concat([truth, said], how="horizontal")
    return name_rows(said, ids, table.rows[places] + 1)


def name_rows(said: pl.DataFrame, ids: pl.DataFrame | None, rows: Any) -> pl.DataFrame:
    """Put before what is said of rows their numbers and the columns that name them.

    Parameters
    ----------
    said : DataFrame
    ids : DataFrame or None
    rows : array-like
        Their lines of data in the file, from 1.

    Returns
    -------
    DataFrame
    """
    numbers = pl.DataFrame({"row": rows})
    if ids is None:
        return pl.concat([numbers, said], how="horizontal")
    names = _free_names(ids.columns, {"row", *said.columns}, " (id)")
    ids = ids.rename(dict(zip(ids.columns, names, strict=True)))
    return pl.concat([numbers, ids, said], how="horizontal")


def _free_names(wanted: Iterable[str], taken: set[str], more: str) -> list[str]:
    """Give each its name, with something more as often as it is taken."""
    names: list[str] = []
    for name in wanted:
        free = name
        while free in taken or free in names:
            free = f"{free}{more}"
        names.append(free)
    return names


def defused(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table that a spreadsheet shows and does not run.

    Labels and names come from a file, which may be anybody's. Where spreadsheets take a text for a
    formula, a single quote goes before it: at the start and after what some of them split cells at,
    also behind double quotes there, which end an empty text where a cell is split.

    Parameters
    ----------
    frame : DataFrame

    Returns
    -------
    DataFrame
        Numbers are as they were, those in texts too.

    Examples
    --------
    >>> defused(pl.DataFrame({"=id": ["=1+1", "-2.5", "a-b", "x;@y"]})).to_dict(as_series=False)
    {"'=id": ["'=1+1", '-2.5', 'a-b', "x;'@y"]}
    """
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    columns = [pl.Series(name, list(map(_defused, frame[name])), pl.String) for name in texts]
    heads = _free_names((str(_defused(name)) for name in frame.columns), set(), "'")
    return frame.with_columns(columns).rename(dict(zip(frame.columns, heads, strict=True)))


def _defused(text: str | None) -> str | None:
    if text is None or _NUMBER.fullmatch(text):
        return text
    return _RUN.sub(r"\1'", text)
