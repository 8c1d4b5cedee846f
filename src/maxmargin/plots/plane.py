"""The plane of two features: a lattice over the points, and rows as the model knows them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


def make_lattice(low: Array, high: Array, resolution: int) -> tuple[Array, Array]:
    """Return the lattice of a rectangle."""
    xx0, xx1 = np.meshgrid(*(np.linspace(low[k], high[k], resolution) for k in (0, 1)))
    return xx0, xx1


def frame(points: Array, share: float) -> tuple[Array, Array]:
    """Return the corners of a rectangle around points, with a share of its sides to spare."""
    low, high = points.min(axis=0), points.max(axis=0)
    pad = share * np.where(high > low, high - low, 1.0)
    return low - pad, high + pad


def like(X: Any, points: Array) -> Any:
    """Put points into the container the model was fitted with, so that feature names agree."""
    if hasattr(X, "columns"):
        return type(X)(dict(zip(X.columns, points.T, strict=True)))
    return points


def axis_names(X: Any) -> tuple[str, str]:
    """Name the axes after the columns of a table."""
    names = getattr(X, "columns", ("x1", "x2"))
    return str(names[0]), str(names[1])
