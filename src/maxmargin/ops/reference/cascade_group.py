"""Boxes that are nearly the same, put together."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components


def label_similar(boxes: Any, tolerance: float, label: Any) -> int:
    """Label chains of similar boxes (x, y, width, height) in order; returns how many there are."""
    sides = np.hstack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]]).astype(np.int64)
    smaller = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:]).sum(axis=2)
    apart = abs(sides[:, None] - sides[None]).max(axis=2)
    _, found = connected_components(apart <= tolerance * smaller * 0.5)
    _, begin, at = np.unique(found, return_index=True, return_inverse=True)
    label[:] = np.argsort(np.argsort(begin))[at]
    return len(begin)
