"""Stochastic steps down the subgradient of the hinge, each projected on a ball (Pegasos).

Shalev-Shwartz, Singer, Srebro, "Pegasos: primal estimated sub-gradient solver for SVM", ICML 2007,
figure 1 with one row a step. With w = theta, lambda > 0 and a row i drawn, step number s is

    w <- (1 - 1/s) w + [t_i w'x_i < 1] t_i x_i / (lambda s),    then   w <- min(1, r / |w|) w

A factor of all of w would cost O(columns) a step, so w = a v / (lambda s) is kept as v and a: the
first factor is then in s, the second in a, and a row costs the values that it has.

``reassoc`` and ``contract`` let a row's product be summed in vector registers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit

_FAST = {"contract", "reassoc", "nsz"}
_TINY = 1e-100  # a below which v takes it over, long before it underflows


@njit(cache=True, nogil=True, fastmath=_FAST)
def _dot(data: Any, indices: Any, first: int, stop: int, v: Any) -> float:
    total = 0.0
    if len(indices) == 0:
        for k in range(stop - first):
            total += data[first + k] * v[k]
    else:
        for k in range(first, stop):
            total += data[k] * v[indices[k]]
    return total


@njit(cache=True, nogil=True, fastmath=_FAST)
def _add(data: Any, indices: Any, first: int, stop: int, step: float, v: Any) -> None:
    if len(indices) == 0:
        for k in range(stop - first):
            v[k] += step * data[first + k]
    else:
        for k in range(first, stop):
            v[indices[k]] += step * data[k]


@njit(cache=True, nogil=True)
def pegasos(
    data: Any,
    indices: Any,
    indptr: Any,
    constant: float,
    t: Any,
    norms: Any,
    order: Any,
    weight: float,
    radius: float,
    v: Any,
    short: Any,
    drawn: Any,
    state: Any,
) -> None:
    """Make a step with each row of ``order``; ``weight`` is lambda, ``norms`` are the |x_i|^2.

    v, and ``state``, which holds s, a and |v|^2, change in place; ``drawn`` counts the draws of
    each row and ``short`` those at which it was short of its margin.
    """
    s, a, square = state[0], state[1], state[2]
    for position in range(len(order)):
        i = order[position]
        first, stop = indptr[i], indptr[i + 1]
        f = _dot(data, indices, first, stop, v)
        if constant != 0.0:
            f += constant * v[-1]
        drawn[i] += 1.0
        is_short = s == 0.0 or t[i] * a * f < weight * s
        s += 1.0
        if is_short:
            short[i] += 1.0
            step = t[i] / a
            _add(data, indices, first, stop, step, v)
            if constant != 0.0:
                v[-1] += step * constant
            square += 2.0 * step * f + step * step * norms[i]
        if a * a * square > (radius * weight * s) ** 2:
            a = radius * weight * s / np.sqrt(square)
        if a < _TINY:
            v *= a
            square *= a * a
            a = 1.0
    state[0], state[1], state[2] = s, a, square
