"""Toy problems with known geometry, labelled -1 and +1.

Every generator gives half of its rows to each class (the odd one to +1), in random order.
"""

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state

Labelled = tuple[NDArray[np.float64], NDArray[np.intp]]
Seed = int | RandomState | None


def make_separable(
    n_samples: int = 100,
    *,
    margin: float = 1.0,
    n_features: int = 2,
    random_state: Seed = None,
) -> Labelled:
    """Make two classes that a hyperplane separates with exactly the given margin.

    Every point is at least ``margin`` from a random hyperplane, and one pair of opposite points
    faces each other across it at distance ``2 * margin``. No hyperplane can do better than half
    the distance of that pair, so ``margin`` is the hard-margin optimum, up to rounding.

    Parameters
    ----------
    n_samples : int, default=100
        Number of points, at least 2.
    margin : float, default=1.0
        Distance from the best hyperplane to its nearest points, on either side.
    n_features : int, default=2
        Number of features, at least 1.
    random_state : int, RandomState or None, default=None
        Source of randomness.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        -1 or +1.

    Examples
    --------
    >>> from scipy.spatial.distance import cdist
    >>> from maxmargin.datasets import make_separable
    >>> X, y = make_separable(50, margin=0.5, random_state=0)
    >>> print(f"{cdist(X[y > 0], X[y < 0]).min():.6f}")
    1.000000
    """
    _check_count("make_separable", "n_samples", n_samples, 2)
    _check_count("make_separable", "n_features", n_features, 1)
    _check_real("make_separable", "margin", margin, positive=True)
    rng = check_random_state(random_state)
    y = _balanced(n_samples)
    normal = _direction(n_features, rng)
    along = rng.normal(size=(n_samples, n_features))
    along -= np.outer(along @ normal, normal)
    across = margin + rng.exponential(size=n_samples)
    along[1], across[:2] = along[0], margin  # the pair that face each other
    X = along + np.outer(y * across, normal) + rng.normal(size=n_features)
    return _shuffled(X, y, rng)


def make_overlapping(
    n_samples: int = 100,
    *,
    separation: float = 2.0,
    n_features: int = 2,
    random_state: Seed = None,
) -> Labelled:
    """Make two round Gaussian clouds of unit variance that overlap.

    Their centres lie ``separation`` apart on the diagonal, so the best possible classifier errs
    with probability ``scipy.stats.norm.cdf(-separation / 2)``.

    Parameters
    ----------
    n_samples : int, default=100
        Number of points, at least 2.
    separation : float, default=2.0
        Distance of the centres, 0 or more.
    n_features : int, default=2
        Number of features, at least 1.
    random_state : int, RandomState or None, default=None
        Source of randomness.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        -1 or +1.

    Examples
    --------
    >>> from maxmargin.datasets import make_overlapping
    >>> X, y = make_overlapping(10, random_state=0)
    >>> X.shape, int(y.sum())
    ((10, 2), 0)
    """
    _check_count("make_overlapping", "n_samples", n_samples, 2)
    _check_count("make_overlapping", "n_features", n_features, 1)
    _check_real("make_overlapping", "separation", separation)
    rng = check_random_state(random_state)
    y = _balanced(n_samples)
    centre = np.full(n_features, separation / (2 * math.sqrt(n_features)))
    X = rng.normal(size=(n_samples, n_features)) + np.outer(y, centre)
    return _shuffled(X, y, rng)


def make_rings(
    n_samples: int = 100,
    *,
    inner: float = 1.0,
    outer: float = 2.0,
    noise: float = 0.1,
    random_state: Seed = None,
) -> Labelled:
    """Make two rings around the origin, the inner one of class +1.

    Parameters
    ----------
    n_samples : int, default=100
        Number of points, at least 2.
    inner, outer : float, default=1.0 and 2.0
        Radius of either ring; ``inner`` is the smaller.
    noise : float, default=0.1
        Standard deviation of the points' distance from their ring, 0 or more.
    random_state : int, RandomState or None, default=None
        Source of randomness.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        -1 or +1.

    Examples
    --------
    >>> from maxmargin.datasets import make_rings
    >>> X, y = make_rings(8, noise=0, random_state=0)
    >>> sorted(float(r) for r in (X[y > 0] ** 2).sum(axis=1).round(12))
    [1.0, 1.0, 1.0, 1.0]
    """
    _check_count("make_rings", "n_samples", n_samples, 2)
    _check_real("make_rings", "inner", inner, positive=True)
    _check_real("make_rings", "outer", outer, positive=True)
    _check_real("make_rings", "noise", noise)
    if inner >= outer:
        raise ValueError(f"make_rings: inner must be below outer, got {inner!r} and {outer!r}.")
    rng = check_random_state(random_state)
    y = _balanced(n_samples)
    radius = np.where(y > 0, inner, outer) + noise * rng.normal(size=n_samples)
    angle = rng.uniform(0, 2 * math.pi, size=n_samples)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return _shuffled(X, y, rng)


def make_xor(n_samples: int = 100, *, noise: float = 0.3, random_state: Seed = None) -> Labelled:
    """Make four clouds at the corners of a square, opposite corners of one class.

    The centres are (1, 1) and (-1, -1) for class +1, (1, -1) and (-1, 1) for class -1: no line
    separates them, a polynomial of degree two does.

    Parameters
    ----------
    n_samples : int, default=100
        Number of points, at least 2; from 4 on, every corner has one.
    noise : float, default=0.3
        Standard deviation of a cloud, 0 or more.
    random_state : int, RandomState or None, default=None
        Source of randomness.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        -1 or +1.

    Examples
    --------
    >>> from maxmargin.datasets import make_xor
    >>> X, y = make_xor(100, noise=0, random_state=0)
    >>> bool((X[:, 0] * X[:, 1] == y).all())
    True
    """
    _check_count("make_xor", "n_samples", n_samples, 2)
    _check_real("make_xor", "noise", noise)
    rng = check_random_state(random_state)
    y = _balanced(n_samples)
    side = np.where(np.arange(n_samples) % 4 < 2, 1, -1)
    X = np.column_stack([side, side * y]) + noise * rng.normal(size=(n_samples, 2))
    return _shuffled(X, y, rng)


def _balanced(n_samples: int) -> NDArray[np.intp]:
    # Begins with +1; alternating, so that any even stretch is balanced.
    return 1 - 2 * (np.arange(n_samples) % 2)


def _direction(n_features: int, rng: RandomState) -> NDArray[np.float64]:
    vector = rng.normal(size=n_features)
    return np.asarray(vector / np.linalg.norm(vector))


def _shuffled(X: NDArray[np.float64], y: NDArray[np.intp], rng: RandomState) -> Labelled:
    order = rng.permutation(len(y))
    return X[order], y[order]


def _check_count(where: str, name: str, value: Any, least: int) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{where}: {name} must be an integer of at least {least}, got {value!r}.")


def _check_real(where: str, name: str, value: Any, *, positive: bool = False) -> None:
    real = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not real or value < 0 or (positive and value == 0):
        kind = "above 0" if positive else "0 or more"
        raise ValueError(f"{where}: {name} must be a finite number {kind}, got {value!r}.")
