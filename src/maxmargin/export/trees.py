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
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from maxmargin.export.ensemble import ordered_sum
from maxmargin.export.error import refuse
from maxmargin.export.registry import as_matrix, converts
from maxmargin.export.result import Classes, Quantity, Result
from maxmargin.export.tensor import Tensor, beside

BELOW, MEMBER = 0, 6  # BRANCH_LEQ, BRANCH_MEMBER


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

    def node(self, feature: int, split: float, missing_true: bool, mode: int = BELOW) -> int:
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


def mean_of(parts: Tensor, count: int) -> Tensor:
    """Return the mean of trees, added in their order.

    Parameters
    ----------
    parts : Tensor
        (rows, trees).
    count : int
        Trees.

    Returns
    -------
    Tensor
    """
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
    p = beside([mean_of(each, len(trees)) for each in said])
    return Classes(p.argmax(), model.classes_, None, p)


@converts(RandomForestRegressor, ExtraTreesRegressor)
def _forest_value(model: Any, X: Any) -> Result:
    _check_one_output(model)
    said = forest_of([*model.estimators_], shares=False).said(single(as_matrix(X)))[0]
    return Quantity(mean_of(said, len(model.estimators_)))
