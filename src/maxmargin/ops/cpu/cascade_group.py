"""Boxes that are nearly the same, put together."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit


@njit(cache=True, nogil=True)
def label_similar(boxes: Any, tolerance: float, label: Any) -> int:
    """Label chains of similar boxes (x, y, width, height) in order; returns how many there are.

    Two are similar where each pair of sides differs by at most a share ``tolerance`` of the mean
    of the smaller width and the smaller height. Boxes are looked at in order of their left sides,
    those within reach, and boxes that have a label are skipped.
    """
    order = np.argsort(boxes[:, 0])
    left, later = boxes[:, 0][order], np.arange(len(boxes) + 1)
    label[:] = -1
    waiting, groups = [0], 0
    for i in range(len(boxes)):
        if label[i] >= 0:
            continue
        label[i] = groups
        waiting.append(i)
        while len(waiting) > 1:
            box = boxes[waiting.pop()]
            reach = tolerance * (box[2] + box[3]) * 0.5
            end = np.searchsorted(left, box[0] + reach, side="right")
            place = _next_alone(later, np.searchsorted(left, box[0] - reach))
            while place < end:
                k = order[place]
                if label[k] >= 0:
                    later[place] = place + 1
                elif _are_similar(box, boxes[k], tolerance):
                    label[k], later[place] = groups, place + 1
                    waiting.append(k)
                place = _next_alone(later, place + 1)
        groups += 1
    return groups


@njit(cache=True, nogil=True)
def _next_alone(later: Any, place: int) -> int:
    """Find the next place whose box is in no group, and shorten the way for who asks again."""
    end = place
    while later[end] != end:
        end = later[end]
    while later[place] != place:
        following = later[place]
        later[place] = end
        place = following
    return end


@njit(cache=True, nogil=True)
def _are_similar(one: Any, two: Any, tolerance: float) -> bool:
    most = tolerance * (min(one[2], two[2]) + min(one[3], two[3])) * 0.5
    return (
        abs(one[0] - two[0]) <= most
        and abs(one[1] - two[1]) <= most
        and abs(one[0] + one[2] - two[0] - two[2]) <= most
        and abs(one[1] + one[3] - two[1] - two[3]) <= most
    )
