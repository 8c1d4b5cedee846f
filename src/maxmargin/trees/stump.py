"""Stumps: trees with a single split, the weak learners of boosting."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.labels import find_classes, refuse_one_class
from maxmargin.inputs.parameters import (
    FLAG,
    Parameter,
    ParameterError,
    all_or_nothing,
    check_declared,
    check_number,
    numeric,
    one_of,
)
from maxmargin.inputs.table import FROM_DTYPE, read
from maxmargin.inputs.weights import read_weight
from maxmargin.ops.clock import Clock
from maxmargin.progress.callbacks import CallbackSupport
from maxmargin.trees.columns import Columns
from maxmargin.trees.label_search import LabelSearch
from maxmargin.trees.split import Split
from maxmargin.trees.stump_ensemble import StumpEnsemble, leaf_shares

Vector = NDArray[np.float64]
Array = NDArray[Any]


def _check_leaf_share(owner: str, name: str, share: Any) -> None:
    check_number(owner, name, share, 0.0)
    if share > 0.5:
        raise ParameterError(
            f"The {name!r} parameter of {owner} must be at most 0.5, since a split has two sides. "
            f"Got {share!r} instead."
        )


LEAF_SHARE = Parameter(_check_leaf_share)
"""A smallest share of the weight, which both sides of a split can have."""


class Stump(CallbackSupport, BaseEstimator):
    """What stumps share: reading the data, one split, and which side a row is on."""

    split_: Split

    _parameters: ClassVar[dict[str, Parameter]] = {
        "criterion": one_of("error", "gini"),
        "categorical_split": one_of("subset", "one_vs_rest"),
        "min_weight_fraction_leaf": LEAF_SHARE,
        "min_category_weight": numeric(0.0),
        "category_smoothing": FLAG,
    }
    _check_parameters = check_declared

    def __sklearn_tags__(self) -> Any:
        """Return the input tags."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    @property
    def feature_(self) -> int:
        """The feature of the split; -1 without one."""
        return self.split_.feature

    @property
    def threshold_(self) -> float:
        """Rows with larger values go right; NaN for a categorical feature or without a split."""
        return self.split_.threshold

    @property
    def feature_importances_(self) -> Vector:
        """All of the importance is the split feature's."""
        importances = np.zeros(self.n_features_in_)
        if self.split_.feature >= 0:
            importances[self.split_.feature] = 1.0
        return importances

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best split.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)
            NaN is a missing value.
        y : array-like of shape (rows,)
        sample_weight : array-like of shape (rows,), default=None

        Returns
        -------
        self : object
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        raise NotImplementedError

    def _columns(
        self,
        X: Any,
        categorical: Any,
        weight: Vector | None,
        n_jobs: int | None,
        clock: Clock | None = None,
        least: float = 0.0,
    ) -> Columns:
        """Sort the columns, to be split as the stump's parameters say."""
        return Columns(
            X,
            categorical,
            self.categorical_split,
            n_jobs,
            weight=weight,
            min_weight_fraction_leaf=max(least, float(self.min_weight_fraction_leaf)),
            min_category_weight=float(self.min_category_weight),
            category_smoothing=bool(self.category_smoothing),
            clock=clock,
        )

    def _right_side(self, X: Any) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.split_.right_side(read(self, X, reset=False))


class DecisionStump(ClassifierMixin, Stump):
    """A classifier with one split on one feature.

    ``fit`` finds the split with the smallest weighted error, exactly. It tries every threshold of
    every numeric feature in both directions, and every subset of the categories of a categorical
    feature; with more than ten categories, only of those with enough rows.

    Parameters
    ----------
    criterion : {"error", "gini"}, default="error"
        The weighted error, or the Gini index, which scikit-learn uses for trees of depth one.
    categorical_features : array-like, "from_dtype" or None, default="from_dtype"
        Indices, names or a mask of the categorical columns. "from_dtype" takes the columns of a
        DataFrame that have a categorical dtype or hold strings, and no column of an array.
    categorical_split : {"subset", "one_vs_rest"}, default="subset"
        Split off any subset of the categories, or one category against the rest. With more than two
        classes it is always one category.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the total weight on each side of the split, not counting missing values.
    min_category_weight : float, default=10.0
        In a column of more than ten categories, those that weigh less than this many average rows
        are treated as missing values.
    category_smoothing : bool, default=True
        Shrink the gain of a column of more than ten categories by the share that chance explains.
    n_jobs : int, default=None
        Number of threads. The split does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    split_ : Split
        The split; its leaves are -1 and +1 for two classes, and class indices for more.
    feature_, threshold_ : int, float
        Feature index and threshold of the split.
    error_ : float
        The weighted training error.
    is_categorical_ : ndarray of bool or None
        Which features are categorical.
    feature_importances_ : ndarray of shape (features,)
        1 for the feature of the split.

    Notes
    -----
    Missing values go to the better side; if training had none, to the side with more rows. Among
    equally good splits, the smallest feature index wins, then the smallest threshold. If no split
    is better than one label for all rows, there is no split and ``feature_`` is -1.

    Examples
    --------
    >>> from maxmargin.boosting import DecisionStump
    >>> from maxmargin.datasets import load_going_to_class
    >>> X, y = load_going_to_class(return_X_y=True)
    >>> health = X[:, [1]]
    >>> stump = DecisionStump(categorical_features=[0]).fit(health, y)
    >>> stump.error_, (stump.predict(health) != y).nonzero()[0]
    (0.125, array([6]))
    """

    def __init__(
        self,
        criterion: str = "error",
        *,
        categorical_features: Any = FROM_DTYPE,
        categorical_split: str = "subset",
        min_weight_fraction_leaf: float = 0.0,
        min_category_weight: float = 10.0,
        category_smoothing: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.categorical_features = categorical_features
        self.categorical_split = categorical_split
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_category_weight = min_category_weight
        self.category_smoothing = category_smoothing
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        """Warn that two leaves cannot distinguish three classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    @classmethod
    def _of(
        cls, split: Split, classes: Array, n_features: int, leaf_weight: Vector | None = None
    ) -> DecisionStump:
        """Make a fitted stump of a split; leaves without class weights are sure of their class."""
        stump = cls()
        stump.n_features_in_, stump.classes_ = n_features, classes
        stump.is_categorical_, stump.split_ = None, split
        stump.error_ = np.nan
        stump._leaf_weight = leaf_weight if leaf_weight is not None else stump._sure()
        return stump

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        X, y = read(self, X, y, reset=True)
        check_classification_targets(y)
        self.classes_, label = find_classes(y)
        refuse_one_class(self.classes_)
        weight = read_weight(sample_weight, X.shape[0])
        kept = weight > 0
        if not kept.all():
            X, label, weight = X[kept], label[kept], weight[kept]
        unit = float(weight.max())
        weight = weight / unit  # so that no sum overflows
        with self._columns(X, self.is_categorical_, weight, self.n_jobs) as columns:
            search = LabelSearch(columns, label, len(self.classes_), self.criterion)
            split = search.best(weight)
            right = columns.right_side(split)
        self.split_ = replace(split, gain=unit * split.gain)
        self._weigh_leaves(label, weight, right)
        return self

    def _weigh_leaves(self, label: Array, weight: Vector, right: NDArray[np.bool_]) -> None:
        """Keep the class weights of each side, and the weighted error."""
        shape = 2, len(self.classes_)
        cell = np.ravel_multi_index((right.astype(np.intp), label), shape)
        leaf_weight = np.bincount(cell, weight, shape[0] * shape[1]).reshape(shape)
        self._leaf_weight: Vector = leaf_weight.astype(np.float64)
        predicted = self._leaf_classes()[right.astype(np.intp)]
        self.error_ = float(weight[predicted != label].sum() / weight.sum())

    def _leaf_classes(self) -> NDArray[np.intp]:
        """Return the class number of each side."""
        leaves = np.array([self.split_.left, self.split_.right])
        return (leaves > 0 if len(self.classes_) == 2 else leaves).astype(np.intp)

    def _sure(self) -> Vector:
        return np.eye(len(self.classes_))[self._leaf_classes()]

    def predict(self, X: Any) -> Array:
        """Predict the class of each row's side.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        labels : ndarray of shape (rows,)
        """
        side = self._right_side(X).astype(np.intp)
        labels: Array = self.classes_[self._leaf_classes()[side]]
        return labels

    def predict_proba(self, X: Any) -> Vector:
        """Return the shares of the classes in each row's side.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        probabilities : ndarray of shape (rows, classes)
        """
        side = self._right_side(X).astype(np.intp)
        return self._leaf_shares()[side]

    def _leaf_shares(self) -> Vector:
        """Return the shares of the classes on each side."""
        weight = self._leaf_weight
        total = weight.sum(axis=1, keepdims=True)
        if total.all():
            shares: Vector = weight / total
            return shares
        leaves = np.array([[self.split_.left], [self.split_.right]])
        return leaf_shares(weight[None], *leaves)[0]


class RegressionStump(RegressorMixin, Stump):
    """A regressor with one split and two values, of least weighted squared error.

    Parameters
    ----------
    categorical_features : array-like, "from_dtype" or None, default="from_dtype"
        Indices, names or a mask of the categorical columns. "from_dtype" takes the columns of a
        DataFrame that have a categorical dtype or hold strings, and no column of an array.
    categorical_split : {"subset", "one_vs_rest"}, default="subset"
        Whether any categories may go to one side, or a single one against the rest.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the total weight on each side of the split, not counting missing values.
    min_category_weight : float, default=10.0
        In a column of more than ten categories, those that weigh less than this many average rows
        are treated as missing values.
    category_smoothing : bool, default=True
        Shrink the gain of a column of more than ten categories by the share that chance explains.
    n_jobs : int, default=None
        Number of threads. The split does not depend on it.

    Attributes
    ----------
    split_ : Split
        The split; its leaves are the weighted means of the two sides.
    feature_, threshold_ : int, float
        Feature index and threshold of the split.
    is_categorical_ : ndarray of bool or None
        Which features are categorical.
    feature_importances_ : ndarray of shape (features,)
        1 for the feature of the split.

    Examples
    --------
    >>> from maxmargin.boosting import RegressionStump
    >>> stump = RegressionStump().fit([[1], [2], [3], [4]], [0.0, 0.0, 1.0, 3.0])
    >>> stump.threshold_, stump.predict([[0], [5]])
    (3.5, array([0.33..., 3. ...]))
    """

    def __init__(
        self,
        *,
        categorical_features: Any = FROM_DTYPE,
        categorical_split: str = "subset",
        min_weight_fraction_leaf: float = 0.0,
        min_category_weight: float = 10.0,
        category_smoothing: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.categorical_features = categorical_features
        self.categorical_split = categorical_split
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_category_weight = min_category_weight
        self.category_smoothing = category_smoothing
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        """Warn that two values explain little."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    @classmethod
    def _of(cls, split: Split, n_features: int) -> RegressionStump:
        """Make a fitted stump of a split."""
        stump = cls()
        stump.n_features_in_, stump.is_categorical_, stump.split_ = n_features, None, split
        return stump

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        X, y = read(self, X, y, reset=True, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        weight = read_weight(sample_weight, X.shape[0])
        kept = weight > 0
        if not kept.all():
            X, y, weight = X[kept], y[kept], weight[kept]
        unit, scale = float(weight.max()), float(np.abs(y).max()) or 1.0
        weight = weight / unit  # so that no sum overflows
        with self._columns(X, self.is_categorical_, weight, self.n_jobs) as columns:
            split = columns.best_square(weight * (y / scale), weight)
            side = columns.right_side(split)
        left = _mean(y, weight, ~side, scale)
        right = left if split.feature < 0 else _mean(y, weight, side, scale)
        gain = unit * scale * scale * split.gain
        self.split_ = replace(split, left=left, right=right, gain=gain)
        return self

    def predict(self, X: Any) -> Vector:
        """Predict the mean of each row's side.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        values : ndarray of shape (rows,)
        """
        return np.where(self._right_side(X), self.split_.right, self.split_.left)


@dataclass(frozen=True, eq=False)
class StumpMaker:
    """Makes the stumps of stored splits, which read tables as their ensemble does.

    Parameters
    ----------
    splits : StumpEnsemble
    n_features : int
    is_categorical : ndarray of bool or None
    categories : dict or None
        For each categorical feature its categories with their codes.
    classes : ndarray or None
        The labels of a ``DecisionStump``; None makes a ``RegressionStump``.
    params : dict
        Parameters of the stumps.
    """

    splits: StumpEnsemble
    n_features: int
    is_categorical: Array | None
    categories: dict[int, dict[Any, int]] | None
    classes: Array | None
    params: dict[str, Any]

    @classmethod
    def of(cls, model: Any, splits: StumpEnsemble, classes: Array | None, **params: Any) -> Self:
        """Return the learner that makes the stumps of an ensemble from its training set."""
        mask = model.is_categorical_
        categories = None if mask is None else model._categories
        return cls(splits, model.n_features_in_, mask, categories, classes, params)

    def __call__(self, number: int) -> Any:
        """Make the stump of a split."""
        stump = self._stump(number)
        stump.is_categorical_ = self.is_categorical
        if self.is_categorical is not None:
            stump._categories = self.categories
        return stump.set_params(**self.params)

    def _stump(self, number: int) -> Any:
        split, weights = self.splits[number], self.splits.leaf_weight
        if self.classes is None:
            return RegressionStump._of(split, self.n_features)
        weight = None if weights is None else weights[number]
        return DecisionStump._of(split, self.classes, self.n_features, weight)


def _mean(y: Vector, weight: Vector, side: NDArray[np.bool_], scale: float) -> float:
    """Average the targets of a side, whose sums were rounded for the search."""
    total = float(weight[side].sum())
    return scale * (float(weight[side] @ (y[side] / scale)) / total) if total > 0 else 0.0
