"""A search on some of the rows, then a fit to all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    StratifiedGroupKFold,
    cross_val_score,
    train_test_split,
)
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from maxmargin.inputs.container import take_rows
from maxmargin.job.device import move_to_cpu
from maxmargin.job.grid_edges import search_on
from maxmargin.ops.clock import stop_if_over

Method = TypeVar("Method", bound=Callable[..., Any])


def _best_has(name: str) -> Callable[[Method], Method]:
    """Have a method only where the model has it: the chosen one, or else the search's own."""
    found: Callable[[Method], Method] = available_if(
        lambda own: hasattr(vars(own).get("best_estimator_", _tuned(own.search)), name)
    )
    return found


def _tuned(search: Any) -> Any:
    """Give the model that a search tunes, which may be itself."""
    return getattr(search, "estimator", search)


class Tuned(MetaEstimatorMixin, BaseEstimator):
    """Parameters chosen by a search on at most so many rows; the model is fitted to all rows.

    Parameters
    ----------
    search : estimator
        With ``best_estimator_``, ``best_params_`` and ``cv_results_`` after a fit.
    max_rows : int, default=None
        Rows to search on, classes in proportion; None for all.
    random_state : int, default=0
        Of the choice of rows.
    weigh : bool, default=False
        Whether the weights of classes are chosen too: the best point is also judged without them.
    final : dict, default=None
        Parameters of the model that is fitted to all rows where these are more than ``max_rows``.

    Attributes
    ----------
    best_estimator_ : estimator
        Fitted to all rows.
    best_params_, cv_results_
        Of the search.
    """

    def __init__(
        self,
        search: Any,
        *,
        max_rows: int | None = None,
        random_state: int = 0,
        weigh: bool = False,
        final: dict[str, Any] | None = None,
    ) -> None:
        self.search = search
        self.max_rows = max_rows
        self.random_state = random_state
        self.weigh = weigh
        self.final = final

    def __sklearn_tags__(self) -> Any:
        """Say what the search says."""
        return get_tags(self.search)

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Search on some rows, fit to all.

        Parameters
        ----------
        X, y
            Rows, and what to predict.
        groups : array-like, default=None
            Rows of one group stay together, in the folds of the search too.

        Returns
        -------
        self : object
        """
        stop_if_over()
        search = clone(self.search)
        if groups is not None:
            search.set_params(cv=self._grouped(search.cv))
        some = self._some(y, groups)
        facts = {} if groups is None else {"groups": _taken(groups, some)}
        rows = (X, y) if some is None else (take_rows(X, some), y[some])
        found = search_on(search, *rows, **facts)
        stop_if_over()
        changes = self._weights(found, *rows, **facts) if self.weigh else {}
        self.best_params_ = {**found.best_params_, **changes}
        if some is not None:
            changes = {**changes, **(self.final or {})}
        best = found.best_estimator_
        if some is not None or changes.get("class_weight", "balanced") is None:
            best = clone(best).set_params(**changes).fit(X, y)
        self.best_estimator_, self.cv_results_ = best, found.cv_results_
        return self

    def _weights(self, found: Any, X: Any, y: Any, **facts: Any) -> dict[str, Any]:
        """Return whether classes weigh the same, as the search had it, or as often as they are."""
        plain = clone(found.best_estimator_).set_params(class_weight=None)
        options = {"cv": found.cv, "scoring": found.scoring, "params": None, **facts}
        try:
            plain_score = float(np.mean(cross_val_score(plain, X, y, **options)))
        except ValueError:  # a fold lacks a class
            return {"class_weight": "balanced"}
        keeps = plain_score <= found.best_score_
        return {"class_weight": "balanced" if keeps else None}

    def _grouped(self, folds: Any) -> Any:
        """Keep groups together in as many folds."""
        kind = StratifiedGroupKFold if is_classifier(self.search) else GroupKFold
        return kind(folds.n_splits, shuffle=True, random_state=self.random_state)

    def _some(self, y: NDArray[Any], groups: Any = None) -> NDArray[np.intp] | None:
        if self.max_rows is None or len(y) <= self.max_rows:
            return None
        places, facts = np.arange(len(y)), {"random_state": self.random_state}
        if groups is not None:
            splitter = GroupShuffleSplit(1, train_size=self.max_rows / len(y), **facts)
            rows, _ = next(splitter.split(places, y, groups))
            return np.sort(rows)
        classify = is_classifier(self.search)
        common = classify and np.unique(y, return_counts=True)[1].min() > 1
        stratify = y if common else None
        rows, _ = train_test_split(places, train_size=self.max_rows, stratify=stratify, **facts)
        return np.sort(rows)

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, in order."""
        classes: NDArray[Any] = self.best_estimator_.classes_
        return classes

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict by the chosen model."""
        predicted: NDArray[Any] = self.best_estimator_.predict(X)
        return predicted

    @_best_has("decision_function")
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decide by the chosen model."""
        values: NDArray[np.float64] = self.best_estimator_.decision_function(X)
        return values

    @_best_has("predict_proba")
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the chosen model's probabilities."""
        shares: NDArray[np.float64] = self.best_estimator_.predict_proba(X)
        return shares


def _taken(groups: Any, some: NDArray[np.intp] | None) -> Any:
    return groups if some is None else np.asarray(groups)[some]


def settled(model: Pipeline) -> Pipeline:
    """Leave out of a fitted pipeline what it took to choose: only the chosen model is kept.

    Parameters
    ----------
    model : Pipeline

    Returns
    -------
    Pipeline
    """
    *before, (name, last) = model.steps
    best = getattr(last, "best_estimator_", last)
    if "n_jobs" in best.get_params(deep=False):
        best.set_params(n_jobs=None)  # whoever predicts may have other cores
    move_to_cpu(best)
    return Pipeline([*before, (name, best)])
