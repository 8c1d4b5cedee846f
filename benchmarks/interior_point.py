"""The hinge loss by a primal-dual interior point method, for many rows of few columns.

With u = (w, b) and G = diag(t) (X, 1):  min u'Ru / 2 + C sum xi  s.t.  G u + xi - s = 1,
xi, s >= 0. Its optimality conditions, with beta = C - alpha, and the system of a Newton step:

    R u = G'alpha,  alpha s = 0,  beta xi = 0;      (R + G'D^-1 G) du = ..,  D = xi/beta + s/alpha

Ferris and Munson, Interior-point methods for massive support vector machines, SIAM J. Optim. 13
(2002); predictor and corrector as in Mehrotra, SIAM J. Optim. 2 (1992).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.contest import C
from benchmarks.linear_judge import Array
from benchmarks.rows import PRECISE, Rows, Solution

Positive = tuple[Array, Array, Array, Array]
"""alpha, beta, s, xi, all of them above zero."""


def interior_point(rows: Rows, steps: int = 100) -> Solution:
    u, n = np.zeros(len(rows.R)), len(rows.t)
    now: Positive = (np.full(n, C / 2), np.full(n, C / 2), np.ones(n), np.full(n, 2.0))
    for _ in range(steps):
        if rows.gap(u, now[0]) <= PRECISE:
            break
        du, change = _direction(rows, u, now)
        step = min(1.0, 0.99 * _room(now, change))
        u = u + step * du
        now = _moved(now, change, step)
    return rows.solution(u, now[0])


def _direction(rows: Rows, u: Array, now: Positive) -> tuple[Array, Positive]:
    alpha, beta, s, xi = now
    towards = _newton(rows, u, now)
    _, guess = towards(-alpha * s, -beta * xi)
    here, there = _products(now), _products(_moved(now, guess, min(1.0, _room(now, guess))))
    aim = here * (there / here) ** 3
    da, db, ds, dx = guess
    return towards(aim - alpha * s - da * ds, aim - beta * xi - db * dx)


def _newton(
    rows: Rows, u: Array, now: Positive
) -> Callable[[Array, Array], tuple[Array, Positive]]:
    alpha, beta, s, xi = now
    D = xi / beta + s / alpha
    solve = rows.system(1 / D)
    dual, primal = rows.backward(alpha) - rows.R * u, 1 - rows.forward(u) - xi + s

    def towards(surplus: Array, slack: Array) -> tuple[Array, Positive]:
        """The step that changes alpha s and beta xi by so much, to first order."""
        right = primal - slack / beta + surplus / alpha
        du = solve(dual + rows.backward(right / D))
        da = (right - rows.forward(du)) / D
        return du, (da, -da, (surplus - s * da) / alpha, (slack + xi * da) / beta)

    return towards


def _products(now: Positive) -> float:
    alpha, beta, s, xi = now
    return float(alpha @ s + beta @ xi) / (2 * len(alpha))


def _moved(now: Positive, change: Positive, step: float) -> Positive:
    alpha, beta, s, xi = (v + step * d for v, d in zip(now, change, strict=True))
    return alpha, beta, s, xi


def _room(now: Positive, change: Positive) -> float:
    """The longest step that leaves all of them positive."""
    pairs = zip(now, change, strict=True)
    return min(float(np.min(-v[d < 0] / d[d < 0], initial=np.inf)) for v, d in pairs)
