"""Weights of rows, checked once for all estimators.

``check_sample_weight`` is for support vector machines, whose rows may weigh less than nothing;
``read_weight`` for boosting, bagging and stumps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def as_weight(sample_weight: Any, name: str = "sample_weight") -> Vector:
    """Make numbers of weights; a copy, if they are none yet."""
    try:
        return np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, one for each row of X.") from None


def check_sample_weight(
    sample_weight: Any, label: NDArray[np.intp], *, classes: bool = True
) -> Vector:
    """Refuse weights that leave nothing to learn from, such as only one of the classes."""
    weight = as_weight(sample_weight)
    if weight.shape != label.shape:
        raise ValueError(
            f"sample_weight and X have incompatible shapes: {weight.shape} vs {label.shape}."
        )
    if not np.isfinite(weight).all():
        raise ValueError("Input sample_weight contains NaN or infinity; drop such rows first.")
    if not (weight > 0).any():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    if classes and len(np.unique(label[weight > 0])) < 2:
        raise ValueError(
            "Invalid input - all samples with positive weights belong to the same class."
        )
    return weight


def read_weight(sample_weight: Any, n_rows: int, name: str = "sample_weight") -> Vector:
    """Check the weights of rows; None is 1 for each.

    Parameters
    ----------
    sample_weight : array-like of shape (rows,), a number or None
    n_rows : int
    name : str, default="sample_weight"
        The argument that it came as.

    Returns
    -------
    weight : ndarray of shape (rows,)
    """
    if sample_weight is None:
        return np.ones(n_rows)
    weight = as_weight(sample_weight, name).copy()
    weight = np.full(n_rows, weight) if weight.ndim == 0 else weight
    if weight.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim}D array.")
    if len(weight) != n_rows:
        raise ValueError(f"{name}.shape == {weight.shape}, expected ({n_rows},): one weight a row.")
    _check_weight(weight, name)
    return weight


def _check_weight(weight: Vector, name: str) -> None:
    bad = np.flatnonzero(~np.isfinite(weight))
    if len(bad):
        raise ValueError(
            f"Input {name} contains NaN or infinity (row {bad[0]}); drop such rows first."
        )
    bad = np.flatnonzero(weight < 0)
    if len(bad):
        raise ValueError(
            f"Negative values in data passed to `{name}`: {weight[bad[0]]:g} for row "
            f"{bad[0]}; weights say how much a row counts, so they are at least 0."
        )
    if not weight.any():
        raise ValueError(
            "All sample weights are zero: there is nothing to learn from; give some row a weight."
        )
