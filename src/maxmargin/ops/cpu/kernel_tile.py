"""Kernel values of dense vectors, used where they come to be: a tile is one call, with no lock.

A tile is a matrix product (BLAS, which Numba calls through SciPy), one pass for the kernel function
and one that stores the values or adds them up, all while they are in the cache of a core. Called as
NumPy functions from Python these passes would wait for the interpreter's lock, all threads for one.

``kind`` and ``params`` name the formula (``ops.kinds``), ``A`` and ``B`` hold a vector a row, ``a``
and ``b`` their squared lengths. ``scratch`` is memory for a tile of ROWS rows, and as many columns
as there are.

Few functions, each of which is called from outside: Numba compiles what a loop calls once more for
every loop that calls it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.cpu.atomic import take_piece
from maxmargin.ops.cpu.kernel_epilogue import FAST, affine_power, exp_of_distance
from maxmargin.ops.cpu.rows import add_rows, put_rows, row_dots
from maxmargin.ops.kinds import POWER, RADIAL, TILE_COLUMNS, TILE_ROWS
from maxmargin.ops.loop import njit

_START = np.int64(0)  # add_rows would be compiled once more for a zero that is written out


@njit(cache=True, nogil=True, fastmath=FAST)
def _evaluate(kind: int, params: Any, A: Any, a: Any, B: Any, b: Any, scratch: Any) -> Any:
    """Give the values of two sets of vectors, in scratch memory."""
    size, columns, number = len(A) * len(B), len(B), scratch.dtype.type
    tile = scratch[:size].reshape(len(A), columns)
    np.dot(A, B.T, tile)
    if kind == RADIAL:
        exp_of_distance(number(params[0]), a, b, scratch[:size], columns)
    elif kind == POWER:
        gamma, coef0, degree = number(params[0]), number(params[1]), int(params[2])
        affine_power(gamma, coef0, degree, len(A), columns, scratch[:size], columns)
    return tile


@njit(cache=True, nogil=True)
def add_rows_and_fill(
    settled: Any,
    leaving: Any,
    due: Any,
    running: Any,
    moving: Any,
    steps: Any,
    kind: int,
    params: Any,
    A: Any,
    a: Any,
    slots: Any,
    weights: Any,
    B: Any,
    b: Any,
    start: int,
    store: Any,
    scratch: Any,
    counter: Any,
    zones: int,
    most: int,
) -> bool:
    """Move on ranges of columns: book rows that leave, evaluate new ones, add those that stay.

    As many threads as there are zones, called with the same counter, share the ranges, and none
    takes more than ``most`` at a call. Returns whether there may be one left.
    """
    places, pieces = np.empty(TILE_ROWS, np.int64), (len(B) + TILE_COLUMNS - 1) // TILE_COLUMNS
    for i in range(TILE_ROWS):
        places[i] = i
    for _ in range(most):
        first = take_piece(counter, pieces, zones) * TILE_COLUMNS
        if first < 0:
            return False
        part, left = slice(first, first + TILE_COLUMNS), start + first
        total = running[part]
        add_rows(settled[part], store, leaving, due, left)
        for top in range(0, len(A), TILE_ROWS):
            some = slice(top, top + TILE_ROWS)
            tile = _evaluate(kind, params, A[some], a[some], B[part], b[part], scratch)
            put_rows(tile, store, slots[some], left)
            add_rows(total, tile, places[: len(tile)], weights[some], _START)
        add_rows(total, store, moving, steps, left)
    return True


@njit(cache=True, nogil=True)
def fill_strip(
    kind: int, params: Any, A: Any, a: Any, first: int, stop: int, values: Any, scratch: Any
) -> None:
    """Evaluate rows first to stop of a square matrix up to the diagonal, and mirror them."""
    rows, left = slice(first, stop), slice(0, stop)
    tile = _evaluate(kind, params, A[rows], a[rows], A[left], a[left], scratch)
    for i in range(first, stop):
        source, row = tile[i - first], values[i]
        for j in range(i + 1):
            row[j] = source[j]
    for left_edge in range(0, stop, 32):
        for j in range(left_edge, min(left_edge + 32, stop)):
            column = values[j]
            for i in range(max(first, j + 1), stop):
                column[i] = tile[i - first, j]


@njit(cache=True, nogil=True)
def add_decisions(
    kind: int,
    params: Any,
    A: Any,
    a: Any,
    B: Any,
    b: Any,
    edges: Any,
    weights: Any,
    sums: Any,
    scratch: Any,
) -> None:
    """Add sum_{i in class c} weights_i k(x, x_i) to sums[c] for all rows x of A."""
    for c in range(len(edges) - 1):
        for first in range(edges[c], edges[c + 1], TILE_COLUMNS):
            part = slice(first, min(first + TILE_COLUMNS, edges[c + 1]))
            tile = _evaluate(kind, params, A, a, B[part], b[part], scratch)
            row_dots(tile, weights[part], sums[c])
