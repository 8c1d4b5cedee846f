"""A fitted model's score on rows, with the interval that fits the score.

accuracy                   Clopper and Pearson's, exact
balanced_accuracy          the posterior of a mean of recalls, each on the rows of its class
roc_auc of two classes     DeLong's
everything else, and       the bootstrap of the rows, BCa or of many rows by percentiles; the model
whatever is weighted       predicts once and its predictions are resampled
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.metrics import accuracy_score, check_scoring
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from maxmargin.evaluation.delong import delong_interval
from maxmargin.evaluation.interval import (
    Interval,
    bootstrap,
    clopper_pearson,
    mean_of_shares,
)
from maxmargin.evaluation.rows import EvaluationRows
from maxmargin.evaluation.run import decide

_RESAMPLES = 999  # of the BCa bootstrap; more narrow only its own noise
_FEWER = 299  # of the percentile bootstrap, which many rows get: each resample costs a pass
_MANY = 2000  # rows, above which the percentile bootstrap is used

Index = NDArray[np.intp]
Method = TypeVar("Method", bound=Callable[..., Any])


def score_interval(
    model: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    random_state: Any = 0,
) -> Interval:
    """Score a fitted model on rows, with an interval.

    Parameters
    ----------
    model : estimator
        Fitted to other rows.
    X, y
        Rows in any container, and true targets.
    scoring : str or scorer, default=None
        As in scikit-learn; None for accuracy, or R^2 of a regressor.
    sample_weight : array-like of shape (n_samples,), default=None
    level : float, default=0.95
    random_state : int, RandomState or None, default=0
        Seed for the bootstrap.

    Returns
    -------
    Interval

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = SVC(gamma=1.0).fit(X[::2], y[::2])
    >>> print(score_interval(model, X[1::2], y[1::2]))
    0.830 (95 % interval 0.742 to 0.898, Clopper-Pearson)
    """
    rows = EvaluationRows.of(X, y, sample_weight=sample_weight)
    if rows.weight is None and is_classifier(model):
        if _is(scoring, "accuracy") or scoring is None:
            right = accuracy_score(rows.y, model.predict(rows.X), normalize=False)
            return clopper_pearson(int(right), len(rows), level=level)
        if _is(scoring, "balanced_accuracy"):
            return _mean_recall(rows.y, model.predict(rows.X), level)
        if _is(scoring, "roc_auc") and len(model.classes_) == 2:
            values = np.asarray(decide(model, rows.X))
            return delong_interval(rows.y, values, pos_label=model.classes_[1], level=level)
    return _resampled(model, rows, scoring, level, random_state)


def _mean_recall(truth: Any, said: Any, level: float) -> Interval:
    labels, number = np.unique(truth, return_inverse=True)
    right = np.bincount(number[truth == said], minlength=len(labels))
    return mean_of_shares(right, np.bincount(number), level=level)


def _resampled(
    model: Any, rows: EvaluationRows, scoring: Any, level: float, random_state: Any
) -> Interval:
    recited = _Recited(model, rows.X)
    scorer = check_scoring(model, scoring=scoring or own_scoring(model))
    places, given = np.arange(len(rows)), [rows.y]
    given += [] if rows.weight is None else [rows.weight]

    def value(drawn: Any, truth: Any, *weights: Any) -> float:
        facts = {"sample_weight": weights[0]} if weights else {}
        return float(scorer(recited, drawn, truth, **facts))

    # BCa leaves out every row once, which of many rows takes long and changes little.
    how = ("bca", _RESAMPLES) if len(rows) <= _MANY else ("percentile", _FEWER)
    facts = {"method": how[0], "n_resamples": how[1], "random_state": random_state}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of resamples that lack a class; they are no news
        return bootstrap(value, places, *given, level=level, **facts)


def _is(scoring: Any, name: str) -> bool:
    return isinstance(scoring, str) and scoring == name


def own_scoring(model: Any) -> str:
    """Name what a model's own ``score`` gives."""
    return "accuracy" if is_classifier(model) else "r2"


def _known_to(name: str) -> Callable[[Method], Method]:
    """Return a decorator for a method that exists only if the model has it."""
    found: Callable[[Method], Method] = available_if(lambda own: hasattr(own.model, name))
    return found


class _Recited(BaseEstimator):
    """A fitted model that was asked about all rows once, and answers by their numbers."""

    def __init__(self, model: Any, X: Any) -> None:
        self.model = model
        self.X = X
        self._said: dict[str, NDArray[Any]] = {}

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.model)

    @property
    def classes_(self) -> NDArray[Any]:
        return np.asarray(self.model.classes_)

    def _recite(self, method: str, rows: Index) -> NDArray[Any]:
        if method not in self._said:
            self._said[method] = np.asarray(getattr(self.model, method)(self.X))
        return self._said[method][rows]

    def predict(self, rows: Index) -> NDArray[Any]:
        return self._recite("predict", rows)

    @_known_to("decision_function")
    def decision_function(self, rows: Index) -> NDArray[Any]:
        return self._recite("decision_function", rows)

    @_known_to("predict_proba")
    def predict_proba(self, rows: Index) -> NDArray[Any]:
        return self._recite("predict_proba", rows)
