"""Sets of points that the playground begins with."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_iris, make_moons

from maxmargin import datasets


def known_points(_given: Any = None) -> dict[str, list[list[float]]]:
    """Return the sets of points that ship with the library, each with its classes."""
    iris = load_iris()
    sets = {
        "ten points": datasets.load_ten_points(return_X_y=True),
        "mixture": datasets.load_mixture(return_X_y=True),
        "rings": datasets.make_rings(200, random_state=0),
        "moons": make_moons(200, noise=0.2, random_state=0),
        "xor": datasets.make_xor(200, random_state=0),
        "separable": datasets.make_separable(60, random_state=0),
        "overlapping": datasets.make_overlapping(120, random_state=0),
        "iris": (iris.data[:, 2:], iris.target),
    }
    return {name: _as_points(X, y) for name, (X, y) in sets.items()}


def _as_points(X: Any, y: Any) -> list[list[float]]:
    _, numbers = np.unique(y, return_inverse=True)
    table = np.column_stack([np.asarray(X)[:, :2], numbers])
    rows: list[list[float]] = table.round(5).tolist()
    return rows
