"""The model of a job as an estimator on tables as people have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if

from maxmargin.evaluation.run import decide
from maxmargin.job.frame import as_frame
from maxmargin.job.prediction import name_rows, predict_frame
from maxmargin.storage import ModelFileError, load_model
from maxmargin.tables import InputError, Reading, Schema, read_frame
from maxmargin.tables.settle import settle


def _has(name: str) -> Any:
    return available_if(lambda model: hasattr(model.pipeline, name))


class FrameModel(BaseEstimator):
    """A fitted model that reads tables by the names of their columns.

    It predicts from the tables that ``maxmargin.job.fit`` takes: a DataFrame of pandas or polars,
    an Arrow table, a dict of columns or the path of a file. Columns may stand in any order, and
    further ones, such as the target, are ignored.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted to prepared columns.
    schema : Schema
        Which columns it reads, and how.
    reading : Reading, default=None
        How numbers and missing values are written.

    Attributes
    ----------
    classes_ : ndarray
        Of a classifier.
    feature_names_in_ : ndarray of str
        The columns that it reads.
    n_features_in_ : int
    """

    def __init__(self, pipeline: Pipeline, schema: Schema, reading: Reading | None = None) -> None:
        self.pipeline = pipeline
        self.schema = schema
        self.reading = reading

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the model of a file that ``maxmargin fit`` or ``JobResult.save`` wrote.

        Parameters
        ----------
        path : str or Path
            Such as ``maxmargin-data/model.maxmargin``; reading it runs no code.

        Returns
        -------
        FrameModel
        """
        found = load_model(path).value
        if not (isinstance(found, dict) and {"pipeline", "schema"} <= found.keys()):
            raise ModelFileError(f"{str(path)!r} holds a model, but not one that fit wrote.")
        return cls(found["pipeline"], found["schema"], found.get("reading"))

    def read(self, data: Any) -> tuple[pl.DataFrame, tuple[str, ...]]:
        """Return the columns that the pipeline sees, and what is not as it was at the fit.

        Parameters
        ----------
        data : table, or path of one

        Returns
        -------
        features : DataFrame
        notes : tuple of str
            A sentence each: ignored columns, new categories.
        """
        return self.schema.features_of(self._frame(data))

    def _frame(self, data: Any) -> pl.DataFrame:
        reading = self.reading or Reading()
        if isinstance(data, str | Path):
            return read_frame(data, reading)
        return settle(as_frame(data), reading).frame

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the same pipeline, with the parameters that were chosen, to other rows.

        Parameters
        ----------
        X : table, or path of one
        y : array-like of shape (n_rows,)

        Returns
        -------
        FrameModel
            This one.
        """
        features, labels = self.read(X)[0], np.asarray(y)
        if labels.shape != (features.height,):
            raise InputError(f"y has the shape {labels.shape}, and X has {features.height} rows.")
        self.pipeline = clone(self.pipeline).fit(features, labels)
        return self

    def predict(self, X: Any) -> Any:
        """Predict the target of each row.

        Parameters
        ----------
        X : table, or path of one

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self.pipeline.predict(self.read(X)[0])

    @_has("predict_proba")
    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class; not every model has them.

        Parameters
        ----------
        X : table, or path of one

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        return self.pipeline.predict_proba(self.read(X)[0])

    @_has("decision_function")
    def decision_function(self, X: Any) -> Any:
        """Return decision values; not every model has them.

        Parameters
        ----------
        X : table, or path of one

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_classes) for several classes
        """
        return decide(self.pipeline, self.read(X)[0])

    def predictions(self, data: Any) -> pl.DataFrame:
        """Predict as ``maxmargin predict`` does.

        Parameters
        ----------
        data : table, or path of one

        Returns
        -------
        DataFrame
            "row" (from 1), the columns that name rows where they are there, "prediction", and
            "probability LABEL" or "decision for LABEL" where the model has them.
        """
        frame = self._frame(data)
        ids = frame.select(name for name in self.schema.ids if name in frame.columns)
        said = predict_frame(self.pipeline, self.schema.features_of(frame)[0])
        return name_rows(said, ids if ids.width else None, np.arange(1, len(said) + 1))

    def score(self, X: Any, y: Any) -> float:
        """Return the accuracy, or R² of a quantity.

        Parameters
        ----------
        X : table, or path of one
        y : array-like of shape (n_rows,)

        Returns
        -------
        float
        """
        judge = accuracy_score if self._classifies else r2_score
        return float(judge(np.asarray(y), self.predict(X)))

    @property
    def _classifies(self) -> bool:
        return self.schema.task == "classification"

    @property
    def classes_(self) -> Any:
        """The classes, in the order of probabilities."""
        return self.pipeline.classes_

    @property
    def feature_names_in_(self) -> Any:
        """The columns of a table that the model reads."""
        return np.array(list(dict.fromkeys(each.column for each in self.schema.features)), object)

    @property
    def n_features_in_(self) -> int:
        """How many columns it reads."""
        return len(self.feature_names_in_)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether it can predict."""
        return bool(self.pipeline.__sklearn_is_fitted__())

    def __sklearn_tags__(self) -> Any:
        """Say what it predicts, for scikit-learn's tools."""
        tags, own = super().__sklearn_tags__(), self.pipeline.__sklearn_tags__()
        tags.estimator_type = own.estimator_type
        tags.classifier_tags, tags.regressor_tags = own.classifier_tags, own.regressor_tags
        tags.target_tags.required = True
        tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags
