"""Members of the family that are quick to fit: guessing, linear models and nearest neighbours."""

from __future__ import annotations

from typing import Any

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline

from maxmargin.job.candidate import Candidate
from maxmargin.job.preparation import as_vectors
from maxmargin.job.scaled_target import ScaledTarget
from maxmargin.job.wanted import Wanted
from maxmargin.svm.linear_classifier import LinearClassifier
from maxmargin.svm.linear_svc import LinearSVC
from maxmargin.svm.linear_svc_cv import LinearSVCCV
from maxmargin.svm.linear_svr import LinearSVR
from maxmargin.tables import Table

LINEAR_COSTS = (0.001, 0.01, 0.1, 1.0, 10.0)
NEIGHBOURS = (1, 5, 15, 45)
ALPHAS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
NEAR_ROWS = 50_000  # more than that, and every row is compared with too many others


def on_vectors(table: Table, model: Any) -> Pipeline:
    """Put a model behind the preparation of columns as vectors.

    Parameters
    ----------
    table : Table
    model : estimator

    Returns
    -------
    Pipeline
    """
    return Pipeline([("prepare", as_vectors(table)), ("model", model)])


def _majority(_table: Table, _wanted: Wanted) -> Pipeline:
    return Pipeline([("model", DummyClassifier(strategy="prior"))])


def _mean(_table: Table, _wanted: Wanted) -> Pipeline:
    return Pipeline([("model", DummyRegressor())])


def _lda(table: Table, _wanted: Wanted) -> Pipeline:
    return on_vectors(table, LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"))


def _logistic(table: Table, wanted: Wanted) -> Pipeline:
    model = LinearClassifier(loss="logistic", device=wanted.device, **wanted.ours)
    return on_vectors(table, wanted.search(model, C=LINEAR_COSTS))


def _linear(table: Table, wanted: Wanted) -> Pipeline:
    if wanted.place(len(table.target)) != "cpu":
        model = LinearSVC(device=wanted.device, **wanted.ours)
        return on_vectors(table, wanted.search(model, C=LINEAR_COSTS))
    return on_vectors(table, wanted.own_search(LinearSVCCV, Cs=LINEAR_COSTS))


def _linear_regression(table: Table, wanted: Wanted) -> Pipeline:
    model = ScaledTarget(LinearSVR(n_jobs=wanted.n_jobs, device=wanted.device))
    return on_vectors(table, wanted.search(model, model__C=LINEAR_COSTS))


def _ridge(table: Table, wanted: Wanted) -> Pipeline:
    return on_vectors(table, wanted.search(Ridge(), alpha=ALPHAS))


def _neighbours(table: Table, wanted: Wanted) -> Pipeline:
    most = max(1, len(table.target) // 4)  # of the smallest training part: two thirds of a half
    grid = [k for k in NEIGHBOURS if k <= most]
    classify = table.schema.task == "classification"
    kind = KNeighborsClassifier if classify else KNeighborsRegressor
    weights = ["uniform", "distance"]
    search = wanted.search(kind(algorithm="brute"), n_neighbors=grid, weights=weights)
    return on_vectors(table, search)


BASELINES = (
    Candidate("baseline", "majority class", _majority, 0.1, reads_texts=True, ours=False),
    Candidate("baseline", "mean", _mean, 0.1, reads_texts=True, ours=False),
)
PLAIN_CLASSIFIERS = (
    Candidate("lda", "linear discriminant analysis", _lda, 0.5, growth=1.0, ours=False),
    Candidate(
        "logistic",
        "logistic regression",
        _logistic,
        reads_texts=True,
        compiles=("LinearClassifier",),
        growth=0.7,
    ),
    Candidate(
        "svm-linear",
        "linear SVM",
        _linear,
        reads_texts=True,
        compiles=("LinearSVCCV",),
        growth=0.7,
    ),
    Candidate("knn", "nearest neighbours", _neighbours, 2.0, NEAR_ROWS, growth=1.0, ours=False),
)
PLAIN_REGRESSORS = (
    Candidate("ridge", "ridge regression", _ridge, reads_texts=True, growth=1.0, ours=False),
    Candidate(
        "svm-linear",
        "linear support vector regression",
        _linear_regression,
        reads_texts=True,
        compiles=("LinearSVR",),
        growth=1.0,
    ),
    Candidate("knn", "nearest neighbours", _neighbours, 2.0, NEAR_ROWS, growth=1.0, ours=False),
)
