"""How many rounds of boosted trees, and of which shape: chosen by the loss of rows put aside.

Every shape grows until the loss of the other rows rises. So the number of rounds costs nothing to
choose, and a shape that is worse ends soon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import get_tags

Vector = NDArray[np.float64]
PATIENCE = 15  # rounds without a smaller loss, at a rate of 0.1
GROWN = 1.1  # times as many rounds for all rows as for those that the rounds were chosen on


class RoundsSearch(MetaEstimatorMixin, BaseEstimator):
    """Shapes of boosted trees, each with its best number of rounds.

    Parameters
    ----------
    estimator : BoostedTreesClassifier or BoostedTreesRegressor
    shapes : sequence of dict
        Parameters to try together.
    cv : splitter
    most_folds : int
        Of the splitter's, that are used.

    Attributes
    ----------
    best_estimator_ : estimator
        Fitted to all rows.
    best_params_, best_score_, cv_results_
        As ``GridSearchCV`` has them, but with ``mean_test_loss``; the score is the smallest of
        these with the sign changed.
    """

    def __init__(
        self, estimator: Any, shapes: Sequence[Mapping[str, Any]], cv: Any, most_folds: int = 3
    ) -> None:
        self.estimator = estimator
        self.shapes = shapes
        self.cv = cv
        self.most_folds = most_folds

    def __sklearn_tags__(self) -> Any:
        """Say what the estimator says."""
        return get_tags(self.estimator)

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Choose shape and rounds, then fit to all rows.

        Parameters
        ----------
        X, y
            Rows, and what to predict.
        groups : array-like, default=None
            Rows of one group stay together.

        Returns
        -------
        self : object
        """
        X, y = np.asarray(X), np.asarray(y)
        parts = [*self.cv.split(X, y, groups)][: self.most_folds]
        whole = is_classifier(self.estimator)
        parts = [part for part in parts if not whole or _same_classes(y, part[0])]
        if not parts:
            raise ValueError("No part of the rows to choose rounds on holds every class.")
        tried = [self._rounds(dict(shape), X, y, parts) for shape in self.shapes]
        best = int(np.argmin([loss for _, loss in tried]))
        rounds, loss = tried[best]
        self.best_params_ = {**self.shapes[best], "max_iter": rounds}
        self.best_score_ = -loss
        self.best_estimator_ = clone(self.estimator).set_params(**self.best_params_).fit(X, y)
        self.cv_results_ = self._results(tried)
        return self

    def _rounds(
        self, shape: dict[str, Any], X: Any, y: Any, parts: Sequence[Any]
    ) -> tuple[int, float]:
        """Return the best number of rounds of a shape, and the loss there."""
        rate = float(shape.get("learning_rate", self.estimator.learning_rate))
        patience = int(np.ceil(PATIENCE * min(3.0, 0.1 / rate)))
        curves = []
        for train, other in parts:
            model = clone(self.estimator).set_params(**shape)
            aside = X[other], y[other]
            curves.append(model.fit_until_worse(X[train], y[train], aside, patience))
        loss = _mean_curve(curves)
        best = int(np.argmin(loss))
        most = int(self.estimator.max_iter)
        return max(1, min(most, round(GROWN * best))), float(loss[best])

    def _results(self, tried: Sequence[tuple[int, float]]) -> dict[str, Any]:
        names = sorted({name for shape in self.shapes for name in shape})
        columns = {
            f"param_{name}": np.ma.MaskedArray([shape.get(name) for shape in self.shapes])
            for name in names
        }
        params = [
            {**shape, "max_iter": rounds}
            for shape, (rounds, _) in zip(self.shapes, tried, strict=True)
        ]
        losses = np.array([loss for _, loss in tried])
        return {**columns, "params": params, "mean_test_loss": losses}


def _same_classes(y: NDArray[Any], train: NDArray[np.intp]) -> bool:
    return len(np.unique(y[train])) == len(np.unique(y))


def _mean_curve(curves: Sequence[Vector]) -> Vector:
    """Average curves; one that ended early stays at its last value."""
    longest = max(map(len, curves))
    padded = [np.pad(curve, (0, longest - len(curve)), mode="edge") for curve in curves]
    return np.asarray(np.mean(padded, axis=0))
