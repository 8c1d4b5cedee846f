"""The simulated mixture of *The Elements of Statistical Learning*."""

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from maxmargin.datasets.shipped import read_numbers

_GRID_SHAPE = (99, 69)


@overload
def load_mixture(*, return_X_y: Literal[False] = ...) -> Bunch: ...
@overload
def load_mixture(*, return_X_y: Literal[True]) -> tuple[NDArray[Any], NDArray[Any]]: ...
def load_mixture(*, return_X_y: bool = False) -> Bunch | tuple[NDArray[Any], NDArray[Any]]:
    """Load the two-class mixture whose true probabilities are known.

    Each class is a mixture of ten Gaussians in the plane. Because the density is known, so is the
    best possible classifier, and the error of any other one can be computed exactly:
    ``sum(grid_marginal * P(wrong))`` over the grid. The Bayes error is 0.210.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch or (X, y)
        ``data`` (200, 2) and ``target`` (0 or 1, a hundred each); ``grid`` (6831, 2), the lattice
        on which the truth is known, with ``grid_probability``, the probability of class 1 at each
        of its points, ``grid_marginal``, the mass of the points, and ``grid_shape`` (99, 69): x1
        runs fastest, so ``grid_probability.reshape(grid_shape)`` has one row for each x2;
        ``means`` (20, 2), the generating centres, the first ten of class 0; ``feature_names``,
        ``target_names`` and ``DESCR``.

    Notes
    -----
    Source: Hastie, Tibshirani and Friedman, figures 2.1 to 2.5, 12.2 and 12.3, by way of the R
    package ElemStatLearn (GPL >= 2; the data themselves are public).

    Examples
    --------
    >>> from maxmargin.datasets import load_mixture
    >>> mixture = load_mixture()
    >>> mixture.data.shape, mixture.grid.shape
    ((200, 2), (6831, 2))
    >>> p = mixture.grid_probability
    >>> bayes_error = (mixture.grid_marginal * [min(q, 1 - q) for q in p]).sum()
    >>> round(float(bayes_error), 4)
    0.2101
    """
    points = read_numbers("mixture_train.csv")
    X, y = points[:, :2].copy(), points[:, 2].astype(np.intp)
    return (X, y) if return_X_y else Bunch(data=X, target=y, **_names(), **_truth())


def _names() -> dict[str, Any]:
    return {
        "feature_names": ["x1", "x2"],
        "target_names": np.array([0, 1]),
        "DESCR": "ESL mixture: 200 points of two classes, each a mixture of ten Gaussians.",
    }


def _truth() -> dict[str, Any]:
    grid = read_numbers("mixture_grid.csv.gz")
    return {
        "grid": grid[:, :2].copy(),
        "grid_probability": grid[:, 2].copy(),
        "grid_marginal": grid[:, 3].copy(),
        "grid_shape": _GRID_SHAPE,
        "means": read_numbers("mixture_means.csv"),
    }
