"""Cut a table into cells of near rows, about equally many in each.

A tree of halves: the rows of a node are cut at the median of their values along the direction in
which they are spread most (principal direction trees: Sproull, "Refinements to nearest-neighbor
searching in k-dimensional trees", Algorithmica 6, 1991). A few products lead a new row to its cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import stop_if_over

Matrix = NDArray[Any]
Index = NDArray[np.intp]

SAMPLE = 1000  # rows of a node that tell its direction
BLOCK = 8192  # rows whose products are in memory at a time


@dataclass(frozen=True)
class Cells:
    """A tree of halves; its leaves are numbered from 0."""

    directions: NDArray[np.float32]
    """A row an inner node."""
    thresholds: NDArray[np.float64]
    children: Index
    """The nodes below and above the threshold; a leaf l stands as -1 - l."""

    def __restored__(self) -> None:
        """Check what was read: every way down ends, at a leaf that there is."""
        nodes = len(self.children)
        shaped = self.children.shape == (nodes, 2) and self.thresholds.shape == (nodes,)
        shaped = shaped and self.directions.ndim == 2 and len(self.directions) == nodes
        down = self.children > np.arange(nodes)[:, None]
        leaf = (self.children < 0) & (self.children >= -self.count)
        if not (shaped and bool((self.children < nodes).all()) and bool((down | leaf).all())):
            raise ValueError("The cells of a stored machine for tables do not fit together.")

    @property
    def count(self) -> int:
        """How many cells there are."""
        return len(self.children) + 1

    def find(self, X: Matrix) -> Index:
        """Return the number of each row's cell."""
        found = np.full(len(X), 0 if len(self.children) else -1, np.intp)
        while (inner := np.flatnonzero(found >= 0)).size:
            for node in np.unique(found[inner]).tolist():
                rows = inner[found[inner] == node]
                above = _along(X, rows, self.directions[node]) > self.thresholds[node]
                found[rows] = self.children[node][above.astype(np.intp)]
        return -1 - found


def _along(X: Matrix, rows: Index, direction: Matrix) -> NDArray[np.float64]:
    """Return products with a direction; that of a row does not depend on the others."""
    out = np.empty(len(rows))
    for first in range(0, len(rows), BLOCK):
        part = slice(first, first + BLOCK)
        out[part] = (X[rows[part]] * direction).sum(axis=1, dtype=np.float64)
    return out


def cut(X: Matrix, most: int, rank: int = 0) -> tuple[Cells, list[Index]]:
    """Cut rows into cells of at most so many, but for rows that are all alike.

    Parameters
    ----------
    X : ndarray of shape (rows, columns)
    most : int
    rank : int
        Of the direction that nodes are cut along: 0 for the largest spread, 1 for the next, which
        makes a tree whose borders lie elsewhere.

    Returns
    -------
    cells : Cells
    places : list of ndarray
        The rows of each, in ascending order.

    Examples
    --------
    >>> cells, places = cut(np.array([[0.0], [5.0], [1.0], [6.0]], np.float32), 2)
    >>> [each.tolist() for each in places], cells.find(np.array([[5.5], [-1.0]])).tolist()
    ([[0, 2], [1, 3]], [1, 0])
    """
    directions: list[Matrix] = []
    thresholds: list[float] = []
    children: list[list[int]] = []
    leaves: list[Index] = []

    def grow(rows: Index) -> int:
        stop_if_over()
        found = _halves(X, rows, rank) if len(rows) > most else None
        if found is None:
            leaves.append(rows)
            return -len(leaves)
        node = len(children)
        direction, threshold, above = found
        directions.append(direction)
        thresholds.append(threshold)
        children.append([0, 0])
        children[node] = [grow(rows[~above]), grow(rows[above])]
        return node

    grow(np.arange(len(X)))
    width = X.shape[1]
    cells = Cells(
        np.array(directions, np.float32).reshape(-1, width),
        np.array(thresholds, np.float64),
        np.array(children, np.intp).reshape(-1, 2),
    )
    return cells, leaves


def _halves(X: Matrix, rows: Index, rank: int) -> tuple[Matrix, float, NDArray[np.bool_]] | None:
    """Return a direction, a threshold, and who lies above it; None if no row differs."""
    some = X[rows[:: max(1, len(rows) // SAMPLE)]].astype(np.float64)
    for direction in _directions(some, rank):
        along = _along(X, rows, direction)
        low, middle, high = (float(along.min()), float(np.median(along)), float(along.max()))
        if low < high:
            threshold = middle if middle < high else float(along[along < high].max())
            return direction, threshold, along > threshold
    return None


def _directions(some: Matrix, rank: int) -> Iterator[Matrix]:
    """Yield a direction of large spread, then columns where that shows no difference."""
    off = some - some.mean(axis=0)
    direction = np.linalg.eigh(off.T @ off)[1][:, max(0, some.shape[1] - 1 - rank)]
    yield (direction * np.sign(direction[np.abs(direction).argmax()])).astype(np.float32)
    yield from np.eye(some.shape[1], dtype=np.float32)
