"""Sums of stumps over rows, a block of rows at a time.

A block is copied so that each feature is a line of memory; then a stump costs one comparison a row,
several of them at once. Stumps are added in their order, so a sum does not depend on the blocks.
The arrays of a stump: ``line``, which line of the block it asks about (negative: it asks nothing,
and all rows go left); ``threshold``; ``missing_right``; ``begin`` and ``end``, the part of
``chosen`` that says which categories go right (empty for a number).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit


@njit(cache=True, nogil=True)
def take_columns(X: Any, columns: Any, first: int, block: Any) -> None:
    """block[k, i] = X[first + i, columns[k]]."""
    for i in range(block.shape[1]):
        row = X[first + i]
        for k in range(len(columns)):
            block[k, i] = row[columns[k]]


@njit(cache=True, nogil=True)
def _find_sides(x: Any, threshold: float, missing_right: bool, chosen: Any, right: Any) -> None:
    """Return which entries of a line go right."""
    if len(chosen) > 0:
        for i in range(len(x)):
            known = 0.0 <= x[i] < len(chosen)
            right[i] = chosen[np.uint64(x[i])] if known else missing_right
    elif missing_right:
        for i in range(len(x)):
            right[i] = not x[i] <= threshold  # NaN is not either
    else:
        for i in range(len(x)):
            right[i] = x[i] > threshold


@njit(cache=True, nogil=True)
def _find_sides_of(
    block: Any, line: int, threshold: float, missing_right: bool, chosen: Any, right: Any
) -> None:
    """Return which rows go right; none does where nothing is asked."""
    if line < 0:
        for i in range(len(right)):
            right[i] = False
    else:
        _find_sides(block[line], threshold, missing_right, chosen, right)


@njit(cache=True, nogil=True)
def add_stumps(
    block: Any,
    line: Any,
    threshold: Any,
    missing_right: Any,
    begin: Any,
    end: Any,
    chosen: Any,
    left: Any,
    right: Any,
    total: Any,
) -> None:
    """total[i] += the left or right value of every stump, for the rows of a block."""
    side = np.zeros(len(total), dtype=np.bool_)
    for t in range(len(line)):
        if line[t] < 0:
            for i in range(len(total)):
                total[i] += left[t]
        elif begin[t] == end[t]:
            x = block[line[t]]
            _add_number(x, threshold[t], missing_right[t], left[t], right[t], total)
        else:
            part = chosen[begin[t] : end[t]]
            _find_sides(block[line[t]], threshold[t], missing_right[t], part, side)
            for i in range(len(total)):
                total[i] += right[t] if side[i] else left[t]


@njit(cache=True, nogil=True)
def _add_number(
    x: Any, threshold: float, missing_right: bool, left: float, right: float, total: Any
) -> None:
    """Compare and add in one go, which is done for several rows at once."""
    if missing_right:
        for i in range(len(total)):
            total[i] += left if x[i] <= threshold else right
    else:
        for i in range(len(total)):
            total[i] += right if x[i] > threshold else left


@njit(cache=True, nogil=True)
def add_votes(
    block: Any,
    line: Any,
    threshold: Any,
    missing_right: Any,
    begin: Any,
    end: Any,
    chosen: Any,
    left: Any,
    right: Any,
    weight: Any,
    votes: Any,
) -> None:
    """votes[i, k] += the weights of the stumps that say class k, for the rows of a block."""
    side = np.zeros(len(votes), dtype=np.bool_)
    for t in range(len(line)):
        part = chosen[begin[t] : end[t]]
        _find_sides_of(block, line[t], threshold[t], missing_right[t], part, side)
        for i in range(len(votes)):
            votes[i, right[t] if side[i] else left[t]] += weight[t]


@njit(cache=True, nogil=True)
def add_shares(
    block: Any,
    line: Any,
    threshold: Any,
    missing_right: Any,
    begin: Any,
    end: Any,
    chosen: Any,
    left: Any,
    right: Any,
    total: Any,
) -> None:
    """total[i, k] += the share of class k on the side of every stump, for the rows of a block."""
    side = np.zeros(len(total), dtype=np.bool_)
    for t in range(len(line)):
        part = chosen[begin[t] : end[t]]
        _find_sides_of(block, line[t], threshold[t], missing_right[t], part, side)
        for i in range(len(total)):
            for k in range(total.shape[1]):
                total[i, k] += right[t, k] if side[i] else left[t, k]
