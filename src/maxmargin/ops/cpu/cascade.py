"""Windows of an image run through a cascade, stage by stage.

Integral images are folded: of a row, first the columns 0, s, 2s, ... and then, for a step s of 2,
the odd ones. Windows that lie s columns apart are then neighbours in memory. While many windows of
a row are left, a feature is evaluated in all of them, several at once; when few are, in those only.
``offsets`` are where the corners of a feature lie from the first entry of its window, the same for
all windows.

A tree asks at a node whether its feature is below a threshold (Haar) or its code is in a set (LBP),
and goes to ``left`` or ``right``: a later node of the tree, or leaf -k for k <= 0. Trees follow one
another, each with one leaf more than it has nodes. A window that a stage rejects goes no further.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit

_SPARSE = 8  # with one window in so many left, each is evaluated by itself
_AROUND = (0, 1, 2, 6, 10, 9, 8, 4)  # first corners of cells, from the upper left one clockwise


@njit(cache=True, nogil=True)
def fold_integrals(image: Any, step: int, sums: Any, squares: Any) -> None:
    """Sum an image up, and its squares, in folded rows; step is 1 or 2."""
    half, odd = sums.shape[1] // step, step - 1
    sums[0], squares[0] = 0, 0
    for y in range(image.shape[0]):
        sums[y + 1, 0], squares[y + 1, 0] = 0, 0
        run, run_squares = np.uint32(0), np.uint32(0)
        for x in range(image.shape[1]):
            place = np.uint64(((x + 1) & odd) * half + ((x + 1) >> odd))
            pixel = np.uint32(image[y, x])
            run += pixel
            run_squares += pixel * pixel
            sums[y + 1, place] = np.int32(sums[y, place] + run)
            squares[y + 1, place] = np.int32(squares[y, place] + run_squares)


@njit(cache=True, nogil=True)
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
    """Find the windows that no stage rejects, among n in each row; returns how many there are.

    Rows begin at ``first + r pitch``; ``border`` and ``area`` are of the part of a window whose
    deviation its values are divided by. A window that hardly varies is none (Haar), and behind one
    that the first stage rejects the next is left out. Accepted windows are left in ``place``, with
    the sum of the last stage in ``score``; ``passed`` adds up windows: all, those that vary, and
    those that pass each stage.
    """
    norm, total = np.ones(n, dtype=np.float32), np.zeros(n, dtype=np.float64)
    nodes = offsets, weights, feature, threshold, subset, left, right, leaf, tree_nodes
    lines = (
        np.zeros(n, dtype=np.float32),
        np.zeros((2, n), dtype=np.int32),
        np.zeros(n, dtype=np.uint8),
        np.zeros((_longest(tree_nodes), n), dtype=np.float64),
    )
    alive, way, found = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.int32), 0
    for r in range(rows):
        base, count, s = np.uint64(first + r * pitch), n, 0
        if not lbp:
            _invert_deviations(sums, squares, border, area, base, norm)
        while s < len(stage_threshold) and count > 0:
            trees = np.int64(stage_trees[s]), np.int64(stage_trees[s + 1])
            if count * _SPARSE > n:
                low, high = np.uint64(0), np.uint64(n)
                if s > 0:
                    low, high = alive[0], alive[count - 1] + np.uint64(1)
                _add_line(lbp, sums, base, nodes, trees, norm, (low, high), lines, total)
            else:
                _add_few(lbp, sums, base, nodes, trees, norm, alive, count, way, total)
            least = stage_threshold[s]
            if s == 0:
                count = _choose(norm, total, least, alive, passed)
            else:
                count = _keep(least, total, alive, count)
            s += 1
            passed[s + 1] += count
        for k in range(count):
            place[found], score[found] = base + alive[k], total[alive[k]]
            found += 1
    return found


@njit(cache=True, nogil=True)
def _longest(tree_nodes: Any) -> Any:
    most = np.int64(1)
    for t in range(len(tree_nodes) - 1):
        most = max(most, np.int64(tree_nodes[t + 1]) - np.int64(tree_nodes[t]))
    return most


@njit(cache=True, nogil=True, error_model="numpy")
def _invert_deviations(
    sums: Any, squares: Any, border: Any, area: float, base: Any, norm: Any
) -> None:
    """Return 1 / (area x deviation) for each window of a row, 0 for deviations below 10 greys."""
    a, b, c, d = base + border[0], base + border[1], base + border[2], base + border[3]
    for i in range(len(norm)):
        k = np.uint64(i)
        total = np.int32(sums[a + k] - sums[b + k] - sums[c + k] + sums[d + k])
        square = np.uint32(squares[a + k] - squares[b + k] - squares[c + k] + squares[d + k])
        spread = area * np.float64(square) - np.float64(total) * np.float64(total)
        inverse = np.float32(1.0 / np.sqrt(max(spread, 1.0)))
        norm[i] = inverse if area * np.float64(inverse) < 0.1 else np.float32(0)


@njit(cache=True, nogil=True)
def _choose(norm: Any, total: Any, least: float, alive: Any, passed: Any) -> int:
    """Walk along a row, two steps behind a rejected window, and keep what the stage passes."""
    i, kept, seen, varied = 0, 0, 0, 0
    while i < len(norm):
        seen += 1
        if norm[i] > 0:
            varied += 1
            if total[i] < least:
                i += 1
            else:
                alive[kept] = i
                kept += 1
        i += 1
    passed[0] += seen
    passed[1] += varied
    return kept


@njit(cache=True, nogil=True)
def _keep(least: float, total: Any, alive: Any, count: int) -> int:
    """Move the windows that a stage passes to the front."""
    kept = 0
    for k in range(count):
        if not total[alive[k]] < least:
            alive[kept] = alive[k]
            kept += 1
    return kept


# all windows of a row: loops over few arrays, or they are not compiled to several at once


@njit(cache=True, nogil=True)
def _add_line(
    lbp: bool,
    sums: Any,
    base: Any,
    nodes: Any,
    trees: Any,
    norm: Any,
    part: Any,
    lines: Any,
    total: Any,
) -> None:
    """Sum the trees of a stage up, for a part of the row."""
    offsets, weights, feature, threshold, subset, left, right, leaf, tree_nodes = nodes
    (value, code, side, branch), (low, high) = lines, part
    for i in range(low, high):
        total[i] = 0.0
    for t in range(trees[0], trees[1]):
        root, end = np.int64(tree_nodes[t]), np.int64(tree_nodes[t + 1])
        for j in range(end - 1, root - 1, -1):  # ways lead to later nodes
            f = np.int64(feature[j])
            if lbp:
                _find_codes(sums, base, offsets, f, low, high, code)
                _ask_codes(code, subset, j, low, high, side)
            else:
                _add_rectangles(sums, base, offsets, weights, f, low, high, value)
                _ask_values(value, norm, threshold[j], low, high, side)
            if end > root + 1:
                _add_branch(side, left[j], right[j], leaf, root + t, j - root, low, high, branch)
        if end > root + 1:
            _add_root(branch, low, high, total)
        else:
            below, above = leaf[root + t - left[root]], leaf[root + t - right[root]]
            _add_leaves(side, below, above, low, high, total)


@njit(cache=True, nogil=True)
def _add_leaves(side: Any, below: float, above: float, low: int, high: int, total: Any) -> None:
    for i in range(low, high):
        total[i] += below if side[i] else above


@njit(cache=True, nogil=True)
def _add_root(branch: Any, low: int, high: int, total: Any) -> None:
    for i in range(low, high):
        total[i] += branch[0, i]


@njit(cache=True, nogil=True)
def _add_branch(
    side: Any,
    left: int,
    right: int,
    leaf: Any,
    leaves: int,
    node: int,
    low: int,
    high: int,
    branch: Any,
) -> None:
    """Assign a node the value of the way that each window takes from it."""
    below, above = leaf[leaves - min(left, 0)], leaf[leaves - min(right, 0)]
    one, two = max(left, 0), max(right, 0)
    for i in range(low, high):
        branch[node, i] = below if side[i] else above
    if left > 0:
        for i in range(low, high):
            branch[node, i] = branch[one, i] if side[i] else branch[node, i]
    if right > 0:
        for i in range(low, high):
            branch[node, i] = branch[node, i] if side[i] else branch[two, i]


@njit(cache=True, nogil=True)
def _add_rectangles(
    sums: Any, base: Any, o: Any, weights: Any, f: int, low: int, high: int, value: Any
) -> None:
    """Sum the rectangles of a feature up, with their weights."""
    for i in range(low, high):
        value[i] = 0.0
    for r in range(3):
        weight = weights[f, r]
        if weight != 0:
            a, b = base + o[f, 4 * r], base + o[f, 4 * r + 1]
            c, d = base + o[f, 4 * r + 2], base + o[f, 4 * r + 3]
            for i in range(low, high):
                total = np.int32(sums[a + i] - sums[b + i] - sums[c + i] + sums[d + i])
                value[i] += weight * np.float32(total)


@njit(cache=True, nogil=True)
def _ask_values(value: Any, norm: Any, least: float, low: int, high: int, side: Any) -> None:
    for i in range(low, high):
        side[i] = value[i] * norm[i] < least


@njit(cache=True, nogil=True)
def _ask_codes(code: Any, subset: Any, j: int, low: int, high: int, side: Any) -> None:
    for i in range(low, high):
        side[i] = subset[j, np.uint8(code[0, i])]


@njit(cache=True, nogil=True)
def _find_codes(sums: Any, base: Any, o: Any, f: int, low: int, high: int, code: Any) -> None:
    """code[0] = the codes of a feature, with code[1] = the sums of its middle."""
    a, b, c, d = base + o[f, 5], base + o[f, 6], base + o[f, 9], base + o[f, 10]
    for i in range(low, high):
        code[1, i] = sums[a + i] - sums[b + i] - sums[c + i] + sums[d + i]
        code[0, i] = 0
    for k in _AROUND:
        a, b, c, d = base + o[f, k], base + o[f, k + 1], base + o[f, k + 4], base + o[f, k + 5]
        for i in range(low, high):
            cell = np.int32(sums[a + i] - sums[b + i] - sums[c + i] + sums[d + i])
            code[0, i] = 2 * code[0, i] + (cell >= code[1, i])


# a few windows


@njit(cache=True, nogil=True)
def _add_few(
    lbp: bool,
    sums: Any,
    base: Any,
    nodes: Any,
    trees: Any,
    norm: Any,
    alive: Any,
    count: int,
    way: Any,
    total: Any,
) -> None:
    """Sum the trees of a stage up, for some windows of a row."""
    offsets, weights, feature, threshold, subset, left, right, leaf, tree_nodes = nodes
    for k in range(count):
        total[alive[k]] = 0.0
    for t in range(trees[0], trees[1]):
        root = np.int64(tree_nodes[t])
        for k in range(count):
            way[alive[k]] = 0
        for j in range(root, np.int64(tree_nodes[t + 1])):  # ways lead to later nodes
            f, ways = feature[j], (left[j], right[j])
            if lbp:
                _ask_few_codes(sums, base, offsets, f, subset, j, j - root, ways, alive, count, way)
            else:
                least = threshold[j]
                _ask_few_values(
                    sums, base, offsets, weights, f, least, j - root, ways, norm, alive, count, way
                )
        for k in range(count):
            total[alive[k]] += leaf[root + t - way[alive[k]]]


@njit(cache=True, nogil=True)
def _ask_few_values(
    sums: Any,
    base: Any,
    o: Any,
    weights: Any,
    f: Any,
    least: float,
    node: int,
    ways: Any,
    norm: Any,
    alive: Any,
    count: int,
    way: Any,
) -> None:
    """Send the windows that are at a node where their values say."""
    a, b, c, d = base + o[f, 0], base + o[f, 1], base + o[f, 2], base + o[f, 3]
    e, g, h, m = base + o[f, 4], base + o[f, 5], base + o[f, 6], base + o[f, 7]
    p, q, r, s = base + o[f, 8], base + o[f, 9], base + o[f, 10], base + o[f, 11]
    u, v, w = weights[f, 0], weights[f, 1], weights[f, 2]
    for k in range(count):
        i = alive[k]
        if way[i] == node:
            one = np.int32(sums[a + i] - sums[b + i] - sums[c + i] + sums[d + i])
            two = np.int32(sums[e + i] - sums[g + i] - sums[h + i] + sums[m + i])
            value = u * np.float32(one) + v * np.float32(two)
            if w != 0:
                third = np.int32(sums[p + i] - sums[q + i] - sums[r + i] + sums[s + i])
                value += w * np.float32(third)
            way[i] = ways[0] if value * norm[i] < least else ways[1]


@njit(cache=True, nogil=True)
def _ask_few_codes(
    sums: Any,
    base: Any,
    o: Any,
    f: Any,
    subset: Any,
    j: int,
    node: int,
    ways: Any,
    alive: Any,
    count: int,
    way: Any,
) -> None:
    """Send the windows that are at a node where their codes say."""
    for k in range(count):
        i = alive[k]
        if way[i] == node:
            way[i] = ways[0] if subset[j, _code(sums, base + i, o, f)] else ways[1]


@njit(cache=True, nogil=True)
def _code(sums: Any, at: Any, o: Any, f: int) -> Any:
    """Compare the cells around the middle with it, from the upper left one clockwise."""
    a, b, c = sums[at + o[f, 0]], sums[at + o[f, 1]], sums[at + o[f, 2]]
    d, e, g = sums[at + o[f, 3]], sums[at + o[f, 4]], sums[at + o[f, 5]]
    h, i, p = sums[at + o[f, 6]], sums[at + o[f, 7]], sums[at + o[f, 8]]
    q, r, s = sums[at + o[f, 9]], sums[at + o[f, 10]], sums[at + o[f, 11]]
    t, u = sums[at + o[f, 12]], sums[at + o[f, 13]]
    v, w = sums[at + o[f, 14]], sums[at + o[f, 15]]
    middle = np.int32(g - h - q + r)
    code = np.int64(np.int32(a - b - e + g) >= middle) << 7
    code |= np.int64(np.int32(b - c - g + h) >= middle) << 6
    code |= np.int64(np.int32(c - d - h + i) >= middle) << 5
    code |= np.int64(np.int32(h - i - r + s) >= middle) << 4
    code |= np.int64(np.int32(r - s - v + w) >= middle) << 3
    code |= np.int64(np.int32(q - r - u + v) >= middle) << 2
    code |= np.int64(np.int32(p - q - t + u) >= middle) << 1
    code |= np.int64(np.int32(e - g - p + q) >= middle)
    return np.uint8(code)
