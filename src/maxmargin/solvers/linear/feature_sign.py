r"""Feature-sign search: a parabola plus an l1 penalty, minimised exactly.

Problem, for a positive semidefinite A, slopes G at the weights given and penalties p >= 0:

    min_w  G'(w - w0) + (w - w0)'A (w - w0) / 2 + sum_j p_j |w_j|.

Among weights of fixed signs the penalty is linear and the minimum one linear system; on the way
there the objective is least either at its end or where a weight changes sign, and the search goes
on from the best of these (Lee, Battle, Raina, Ng, "Efficient sparse coding algorithms", NIPS 2006,
algorithm 1). Then the weight of 0 joins whose slope is most above its penalty. The objective falls
with every step and there are finitely many signs, so it ends; in practice after about as many steps
as weights that are not 0. Coordinates, one at a time, need thousands of epochs where columns are
nearly parallel.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs

Vector = NDArray[np.float64]

_JITTER = 1e-14  # of a diagonal of ones: columns may repeat each other
_STEPS = 3  # for each weight; more are cycles of rounding


def minimise(
    A: Vector, penalty: Vector, aim: float, weights: Vector, G: Vector, over: Callable[[], bool]
) -> Vector:
    """Go on from these weights, where the parabola has slopes G, until nothing violates by more.

    Each step lowers the objective, so it may end at any of them, and does when time is over.
    """
    w, slopes = weights.copy(), G.copy()
    for _ in range(_STEPS * len(w)):
        signs = np.sign(w)
        violation = np.where(w != 0, np.abs(slopes + penalty * signs), np.abs(slopes) - penalty)
        if violation.max(initial=0.0) <= aim or over():
            break
        idle = np.where(w != 0, -np.inf, violation)
        if violation[w != 0].max(initial=0.0) <= aim:  # these signs are done
            joins = int(idle.argmax())
            signs[joins] = -np.sign(slopes[joins])
        moved = _towards(A, penalty, signs, w, slopes)
        if moved is None:
            break
        slopes = slopes + A @ (moved - w)
        w = moved
    return w


def _towards(A: Vector, penalty: Vector, signs: Vector, w: Vector, slopes: Vector) -> Vector | None:
    """Go to the best point between here and the minimum for these signs; None if this is it."""
    some = np.flatnonzero(signs)
    step = np.zeros(len(w))
    solved = _solve(A[np.ix_(some, some)], slopes[some] + penalty[some] * signs[some])
    if solved is None:
        return None
    step[some] = -solved
    with np.errstate(divide="ignore", invalid="ignore"):
        turns = -w / step
    turns = np.where((w != 0) & (turns > 0) & (turns < 1), turns, 1.0)
    lengths = np.unique(np.append(turns, 1.0))
    slope, bend = float(slopes @ step), float(step @ A @ step)
    sizes = np.abs(w + lengths[:, None] * step) @ penalty
    values = lengths * slope + 0.5 * lengths**2 * bend + sizes
    best = int(values.argmin())
    if not values[best] < float(np.abs(w) @ penalty):
        return None
    moved: Vector = w + lengths[best] * step
    moved[turns == lengths[best]] *= lengths[best] == 1.0  # exactly 0 where a sign would change
    return moved


def _solve(A: Vector, right: Vector) -> Vector | None:
    scale = 1.0 / np.sqrt(np.maximum(A.diagonal(), np.finfo(np.float64).tiny))
    matrix = A * scale * scale[:, None]
    matrix[np.diag_indices_from(matrix)] += _JITTER * len(matrix)
    factor, failed = dpotrf(matrix, lower=1, clean=0)
    if failed or not np.isfinite(scale).all():
        return None
    solution: Vector = scale * dpotrs(factor, scale * right, lower=1)[0]
    return solution
