"""Gradient boosted trees of scikit-learn and of jobs as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from maxmargin.export.ensemble import ordered_sum
from maxmargin.export.error import refuse
from maxmargin.export.registry import as_matrix, converts
from maxmargin.export.result import Quantity, Result, by_sign
from maxmargin.export.tensor import Tensor, beside, expit, softmax
from maxmargin.export.trees import MEMBER, Forest, forest_of, mean_of, single
from maxmargin.job.boosted_trees import LEVELS, BoostedTreesClassifier, BoostedTreesRegressor
from maxmargin.job.forest import ForestRegressor
from maxmargin.job.grown_trees import GrownTrees


@converts(ForestRegressor)
def _own_forest(model: Any, X: Any) -> Result:
    said = forest_of([*model.trees_], shares=False).said(single(as_matrix(X)))[0]
    return Quantity(mean_of(said, len(model.trees_)))


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
    return forest.node(column, 0.0, left, MEMBER)


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
