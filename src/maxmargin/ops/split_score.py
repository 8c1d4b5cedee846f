"""What a split is worth by each criterion, from the sums of one side and of all rows.

Sides stand along the leading axes; the last axis holds the sums. These are the formulas that the
compiled scans work out faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def edge(side: Any, total: Any) -> Any:
    """Return the edge of the better labelling of two sides."""
    return np.abs(total[0] - 2.0 * side[..., 0])


def square(side: Any, total: Any) -> Any:
    """Return the decrease of the sum of squares, over H."""
    h, rest = side[..., 1], total[1] - side[..., 1]
    A = side[..., 0] - total[0] / total[1] * h
    proper = (h > 0.0) & (rest > 0.0)
    return np.where(proper, A * A / np.where(proper, h * rest, 1.0), 0.0)


def error(side: Any, total: Any) -> Any:
    """Return the weight of the rows in the largest class of their side."""
    return side.max(axis=-1) + (total - side).max(axis=-1)


def gini(side: Any, total: Any) -> Any:
    """Return the sum of squared class weights over the weight, added for the two sides."""
    return _purity(side) + _purity(total - side)


def _purity(side: Any) -> Any:
    weight = side.sum(axis=-1)
    return np.where(weight > 0.0, (side**2).sum(axis=-1) / np.where(weight > 0.0, weight, 1.0), 0.0)
