"""Predictions as a table: what is said of each row, and how surely."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from sklearn.pipeline import Pipeline

from maxmargin.evaluation.run import decide
from maxmargin.job.outcome import Outcome


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
        "prediction", and "probability LABEL" for each class or "decision" values.
    """
    return pl.DataFrame({"prediction": model.predict(X), **_surely(model, X)})


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
        return {"decision": values}
    return {f"decision {label}": values[:, i] for i, label in enumerate(model.classes_)}


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
    said = predict_frame(outcome.model, table.features[places])
    before = pl.DataFrame({"row": table.rows[places] + 1, "truth": outcome.test.truth})
    if table.ids is None:
        return pl.concat([before, said], how="horizontal")
    taken = {*before.columns, *said.columns}
    ids = table.ids[np.asarray(places)]
    ids = ids.rename({name: f"{name} (id)" for name in ids.columns if name in taken})
    return pl.concat([before[["row"]], ids, before[["truth"]], said], how="horizontal")
