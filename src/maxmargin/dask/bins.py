"""Coarse bins of columns, the same on all workers, with each partition's rows in the order of them.

Cuts are quantiles of what partitions sketch of their columns. They decide how much work a search is
and nothing else: its result is exact whatever they are. A bin holds cuts[b - 1] < x <= cuts[b].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.dask.rows import Rows
from maxmargin.ops.clock import look
from maxmargin.ops.engine import engine_of

Vector = NDArray[np.float64]

BINS = 254
"""Most bins of a column: their numbers have one byte."""
_SKETCH = 2048
"""Most values of a column that a partition sends once."""
_DRAWN = 1 << 17
"""Rows that a sketch is made of."""
TILE = 1 << 14
"""Rows whose values stay in the cache while all columns are summed."""


class Sketch(NamedTuple):
    """Of one column in one partition: some of its values, or all distinct ones."""

    values: Vector
    whole: bool
    rows: int


def sketch(rows: Rows) -> list[Sketch]:
    """Return quantiles of every column."""
    X = dense(rows)
    step = max(1, len(X) // _DRAWN)
    found = []
    for j in range(X.shape[1]):
        look()
        column = np.unique(X[::step, j].astype(np.float64) + 0.0)
        whole = step == 1 and len(column) <= _SKETCH
        if len(column) > _SKETCH:
            ordered = np.sort(X[::step, j].astype(np.float64))
            places = np.linspace(0, len(ordered) - 1, _SKETCH).astype(np.intp)
            column = np.unique(ordered[places])
        found.append(Sketch(column, whole, len(X)))
    return found


def dense(rows: Rows) -> Any:
    """Return the rows as an array."""
    return rows.X.toarray() if hasattr(rows.X, "toarray") else rows.X


@dataclass(frozen=True)
class Cuts:
    """Coarse cuts of every column, and finer ones to refine them by."""

    coarse: list[Vector]
    fine: list[Vector]
    exact: list[bool]
    """Whether every bin of a column is a single value."""

    @property
    def begin(self) -> NDArray[np.int64]:
        """Where the bins of every column begin."""
        return np.cumsum([0, *(len(cuts) + 1 for cuts in self.coarse)], dtype=np.int64)

    def inside(self, feature: int, number: int) -> Vector:
        """Return the finer cuts within a bin, without its ends."""
        cuts, fine = self.coarse[feature], self.fine[feature]
        first = 0 if number == 0 else int(np.searchsorted(fine, cuts[number - 1], "right"))
        stop = len(fine) if number == len(cuts) else int(np.searchsorted(fine, cuts[number]))
        return fine[first:stop]


def merge(sketches: list[list[Sketch]]) -> Cuts:
    """Choose the cuts from the sketches of all partitions, in their order."""
    coarse, fine, single = [], [], []
    for parts in zip(*sketches, strict=True):
        values = np.unique(np.concatenate([part.values for part in parts if part.rows]))
        exact = all(part.whole for part in parts if part.rows)
        fine.append(values[:-1])
        single.append(exact and len(values) <= BINS)
        if single[-1]:
            coarse.append(values[:-1])
            continue
        pool, share = _pool(parts)
        ranks = np.searchsorted(np.cumsum(share), np.arange(1, BINS) / BINS)
        coarse.append(np.unique(pool[np.minimum(ranks, len(pool) - 1)]))
    return Cuts(coarse, fine, single)


def _pool(parts: Any) -> tuple[Vector, Vector]:
    """Put values of all partitions in order, with the share of rows that each stands for."""
    full = [part for part in parts if part.rows]
    values = np.concatenate([part.values for part in full])
    share = np.concatenate([np.full(len(p.values), p.rows / len(p.values)) for p in full])
    order = np.argsort(values, kind="stable")
    return values[order], share[order] / share.sum()


class Binned(NamedTuple):
    """One partition in bins."""

    tiles: list[NDArray[np.uint8]]
    """Bin numbers of rows in tiles, a line for each column."""
    order: NDArray[np.uint32]
    """Rows of every column in the order of their bins."""
    start: NDArray[np.int64]
    """Where the rows of every bin begin in that order."""
    begin: NDArray[np.int64]
    """Where the bins of every column begin."""

    def rows_of(self, feature: int, number: int) -> NDArray[np.uint32]:
        """Return the rows of a bin, ascending."""
        first, stop = self.start[feature, number : number + 2]
        return self.order[feature, first:stop]


def binned(rows: Rows, cuts: Cuts) -> Binned:
    """Return the partition in bins, from its memo."""
    return rows.recall("binned", lambda: _bin(rows, cuts))


def _bin(rows: Rows, cuts: Cuts) -> Binned:
    X, d = dense(rows), len(cuts.coarse)
    n, most = len(X), max(len(c) for c in cuts.coarse) + 1
    order, start = np.empty((d, n), np.uint32), np.zeros((d, most + 1), np.int64)
    tiles = [np.empty((d, min(TILE, n - a)), np.uint8) for a in range(0, n, TILE)]
    codes = np.empty(n, np.int32)
    number = engine_of(codes).glass_box.code_numbers
    for j in range(d):
        look()
        number(np.ascontiguousarray(X[:, j], dtype=np.float64), cuts.coarse[j], codes)
        small = (codes - 1).astype(np.uint8)
        order[j] = np.argsort(small, kind="stable")
        start[j, 1:] = np.cumsum(np.bincount(small, minlength=most))
        for k, tile in enumerate(tiles):
            tile[j] = small[k * TILE : k * TILE + tile.shape[1]]
    return Binned(tiles, order, start, cuts.begin)


def count_bins(rows: Rows, cuts: Cuts) -> NDArray[np.int64]:
    """Return how many rows each bin of each column has."""
    return np.diff(binned(rows, cuts).start, axis=1)


def sum_bins(bins: Binned, values: Vector) -> Vector:
    """Sum values by the bins of all columns; exact where values lie on a grid."""
    sums, part = np.zeros(int(bins.begin[-1])), np.empty(int(bins.begin[-1]))
    add = engine_of(sums).glass_box.sum_bins
    for k, tile in enumerate(bins.tiles):
        add(tile, bins.begin, values[k * TILE : k * TILE + tile.shape[1]], part)
        sums += part
        if k % 8 == 7:
            look()
    return sums


def on_grid(values: Vector, exponent: int) -> Vector:
    """Round to multiples of 2^(exponent - 51): sums of these below 2^(exponent + 2) are exact."""
    anchor = np.ldexp(3.0, exponent)
    rounded: Vector = (values + anchor) - anchor
    return rounded


def exponent_of(size: float) -> int:
    """Return the exponent of a power of two above a sum of sizes."""
    return int(np.frexp(size)[1])
