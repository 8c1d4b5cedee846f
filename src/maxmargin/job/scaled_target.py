"""A regressor of a quantity in units of its own spread."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils import get_tags

Vector = NDArray[np.float64]


class ScaledTarget(RegressorMixin, BaseEstimator):
    """A regressor that learns a quantity of mean 0 and deviation 1.

    Costs and widths of tubes then mean the same for metres and for millimetres.

    Parameters
    ----------
    model : regressor

    Attributes
    ----------
    model_ : regressor
        Fitted.
    mean_, spread_ : float

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> ScaledTarget(DummyRegressor()).fit([[0], [1]], [10.0, 30.0]).predict([[2]]).tolist()
    [20.0]
    """

    def __init__(self, model: Any) -> None:
        self.model = model

    def __sklearn_tags__(self) -> Any:
        """Take the rows that the model takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.model).input_tags
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn scale and model.

        Parameters
        ----------
        X, y
            Rows, and what to predict.

        Returns
        -------
        self : object
        """
        y = np.asarray(y, np.float64)
        self.mean_, self.spread_ = float(y.mean()), float(y.std()) or 1.0
        self.model_ = clone(self.model).fit(X, (y - self.mean_) / self.spread_)
        return self

    def predict(self, X: Any) -> Vector:
        """Predict in the quantity's own unit."""
        return np.asarray(self.model_.predict(X)) * self.spread_ + self.mean_
