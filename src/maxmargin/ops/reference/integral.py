"""Sums over an image, as they are defined."""

from __future__ import annotations

from typing import Any

import numpy as np


def integral(image: Any, out: Any) -> None:
    """out[Y, X] = the sum of pixels above and to the left."""
    out[0], out[:, 0] = 0, 0
    out[1:, 1:] = np.cumsum(np.cumsum(image, axis=0, dtype=out.dtype), axis=1, dtype=out.dtype)


def integral_squared(image: Any, out: Any) -> None:
    """out[Y, X] = the sum of their squares."""
    integral(np.square(image.astype(out.dtype)), out)


def integral_tilted(image: Any, out: Any) -> None:
    """out[Y, X] = the sum of pixels in the triangle above (Y - 1, X - 1)."""
    y, x = np.indices(image.shape)
    for Y, X in np.ndindex(out.shape):
        inside = (y < Y) & (abs(x - X + 1) <= Y - y - 1)
        out[Y, X] = image[inside].sum(dtype=out.dtype)
