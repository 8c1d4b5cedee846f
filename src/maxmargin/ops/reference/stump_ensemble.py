"""The obvious versions of ``ops.cpu.stump_ensemble``."""

from __future__ import annotations

from typing import Any

import numpy as np


def take_columns(X: Any, columns: Any, first: int, block: Any) -> None:
    """block[k, i] = X[first + i, columns[k]]."""
    block[:] = X[first : first + block.shape[1], columns].T


def _right_side(x: Any, threshold: float, missing_right: bool, chosen: Any) -> Any:
    if len(chosen) == 0:
        return np.where(np.isnan(x), missing_right, x > threshold)
    known = (x >= 0) & (x < len(chosen))
    return np.where(known, chosen[np.where(known, x, 0).astype(int)], missing_right)


def _sides(
    block: Any, line: Any, threshold: Any, missing_right: Any, begin: Any, end: Any, chosen: Any
) -> Any:
    for t, k in enumerate(line):
        if k < 0:
            yield t, np.zeros(block.shape[1], dtype=bool)
        else:
            part = chosen[begin[t] : end[t]]
            yield t, _right_side(block[k], threshold[t], missing_right[t], part)


def add_stumps(block: Any, *arguments: Any) -> None:
    """total[i] += the left or right value of every stump, for the rows of a block."""
    *stumps, left, right, total = arguments
    for t, side in _sides(block, *stumps):
        total += np.where(side, right[t], left[t])


def add_votes(block: Any, *arguments: Any) -> None:
    """votes[i, k] += the weights of the stumps that say class k, for the rows of a block."""
    *stumps, left, right, weight, votes = arguments
    for t, side in _sides(block, *stumps):
        votes[np.arange(len(votes)), np.where(side, right[t], left[t])] += weight[t]


def add_shares(block: Any, *arguments: Any) -> None:
    """total[i, k] += the share of class k on the side of every stump, for the rows of a block."""
    *stumps, left, right, total = arguments
    for t, side in _sides(block, *stumps):
        total += np.where(side[:, None], right[t], left[t])
