"""Extremely randomised trees of a quantity (Geurts, Ernst and Wehenkel, Machine Learning, 2006)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from maxmargin.ops.clock import stop_if_over
from maxmargin.ops.threads import count_threads, side_by_side

Vector = NDArray[np.float64]


class ForestRegressor(RegressorMixin, BaseEstimator):
    """The mean of trees whose thresholds are drawn at random.

    Parameters
    ----------
    n_estimators : int, default=100
    min_samples_leaf : int, default=1
    max_features : float, default=1.0
        Share of the columns that each split chooses among.
    n_jobs : int, default=None
        Threads; the result does not depend on it.
    random_state : int, default=0

    Attributes
    ----------
    trees_ : list of DecisionTreeRegressor

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0.0, 1.0, 50)[:, None]
    >>> model = ForestRegressor(20).fit(X, X[:, 0] ** 2)
    >>> round(float(model.predict([[0.6]])[0]), 1)
    0.4
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        min_samples_leaf: int = 1,
        max_features: float = 1.0,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : ndarray of shape (rows, columns)
            NaN is missing.
        y : ndarray

        Returns
        -------
        self : object
        """
        X = np.ascontiguousarray(X, np.float32)
        seeds = np.random.default_rng(self.random_state).integers(2**31, size=self.n_estimators)

        def grow(seed: int) -> DecisionTreeRegressor:
            stop_if_over()
            tree = DecisionTreeRegressor(
                splitter="random",
                min_samples_leaf=self.min_samples_leaf,
                max_features=self.max_features,
                random_state=int(seed),
            )
            return tree.fit(X, y, check_input=False)

        self.trees_ = side_by_side(grow, seeds.tolist(), count_threads(self.n_jobs))
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X: Any) -> Vector:
        """Average the trees."""
        check_is_fitted(self)
        X = np.ascontiguousarray(X, np.float32)
        found = np.zeros(len(X))
        for tree in self.trees_:
            found += tree.predict(X)
        return found / len(self.trees_)
