"""A model's decision on a graph, shared out among its nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin.kernels import KernelFeatures, Normalized, WeisfeilerLehman
from maxmargin.svm.feature_weights import feature_weights
from maxmargin.svm.kernel_classifier import KernelClassifier


def node_weights(model: Any, graph: Any, classes: Any = None) -> NDArray[np.float64]:
    """Assign each node of a graph the weights of the subtrees that it is the root of.

    f(G) = <w, phi(G)> + b, and phi counts subtrees: the weights of all nodes and the intercept add
    up to the decision. Subtrees that no training graph has weigh nothing.

    Parameters
    ----------
    model : SVC, or a Pipeline that ends in a linear model
        Fitted. An SVC of ``WeisfeilerLehman(h)``, normalized or not, or a linear model of its
        ``features()``.
    graph : Graph
    classes : object or pair of objects, optional
        Of more than two classes, as for ``feature_weights``.

    Returns
    -------
    weights : ndarray of shape (nodes,)
        Positive ones speak for ``classes_[1]``, or the class chosen.

    Examples
    --------
    >>> from maxmargin import SVC, node_weights
    >>> from maxmargin.kernels import Graph, WeisfeilerLehman
    >>> graphs = [Graph([(0, 1)], ["C", "O"]), Graph([(0, 1)], ["C", "N"])]
    >>> model = SVC(kernel=WeisfeilerLehman(0)).fit(graphs, [0, 1])
    >>> node_weights(model, Graph([(0, 1), (1, 2)], ["C", "O", "C"])).round(6).tolist()
    [0.0, -1.0, 0.0]
    """
    check_is_fitted(model)
    kernel, known = _counted(getattr(model, "best_estimator_", model))
    length = 1.0
    if isinstance(kernel, Normalized):
        kernel, known = kernel.kernel, known.rows
        length = float(np.sqrt(kernel.diagonal(kernel.prepare_new([graph], known)))[0]) or 1.0
    if not isinstance(kernel, WeisfeilerLehman) or kernel.base != "subtree":
        raise TypeError(
            f"Nodes have weights in models of WeisfeilerLehman(h), and this one is of {kernel!r}."
        )
    weights = feature_weights(model, classes).values
    columns = np.minimum(kernel.node_columns(graph, known), len(weights))
    shares: NDArray[np.float64] = np.append(weights, 0.0)[columns].sum(axis=0) / length
    return shares


def _counted(model: Any) -> tuple[Any, Any]:
    """Find the kernel of a model, and what it knows of its training graphs."""
    if isinstance(model, KernelClassifier):
        return model._machine.seen.kernel, model._machine.prepared
    if isinstance(model, Pipeline) and len(model) == 2 and isinstance(model[0], KernelFeatures):
        return model[0].kernel_, model[0]._known
    raise TypeError(
        f"{type(model).__name__} is no model of graphs; give an SVC of WeisfeilerLehman(h), or a "
        "pipeline of its features() and a linear model."
    )
