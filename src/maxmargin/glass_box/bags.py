"""Bags: every row is held out by one of them, so that all rows say when to stop.

Equal rows, and rows of the same group, go together: none of them is learnt from by a bag that is
judged on another. Which bag holds a row out depends on what it says and the seed, not on its place,
so a row of weight two is a row given twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.warning import warn_user

Fold = NDArray[np.int16]

_LEAST = 5  # parts: a single bag holds out a fifth of the rows at most


def draw_folds(
    codes: NDArray[np.uint8], y: Any, groups: Any, n_bags: int, strata: Any, seed: int
) -> Fold:
    """Say which part each row belongs to; bag b holds out part b.

    Parameters
    ----------
    codes : ndarray of uint8 of shape (columns, rows)
    y : ndarray of shape (rows,)
    groups : array-like of shape (rows,) or None
    n_bags : int
    strata : ndarray of int of shape (rows,)
        Rows of the same one are spread evenly.
    seed : int

    Returns
    -------
    fold : ndarray of shape (rows,)
    """
    key = _row_keys(codes, y) if groups is None else np.unique(groups, return_inverse=True)[1]
    distinct, first, place = np.unique(key, return_index=True, return_inverse=True)
    parts = max(n_bags, _LEAST)
    if len(distinct) < parts:
        if groups is not None:
            warn_user(
                f"There are {len(distinct)} groups for n_bags={n_bags}, so each bag holds out one "
                f"of them, and some bags hold out none; give more groups or fewer bags."
            )
        parts = max(parts, 1)
    order = np.random.RandomState(seed).permutation(len(distinct))
    order = order[np.argsort(strata[first][order], kind="stable")]
    of_distinct = np.empty(len(distinct), np.int16)
    of_distinct[order] = np.arange(len(distinct)) % parts
    return of_distinct[place]


def _row_keys(codes: NDArray[np.uint8], y: Any) -> NDArray[np.uint64]:
    """Give equal rows equal numbers."""
    numbers = np.unique(y, return_inverse=True)[1]
    key = numbers.astype(np.uint64)
    for line in codes:
        key = (key ^ (key >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        key += line
    return key * np.uint64(0x94D049BB133111EB) ^ (key >> np.uint64(31))
