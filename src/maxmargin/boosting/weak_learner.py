"""Weak learners of AdaBoost behind one protocol: learn from weighted rows, predict their classes.

The rows to learn from are given once; a round gives only their weights. Class numbers are int32
throughout, places in the ensemble's sorted ``classes_``.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing, get_tags

from maxmargin.ensembles.members import seeded_copy
from maxmargin.inputs.parameters import ParameterError
from maxmargin.inputs.routing import takes_weights
from maxmargin.inputs.table import is_left_open
from maxmargin.trees.columns import Columns
from maxmargin.trees.label_search import LabelSearch, leaf_classes
from maxmargin.trees.split import Split, round_gain
from maxmargin.trees.stump import DecisionStump

Vector = NDArray[np.float64]
Numbers = NDArray[np.int32]

_DRAWS = 100  # until a sample has two classes; rarely more than one
_TRIES = 10  # samples to learn from before a learner counts as too weak


class WeakLearner(Protocol):
    """A way to make members of an ensemble."""

    tries: int
    """How often to ask for a member before all of them count as too weak: 1 unless by chance."""
    by_ratio: bool
    """Whether only the ratios of weights count, and not their sum, which otherwise is 1."""
    random_state: np.random.RandomState | None
    """What members draw from, if they do."""

    def learn(self, weight: Vector) -> Any:
        """Make a member from the training rows with these weights."""
        ...

    def predict_training(self, member: Any) -> Numbers:
        """Return a member's classes of the training rows."""
        ...

    def predict(self, member: Any, X: Any) -> Numbers:
        """Return a member's classes of other rows."""
        ...


class PresortedStump:
    """The best stump for the weights, found in columns sorted once; members are splits."""

    tries, by_ratio = 1, True
    random_state: np.random.RandomState | None = None

    def __init__(self, columns: Columns, label: Numbers, n_classes: int, criterion: str) -> None:
        self.columns, self._label, self._n_classes = columns, label, n_classes
        self._criterion = criterion

    @cached_property
    def _search(self) -> LabelSearch:
        return LabelSearch(self.columns, self._label, self._n_classes, self._criterion)

    def learn(self, weight: Vector) -> Split:
        """Search all columns."""
        split = self._search.best(weight)
        return replace(split, gain=float(round_gain(split.gain / weight.sum())))

    def predict_training(self, member: Split) -> Numbers:
        """Look up which training rows went right."""
        return self._side_class(member, self.columns.right_side(member))

    def predict(self, member: Split, X: Any) -> Numbers:
        """Ask the split's question of the rows."""
        return self._side_class(member, member.right_side(X))

    def _side_class(self, split: Split, right: NDArray[np.bool_]) -> Numbers:
        low, high = leaf_classes(split, self._n_classes)
        predicted: Numbers = right.astype(np.int32)
        if (low, high) != (0, 1):
            predicted *= high - low
            predicted += low
        return predicted


class ResampledStump(PresortedStump):
    """The best stump for rows drawn by their weights: each counts as often as it was drawn."""

    tries = _TRIES

    def __init__(
        self,
        columns: Columns,
        label: Numbers,
        n_classes: int,
        criterion: str,
        random_state: np.random.RandomState,
    ) -> None:
        super().__init__(columns, label, n_classes, criterion)
        self.random_state = random_state

    def learn(self, weight: Vector) -> Split:
        """Draw the rows and search all columns."""
        rows = draw_rows(self.random_state, weight, self._label)
        return super().learn(np.bincount(rows, minlength=len(weight)) / len(weight))


class WeightedClassifier:
    """Copies of a classifier, fitted with sample weights; members are fitted classifiers.

    ``params`` go to every ``fit``; those with a value for each row are given for the rows at hand.
    """

    tries, by_ratio = 1, False

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: NDArray[Any],
        classes: NDArray[Any],
        random_state: np.random.RandomState,
        params: dict[str, Any],
    ) -> None:
        self._estimator, self._X, self._y = estimator, X, y
        self._classes, self._params = classes, params
        self.random_state: np.random.RandomState | None = random_state

    def learn(self, weight: Vector) -> Any:
        """Fit a copy to the weighted rows."""
        member = seeded_copy(self._estimator, self.random_state)
        return member.fit(self._X, self._y, sample_weight=weight.copy(), **self._params)

    def predict_training(self, member: Any) -> Numbers:
        """Predict the training rows."""
        return self.predict(member, self._X)

    def predict(self, member: Any, X: Any) -> Numbers:
        """Predict other rows."""
        return class_numbers(self._classes, member.predict(X))


class ResampledClassifier(WeightedClassifier):
    """Copies fitted to as many rows as there are, drawn by their weights with replacement."""

    tries = _TRIES

    def learn(self, weight: Vector) -> Any:
        """Fit a copy to a sample."""
        member, n_rows = seeded_copy(self._estimator, self.random_state), len(self._y)
        rows = draw_rows(self.random_state, weight, self._y)
        params = {name: take_rows(value, rows, n_rows) for name, value in self._params.items()}
        return member.fit(_safe_indexing(self._X, rows), self._y[rows], **params)


def with_least_leaf(estimator: Any, least: float) -> Any:
    """Ask an estimator whose leaves can be held to a share of the weight for it."""
    if least == 0.0 or "min_weight_fraction_leaf" not in getattr(estimator, "get_params", dict)():
        return estimator
    return clone(estimator).set_params(min_weight_fraction_leaf=least)


def draw_rows(random_state: Any, weight: Vector, y: NDArray[Any]) -> NDArray[np.intp]:
    """Draw as many rows as there are, by their weights; again if all have the same label.

    Most classifiers refuse a single class.
    """
    probability = weight / weight.sum()
    for _ in range(_DRAWS):
        rows: NDArray[np.intp] = random_state.choice(len(y), size=len(y), p=probability)
        if (y[rows] != y[rows[0]]).any():
            break
    return rows


def class_numbers(classes: NDArray[Any], labels: Any) -> Numbers:
    """Return the indices of labels among the sorted classes."""
    return np.searchsorted(classes, labels).astype(np.int32)


def known_numbers(classes: NDArray[Any], labels: NDArray[Any], name: str) -> Numbers:
    """Return the indices of labels among the classes; raise for unknown labels."""
    strange = np.flatnonzero(~np.isin(labels, classes))
    if len(strange):
        raise ValueError(
            f"{name} holds labels that y does not: {labels[strange[0]]!r} in row {strange[0]}; "
            f"give rows of the classes {classes.tolist()}."
        )
    return class_numbers(classes, labels)


def take_rows(value: Any, rows: NDArray[Any], n_rows: int) -> Any:
    """Return the rows of values that have one entry a row, and other values unchanged."""
    if isinstance(value, str | bytes | dict) or not hasattr(value, "__len__"):
        return value
    shape = getattr(value, "shape", None)
    length = len(value) if shape is None else (shape[0] if shape else None)
    return _safe_indexing(value, rows) if length == n_rows else value


def _may_classify(estimator: Any) -> bool:
    return get_tags(estimator).estimator_type in ("classifier", None)


def check_weak_learner(
    owner: str, estimator: Any, resample: bool, categorical_features: Any = None
) -> None:
    """Raise for what is not a classifier that can learn from weights."""
    if not is_left_open(categorical_features):
        raise ParameterError(
            f"The 'categorical_features' parameter of {owner} is for the default stump; give "
            "it to the estimator instead, such as DecisionStump(categorical_features=...)."
        )
    if type(estimator) is DecisionStump:
        return
    usable = hasattr(estimator, "fit") and hasattr(estimator, "predict")
    if isinstance(estimator, type) or not usable or not _may_classify(estimator):
        raise ParameterError(
            f"The 'estimator' parameter of {owner} must be a classifier or None. "
            f"Got {estimator!r} instead."
        )
    if not (resample or takes_weights(estimator)):
        raise ValueError(
            f"{type(estimator).__name__} doesn't support sample_weight; resample=True draws rows "
            "by their weights for it."
        )
