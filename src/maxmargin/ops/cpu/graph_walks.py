"""Common walks of two graphs, by conjugate gradients on their product.

With X[u, v] for the pairs of nodes of equal labels and 0 elsewhere, a step along both graphs is
X -> A X B', taken edge label by edge label, and (I - decay A x B) X = 1 is solved for the sum of X.
The error of that sum is of second order in the residual.
"""

from __future__ import annotations

from typing import Any

from maxmargin.ops.loop import njit

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
def _begin(first: int, begin: int, a_labels: Any, b_labels: Any, m: int, room: Any) -> float:
    """Find the pairs of equal labels, and begin at X = 0; give the squared size of the residual."""
    pairs = room[0]
    for i in range(pairs.size):
        pairs[i] = a_labels[first + i // m] == b_labels[begin + i % m]
    room[1][:], room[2][:], room[3][:] = 0.0, pairs, pairs
    return _sum_of_products(pairs, pairs)


@njit(cache=True, nogil=True)
def _improve(
    left: Any, right: Any, kinds: int, decay: float, shape: Any, room: Any, size: float
) -> float:
    """Make a step to the solution X of (I - decay A x B) X = pairs."""
    pairs, x, r, d, moved, half = room[0], room[1], room[2], room[3], room[4], room[5]
    moved[:] = 0.0
    for kind in range(kinds):
        _step_left(left, kind, d.reshape(shape), half.reshape(shape))
        _step_right(right, kind, half.reshape(shape), pairs.reshape(shape), moved.reshape(shape))
    for i in range(d.size):
        moved[i] = d[i] - decay * moved[i]
    now = _advance(size / _sum_of_products(d, moved), x, r, d, moved)
    for i in range(d.size):
        d[i] = r[i] + now / size * d[i]
    return now


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
    work: float,
    memory: Any,
    place: Any,
    out: Any,
) -> None:
    """Set out[j] <- sum of decay^length over common walks of a graph and others[j].

    ``kinds`` is the number of edge labels. A call does so much work, and a further one goes on with
    the same ``memory``, of 6 numbers for each pair of nodes. ``place`` holds the j at work, the
    steps made for it, and the squared residuals at the first and after the last; it begins with 0,
    and the first is the number of others in the end.
    """
    first, n = a_nodes[graph], a_nodes[graph + 1] - a_nodes[graph]
    left = (a_starts, a_around, a_lines, first)
    j = int(place[0])
    while j < others.size and work > 0:
        begin, m = b_nodes[others[j]], b_nodes[others[j] + 1] - b_nodes[others[j]]
        room = memory[: 6 * n * m].reshape(6, n * m)
        if place[1] == 0:
            place[2] = _begin(first, begin, a_labels, b_labels, m, room)
            place[3] = place[2]
        right = (b_starts, b_around, b_lines, begin)
        lines = m * (a_starts[first + n] - a_starts[first])
        lines += n * (b_starts[begin + m] - b_starts[begin])
        steps = 2 * n * m + 8  # as many as there are unknowns, but for rounding
        while place[3] > _RESIDUAL * place[2] and place[1] < steps and work > 0:
            place[3] = _improve(left, right, kinds, decay, (n, m), room, place[3])
            place[1] += 1
            work -= 4 * n * m + kinds * lines
        work -= n * m  # after the steps: every call makes one
        if place[3] <= _RESIDUAL * place[2] or place[1] >= steps:
            out[j] = _sum_of_products(room[0], room[1])
            j += 1
            place[1] = 0
    place[0] = j
