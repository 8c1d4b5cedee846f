"""Samples of rows, for models that cannot learn from all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.intp]

MANY_ROWS = 100_000  # with more rows a model that has no time for all learns from a sample
SIZES = (200_000, 100_000, 50_000, 20_000)  # of such samples
LEAST_OF_CLASS = 10  # rows of a rare class that a sample keeps, if there are so many


def draw_rows(places: Index, most: int | None, y: NDArray[Any] | None = None) -> Index:
    """Draw at most so many rows, always the same ones.

    Parameters
    ----------
    places : ndarray
        The rows to draw from.
    most : int or None
        None for all.
    y : ndarray, default=None
        Labels of all rows: classes are drawn in proportion, and of a rare one at least 10 rows.

    Returns
    -------
    ndarray
        In the order of ``places``.

    Examples
    --------
    >>> y = np.array(["a", "b"])[(np.arange(1000) < 4).astype(int)]
    >>> drawn = draw_rows(np.arange(1000), 100, y)
    >>> int(np.sum(y[drawn] == "a")), int(np.sum(y[drawn] == "b"))
    (99, 4)
    """
    if most is None or len(places) <= most:
        return places
    random = np.random.default_rng(0)
    label = np.zeros(len(places), np.intp)
    if y is not None:
        label = np.unique(y[places], return_inverse=True)[1]
    counts = np.bincount(label)
    wanted = np.maximum(counts * most // len(places), np.minimum(counts, LEAST_OF_CLASS))
    wanted[np.argmax(counts)] += max(0, most - int(wanted.sum()))  # what rounding left
    # Shuffled rows in the order of their classes: the first ones of each class are drawn.
    order = random.permutation(len(places))
    order = order[np.argsort(label[order], kind="stable")]
    rank = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
    return places[np.sort(order[rank < np.repeat(wanted, counts)])]


def affordable_rows(expected: Callable[[int], float], rows: int, seconds: float) -> int:
    """Return how many rows a model can learn from in the time.

    Parameters
    ----------
    expected : callable
        Return the seconds of a fit to so many rows.
    rows : int
        All of them.
    seconds : float

    Returns
    -------
    int
        All rows, or the largest of ``SIZES`` for which there is time, or else the smallest.

    Examples
    --------
    >>> affordable_rows(lambda rows: rows / 1000, 400_000, 120.0)
    100000
    """
    sizes = [rows, *(size for size in SIZES if size < rows)]
    return next((size for size in sizes if expected(size) <= seconds), sizes[-1])
