"""The trees of scikit-learn as arrays, and back: its compiled loops trust every node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree._tree import Tree

_PARTS = ("node_count", "max_depth", "nodes", "values")
_LEAF = -1


def write_tree(tree: Tree) -> dict[str, Any]:
    """Return the arrays of a tree."""
    _, (n_features, n_classes, n_outputs), state = tree.__reduce__()
    size = {"n_features": n_features, "n_classes": n_classes, "n_outputs": n_outputs}
    nodes = {name: state["nodes"][name].copy() for name in state["nodes"].dtype.names}
    held = {name: state[name] for name in _PARTS if name != "nodes"}
    return {**size, **held, "nodes": nodes}


def read_tree(parts: dict[str, Any]) -> Tree:
    """Make a tree of its arrays, every node of which lies behind its parent."""
    n_features, n_classes = int(parts["n_features"]), np.asarray(parts["n_classes"], dtype=np.intp)
    if n_features < 0 or n_classes.shape != (parts["n_outputs"],) or (n_classes < 1).any():
        raise _misfit()
    nodes = _read_nodes(parts["nodes"], n_features)
    values = np.ascontiguousarray(parts["values"], dtype=np.float64)
    shape = len(nodes), len(n_classes), int(n_classes.max(initial=0))
    if values.shape != shape or parts["max_depth"] != _depth(nodes):
        raise _misfit()
    tree = Tree(n_features, n_classes, len(n_classes))
    state = {"max_depth": int(parts["max_depth"]), "node_count": len(nodes), "nodes": nodes}
    tree.__setstate__({**state, "values": values})
    return tree


def _misfit() -> ValueError:
    return ValueError("The nodes of a stored tree do not fit together.")


def _read_nodes(columns: dict[str, Any], n_features: int) -> NDArray[Any]:
    """Put nodes together, of which none sends rows elsewhere than to a leaf."""
    kind = Tree(1, np.ones(1, dtype=np.intp), 1).__getstate__()["nodes"].dtype
    nodes = np.zeros(len(columns["left_child"]), dtype=kind)
    for name in kind.names:
        if np.shape(columns[name]) != nodes.shape:
            raise _misfit()
        nodes[name] = columns[name]
    place, left, right = np.arange(len(nodes)), nodes["left_child"], nodes["right_child"]
    inside = (left > place) & (right > place) & (left < len(nodes)) & (right < len(nodes))
    known = (nodes["feature"] >= 0) & (nodes["feature"] < n_features)
    if not ((left == _LEAF) | (inside & known)).all() or len(nodes) == 0:
        raise _misfit()
    return nodes


def _depth(nodes: NDArray[Any]) -> int:
    """Count the questions on the longest way; room for a row's way is taken by that number."""
    depth = np.zeros(len(nodes), dtype=np.intp)
    for place in np.flatnonzero(nodes["left_child"] != _LEAF).tolist():
        below = [nodes["left_child"][place], nodes["right_child"][place]]
        depth[below] = np.maximum(depth[below], depth[place] + 1)
    return int(depth.max())
