"""The obvious versions of ``ops.cpu``'s ``stump*.py``: all splits of a run at once."""

from __future__ import annotations

from typing import Any

import numpy as np

ROW = np.uint32(0x7FFFFFFF)
LAST = np.uint32(0x80000000)


def edge(side: Any, total: Any) -> Any:
    """Give the edge of the better labelling of two sides."""
    return np.abs(total[0] - 2.0 * side[..., 0])


def square(side: Any, total: Any) -> Any:
    """Give the decrease of the sum of squares, over H."""
    h, rest = side[..., 1], total[1] - side[..., 1]
    A = side[..., 0] - total[0] / total[1] * h
    proper = (h > 0.0) & (rest > 0.0)
    return np.where(proper, A * A / np.where(proper, h * rest, 1.0), 0.0)


def error(side: Any, total: Any) -> Any:
    """Give the weight of the rows in the largest class of their side."""
    return side.max(axis=-1) + (total - side).max(axis=-1)


def gini(side: Any, total: Any) -> Any:
    """Give the sum of squared class weights over the weight, added for the two sides."""
    return _purity(side) + _purity(total - side)


def _purity(side: Any) -> Any:
    weight = side.sum(axis=-1)
    return np.where(weight > 0.0, (side**2).sum(axis=-1) / np.where(weight > 0.0, weight, 1.0), 0.0)


def _one_hot(label: Any, weight: Any, n_classes: int) -> Any:
    return np.where(label[:, None] == np.arange(n_classes), weight[:, None], 0.0)


def _sides(values: Any, rows: Any, begin: Any, end: Any) -> tuple[Any, Any]:
    """Sum the sides of all splits of a run, and say after which of its rows they are."""
    run = rows[int(begin) : int(end)]
    sums = np.cumsum(values[run & ROW], axis=0)
    ends = np.flatnonzero(run >= LAST)
    return sums[ends], ends


def _scan(criterion: Any, arguments: tuple[Any, ...]) -> None:
    values, total, rows, start, order, first, stop, shift, gain = arguments
    for r in order[first:stop]:
        sums, _ = _sides(values, rows, start[r], start[r + 1])
        missing = shift[int(r) // 2]
        all_sides = np.vstack([np.zeros_like(missing), sums])
        here, there = criterion(all_sides, total), criterion(all_sides + missing, total)
        gain[r] = max(here.max(), there.max())


def _place(criterion: Any, arguments: tuple[Any, ...]) -> int:
    values, total, rows, begin, end, shift, target, last, side = arguments
    sums, ends = _sides(values, rows, begin, end)
    here, there = criterion(sums, total), criterion(sums + shift, total)
    reached = np.flatnonzero(np.maximum(here, there) >= target)
    if len(reached) == 0:
        return 0
    k = reached[-1 if last else 0]
    along = last if min(here[k], there[k]) >= target else there[k] > here[k]
    side[:] = sums[k] + shift if along else sums[k]
    return int(-(ends[k] + 1) if along else ends[k] + 1)


def scan_sign(values: Any, *arguments: Any) -> None:
    """gain[r] = the largest edge of run r, for the runs order[first:stop]."""
    _scan(edge, (values[:, None], *arguments))


def place_sign(values: Any, *arguments: Any) -> int:
    """Find the first (or last) split of a run that reaches the target, and the sums of its side."""
    return _place(edge, (values[:, None], *arguments))


def _weighed(values: Any, kind: int) -> Any:
    """Put the weights beside the pull: kinds as in ``ops.cpu.stump_square``."""
    if kind == 0:
        return values.reshape(-1, 2)
    return np.stack([values, np.abs(values) if kind == 1 else np.ones_like(values)], axis=1)


def scan_square(values: Any, kind: int, *arguments: Any) -> None:
    """gain[r] = the largest decrease of squares of run r over H, for the runs order[first:stop]."""
    _scan(square, (_weighed(values, kind), *arguments))


def place_square(values: Any, kind: int, *arguments: Any) -> int:
    """Find a split of a run as ``place_sign`` does."""
    return _place(square, (_weighed(values, kind), *arguments))


def scan_classes(label: Any, weight: Any, total: Any, criterion: int, *arguments: Any) -> None:
    """gain[r] = the largest score of run r, for the runs order[first:stop]."""
    values = _one_hot(label, weight, len(total))
    _scan(gini if criterion else error, (values, total, *arguments))


def place_classes(label: Any, weight: Any, total: Any, criterion: int, *arguments: Any) -> int:
    """Find a split of a run as ``place_sign`` does."""
    values = _one_hot(label, weight, len(total))
    return _place(gini if criterion else error, (values, total, *arguments))


def mark_side(rows: Any, begin: int, end: int, side: bool, right: Any) -> None:
    """right[i] = side, for the rows of a part of a run."""
    right[rows[int(begin) : int(end)] & ROW] = side
