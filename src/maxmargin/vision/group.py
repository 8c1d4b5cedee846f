"""Many boxes around one object, made one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.engine import engine_of


def group_rectangles(
    boxes: Any, min_neighbors: int = 3, tolerance: float = 0.2, *, scores: Any = None
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]:
    """Merge nearly equal boxes, as ``cv2.groupRectangles`` does.

    Boxes whose sides all differ by at most ``tolerance`` of their size are grouped, directly or
    through other boxes. Each group becomes its mean. A group of at most ``min_neighbors`` boxes is
    dropped, and so is one inside another group that has more than three boxes and more boxes than
    itself.

    Parameters
    ----------
    boxes : array-like of int of shape (boxes, 4)
        x, y, width and height.
    min_neighbors : int, default=3
    tolerance : float, default=0.2
    scores : array-like of shape (boxes,), default=None

    Returns
    -------
    means : ndarray of int32 of shape (groups, 4)
    counts : ndarray of int64 of shape (groups,)
        Boxes of each.
    scores : ndarray of float64 of shape (groups,)
        The largest of each; 0 if none are given.

    Examples
    --------
    >>> from maxmargin.vision import group_rectangles
    >>> boxes, counts, _ = group_rectangles([[0, 0, 20, 20], [2, 0, 20, 20], [90, 9, 20, 20]], 1)
    >>> boxes.tolist(), counts.tolist()
    ([[1, 0, 20, 20]], [2])
    """
    boxes = np.ascontiguousarray(boxes, dtype=np.int32).reshape(-1, 4)
    label, best = label_boxes(boxes, tolerance, scores)
    means, counts = _means(boxes, label)
    kept = np.flatnonzero(counts > min_neighbors)
    inside = _nested(means[kept], counts[kept], tolerance)
    kept = kept[~inside]
    return means[kept], counts[kept], best[kept]


def clip_boxes(boxes: NDArray[np.int32], shape: tuple[int, ...]) -> NDArray[np.int32]:
    """Cut off what rounding put outside of an image; none lies outside altogether."""
    low = np.clip(boxes[:, :2], 0, (shape[1], shape[0]))
    high = np.clip(boxes[:, :2] + boxes[:, 2:], 0, (shape[1], shape[0]))
    return np.hstack([low, high - low]).astype(np.int32)


def label_boxes(
    boxes: NDArray[np.int32], tolerance: float, scores: Any
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Label groups, and find the best score of each."""
    label = np.zeros(len(boxes), dtype=np.int64)
    groups = engine_of(boxes).cascade_group.label_similar(boxes, tolerance, label)
    scores = np.zeros(len(boxes)) if scores is None else np.asarray(scores, dtype=np.float64)
    best = np.full(groups, -np.inf)
    np.maximum.at(best, label, scores)
    return label, best


def _means(boxes: NDArray[np.int32], label: NDArray[Any]) -> tuple[Any, Any]:
    """Average each group in float32, as OpenCV does, which rounding shows."""
    counts = np.bincount(label)
    total = np.zeros((len(counts), 4), dtype=np.int64)
    np.add.at(total, label, boxes)
    share = np.float32(1) / counts.astype(np.float32)
    return np.rint(total.astype(np.float32) * share[:, None]).astype(np.int32), counts


def _nested(boxes: NDArray[np.int32], counts: Any, tolerance: float) -> NDArray[np.bool_]:
    """Return which boxes lie inside another that more windows agree on."""
    low, high = boxes[:, :2], boxes[:, :2] + boxes[:, 2:]
    slack = np.rint(boxes[:, 2:] * tolerance)
    within = (low[:, None] >= (low - slack)[None]) & (high[:, None] <= (high + slack)[None])
    mine, other = counts[:, None], counts[None, :]
    weaker = (other > np.maximum(3, mine)) | (mine < 3)
    np.fill_diagonal(weaker, False)
    return (within.all(axis=2) & weaker).any(axis=1)
