"""What neighbours say, for every k at once: votes and means, cumulated from the nearest on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

WEIGHTS = ("uniform", "distance")
_HUGE = 2.0**600  # weights beyond which sums might overflow; only their ratios count


def weigh(distances: Vector, weights: str) -> Vector:
    """Return the weights of neighbours, as scikit-learn does.

    Parameters
    ----------
    distances : ndarray of shape (rows, k)
        Rising.
    weights : {"uniform", "distance"}
        1 for each, or 1 / distance; where some distance is 0, or so small that 1 / distance is no
        number, only those neighbours count.

    Returns
    -------
    weight : ndarray of shape (rows, k)

    Examples
    --------
    >>> weigh(np.array([[1.0, 2.0], [0.0, 2.0]]), "distance").tolist()
    [[1.0, 0.5], [1.0, 0.0]]
    """
    if weights == "uniform":
        return np.ones(distances.shape)
    with np.errstate(divide="ignore", over="ignore"):
        inverse = 1.0 / distances
    touching = np.isinf(inverse)
    unit = np.where(inverse[:, :1] > _HUGE, 1.0 / _HUGE, 1.0)
    return np.where(touching[:, :1], touching, unit * inverse)


def vote_for_each_k(labels: Index, weight: Vector, n_classes: int) -> Index:
    """Return the class with most votes among the first k neighbours, for each k.

    Parameters
    ----------
    labels : ndarray of shape (rows, k)
        Numbers of the neighbours' classes, the nearest first.
    weight : ndarray of shape (rows, k)
    n_classes : int

    Returns
    -------
    winners : ndarray of shape (rows, k)
        Of classes with as many votes the first.

    Examples
    --------
    >>> vote_for_each_k(np.array([[1, 0, 1]]), np.ones((1, 3)), 2).tolist()
    [[1, 0, 1]]
    """
    votes, rows = np.zeros((len(labels), n_classes)), np.arange(len(labels))
    winners = np.empty_like(labels)
    for k in range(labels.shape[1]):
        votes[rows, labels[:, k]] += weight[:, k]
        winners[:, k] = votes.argmax(axis=1)
    return winners


def mean_for_each_k(values: Vector, weight: Vector) -> Vector:
    """Return the weighted mean of the first k neighbours' values, for each k.

    Parameters
    ----------
    values, weight : ndarray of shape (rows, k)

    Returns
    -------
    means : ndarray of shape (rows, k)

    Examples
    --------
    >>> mean_for_each_k(np.array([[1.0, 3.0]]), np.ones((1, 2))).tolist()
    [[1.0, 2.0]]
    """
    return np.asarray(np.cumsum(weight * values, axis=1) / np.cumsum(weight, axis=1))


def class_shares(labels: Index, weight: Vector, n_classes: int) -> Vector:
    """Return the share of each class in the votes of all neighbours.

    Parameters
    ----------
    labels, weight : ndarray of shape (rows, k)
    n_classes : int

    Returns
    -------
    shares : ndarray of shape (rows, n_classes)

    Examples
    --------
    >>> class_shares(np.array([[1, 0, 1, 1]]), np.ones((1, 4)), 2).tolist()
    [[0.25, 0.75]]
    """
    votes, rows = np.zeros((len(labels), n_classes)), np.arange(len(labels))
    for k in range(labels.shape[1]):
        votes[rows, labels[:, k]] += weight[:, k]
    return np.asarray(votes / votes.sum(axis=1, keepdims=True))
