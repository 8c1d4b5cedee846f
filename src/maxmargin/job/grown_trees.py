"""Boosted trees as arrays, that a stored model can hold.

scikit-learn's compiled loops trust every node. So nodes that were read from a file are checked
first: each lies behind its parent and asks for a column that is there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor

Vector = NDArray[np.float64]
_WORDS = 8  # of 32 bits, in which a set of levels is written


@dataclass(frozen=True)
class GrownTrees:
    """The trees of all rounds, one an output in each.

    Parameters
    ----------
    nodes : dict of str to ndarray
        Columns of all nodes of all trees, one tree after the other.
    sizes : ndarray of int
        How many nodes each tree has.
    levels : ndarray of shape (splits, 8)
        For each split of a category the levels that go to the left.
    splits : ndarray of int
        How many of these each tree has.
    baseline : ndarray
        What each output begins with.
    known : ndarray of shape (categories, 8)
        Levels of each category that the trees have seen.
    places : ndarray of int
        For each column its place in ``known``, if it is a category.
    """

    nodes: dict[str, NDArray[Any]] = field(repr=False)
    sizes: NDArray[np.int64]
    levels: NDArray[np.uint32] = field(repr=False)
    splits: NDArray[np.int64] = field(repr=False)
    baseline: NDArray[np.float64]
    known: NDArray[np.uint32] = field(repr=False)
    places: NDArray[np.uint32] = field(repr=False)

    @classmethod
    def of(cls, model: Any) -> GrownTrees:
        """Take the trees of one of scikit-learn's models.

        Parameters
        ----------
        model : HistGradientBoostingClassifier or HistGradientBoostingRegressor
            Fitted.

        Returns
        -------
        GrownTrees
        """
        trees = [tree for round_ in model._predictors for tree in round_]
        whole = np.concatenate([tree.nodes for tree in trees])
        known, places = model._bin_mapper.make_known_categories_bitsets()
        return cls(
            {name: np.array(whole[name]) for name in PREDICTOR_RECORD_DTYPE.names or ()},
            np.array([len(tree.nodes) for tree in trees]),
            np.concatenate([tree.raw_left_cat_bitsets for tree in trees]),
            np.array([len(tree.raw_left_cat_bitsets) for tree in trees]),
            np.ravel(model._baseline_prediction).astype(np.float64),
            np.asarray(known),
            np.asarray(places),
        )

    def __restored__(self) -> None:
        """Refuse arrays that do not fit together."""
        count = int(self.sizes.sum())
        columns = PREDICTOR_RECORD_DTYPE.names or ()
        whole = self.nodes.keys() == set(columns) and all(
            np.shape(each) == (count,) for each in self.nodes.values()
        )
        sets = self.levels.shape == (int(self.splits.sum()), _WORDS)
        sets &= self.known.ndim == 2 and self.known.shape[1] == _WORDS
        per_tree = len(self.sizes) == len(self.splits) and len(self.baseline) > 0
        if not (whole and sets and per_tree and len(self.sizes) % len(self.baseline) == 0):
            raise _misfit()
        categories = self.places[self._categories] if count else self.places[:0]
        if (categories >= len(self.known)).any() or not all(map(self._is_whole, self.predictors)):
            raise _misfit()

    @property
    def _categories(self) -> NDArray[Any]:
        """Columns that some split takes for a category."""
        asked = np.unique(self.nodes["feature_idx"][self.nodes["is_categorical"] != 0])
        if len(asked) and not (asked[0] >= 0 and asked[-1] < len(self.places)):
            raise _misfit()
        return asked

    def _is_whole(self, tree: Any) -> bool:
        """Return whether every node sends rows to nodes behind it, by a column that is there."""
        nodes, count = tree.nodes, len(tree.nodes)
        place, inner = np.arange(count), nodes["is_leaf"] == 0
        behind = np.minimum(nodes["left"], nodes["right"]) > place
        inside = np.maximum(nodes["left"], nodes["right"]) < count
        known = (nodes["feature_idx"] >= 0) & (nodes["feature_idx"] < len(self.places))
        kept = (nodes["is_categorical"] == 0) | (
            nodes["bitset_idx"] < len(tree.raw_left_cat_bitsets)
        )
        return count > 0 and bool((~inner | (behind & inside & known & kept)).all())

    @cached_property
    def predictors(self) -> list[Any]:
        """The trees as scikit-learn's loops take them."""
        nodes = np.empty(int(self.sizes.sum()), PREDICTOR_RECORD_DTYPE)
        for name, column in self.nodes.items():
            nodes[name] = column
        parts = np.split(nodes, np.cumsum(self.sizes)[:-1])
        levels = np.split(np.ascontiguousarray(self.levels, np.uint32), np.cumsum(self.splits)[:-1])
        return [TreePredictor(part, some, some) for part, some in zip(parts, levels, strict=True)]

    def values(self, X: Vector, n_threads: int) -> Vector:
        """Add up the trees.

        Parameters
        ----------
        X : ndarray of shape (rows, columns)
        n_threads : int

        Returns
        -------
        ndarray of shape (rows, outputs)
        """
        if X.shape[1] != len(self.places):
            raise ValueError(f"The trees take {len(self.places)} columns, and not {X.shape[1]}.")
        outputs = len(self.baseline)
        found = np.tile(self.baseline, (len(X), 1))
        for number, tree in enumerate(self.predictors):
            options = self.known, self.places, n_threads
            found[:, number % outputs] += tree.predict(X, *options)
        return found


def _misfit() -> ValueError:
    return ValueError("The nodes of stored boosted trees do not fit together.")
