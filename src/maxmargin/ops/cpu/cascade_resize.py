"""Images made smaller, in whole numbers, so that every processor gives the same pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit


@njit(cache=True, nogil=True)
def resize(image: Any, rows: Any, down: Any, columns: Any, right: Any, out: Any) -> None:
    """out[y, x] lies between four pixels, from (rows[y], columns[x]) to the next row and column.

    ``down`` and ``right`` say how far towards those, in 256ths; the 65,536ths are rounded.
    """
    last = image.shape[0] - 1
    between = np.zeros(image.shape[1] + 1, dtype=np.uint32)
    for y in range(len(rows)):
        upper, lower = image[rows[y]], image[min(rows[y] + 1, last)]
        share, rest = np.uint32(down[y]), np.uint32(256 - down[y])
        for x in range(image.shape[1]):
            between[x] = rest * upper[x] + share * lower[x]
        for x in range(len(columns)):
            k, part = columns[x], np.uint32(right[x])
            total = between[k] * (np.uint32(256) - part) + between[k + 1] * part
            out[y, x] = np.uint8((total + np.uint32(1 << 15)) >> np.uint32(16))
