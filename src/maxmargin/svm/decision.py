"""Decision values of many rows: kernel tiles times dual coefficients, never the whole matrix.

Tiles are in the kernel's precision, their sums in float64. Rows are taken a few at a time, so that
neither the tiles nor the values of all pairs of many classes are ever there for all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Kernel
from maxmargin.kernels.base import Prepared
from maxmargin.kernels.gram import Formula
from maxmargin.ops import kinds
from maxmargin.ops.engine import engine_of
from maxmargin.ops.threads import Scratch, Workers, count_threads, one_blas_thread

_ROWS, _COLUMNS = 512, 1024  # a tile of float32 values is 2 MB
_SUMS = 1 << 20  # numbers in the sums of a few rows
_TILES, _TURNS, _PACKED = 10, 4, 1 << 23  # by a formula: tiles of rows, turns of threads, bytes

Matrix = NDArray[np.float64]
Finish = Callable[[Matrix], NDArray[Any]]
Piece = tuple[int, slice, Matrix]
"""A class, its columns of a tile, and the weights of these."""


def by_class(
    kernel: Kernel,
    rows: Prepared,
    support: Prepared,
    counts: Sequence[int],
    coefficients: Matrix,
    finish: Finish,
    n_jobs: int | None,
) -> NDArray[Any]:
    """Finish the sums sum_{i in class c} coefficient_li k(x, x_i) of rows x, a few at a time.

    ``finish`` makes an array of as many rows of them; their shape is (rows, classes, lines).
    """
    edges = np.zeros(len(counts) + 1, np.intp)
    np.cumsum(counts, out=edges[1:])
    alike = len(coefficients) == 1 and rows.dtype == support.dtype
    seen, known = (Formula.of(kernel, each) if alike else None for each in (rows, support))
    if seen is not None and known is not None:
        size, sums = _share(seen, n_jobs), _by_formula(seen, known, edges, coefficients)
    else:
        size = int(min(_ROWS, max(1, _SUMS // (len(counts) * len(coefficients)))))
        sums = _by_tiles(kernel, rows, support, edges, coefficients)
    parts: dict[int, NDArray[Any]] = {}

    def work(first: int) -> None:
        parts[first] = finish(sums(slice(first, first + size)))

    starts = range(0, len(rows), size)
    if len(starts) == 1 and n_jobs != 0:  # nothing to share, and threads are a row's time to count
        with one_blas_thread:
            return finish(sums(slice(0, size)))
    with Workers(n_jobs) as workers:
        workers.each(work, starts)
    return np.concatenate([parts[first] for first in starts])


def _share(rows: Formula, n_jobs: int | None) -> int:
    """Choose how many rows to take at a time: several times for each thread, within some memory.

    A row's sum does not depend on the others beside it, so threads may be counted.
    """
    most = max(1, _PACKED // (rows.X.shape[1] * rows.X.itemsize * kinds.TILE_ROWS + 1))
    tiles = -(-len(rows) // (kinds.TILE_ROWS * _TURNS * count_threads(n_jobs)))
    return kinds.TILE_ROWS * max(1, min(tiles, _TILES, most))


def _by_formula(
    rows: Formula, support: Formula, edges: NDArray[np.intp], coefficients: Matrix
) -> Callable[[slice], Matrix]:
    """Sum over all support vectors in one compiled call, for coefficients of one line."""
    line = np.ascontiguousarray(coefficients[0])
    known, width = (support.X, support.lengths, edges, line), kinds.PANEL // rows.X.itemsize
    panels = Scratch(kinds.TILE_COLUMNS * rows.X.shape[1], rows.X.dtype)
    scratch = Scratch(kinds.TILE_ROWS * kinds.TILE_COLUMNS, rows.X.dtype)

    def sums(part: slice) -> Matrix:
        some = rows.take(part)
        total = np.zeros((len(edges) - 1, len(some)))
        packed = panels.memory().reshape(kinds.TILE_COLUMNS // width, -1, width)
        rows.verbs.add_decisions(*some.as_rows, *known, total, packed, scratch.memory())
        return total.T[:, :, None]

    return sums


def _by_tiles(
    kernel: Kernel,
    rows: Prepared,
    support: Prepared,
    edges: NDArray[np.intp],
    coefficients: Matrix,
) -> Callable[[slice], Matrix]:
    """Sum tile after tile, for any kernel."""
    weights, classes = np.ascontiguousarray(coefficients.T), len(edges) - 1
    columns = [
        (support[start : start + _COLUMNS], _pieces(edges, start, weights))
        for start in range(0, edges[-1], _COLUMNS)
    ]

    def sums(part: slice) -> Matrix:
        block = rows[part]
        scratch = np.empty(len(block) * _COLUMNS, rows.dtype)
        total = np.zeros((len(block), classes, len(coefficients)))
        for items, pieces in columns:
            tile = scratch[: len(block) * len(items)].reshape(len(block), len(items))
            _add_products(kernel.block(block, items, tile), pieces, total)
        return total

    return sums


def _pieces(edges: NDArray[np.intp], start: int, weights: Matrix) -> list[Piece]:
    """List the classes of a tile of columns: their columns in the tile, and their weights."""
    stop = min(start + _COLUMNS, int(edges[-1]))
    pieces = []
    for c, (low, high) in enumerate(pairwise(edges.tolist())):
        a, b = max(low, start), min(high, stop)
        if a < b:
            pieces.append((c, slice(a - start, b - start), weights[a:b]))
    return pieces


def _add_products(tile: NDArray[Any], pieces: list[Piece], total: Matrix) -> None:
    """Add tile @ weight in double precision; converting a tile costs more than reading it once."""
    if tile.dtype != np.float64 and total.shape[2] == 1:
        for c, part, weight in pieces:
            engine_of(tile).rows.row_dots(tile, part.start, weight[:, 0], total[:, c, 0])
        return
    wide = tile.astype(np.float64, copy=False)
    for c, part, weight in pieces:
        total[:, c] += wide[:, part] @ weight


def pair_values(sums: Matrix, intercept: NDArray[np.float64]) -> Matrix:
    """f_ij(x) for all pairs i < j from the classes' sums: positive speaks for class i."""
    first, second = _pairs(sums.shape[1])
    return sums[:, first, second - 1] + sums[:, second, first] + intercept


@cache
def _pairs(n_classes: int) -> NDArray[np.intp]:
    """List the first and the second class of every pair."""
    return np.array(list(combinations(range(n_classes), 2)), dtype=np.intp).reshape(-1, 2).T


@cache
def _wins(n_classes: int) -> tuple[Matrix, Matrix]:
    """Return what a pair adds to the votes if its first class wins, and the votes if none does."""
    second, gain = np.zeros(n_classes), np.zeros((n_classes * (n_classes - 1) // 2, n_classes))
    for column, (i, j) in enumerate(_pairs(n_classes).T):
        gain[column, i], gain[column, j] = 1.0, -1.0
        second[j] += 1.0
    return gain, second


@cache
def _turns(n_classes: int) -> list[tuple[NDArray[np.intp], Matrix]]:
    """List the pairs of every class in order, one of each at a time, with their signs."""
    of_class: list[list[tuple[int, float]]] = [[] for _ in range(n_classes)]
    for column, (i, j) in enumerate(_pairs(n_classes).T):
        of_class[i].append((column, 1.0))
        of_class[j].append((column, -1.0))
    turns = [zip(*turn, strict=True) for turn in zip(*of_class, strict=True)]
    return [(np.array(columns), np.array(signs)) for columns, signs in turns]


def votes(first_wins: NDArray[np.bool_], n_classes: int) -> NDArray[np.int64]:
    """How many of its pairs each class wins, given for each pair whether its first class does."""
    gain, second = _wins(n_classes)
    won: NDArray[np.int64] = (first_wins @ gain + second).astype(np.int64)  # exact: whole numbers
    return won


def one_value_a_class(values: Matrix, n_classes: int) -> Matrix:
    """Votes, ties broken by the summed pair values squeezed into (-1/3, 1/3), as scikit-learn.

    The squeeze keeps a class with fewer votes below one with more. As there, a pair's value of
    exactly 0 is a vote for its first class here, but for its second in ``predict``.
    """
    return votes(values >= 0, n_classes) + squeezed_confidence(values, n_classes)


def squeezed_confidence(values: Matrix, n_classes: int) -> Matrix:
    """Sum the values of each class's pairs and squeeze the sums, in order, into (-1/3, 1/3)."""
    confidence = np.zeros((len(values), n_classes))
    for columns, signs in _turns(n_classes):
        confidence += signs * values[:, columns]
    return confidence / (3 * (np.abs(confidence) + 1))


def numbers(
    values: Matrix, n_classes: int, by_pairs: bool, break_ties: bool = False
) -> NDArray[np.intp]:
    """Return the number of the class that values speak for: by vote, or the largest."""
    if not by_pairs:
        return values.argmax(axis=1)
    if break_ties and n_classes > 2:
        return one_value_a_class(values, n_classes).argmax(axis=1)
    return votes(values > 0, n_classes).argmax(axis=1)


def confidences(values: Matrix, n_classes: int, by_pairs: bool) -> Matrix:
    """Return one value a class; of two classes only the second one's, f(x)."""
    if n_classes == 2:
        return -values.ravel() if by_pairs else values
    return one_value_a_class(values, n_classes) if by_pairs else values
