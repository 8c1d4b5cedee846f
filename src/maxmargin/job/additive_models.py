"""The glass box as a member of the family: shapes of columns and pairs that a person can read."""

from __future__ import annotations

from typing import Any, Final

from sklearn.pipeline import Pipeline

from maxmargin.glass_box import GlassBoxClassifier, GlassBoxRegressor
from maxmargin.job.candidate import Candidate
from maxmargin.job.wanted import Wanted
from maxmargin.tables import Table

GLASS_BOX: Final = "glass-box"
MOST_ROUNDS = 2000  # of columns, and as many of pairs; they stop where rows held out say so


def _shapes(table: Table, wanted: Wanted) -> Pipeline:
    """Return a glass box that takes categories and missing values unchanged."""
    columns: Any = {"n_estimators": MOST_ROUNDS, "categorical_features": table.categories}
    if table.schema.task == "classification":
        return Pipeline([("model", GlassBoxClassifier(**columns, **wanted.drawn))])
    options: Any = {"n_jobs": wanted.n_jobs, "random_state": wanted.seed}
    return Pipeline([("model", GlassBoxRegressor(**columns, **options))])


def _candidate(estimator: str) -> Candidate:
    title = "glass box: shapes and pairs"
    return Candidate(GLASS_BOX, title, _shapes, 5.0, compiles=(estimator,), growth=0.9)


ADDITIVE_CLASSIFIERS: Final = (_candidate("GlassBoxClassifier"),)
ADDITIVE_REGRESSORS: Final = (_candidate("GlassBoxRegressor"),)
