"""Where to draw the nodes of a graph: distances on paper nearly as in the graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

_STEPS = 200
_APART = 2.0  # more than the longest distance is between parts without a path


def lay_out(adjacency: Any) -> NDArray[np.float64]:
    """Place nodes in the plane, by stress majorization from a principal plane.

    Gansner, Koren and North, "Graph drawing by stress majorization", 2004: with d the distances in
    the graph, sum_{i<j} d_ij^-2 (|x_i - x_j| - d_ij)^2 falls in every step. Nothing is random.

    Parameters
    ----------
    adjacency : sparse matrix of shape (n, n)
        Symmetric.

    Returns
    -------
    X : ndarray of shape (n, 2)
    """
    n = adjacency.shape[0]
    if n < 2:
        return np.zeros((n, 2))
    D = shortest_path(adjacency, unweighted=True)
    D[np.isinf(D)] = D[np.isfinite(D)].max() + _APART
    weight = np.divide(1.0, D**2, out=np.zeros_like(D), where=D > 0)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    inverse, X = np.linalg.pinv(laplacian), _principal_plane(D)
    for _ in range(_STEPS):
        X = inverse @ _pulled(X, D, weight)
    return _turned(X)


def _pulled(X: NDArray[np.float64], D: Any, weight: Any) -> NDArray[np.float64]:
    """Multiply the Laplacian of weight * D / |x_i - x_j| with X."""
    far = np.linalg.norm(X[:, None] - X[None], axis=2)
    B = -np.divide(weight * D, far, out=np.zeros_like(D), where=far > 0)
    np.fill_diagonal(B, -B.sum(axis=1))
    moved: NDArray[np.float64] = B @ X
    return moved


def _principal_plane(D: NDArray[np.float64]) -> NDArray[np.float64]:
    """Start from classical scaling, somewhat bent, so that nodes do not lie on one another."""
    centre = np.eye(len(D)) - 1.0 / len(D)
    values, vectors = np.linalg.eigh(-0.5 * centre @ D**2 @ centre)
    angle = 2.399963 * np.arange(len(D))  # the golden angle: no two the same
    bent = 0.1 * np.column_stack([np.cos(angle), np.sin(angle)])
    plane: NDArray[np.float64] = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0))
    return plane + bent


def _turned(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn the longest direction across."""
    X = X - X.mean(axis=0)
    axes = np.linalg.eigh(X.T @ X)[1][:, ::-1]
    turned: NDArray[np.float64] = X @ axes
    return turned
