"""The step of a leaf: how far the rows of each leaf go, by Newton or as their loss says.

With the sums G of the pull and H of the curvature over the rows of a leaf the step is G / H:
Friedman, Greedy function approximation: a gradient boosting machine, Ann. Statist. 29 (2001),
equation 25 and algorithms 3 to 5 (TreeBoost).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.losses.base import newton_step

Vector = NDArray[np.float64]


def newton_leaf_steps(pull: Vector, curvature: Vector, leaf: NDArray[Any], n_leaves: int) -> Vector:
    """Set each leaf to the Newton step, sum of pull / sum of curvature."""
    return newton_steps(np.bincount(leaf, pull, n_leaves), np.bincount(leaf, curvature, n_leaves))


def newton_steps(G: Any, H: Any) -> Vector:
    """Return the Newton step of each leaf from its sums."""
    return np.array([newton_step(-g, h) for g, h in zip(G, H, strict=True)])


def step_by_leaf(
    step: Callable[[NDArray[np.intp]], float], leaf: NDArray[Any], n_leaves: int
) -> Vector:
    """Set each leaf to the step found for its rows; 0 if it has none."""
    rows = [np.flatnonzero(leaf == k) for k in range(n_leaves)]
    return np.array([step(r) if len(r) else 0.0 for r in rows])
