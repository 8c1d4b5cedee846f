"""Features of many windows at once, one feature after another."""

from __future__ import annotations

from typing import Any

import numpy as np

_AROUND = (0, 1, 2, 6, 10, 9, 8, 4)  # first corners of cells, from the upper left one clockwise


def haar_values(planes: Any, corners: Any, weights: Any, norm: Any, out: Any) -> None:
    """out[f, i] = norm[i] times the weighted sum of the rectangles of feature f in window i."""
    for f, weight in enumerate(weights):
        sums = [_sum(planes, rectangle) for rectangle in corners[f]]
        out[f] = norm * np.dot(weight, np.asarray(sums, dtype=np.float32))


def lbp_codes(planes: Any, corners: Any, out: Any) -> None:
    """out[f, i] = the code of feature f in window i: which cells are not darker than the middle."""
    for f, grid in enumerate(corners):
        cells = {k: _sum(planes, grid[[k, k + 1, k + 4, k + 5]]) for k in (*_AROUND, 5)}
        out[f] = sum((cells[k] >= cells[5]) * (128 >> bit) for bit, k in enumerate(_AROUND))


def _sum(planes: Any, corners: Any) -> Any:
    a, b, c, d = planes[corners]
    return a - b - c + d
