"""Common walks of two graphs, by conjugate gradients on their product.

With X[u, v] for the pairs of nodes of equal labels and 0 elsewhere, a step along both graphs is
X -> A X B', taken edge label by edge label, and (I - decay A x B) X = 1 is solved for the sum of X.
The error of that sum is of second order in the residual.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_FAST = {"reassoc", "contract"}  # sums in vectors of a fixed width; nothing is infinite here
_RESIDUAL = 1e-20  # of the first, both squared: what it leaves is below double precision


@njit(cache=True, nogil=True)
def _step_left(graph: Any, kind: int, X: Any, out: Any) -> None:
    """Set out <- A X, A having the edges of one label."""
    starts, around, lines, first = graph
    out[:, :] = 0.0
    for u in range(X.shape[0]):
        for p in range(starts[first + u], starts[first + u + 1]):
            if lines[p] == kind:
                other = around[p] - first
                for v in range(X.shape[1]):
                    out[u, v] += X[other, v]


@njit(cache=True, nogil=True)
def _step_right(graph: Any, kind: int, X: Any, pairs: Any, out: Any) -> None:
    """Add X B' to out on the pairs of equal labels, B having the edges of one label."""
    starts, around, lines, first = graph
    for u in range(X.shape[0]):
        for v in range(X.shape[1]):
            if pairs[u, v] > 0:
                for p in range(starts[first + v], starts[first + v + 1]):
                    if lines[p] == kind:
                        out[u, v] += X[u, around[p] - first]


@njit(cache=True, nogil=True, fastmath=_FAST)
def _sum_of_products(X: Any, Y: Any) -> float:
    total = 0.0
    for i in range(X.size):
        total += X[i] * Y[i]
    return total


@njit(cache=True, nogil=True, fastmath=_FAST)
def _advance(length: float, x: Any, r: Any, d: Any, moved: Any) -> float:
    """Go a length along d; give the squared size of the residual there."""
    total = 0.0
    for i in range(x.size):
        x[i] += length * d[i]
        r[i] -= length * moved[i]
        total += r[i] * r[i]
    return total


@njit(cache=True, nogil=True)
def _solve(left: Any, right: Any, kinds: int, decay: float, shape: Any, room: Any) -> float:
    """Sum the solution X of (I - decay A x B) X = pairs."""
    pairs, x, r, d, moved, half = room[0], room[1], room[2], room[3], room[4], room[5]
    x[:], r[:], d[:] = 0.0, pairs, pairs
    start = _sum_of_products(r, r)
    size = start
    for _ in range(2 * pairs.size + 8):  # as many as there are unknowns, but for rounding
        if size <= _RESIDUAL * start:
            break
        moved[:] = 0.0
        for kind in range(kinds):
            _step_left(left, kind, d.reshape(shape), half.reshape(shape))
            _step_right(
                right, kind, half.reshape(shape), pairs.reshape(shape), moved.reshape(shape)
            )
        for i in range(d.size):
            moved[i] = d[i] - decay * moved[i]
        before, size = size, _advance(size / _sum_of_products(d, moved), x, r, d, moved)
        for i in range(d.size):
            d[i] = r[i] + size / before * d[i]
    return _sum_of_products(pairs, x)


@njit(cache=True, nogil=True)
def walk_row(
    a_nodes: Any,
    a_starts: Any,
    a_around: Any,
    a_lines: Any,
    a_labels: Any,
    graph: int,
    b_nodes: Any,
    b_starts: Any,
    b_around: Any,
    b_lines: Any,
    b_labels: Any,
    others: Any,
    kinds: int,
    decay: float,
    out: Any,
) -> None:
    """Set out[j] <- sum of decay^length over common walks of a graph and others[j].

    ``kinds`` is the number of edge labels.
    """
    first, n, most = a_nodes[graph], a_nodes[graph + 1] - a_nodes[graph], 0
    for other in others:
        most = max(most, b_nodes[other + 1] - b_nodes[other])
    memory = np.empty(6 * n * most)
    left = (a_starts, a_around, a_lines, first)
    for j in range(others.size):
        begin, m = b_nodes[others[j]], b_nodes[others[j] + 1] - b_nodes[others[j]]
        room = memory[: 6 * n * m].reshape(6, n * m)
        for u in range(n):
            for v in range(m):
                room[0, u * m + v] = a_labels[first + u] == b_labels[begin + v]
        right = (b_starts, b_around, b_lines, begin)
        out[j] = _solve(left, right, kinds, decay, (n, m), room)
