"""Features of many windows at once, from planes of integral images.

``planes[k, i]`` is entry k of the integral image of window i, so the windows of a feature's corner
are a line of memory. ``corners[f, r]`` are the four entries of rectangle r of a feature: its sum is
planes[0] - planes[1] - planes[2] + planes[3] at these. A weight of 0 stands for no rectangle.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit


@njit(cache=True, nogil=True)
def haar_values(planes: Any, corners: Any, weights: Any, norm: Any, out: Any) -> None:
    """out[f, i] = norm[i] times the weighted sum of the rectangles of feature f in window i."""
    for f in range(len(corners)):
        line = out[f]
        line[:] = 0
        for r in range(corners.shape[1]):
            if weights[f, r] != 0:
                a, b = planes[corners[f, r, 0]], planes[corners[f, r, 1]]
                c, d = planes[corners[f, r, 2]], planes[corners[f, r, 3]]
                _add_rectangle(a, b, c, d, weights[f, r], line)
        for i in range(len(line)):
            line[i] *= norm[i]


@njit(cache=True, nogil=True)
def _add_rectangle(a: Any, b: Any, c: Any, d: Any, weight: Any, line: Any) -> None:
    for i in range(len(line)):
        line[i] += weight * np.float32(np.int32(a[i] - b[i] - c[i] + d[i]))


@njit(cache=True, nogil=True)
def lbp_codes(planes: Any, corners: Any, out: Any) -> None:
    """out[f, i] = the code of feature f in window i: which cells around the middle are not darker.

    ``corners[f]`` are the 16 corners of its 3 x 3 cells, row after row.
    """
    for f in range(len(corners)):
        line = out[f]
        line[:] = 0
        middle = _cell_corners(corners[f], 5)
        for bit in range(8):
            cell = _cell_corners(corners[f], _around(bit))
            _add_bit(planes, cell, middle, 128 >> bit, line)


@njit(cache=True, nogil=True)
def _around(bit: int) -> int:
    """First corner of a cell, from the upper left one clockwise."""
    return (0, 1, 2, 6, 10, 9, 8, 4)[bit]


@njit(cache=True, nogil=True)
def _cell_corners(corners: Any, first: int) -> Any:
    return corners[first], corners[first + 1], corners[first + 4], corners[first + 5]


@njit(cache=True, nogil=True)
def _add_bit(planes: Any, cell: Any, middle: Any, bit: int, line: Any) -> None:
    a, b, c, d = planes[cell[0]], planes[cell[1]], planes[cell[2]], planes[cell[3]]
    e, f, g, h = planes[middle[0]], planes[middle[1]], planes[middle[2]], planes[middle[3]]
    for i in range(len(line)):
        if np.int32(a[i] - b[i] - c[i] + d[i]) >= np.int32(e[i] - f[i] - g[i] + h[i]):
            line[i] += bit
