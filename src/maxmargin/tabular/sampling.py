"""Random samples of rows in which every class has its share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.intp]


def spread_order(count: int, label: NDArray[np.intp] | None, seed: int) -> Index:
    """Return a random order of rows whose every beginning has about the shares of the classes.

    Examples
    --------
    >>> order = spread_order(8, np.array([0, 0, 0, 0, 0, 0, 1, 1]), 0)
    >>> sorted(order.tolist()), (order[:4] >= 6).sum()
    ([0, 1, 2, 3, 4, 5, 6, 7], np.int64(1))
    """
    order = np.random.default_rng(seed).permutation(count)
    if label is None:
        return order
    classes = label[order]
    place = np.empty(count)
    for c in np.unique(classes):
        members = np.flatnonzero(classes == c)
        place[members] = (np.arange(len(members)) + 0.5) / len(members)
    return order[np.argsort(place, kind="stable")]
