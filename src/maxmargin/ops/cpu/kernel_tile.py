"""Kernel values of dense vectors, used where they come to be: a tile is one call, with no lock.

A tile is a matrix product (``product``), one pass for the kernel function and one that stores the
values or adds them up, all while they are in the cache of a core. Called as NumPy functions from
Python these passes would wait for the interpreter's lock, all threads for one.

``kind`` and ``params`` name the formula (``ops.kinds``), ``A`` and ``B`` hold vectors as products
take them, slivers on one hand and panels on the other, ``a`` and ``b`` their squared lengths, which
say how many vectors there are. ``scratch`` is memory for a tile.

Few functions, each of which is called from outside: Numba compiles what a loop calls once more for
every loop that calls it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.cpu.atomic import take_piece
from maxmargin.ops.cpu.kernel_epilogue import FAST, affine_power, exp_of_distance
from maxmargin.ops.cpu.product import multiply, pack
from maxmargin.ops.cpu.rows import add_rows, put_rows, row_dots
from maxmargin.ops.kinds import POWER, RADIAL, SLIVER, TILE_COLUMNS, TILE_ROWS
from maxmargin.ops.loop import njit

_START = np.int64(0)  # add_rows would be compiled once more for a zero that is written out


@njit(cache=True, nogil=True, fastmath=FAST)
def _evaluate(kind: int, params: Any, A: Any, a: Any, B: Any, b: Any, scratch: Any) -> Any:
    """Return the values of two sets of vectors, in scratch memory; beyond them it is filled too."""
    rows, stride, number = len(A) * SLIVER, len(B) * B.shape[2], scratch.dtype.type
    flat = scratch[: rows * stride]
    tile = flat.reshape(rows, stride)
    multiply(A, B, tile)
    if kind == RADIAL:
        exp_of_distance(number(params[0]), a, b, flat, stride)
    elif kind == POWER:
        gamma, coef0, degree = number(params[0]), number(params[1]), int(params[2])
        affine_power(gamma, coef0, degree, len(a), len(b), flat, stride)
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
    places, pieces = np.empty(TILE_ROWS, np.int64), (len(b) + TILE_COLUMNS - 1) // TILE_COLUMNS
    high, wide = TILE_ROWS // SLIVER, TILE_COLUMNS // B.shape[2]
    for i in range(TILE_ROWS):
        places[i] = i
    for _ in range(most):
        piece = take_piece(counter, pieces, zones)
        if piece < 0:
            return False
        first = piece * TILE_COLUMNS
        part, left = slice(first, first + TILE_COLUMNS), start + first
        total, columns, lengths = running[part], B[piece * wide : (piece + 1) * wide], b[part]
        add_rows(settled[part], store, leaving, due, left)
        for top in range(0, len(A), high):
            some = slice(top * SLIVER, top * SLIVER + TILE_ROWS)
            tile = _evaluate(kind, params, A[top : top + high], a[some], columns, lengths, scratch)
            put_rows(tile, store, slots[some], left, len(total))
            add_rows(total, tile, places[: len(weights[some])], weights[some], _START)
        add_rows(total, store, moving, steps, left)
    return True


@njit(cache=True, nogil=True)
def fill_strip(
    kind: int,
    params: Any,
    A: Any,
    a: Any,
    B: Any,
    b: Any,
    first: int,
    stop: int,
    values: Any,
    scratch: Any,
) -> None:
    """Evaluate rows first to stop of a square matrix up to the diagonal, and mirror them.

    B holds all vectors, A only the last ones; the first of the strip is the first of a sliver.
    """
    behind, width = len(b) - len(a), B.shape[2]
    rows = slice((first - behind) // SLIVER, (stop - behind + SLIVER - 1) // SLIVER)
    own = a[first - behind : stop - behind]
    tile = _evaluate(
        kind, params, A[rows], own, B[: (stop + width - 1) // width], b[:stop], scratch
    )
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
    X: Any,
    b: Any,
    edges: Any,
    weights: Any,
    sums: Any,
    panels: Any,
    scratch: Any,
) -> None:
    """Add sum_{i in class c} weights_i k(x, x_i) to sums[c] for all rows x of A.

    The vectors x_i come a row each and are packed into ``panels`` as they are wanted, so that a
    model of many is never there twice.
    """
    high, places = TILE_ROWS // SLIVER, np.arange(len(X))
    for first in range(0, len(X), TILE_COLUMNS):
        part = slice(first, first + TILE_COLUMNS)
        pack(X, places[part], panels)
        for top in range(0, len(A), high):
            some = slice(top * SLIVER, top * SLIVER + TILE_ROWS)
            own = a[some]
            tile = _evaluate(kind, params, A[top : top + high], own, panels, b[part], scratch)
            for c in range(len(edges) - 1):
                low, stop = max(first, edges[c]), min(first + TILE_COLUMNS, edges[c + 1])
                if low < stop:
                    row_dots(tile, low - first, weights[low:stop], sums[c, some])
