"""Decision values of many rows: kernel tiles times dual coefficients, never the whole matrix."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Kernel
from maxmargin.kernels.base import Prepared
from maxmargin.ops.threads import Workers

_ROWS, _COLUMNS = 512, 1024  # a tile of float32 values is 2 MB

Matrix = NDArray[np.float64]


def sums_by_class(
    kernel: Kernel,
    rows: Prepared,
    support: Prepared,
    counts: Sequence[int],
    coefficients: NDArray[Any],
    n_jobs: int | None,
) -> Matrix:
    """sum_{i in class c} coefficient_li k(x, x_i) for rows x, classes c and lines l.

    Tiles are in the kernel's precision, their sums in float64. Shape (rows, classes, lines).
    """
    edges = np.cumsum([0, *counts])
    weights = np.ascontiguousarray(coefficients.T, dtype=rows.dtype)
    sums = np.zeros((len(rows), len(counts), coefficients.shape[0]))
    tiles = [
        (c, slice(start, min(start + _COLUMNS, edges[c + 1])))
        for c in range(len(counts))
        for start in range(edges[c], edges[c + 1], _COLUMNS)
    ]
    columns = [support[part] for _, part in tiles]

    def work(first: int) -> None:
        some = slice(first, first + _ROWS)
        block = rows[some]
        scratch = np.empty(len(block) * _COLUMNS, rows.dtype)
        for (c, part), items in zip(tiles, columns, strict=True):
            tile = scratch[: len(block) * len(items)].reshape(len(block), len(items))
            kernel.block(block, items, tile)
            sums[some, c] += tile @ weights[part]

    with Workers(n_jobs) as workers:
        workers.each(work, range(0, len(rows), _ROWS))
    return sums


def pair_values(sums: Matrix, intercept: NDArray[np.float64]) -> Matrix:
    """f_ij(x) for all pairs i < j from the classes' sums: positive speaks for class i."""
    pairs = list(combinations(range(sums.shape[1]), 2))
    values = [sums[:, i, j - 1] + sums[:, j, i] for i, j in pairs]
    return np.stack(values, axis=1) + intercept


def votes(first_wins: NDArray[np.bool_], n_classes: int) -> NDArray[np.int64]:
    """How many of its pairs each class wins, given for each pair whether its first class does."""
    won = np.zeros((len(first_wins), n_classes), dtype=np.int64)
    for column, (i, j) in enumerate(combinations(range(n_classes), 2)):
        won[:, i] += first_wins[:, column]
        won[:, j] += ~first_wins[:, column]
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
    for column, (i, j) in enumerate(combinations(range(n_classes), 2)):
        confidence[:, i] += values[:, column]
        confidence[:, j] -= values[:, column]
    return confidence / (3 * (np.abs(confidence) + 1))
