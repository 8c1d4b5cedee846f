"""The estimators of scikit-learn that a stored model may hold, and how its trees are stored.

The list is closed: a name that is not on it is not looked up. Each of these keeps its state in
arrays, numbers, strings and other estimators of the list.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from sklearn.tree._tree import Tree

STEPS: dict[str, tuple[str, ...]] = {
    "sklearn.preprocessing": (
        "FunctionTransformer",
        "KBinsDiscretizer",
        "LabelBinarizer",
        "LabelEncoder",
        "MaxAbsScaler",
        "MinMaxScaler",
        "Normalizer",
        "OneHotEncoder",
        "OrdinalEncoder",
        "PolynomialFeatures",
        "PowerTransformer",
        "QuantileTransformer",
        "RobustScaler",
        "StandardScaler",
    ),
    "sklearn.impute": ("MissingIndicator", "SimpleImputer"),
    "sklearn.compose": ("ColumnTransformer",),
    "sklearn.pipeline": ("FeatureUnion", "Pipeline"),
    "sklearn.decomposition": ("PCA", "TruncatedSVD"),
    "sklearn.discriminant_analysis": ("LinearDiscriminantAnalysis",),
    "sklearn.dummy": ("DummyClassifier", "DummyRegressor"),
    "sklearn.linear_model": ("LogisticRegression", "Ridge"),
    "sklearn.tree": ("DecisionTreeClassifier", "DecisionTreeRegressor"),
    "sklearn.multiclass": ("OneVsOneClassifier", "OneVsRestClassifier"),
}

_PARTS = ("node_count", "max_depth", "nodes", "values")


def find_step(name: str) -> type | None:
    """Look an estimator up by its public name; None if it is not on the list.

    Examples
    --------
    >>> find_step("sklearn.preprocessing.StandardScaler").__name__
    'StandardScaler'
    >>> find_step("sklearn.utils.Bunch") is None
    True
    """
    module, _, short = name.rpartition(".")
    if short not in STEPS.get(module, ()):
        return None
    found: type = getattr(import_module(module), short)
    return found


def name_of_step(kind: type) -> str | None:
    """Give the public name of an estimator; None if it is not on the list."""
    public = kind.__module__.partition("._")[0]
    name = f"{public}.{kind.__qualname__}"
    return name if find_step(name) is kind else None


def write_tree(tree: Tree) -> dict[str, Any]:
    """Give the arrays of a tree."""
    _, (n_features, n_classes, n_outputs), state = tree.__reduce__()
    size = {"n_features": n_features, "n_classes": n_classes, "n_outputs": n_outputs}
    nodes = {name: state["nodes"][name].copy() for name in state["nodes"].dtype.names}
    held = {name: state[name] for name in _PARTS if name != "nodes"}
    return {**size, **held, "nodes": nodes}


def read_tree(parts: dict[str, Any]) -> Tree:
    """Make a tree of its arrays, every node of which lies behind its parent."""
    n_features, n_classes = int(parts["n_features"]), np.asarray(parts["n_classes"], dtype=np.intp)
    tree = Tree(n_features, n_classes, int(parts["n_outputs"]))
    kind = tree.__getstate__()["nodes"].dtype
    nodes = np.zeros(int(parts["node_count"]), dtype=kind)
    for name in kind.names:
        nodes[name] = parts["nodes"][name]
    _refuse_broken(nodes, n_features)
    state = {"max_depth": int(parts["max_depth"]), "node_count": len(nodes), "nodes": nodes}
    tree.__setstate__({**state, "values": np.ascontiguousarray(parts["values"], dtype=np.float64)})
    return tree


def _refuse_broken(nodes: Any, n_features: int) -> None:
    """Refuse nodes that would send rows elsewhere than to a leaf: compiled loops trust them."""
    place, left, right = np.arange(len(nodes)), nodes["left_child"], nodes["right_child"]
    leaf = left == -1
    inside = (left > place) & (right > place) & (left < len(nodes)) & (right < len(nodes))
    known = (nodes["feature"] >= 0) & (nodes["feature"] < n_features)
    if not (leaf | (inside & known)).all() or len(nodes) == 0:
        raise ValueError("The nodes of a stored tree do not fit together.")
