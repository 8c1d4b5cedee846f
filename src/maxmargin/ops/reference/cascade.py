"""Windows of an image run through a cascade, one after another."""

from __future__ import annotations

from typing import Any

import numpy as np

_AROUND = (0, 1, 2, 6, 10, 9, 8, 4)  # first corners of cells, from the upper left one clockwise


def fold_integrals(image: Any, step: int, sums: Any, squares: Any) -> None:
    """Sum an image up, and its squares, in folded rows."""
    for power, out in ((1, sums), (2, squares)):
        whole = np.cumsum(np.cumsum(image.astype(np.int64) ** power, axis=0), axis=1)
        fold(np.pad(whole, ((1, 0), (1, 0))), step, out)


def fold(whole: Any, step: int, out: Any) -> None:
    """Put every step-th column side by side; what does not fit wraps around."""
    half = out.shape[1] // step
    for k in range(step):
        part = whole[:, k::step].astype(np.int32)
        out[:, k * half : k * half + part.shape[1]] = part


def scan(
    lbp: bool,
    sums: Any,
    squares: Any,
    border: Any,
    area: float,
    first: int,
    rows: int,
    pitch: int,
    n: int,
    offsets: Any,
    weights: Any,
    feature: Any,
    threshold: Any,
    subset: Any,
    left: Any,
    right: Any,
    leaf: Any,
    tree_nodes: Any,
    stage_trees: Any,
    stage_threshold: Any,
    place: Any,
    score: Any,
    passed: Any,
) -> int:
    """Find the windows that no stage rejects, among n in each row; returns how many there are."""
    nodes = offsets, weights, feature, threshold, subset, left, right, leaf, tree_nodes
    found = 0
    for r in range(rows):
        rejected = False
        for at in range(first + r * pitch, first + r * pitch + n):
            if rejected:
                rejected = False
                continue
            passed[0] += 1
            norm = 1.0 if lbp else _norm(sums, squares, at + border.astype(np.int64), area)
            if norm == 0:
                continue
            stages, total = _run(lbp, sums, at, norm, nodes, stage_trees, stage_threshold)
            passed[1 : stages + 2] += 1
            rejected = stages == 0
            if stages == len(stage_threshold):
                place[found], score[found] = at, total
                found += 1
    return found


def _run(
    lbp: bool, sums: Any, at: int, norm: Any, nodes: Any, stage_trees: Any, stage_threshold: Any
) -> tuple[int, float]:
    """Return the number of stages that a window passes, and the sum of the last it came to."""
    total = 0.0
    for s, least in enumerate(stage_threshold):
        trees = range(int(stage_trees[s]), int(stage_trees[s + 1]))
        total = sum(_leaf(lbp, sums, at, norm, nodes, t) for t in trees)
        if total < least:
            return s, total
    return len(stage_threshold), total


def _leaf(lbp: bool, sums: Any, at: int, norm: Any, nodes: Any, t: int) -> float:
    """Go down a tree."""
    offsets, weights, feature, threshold, subset, left, right, leaf, tree_nodes = nodes
    root = j = int(tree_nodes[t])
    while True:
        corners = sums[at + offsets[feature[j]].astype(np.int64)]
        if lbp:
            goes_left = subset[j, _code(corners)]
        else:
            parts = np.array([_sum(c) for c in corners.reshape(3, 4)], dtype=np.float32)
            goes_left = weights[feature[j]] @ parts * norm < threshold[j]
        way = int(left[j] if goes_left else right[j])
        if way <= 0:
            return float(leaf[root + t - way])
        j = root + way


def _sum(corners: Any) -> Any:
    a, b, c, d = corners.astype(np.int64)
    return (a - b - c + d).astype(np.int32)


def _norm(sums: Any, squares: Any, corners: Any, area: float) -> Any:
    total, square = float(_sum(sums[corners])), float(_sum(squares[corners]).astype(np.uint32))
    norm = np.float32(1 / np.sqrt(max(area * square - total * total, 1.0)))
    return norm if area * float(norm) < 0.1 else np.float32(0)


def _code(grid: Any) -> int:
    cells = {k: _sum(grid[[k, k + 1, k + 4, k + 5]]) for k in (*_AROUND, 5)}
    return sum(int(cells[k] >= cells[5]) << (7 - bit) for bit, k in enumerate(_AROUND))
