"""Coordinate descent on a quadratic model with an l1 penalty, over columns of features.

Columns are stored as in CSC: column j has the values data[starts[j]:starts[j + 1]] in the rows
rows[...]; without ``rows`` it has one in each row. With curvatures D_i and slopes P_i of the rows,
a step d from weights theta has the model

    sum_i P_i x_i'd + sum_i D_i (x_i'd)^2 / 2 + |theta + d|_1.

Along coordinate j its slope is G = sum_i x_ij P_i, its curvature H_j = sum_i D_i x_ij^2; the best
weight is that of a parabola, or 0 if the parabola's lies beyond it. The slopes P then change by
D_i x_ij times the step: they always are those of the model where it stands. Where columns are few,
the matrix A = sum_i D_i x_i x_i' replaces them: the slopes G change by a row of A, whatever the
number of rows of features.

Fast-math: ``reassoc`` and ``nsz`` let a column's sum be taken in any order, ``contract`` fuses
multiply and add.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit

_FAST = {"contract", "reassoc", "nsz"}


@njit(cache=True, nogil=True)
def best_weight(weight: float, G: float, H: float, penalty: float) -> float:
    """Minimise G z + H z^2 / 2 + penalty |weight + z|, and give weight + z; stays where H is 0."""
    if H <= 0.0:
        return weight
    free = weight - G / H
    if free > penalty / H:
        return free - penalty / H
    if free < -penalty / H:
        return free + penalty / H
    return 0.0


@njit(cache=True, nogil=True)
def violation(weight: float, G: float, penalty: float) -> float:
    """How far 0 is from the subgradients of the model in one weight."""
    if weight > 0.0:
        return abs(G + penalty)
    if weight < 0.0:
        return abs(G - penalty)
    return max(0.0, abs(G) - penalty)


@njit(cache=True, nogil=True, fastmath=_FAST)
def _column_dot(data: Any, rows: Any, first: int, stop: int, vector: Any) -> float:
    """Return sum_i x_i vector_i of one column."""
    total = 0.0
    if len(rows) == 0:
        for i in range(stop - first):
            total += np.float64(data[first + i]) * vector[i]
    else:
        for k in range(first, stop):
            total += np.float64(data[k]) * vector[rows[k]]
    return total


@njit(cache=True, nogil=True, fastmath=_FAST)
def _shift(data: Any, rows: Any, first: int, stop: int, step: float, D: Any, P: Any) -> None:
    """P_i += step D_i x_i along one column."""
    if len(rows) == 0:
        for i in range(stop - first):
            P[i] += step * D[i] * np.float64(data[first + i])
    else:
        for k in range(first, stop):
            P[rows[k]] += step * D[rows[k]] * np.float64(data[k])


@njit(cache=True, nogil=True)
def descend(
    data: Any,
    rows: Any,
    starts: Any,
    penalty: Any,
    H: Any,
    D: Any,
    order: Any,
    slack: float,
    weights: Any,
    P: Any,
) -> Any:
    """Take the columns in this order, each to its best weight; weights and P change in place.

    A column of weight 0 whose slope is below its penalty by more than ``slack`` leaves: those that
    stay are moved to the front of ``order``. Returns how many stay, and the worst violation met.
    """
    stay, worst = 0, 0.0
    for place in range(len(order)):
        j = order[place]
        first, stop = starts[j], starts[j + 1]
        G = _column_dot(data, rows, first, stop, P)
        if weights[j] == 0.0 and abs(G) < penalty[j] - slack:
            continue
        order[stay] = j
        stay += 1
        worst = max(worst, violation(weights[j], G, penalty[j]))
        moved = best_weight(weights[j], G, H[j], penalty[j])
        if moved != weights[j]:
            _shift(data, rows, first, stop, moved - weights[j], D, P)
            weights[j] = moved
    return stay, worst


@njit(cache=True, nogil=True, fastmath=_FAST)
def descend_products(A: Any, penalty: Any, aim: float, most: int, weights: Any, G: Any) -> Any:
    """Do the same in order of the columns, of which A holds the products and G the slopes.

    Stops after an epoch in which no violation was above ``aim``, or after ``most``. Returns how
    many epochs it made.
    """
    for epoch in range(most):
        worst = 0.0
        for j in range(len(G)):
            worst = max(worst, violation(weights[j], G[j], penalty[j]))
            moved = best_weight(weights[j], G[j], A[j, j], penalty[j])
            step = moved - weights[j]
            if step != 0.0:
                weights[j] = moved
                line = A[j]
                for k in range(len(G)):
                    G[k] += step * line[k]
        if worst <= aim:
            return epoch + 1
    return most
