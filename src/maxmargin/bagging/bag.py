"""Members of a bagged ensemble: learnt from one bag of rows, tested on the rows outside.

A bag in which row i lies n_i times is the weight n_i for a weighted learner. Stumps are found in
columns that were sorted once for all bags; the split is then moved to where the bag alone would
have put it: a threshold to the middle between values in the bag, a category that is not in the bag
to where missing values go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from maxmargin.ensembles.members import seeded_copy
from maxmargin.trees.columns import Columns
from maxmargin.trees.label_search import LabelSearch
from maxmargin.trees.split import Split, midpoint
from maxmargin.trees.stump import DecisionStump
from maxmargin.trees.stump_ensemble import StumpEnsemble

Vector = NDArray[np.float64]
Index = NDArray[np.intp]


class BagLearner(Protocol):
    """A way to make members from bags of the training rows."""

    at_once: int | None
    """How many members may be made side by side; None for any number."""

    def learn(self, bag: Index, seed: int) -> Any:
        """Make a member from the rows in a bag."""
        ...

    def predict_outside(self, member: Any, rows: Index) -> Vector:
        """Return the probabilities of training rows."""
        ...


class StumpBags:
    """Stumps from one presorted copy of the columns."""

    at_once: int | None = 1  # the columns have threads of their own

    def __init__(
        self, columns: Columns, X: Any, label: Index, n_classes: int, criterion: str
    ) -> None:
        self._X = X.tocsc() if sparse.issparse(X) else X
        self._label, self._n_classes = label, n_classes
        self._search = LabelSearch(columns, label, n_classes, criterion)

    def learn(self, bag: Index, seed: int) -> BaggedSplit:  # noqa: ARG002
        """Find the best split for the counts."""
        count = np.bincount(bag, minlength=len(self._label)).astype(np.float64)
        split = fit_to_bag(self._search.best(count), self._X, np.flatnonzero(count))
        shape = 2, self._n_classes
        cell = np.ravel_multi_index((split.right_side(self._X).astype(np.intp), self._label), shape)
        leaves: Any = np.bincount(cell, count, shape[0] * shape[1]).reshape(shape)
        return BaggedSplit(split, leaves)

    def predict_outside(self, member: BaggedSplit, rows: Index) -> Vector:
        """Look up the leaves of training rows."""
        right = member.split.right_side(self._X)[rows].astype(np.intp)
        return pack_stumps([member]).leaf_shares()[0][right]


class BaggedSplit(NamedTuple):
    """A split, and the weights of the classes on both sides of it."""

    split: Split
    leaf_weight: Vector


def pack_stumps(members: Sequence[BaggedSplit]) -> StumpEnsemble:
    """Store splits as arrays."""
    weights = [member.leaf_weight for member in members]
    return StumpEnsemble([member.split for member in members], leaf_weight=weights)


def unpack_stumps(stored: StumpEnsemble) -> list[BaggedSplit]:
    """Return the splits that were stored."""
    assert stored.leaf_weight is not None
    return [BaggedSplit(*each) for each in zip(stored, stored.leaf_weight, strict=True)]


def fit_to_bag(split: Split, X: Any, rows: Index) -> Split:
    """Return the split restricted to the rows in the bag."""
    if split.feature < 0:
        return split
    j = split.feature
    x = X[:, [j]].toarray().ravel()[rows] if sparse.issparse(X) else X[rows, j]
    right = split.right_of(x)
    missing = np.isnan(x)
    missing_right = bool(
        split.missing_right if missing.any() else 2 * np.count_nonzero(right) > len(x)
    )
    if split.categories is not None:
        seen = np.isin(np.arange(len(split.categories)), x)
        chosen = np.where(seen, split.categories, missing_right)
        return replace(split, categories=chosen, missing_right=missing_right)
    below, above = x[~right & ~missing], x[right & ~missing]
    if len(below) == 0 or len(above) == 0:
        return replace(split, missing_right=missing_right)
    threshold = midpoint(float(below.max()), float(above.min()))
    return replace(split, threshold=threshold, missing_right=missing_right)


class ClassifierBags:
    """Copies of a classifier: with sample weights where it takes them, else with repeated rows."""

    at_once: int | None = None

    def __init__(self, estimator: Any, X: Any, label: Index, n_classes: int) -> None:
        self._estimator, self._X, self._label = estimator, X, label
        self._n_classes = n_classes
        self._weighted = has_fit_parameter(estimator, "sample_weight")

    def learn(self, bag: Index, seed: int) -> Any:
        """Fit a copy to the bag."""
        member = seeded_copy(self._estimator, np.random.RandomState(seed))
        if self._weighted:
            count = np.bincount(bag, minlength=len(self._label)).astype(np.float64)
            return member.fit(self._X, self._label, sample_weight=count)
        bag = np.sort(bag)
        return member.fit(_safe_indexing(self._X, bag), self._label[bag])

    def predict_outside(self, member: Any, rows: Index) -> Vector:
        """Predict training rows."""
        return probabilities(member, _safe_indexing(self._X, rows), self._n_classes)


def probabilities(member: Any, X: Any, n_classes: int) -> Vector:
    """Return a member's probabilities of all classes, or 1 for the class that it predicts."""
    if type(member) is DecisionStump:  # X has been read already
        return member._leaf_shares()[member.split_.right_side(X).astype(np.intp)]
    p = np.zeros((X.shape[0], n_classes))
    if X.shape[0] == 0:
        return p
    if hasattr(member, "predict_proba"):
        p[:, member.classes_] = member.predict_proba(X)
    else:
        p[np.arange(len(p)), member.predict(X)] = 1.0
    return p
