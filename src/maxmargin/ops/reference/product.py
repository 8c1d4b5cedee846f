"""The product of packed rows, in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def multiply(slivers: Any, panels: Any, tile: Any) -> None:
    """Set a tile to the products of all rows of slivers with all rows of panels."""
    tile[:] = unpack(slivers) @ unpack(panels).T


def pack(X: Any, rows: Any, out: Any) -> None:
    """Lay rows side by side: out[p, k, r] is X[rows[p * width + r], k]; zeros come after them."""
    panels, d, width = out.shape
    taken = np.zeros((panels * width, d), X.dtype)
    taken[: len(rows)] = X[rows]
    out[:] = taken.reshape(panels, width, d).transpose(0, 2, 1)


def unpack(panels: Any) -> Any:
    """Return the rows back, those of zeros at the end too."""
    return panels.transpose(0, 2, 1).reshape(-1, panels.shape[1])
