"""Sums over an image: row after row, each entry from its neighbours above and to the left.

With pixels p, and one row and one column more than these,

    sum      S[Y, X] = the sum of p[y, x] over y < Y, x < X
    squared  the same of p²
    tilted   T[Y, X] = the sum of p[y, x] over y < Y, |x − X + 1| ≤ Y − y − 1

the last being a triangle with its lowest corner at (Y − 1, X − 1) (Lienhart and Maydt 2002).
Whole numbers that do not fit wrap around, and differences of wrapped sums are right again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit


@njit(cache=True, nogil=True)
def integral(image: Any, out: Any) -> None:
    """Fill in S."""
    out[0] = 0
    for y in range(image.shape[0]):
        out[y + 1, 0] = 0
        run = out[y + 1, 0]
        for x in range(image.shape[1]):
            run += image[y, x]
            out[y + 1, x + 1] = out[y, x + 1] + run


@njit(cache=True, nogil=True)
def integral_squared(image: Any, out: Any) -> None:
    """Fill in S of the squares."""
    out[0] = 0
    for y in range(image.shape[0]):
        out[y + 1, 0] = 0
        run = out[y + 1, 0]
        for x in range(image.shape[1]):
            pixel = out[0, 0] + image[y, x]  # in the precision of the sums
            run += pixel * pixel
            out[y + 1, x + 1] = out[y, x + 1] + run


@njit(cache=True, nogil=True)
def integral_tilted(image: Any, out: Any) -> None:
    """Fill in T: a triangle is the one above it and the two diagonals that meet in its corner."""
    width = image.shape[1]
    out[0] = 0
    falling = np.zeros(width, dtype=out.dtype)  # diagonals that come from the upper left
    rising = np.zeros(width + 1, dtype=out.dtype)  # and from the upper right, to the row above
    for y in range(image.shape[0]):
        out[y + 1, 0] = out[y, 0] + rising[0]
        before = out[0, 0]
        for x in range(width):
            diagonal = before + image[y, x]
            before = falling[x]
            falling[x] = diagonal
            out[y + 1, x + 1] = out[y, x + 1] + diagonal + rising[x + 1]
            rising[x] = rising[x + 1] + image[y, x]
