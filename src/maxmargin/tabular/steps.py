r"""Where the target jumps along a column of numbers.

A kernel of distances is smooth in every column, so it learns a jump only as fast as rows crowd
beside it. Trees cut there at once. So a column in which the target plainly jumps appears once more,
as a staircase: flat between the jumps, and as high at each as the target jumps there.

A jump is told from a trend by what it adds to a smooth curve. With an orthonormal basis Q of smooth
functions of the column, extended by every jump found before, residuals r and the indicator s_t of
rows below t,

    gain(t) = (s_t' r)^2 / (|s_t|^2 - |Q' s_t|^2)

is how much the squared error falls by adding s_t; sums over sorted rows have it for all t at once
(forward selection of knots: Friedman and Silverman, "Flexible parsimonious smoothing and additive
modeling", Technometrics 31, 1989). Its ratio to the error's variance is compared with what the
largest of so many ratios is where there is no jump.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[Any]

MOST_STEPS = 3
LEAST_RATIO = 25.0  # of a gain to the error's variance; chance alone has less in 60 columns
LEAST_BESIDE = 5.0  # rows' worth of freedom that the smooth curve leaves a step
DEGREE = 3  # of the curve by ranks, and one less by values


def find_steps(values: Vector, scores: Vector, target: Matrix, weight: Vector) -> Matrix:
    """Return thresholds between values and how far the target jumps there, a line a step.

    Parameters
    ----------
    values : ndarray of shape (rows,)
        Of the column; finite.
    scores : ndarray of shape (rows,)
        Standardised ranks of the values.
    target : ndarray of shape (rows, outputs)
    weight : ndarray of shape (rows,)
        How often each row counts.

    Examples
    --------
    >>> x = np.linspace(0.0, 1.0, 400)
    >>> noise = np.random.default_rng(0).normal(size=400)
    >>> y = x + (x > 0.3) + 0.1 * noise
    >>> [[threshold, _]] = find_steps(x, x, y[:, None], np.ones(400))
    >>> round(float(threshold), 2)
    0.3
    >>> len(find_steps(x, x, (np.sin(x) + 0.1 * noise)[:, None], np.ones(400)))
    0
    """
    order = np.argsort(values, kind="stable")
    x, root = values[order], np.sqrt(weight[order] / weight.mean())
    edges = np.flatnonzero(np.diff(x) > 0) + 1
    found: list[tuple[float, float]] = []
    if len(edges) <= MOST_STEPS or not target.shape[1]:
        return np.zeros((0, 2))
    Q = _smooth_basis(x, scores[order], root)
    residual = target[order] * root[:, None]
    residual = residual - Q @ (Q.T @ residual)
    while len(found) < MOST_STEPS:
        best = _best_edge(edges, Q, residual, root)
        if best is None:
            break
        step = np.where(np.arange(len(x)) < best, root, 0.0)
        step -= Q @ (Q.T @ step)
        length = float(np.linalg.norm(step))
        slope = step @ residual / length
        found.append((_between(x[best - 1], x[best]), float(np.abs(slope).max()) / length))
        Q = np.column_stack([Q, step / length])
        residual = residual - np.outer(step / length, slope)
    return np.array(sorted(found)).reshape(-1, 2)


def _smooth_basis(x: Vector, scores: Vector, root: Vector) -> Matrix:
    """Return an orthonormal basis of low powers of values and of ranks."""
    largest = float(np.abs(x).max()) or 1.0
    scaled = x / largest
    spread = float(scaled.std()) or 1.0
    scaled = np.clip((scaled - scaled.mean()) / spread, -DEGREE, DEGREE)
    powers = [scores**power for power in range(DEGREE + 1)]
    powers += [scaled**power for power in range(1, DEGREE)]
    U, sizes, _ = np.linalg.svd(np.column_stack(powers) * root[:, None], full_matrices=False)
    basis: Matrix = U[:, sizes > 1e-6 * sizes[0]]
    return basis


def _best_edge(edges: NDArray[np.intp], Q: Matrix, residual: Matrix, root: Vector) -> int | None:
    """Return the edge below which an indicator helps most; None where that may be chance."""
    rows = np.cumsum(root * root)[edges - 1]
    inside = np.cumsum(Q * root[:, None], axis=0)[edges - 1]
    sums = np.cumsum(residual * root[:, None], axis=0)[edges - 1]
    length = rows - np.square(inside).sum(axis=1)
    variance = np.square(residual).mean(axis=0)
    free = length > LEAST_BESIDE
    ratio = np.square(sums) / np.maximum(length, LEAST_BESIDE)[:, None]
    ratio /= np.maximum(variance, np.finfo(float).tiny)
    gain = np.where(free, ratio.max(axis=1), 0.0)
    best = int(gain.argmax())
    chance = LEAST_RATIO + 2.0 * float(np.log(residual.shape[1]))
    return int(edges[best]) if gain[best] > chance and variance.max() > 0 else None


def _between(low: float, high: float) -> float:
    """Return a number from low on and below high, at any size of the numbers."""
    middle = 0.5 * low + 0.5 * high
    return float(middle if low <= middle < high else low)
