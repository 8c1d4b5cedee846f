"""Weak learners behind one protocol: learn from weighted rows, and say the classes of rows.

The rows to learn from are given once; a round gives only their weights. Class numbers are int32
throughout, places in the ensemble's sorted ``classes_``.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing, get_tags

from maxmargin.boosting.columns import Columns
from maxmargin.boosting.routing import takes_weights
from maxmargin.boosting.split import Split
from maxmargin.boosting.table import is_left_open
from maxmargin.inputs.parameters import ParameterError

Vector = NDArray[np.float64]
Numbers = NDArray[np.int32]

_DRAWS = 100  # until a sample has two classes; rarely more than one
_TRIES = 10  # samples to learn from before a learner counts as too weak


class WeakLearner(Protocol):
    """A way to make members of an ensemble."""

    tries: int
    """How often to ask for a member before all of them count as too weak: 1 unless by chance."""
    random_state: np.random.RandomState | None
    """What members draw from, if they do."""

    def learn(self, weight: Vector) -> Any:
        """Make a member from the training rows with these weights."""
        ...

    def recall(self, member: Any) -> Numbers:
        """Say what a member makes of the training rows."""
        ...

    def say(self, member: Any, X: Any) -> Numbers:
        """Say what a member makes of other rows."""
        ...


class PresortedStump:
    """The best stump for the weights, found in columns that were sorted once; members are splits.

    For two classes the least error is the largest edge |sum w t h|, and Gini's criterion is that of
    least squares with targets t; both scan one or two sums instead of one for each class.
    """

    tries = 1
    random_state: np.random.RandomState | None = None

    def __init__(self, columns: Columns, label: Numbers, n_classes: int, criterion: str) -> None:
        self._columns, self._label, self._criterion = columns, label.astype(np.intp), criterion
        self._n_classes = n_classes
        self._t = np.where(label == 1, 1.0, -1.0)

    def learn(self, weight: Vector) -> Split:
        """Search all columns."""
        if self._n_classes > 2:
            return self._columns.best_classes(self._label, weight, self._n_classes, self._criterion)
        if self._criterion == "gini":
            return self._columns.best_square(weight * self._t, weight, "gini")
        return self._columns.best_sign(weight * self._t)

    def recall(self, member: Split) -> Numbers:
        """Look up which training rows went right."""
        return self._side_class(member, self._columns.right_side(member))

    def say(self, member: Split, X: Any) -> Numbers:
        """Ask the split's question of the rows."""
        return self._side_class(member, member.right_side(X))

    def _side_class(self, split: Split, right: NDArray[np.bool_]) -> Numbers:
        low, high = leaf_classes(split, self._n_classes)
        said: Numbers = right.astype(np.int32)
        if (low, high) != (0, 1):
            said *= high - low
            said += low
        return said


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


def leaf_classes(split: Split, n_classes: int) -> tuple[int, int]:
    """Give the class numbers of a split's sides; for two classes leaves are signs, 0 is class 0."""
    if n_classes > 2:
        return int(split.left), int(split.right)
    return int(split.left > 0), int(split.right > 0)


class WeightedClassifier:
    """Copies of a classifier, fitted with sample weights; members are fitted classifiers.

    ``params`` go to every ``fit``; those with a value for each row are given for the rows at hand.
    """

    tries = 1

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

    def recall(self, member: Any) -> Numbers:
        """Predict the training rows."""
        return self.say(member, self._X)

    def say(self, member: Any, X: Any) -> Numbers:
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


def seeded_copy(estimator: Any, random_state: Any) -> Any:
    """Clone an estimator and give it seeds, drawn in the order in which scikit-learn does."""
    member = clone(estimator)
    names = sorted(n for n in member.get_params(deep=True) if n.split("__")[-1] == "random_state")
    highest = np.iinfo(np.int32).max
    return member.set_params(**{name: random_state.randint(highest) for name in names})


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
    """Give the places of labels among the sorted classes."""
    return np.searchsorted(classes, labels).astype(np.int32)


def known_numbers(classes: NDArray[Any], labels: NDArray[Any], name: str) -> Numbers:
    """Give the places of labels, refusing those of no class."""
    strange = np.flatnonzero(~np.isin(labels, classes))
    if len(strange):
        raise ValueError(
            f"{name} holds labels that y does not: {labels[strange[0]]!r} in row {strange[0]}; "
            f"give rows of the classes {classes.tolist()}."
        )
    return class_numbers(classes, labels)


def take_rows(value: Any, rows: NDArray[Any], n_rows: int) -> Any:
    """Give the rows' part of what has a value for each row, and everything else as it is."""
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
    """Refuse what is not a classifier that can learn from weights."""
    if not is_left_open(categorical_features):
        raise ParameterError(
            f"The 'categorical_features' parameter of {owner} is for the default stump; give "
            "it to the estimator instead, such as DecisionStump(categorical_features=...)."
        )
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
