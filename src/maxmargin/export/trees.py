"""Trees of scikit-learn as ONNX's TreeEnsemble, in double precision."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from maxmargin.export.ensemble import ordered_sum
from maxmargin.export.error import refuse
from maxmargin.export.registry import as_matrix, converts
from maxmargin.export.result import Classes, Quantity, Result, by_sign
from maxmargin.export.tensor import Tensor, beside, expit, softmax
from maxmargin.job.boosted_trees import LEVELS, BoostedTreesClassifier, BoostedTreesRegressor
from maxmargin.job.forest import ForestRegressor
from maxmargin.job.grown_trees import GrownTrees

_BELOW, _MEMBER = 0, 6  # BRANCH_LEQ, BRANCH_MEMBER


@dataclass
class Forest:
    """The attributes of a TreeEnsemble: each leaf adds its value to a target of its own."""

    outputs: int
    """Values that each tree has."""
    roots: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    split: list[float] = field(default_factory=list)
    mode: list[int] = field(default_factory=list)
    true: list[int] = field(default_factory=list)
    true_is_leaf: list[int] = field(default_factory=list)
    false: list[int] = field(default_factory=list)
    false_is_leaf: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    leaf_target: list[int] = field(default_factory=list)
    leaf_value: list[float] = field(default_factory=list)
    members: list[float] = field(default_factory=list)
    values: list[NDArray[np.float64]] = field(default_factory=list)
    """Of each tree the values of its leaves, (leaves, outputs)."""

    def __len__(self) -> int:
        return len(self.roots)

    def node(self, feature: int, split: float, missing_true: bool, mode: int = _BELOW) -> int:
        """Add an inner node; its branches are set later."""
        self.feature.append(feature)
        self.split.append(split)
        self.mode.append(mode)
        self.missing.append(int(missing_true))
        for part in (self.true, self.true_is_leaf, self.false, self.false_is_leaf):
            part.append(0)
        return len(self.feature) - 1

    def link(self, node: int, branch: bool, child: int, is_leaf: bool) -> None:
        """Set a branch of a node."""
        place, kind = (self.true, self.true_is_leaf) if branch else (self.false, self.false_is_leaf)
        place[node], kind[node] = child, int(is_leaf)

    def leaf(self, tree: int, number: int) -> int:
        """Add a leaf, by its number within the tree."""
        self.leaf_target.append(tree)
        self.leaf_value.append(float(number))
        return len(self.leaf_target) - 1

    def close(self, root: int, is_leaf: bool) -> None:
        """End a tree; one that is a leaf gets a node that leads to it either way."""
        if is_leaf:
            node = self.node(0, 0.0, True)
            for branch in (True, False):
                self.link(node, branch, root, True)
            root = node
        self.roots.append(root)

    def numbers(self, X: Tensor) -> Tensor:
        """Return the number of the leaf of each row in each tree, (rows, trees)."""
        sets = {"membership_values": _doubles("members", self.members)} if self.members else {}
        return X.graph.node(
            "TreeEnsemble",
            X,
            domain="ai.onnx.ml",
            n_targets=len(self.roots),
            aggregate_function=1,
            post_transform=0,
            tree_roots=self.roots,
            nodes_featureids=self.feature,
            nodes_splits=_doubles("splits", self.split),
            nodes_modes=_bytes("modes", self.mode),
            nodes_truenodeids=self.true,
            nodes_trueleafs=self.true_is_leaf,
            nodes_falsenodeids=self.false,
            nodes_falseleafs=self.false_is_leaf,
            nodes_missing_value_tracks_true=self.missing,
            leaf_targetids=self.leaf_target,
            leaf_weights=_doubles("leaves", self.leaf_value),
            **sets,
        )

    def said(self, X: Tensor) -> list[Tensor]:
        """Return for each output what each tree says, (rows, trees)."""
        sizes = np.array([len(each) for each in self.values])
        begin = np.cumsum(sizes) - sizes
        place = self.numbers(X).as_kind("place") + begin[None]
        table = np.concatenate(self.values)
        return [X.graph.constant(table[:, k]).take(place, axis=0) for k in range(self.outputs)]


def _doubles(name: str, values: Any) -> Any:
    return helper.make_tensor(name, TensorProto.DOUBLE, [len(values)], [float(v) for v in values])


def _bytes(name: str, values: Any) -> Any:
    return helper.make_tensor(name, TensorProto.UINT8, [len(values)], [int(v) for v in values])


def forest_of(trees: list[Any], shares: bool) -> Forest:
    """Return scikit-learn's trees.

    Parameters
    ----------
    trees : list of DecisionTree estimators
    shares : bool
        Whether leaves hold shares of classes.

    Returns
    -------
    Forest
    """
    forest = Forest(trees[0].tree_.value.shape[2] if shares else 1)
    for number, estimator in enumerate(trees):
        _grow(forest, number, estimator.tree_)
        values = estimator.tree_.value[:, 0, :]
        leaves = values[estimator.tree_.children_left < 0]
        if shares:
            total = leaves.sum(axis=1, keepdims=True)
            leaves = leaves / np.where(total == 0, 1.0, total)
        forest.values.append(np.ascontiguousarray(leaves, np.float64))
    return forest


def _grow(forest: Forest, number: int, tree: Any) -> None:
    inner = tree.children_left >= 0
    nodes = {
        i: forest.node(int(tree.feature[i]), float(tree.threshold[i]), _left_if_missing(tree, i))
        for i in np.flatnonzero(inner).tolist()
    }
    leaves = {i: forest.leaf(number, k) for k, i in enumerate(np.flatnonzero(~inner).tolist())}
    for i, node in nodes.items():
        for branch, child in ((True, tree.children_left[i]), (False, tree.children_right[i])):
            leaf = not inner[child]
            forest.link(node, branch, leaves[int(child)] if leaf else nodes[int(child)], leaf)
    forest.close(nodes[0] if inner[0] else leaves[0], not inner[0])


def _left_if_missing(tree: Any, node: int) -> bool:
    return bool(tree.missing_go_to_left[node])


def single(X: Tensor) -> Tensor:
    """Round numbers to single precision, which scikit-learn's trees compare."""
    return X.as_kind("single").as_kind("number")


def _mean(parts: Tensor, count: int) -> Tensor:
    return ordered_sum(parts, count) / float(count)


@converts(DecisionTreeClassifier)
def _tree_classes(model: Any, X: Any) -> Result:
    _check_one_output(model)
    forest = forest_of([model], shares=True)
    p = beside(forest.said(single(as_matrix(X))))
    return Classes(p.argmax(), model.classes_, None, p)


@converts(DecisionTreeRegressor)
def _tree_value(model: Any, X: Any) -> Result:
    _check_one_output(model)
    return Quantity(forest_of([model], shares=False).said(single(as_matrix(X)))[0])


def _check_one_output(model: Any) -> None:
    if model.n_outputs_ != 1:
        raise refuse(model, "it has several outputs")


@converts(RandomForestClassifier, ExtraTreesClassifier)
def _forest_classes(model: Any, X: Any) -> Result:
    _check_one_output(model)
    trees = [*model.estimators_]
    said = forest_of(trees, shares=True).said(single(as_matrix(X)))
    p = beside([_mean(each, len(trees)) for each in said])
    return Classes(p.argmax(), model.classes_, None, p)


@converts(RandomForestRegressor, ExtraTreesRegressor)
def _forest_value(model: Any, X: Any) -> Result:
    _check_one_output(model)
    said = forest_of([*model.estimators_], shares=False).said(single(as_matrix(X)))[0]
    return Quantity(_mean(said, len(model.estimators_)))


@converts(ForestRegressor)
def _own_forest(model: Any, X: Any) -> Result:
    said = forest_of([*model.trees_], shares=False).said(single(as_matrix(X)))[0]
    return Quantity(_mean(said, len(model.trees_)))


# gradient boosted trees


def grown_values(trees: GrownTrees, X: Tensor) -> Tensor:
    """Return the sum of boosted trees, (rows, outputs).

    Parameters
    ----------
    trees : GrownTrees
    X : Tensor
        Categories first, numbered from 0.

    Returns
    -------
    Tensor
    """
    outputs, forest = len(trees.baseline), Forest(1)
    for number, tree in enumerate(trees.predictors):
        _grow_binned(forest, number, tree)
    said = forest.said(_known_only(trees, X))[0]
    lines = []
    for k, start in enumerate(trees.baseline.tolist()):
        places = np.arange(k, len(forest), outputs)
        lines.append(ordered_sum(said.take(places), len(places), start))
    return beside(lines)


def _grow_binned(forest: Forest, number: int, tree: Any) -> None:
    found, inner = tree.nodes, tree.nodes["is_leaf"] == 0
    nodes = {i: _split(forest, found[i], tree) for i in np.flatnonzero(inner).tolist()}
    leaves = {i: forest.leaf(number, k) for k, i in enumerate(np.flatnonzero(~inner).tolist())}
    for i, node in nodes.items():
        for branch, name in ((True, "left"), (False, "right")):
            child = int(found[name][i])
            leaf = not inner[child]
            forest.link(node, branch, leaves[child] if leaf else nodes[child], leaf)
    forest.close(nodes[0] if inner[0] else leaves[0], not inner[0])
    forest.values.append(np.asarray(found["value"][~inner], np.float64)[:, None])


def _split(forest: Forest, node: Any, tree: Any) -> int:
    column, left = int(node["feature_idx"]), bool(node["missing_go_to_left"])
    if not node["is_categorical"]:
        return forest.node(column, float(node["num_threshold"]), left)
    words = tree.raw_left_cat_bitsets[int(node["bitset_idx"])]
    levels = [c for c in range(32 * len(words)) if words[c // 32] >> (c % 32) & 1]
    forest.members += [*map(float, levels), np.nan]
    return forest.node(column, 0.0, left, _MEMBER)


def _known_only(trees: GrownTrees, X: Tensor) -> Tensor:
    """Make categories that the trees have not seen missing."""
    asked = np.unique(trees.nodes["feature_idx"][trees.nodes["is_categorical"] != 0])
    columns = [X.take([j]) for j in range(len(trees.places))]
    for j in asked.tolist():
        words = trees.known[int(trees.places[j])]
        known = np.array([words[c // 32] >> (c % 32) & 1 for c in range(32 * len(words))], bool)
        x = columns[j]
        inside = (x >= 0.0) & (x < float(len(known)))
        place = inside.where(x, 0.0).as_kind("place")
        seen = inside & X.graph.constant(known).take(place, axis=0)
        columns[j] = seen.where(x, np.float64(np.nan))
    return beside(columns)


def arranged(model: Any, X: Tensor) -> Tensor:
    """Put categories first, numbered from 0, as the boosted trees of a job read them.

    Parameters
    ----------
    model : BoostedTreesClassifier or BoostedTreesRegressor
    X : Tensor

    Returns
    -------
    Tensor
    """
    pairs = [*zip(model.categorical, model.codes_, strict=True)]
    few = [(j, codes) for j, codes in pairs if len(codes) <= LEVELS]
    if not few:
        return X
    places = [j for j, _ in few]
    others = [j for j in range(model.n_features_in_) if j not in places]
    columns = [_numbered(X.take([j]), np.asarray(codes, np.float64)) for j, codes in few]
    return beside([*columns, *([X.take(others)] if others else [])])


def _numbered(x: Tensor, codes: NDArray[np.float64]) -> Tensor:
    if not len(codes):
        return x.filled(np.float64(np.nan), 1)
    size = int(codes.max()) + 1
    table = np.full(size + 1, np.nan)
    table[codes.astype(int)] = np.arange(len(codes))
    inside = (x >= 0.0) & (x < float(size)) & x.equals(x.floor())
    place = inside.where(x, float(size)).as_kind("place")
    return x.graph.constant(table).take(place, axis=0)


def _boosted_classes(values: Tensor, classes: Any) -> Result:
    if len(classes) == 2:
        second = expit(values)
        return by_sign(values, classes, probability=(1.0 - second).beside(second), shown=False)
    return by_sign(values, classes, probability=softmax(values), shown=False)


@converts(BoostedTreesClassifier)
def _own_boosted(model: Any, X: Any) -> Result:
    values = grown_values(model.trees_, arranged(model, as_matrix(X)))
    return _boosted_classes(values, model.classes_)


@converts(BoostedTreesRegressor)
def _own_boosted_value(model: Any, X: Any) -> Result:
    return Quantity(grown_values(model.trees_, arranged(model, as_matrix(X))))


def _plain_trees(model: Any) -> GrownTrees:
    if model.is_categorical_ is not None:
        raise refuse(model, "its categories are encoded inside; encode them before it")
    return GrownTrees.of(model)


@converts(HistGradientBoostingClassifier)
def _histogram_classes(model: Any, X: Any) -> Result:
    return _boosted_classes(grown_values(_plain_trees(model), as_matrix(X)), model.classes_)


@converts(HistGradientBoostingRegressor)
def _histogram_value(model: Any, X: Any) -> Result:
    values = grown_values(_plain_trees(model), as_matrix(X))
    if model.loss in ("poisson", "gamma"):
        return Quantity(values.exp())
    return Quantity(values)
