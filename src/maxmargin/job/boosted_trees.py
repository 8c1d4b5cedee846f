"""scikit-learn's gradient boosted trees on binned columns, as models that can be stored.

``HistGradientBoostingClassifier`` and ``HistGradientBoostingRegressor`` are strong peers of the
machines of this package. Here they take codes of categories as they are, can be ended between two
rounds, and keep nothing but their trees.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from maxmargin.job.grown_trees import GrownTrees
from maxmargin.ops.clock import stop_if_over
from maxmargin.ops.threads import count_threads

Vector = NDArray[np.float64]
PARALLEL = 1_000_000  # numbers in a table: with fewer of them threads wait for each other
_OWN = ("categorical", "n_jobs")
LEVELS = 250  # a category of more levels is split like a number


class _Stoppable:
    """Boosting that asks the clock after every round."""

    def _check_early_stopping_loss(self, *args: Any, **options: Any) -> bool:
        stop_if_over()
        return bool(super()._check_early_stopping_loss(*args, **options))  # type: ignore[misc]


class _Classifier(_Stoppable, HistGradientBoostingClassifier):
    """Boosting of classes that asks the clock."""


class _Regressor(_Stoppable, HistGradientBoostingRegressor):
    """Boosting of a quantity that asks the clock."""


class _BoostedTrees(BaseEstimator):
    """What both have in common.

    Parameters
    ----------
    categorical : sequence of int
        Places of columns that hold codes of categories.
    max_iter, learning_rate, max_leaf_nodes, min_samples_leaf, l2_regularization, max_features, \
random_state
        As scikit-learn's.
    n_jobs : int, default=None
        Threads; the result does not depend on it.

    Attributes
    ----------
    trees_ : GrownTrees
    codes_ : list of ndarray
        Of each category the codes that were seen.
    """

    _kind: Any

    def __init__(
        self,
        categorical: Any = (),
        *,
        max_iter: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 31,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.categorical = categorical
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Grow ``max_iter`` rounds of trees.

        Parameters
        ----------
        X : ndarray of shape (rows, columns)
            NaN is missing.
        y : ndarray

        Returns
        -------
        self : object
        """
        self._grow(X, y)
        return self

    def fit_until_worse(self, X: Any, y: Any, others: tuple[Any, Any], patience: int) -> Vector:
        """Grow trees until the loss of other rows has not fallen for some rounds.

        Parameters
        ----------
        X, y : ndarray
            Rows to learn from.
        others : tuple of (X, y)
            Rows to be judged on.
        patience : int

        Returns
        -------
        ndarray
            The loss of the other rows before the first round and after each.
        """
        model = self._grow(X, y, others, patience)
        return -np.asarray(model.validation_score_, np.float64)

    def _grow(
        self, X: Any, y: Any, others: tuple[Any, Any] | None = None, patience: int | None = None
    ) -> Any:
        X = np.asarray(X, np.float64)
        self.n_features_in_ = X.shape[1]
        self.codes_ = [np.unique(X[:, j][~np.isnan(X[:, j])]) for j in self.categorical]
        aside: dict[str, Any] = {}
        if others is not None:
            aside = {"X_val": self._arranged(others[0]), "y_val": others[1]}
            aside |= self._weights_of(y, others[1])
        given = self.get_params(deep=False)
        shape = {name: value for name, value in given.items() if name not in _OWN}
        model = self._kind(
            **shape,
            categorical_features=self._mask(X.shape[1]),
            early_stopping=True,
            validation_fraction=None,
            n_iter_no_change=patience or self.max_iter + 1,
            tol=0.0,
        )
        threads = count_threads(self.n_jobs) if X.size > PARALLEL else 1
        with threadpool_limits(limits=threads, user_api="openmp"):
            model.fit(self._arranged(X), y, **aside)
        self.trees_ = GrownTrees.of(model)
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_
        return model

    def _weights_of(self, y: Any, others: Any) -> dict[str, Any]:
        """Weigh rows that are put aside as the rows that are learned from."""
        wanted = getattr(self, "class_weight", None)
        if wanted is None:
            return {}
        classes, labels = np.unique(y), np.asarray(others)
        weights = compute_class_weight(wanted, classes=classes, y=y)
        return {"sample_weight_val": weights[np.searchsorted(classes, labels)]}

    def _mask(self, columns: int) -> NDArray[np.bool_] | None:
        few = [place for place, codes in enumerate(self.codes_) if len(codes) <= LEVELS]
        if not few:
            return None
        return np.arange(columns) < len(few)

    def _arranged(self, X: Any) -> Vector:
        """Put categories first, numbered from 0; codes that were never seen are missing."""
        X = np.asarray(X, np.float64)
        few = [
            (j, codes)
            for j, codes in zip(self.categorical, self.codes_, strict=True)
            if len(codes) <= LEVELS
        ]
        places = [j for j, _ in few]
        others = [j for j in range(X.shape[1]) if j not in places]
        numbered = [_number(X[:, j], codes) for j, codes in few]
        return np.column_stack([*numbered, X[:, others]]) if numbered else X

    def _values(self, X: Any) -> Vector:
        check_is_fitted(self)
        return self.trees_.values(self._arranged(X), count_threads(self.n_jobs))


def _number(column: Vector, codes: Vector) -> Vector:
    if not len(codes):
        return np.full(len(column), np.nan)
    place = np.minimum(np.searchsorted(codes, column), len(codes) - 1)
    return np.where(codes[place] == column, place.astype(np.float64), np.nan)


class BoostedTreesClassifier(ClassifierMixin, _BoostedTrees):
    """Classes by scikit-learn's gradient boosted trees.

    Parameters
    ----------
    categorical : sequence of int
        Places of columns that hold codes of categories.
    max_iter, learning_rate, max_leaf_nodes, min_samples_leaf, l2_regularization, max_features, \
class_weight, random_state
        As scikit-learn's.
    n_jobs : int, default=None
        Threads; the result does not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.repeat([[0.0, 1.0], [1.0, np.nan]], 40, axis=0)
    >>> model = BoostedTreesClassifier([0], max_iter=5).fit(X, np.repeat(["a", "b"], 40))
    >>> model.predict([[1.0, np.nan], [0.0, 2.0]]).tolist()
    ['b', 'a']
    """

    _kind = _Classifier

    def __init__(
        self,
        categorical: Any = (),
        *,
        max_iter: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 31,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        super().__init__(
            categorical,
            max_iter=max_iter,
            learning_rate=learning_rate,
            max_leaf_nodes=max_leaf_nodes,
            min_samples_leaf=min_samples_leaf,
            l2_regularization=l2_regularization,
            max_features=max_features,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.class_weight = class_weight

    def predict_proba(self, X: Any) -> Vector:
        """Return probabilities, a column a class."""
        values = self._values(X)
        if values.shape[1] > 1:
            return np.asarray(softmax(values, axis=1))
        second = expit(values)
        return np.hstack([1.0 - second, second])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest class of each row."""
        values = self._values(X)
        places = values.argmax(axis=1) if values.shape[1] > 1 else (values[:, 0] > 0).astype(int)
        return np.asarray(self.classes_[places])


class BoostedTreesRegressor(RegressorMixin, _BoostedTrees):
    """A quantity by scikit-learn's gradient boosted trees; parameters as of the classifier."""

    _kind = _Regressor

    def predict(self, X: Any) -> Vector:
        """Return the quantity of each row."""
        return self._values(X)[:, 0]
