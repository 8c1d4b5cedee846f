"""Boxes that are nearly the same, put together."""

from __future__ import annotations

from typing import Any

from numba import njit


@njit(cache=True, nogil=True)
def label_similar(boxes: Any, tolerance: float, label: Any) -> int:
    """Label chains of similar boxes (x, y, width, height) in order; returns how many there are.

    Two are similar where each pair of sides differs by at most a share ``tolerance`` of the mean
    of the smaller width and the smaller height.
    """
    n = len(boxes)
    label[:] = -1
    waiting, groups = [0], 0
    for i in range(n):
        if label[i] >= 0:
            continue
        label[i] = groups
        waiting.append(i)
        while len(waiting) > 1:
            j = waiting.pop()
            for k in range(i + 1, n):
                if label[k] < 0 and _are_similar(boxes[j], boxes[k], tolerance):
                    label[k] = groups
                    waiting.append(k)
        groups += 1
    return groups


@njit(cache=True, nogil=True)
def _are_similar(one: Any, two: Any, tolerance: float) -> bool:
    most = tolerance * (min(one[2], two[2]) + min(one[3], two[3])) * 0.5
    return (
        abs(one[0] - two[0]) <= most
        and abs(one[1] - two[1]) <= most
        and abs(one[0] + one[2] - two[0] - two[2]) <= most
        and abs(one[1] + one[3] - two[1] - two[3]) <= most
    )
