r"""A weight for every column, by descent on the error that left-out rows would make.

With prepared columns x_j and weights exp(theta_j), the distance of two rows is

    D_ik = sum_j exp(theta_j) |x_ij - x_kj|^p,    p = 1 or 2,

K = k(D), G = (K + r W^-1)^-1 and beta = G Y as in ``least_squares``. The criterion is the mean
square of the errors e_i = beta_i / G_ii that leaving rows out makes, plus a pull (lambda / 2)
|theta - theta_0|^2 towards where it began. As dG = -G dK G and dbeta = -G dK beta, with
a_i = 2 w_i e_i / G_ii and b_i = a_i' e_i,

    d(sum_i w_i e_i^2) = <M, dK>,    M = G diag(b) G - (G a beta' + beta a' G) / 2,

and dK / dtheta_j = k'(D) exp(theta_j) |x_ij - x_kj|^p entry by entry: one inverse, one product and
a pass over the columns give all slopes (automatic relevance determination: MacKay, "Bayesian
nonlinear modeling for the prediction competition", 1994; by leaving out: Cawley and Talbot,
"Preventing over-fitting during model selection via Bayesian regularisation of the
hyper-parameters", JMLR 8, 2007, who also show why the pull is needed). The ridge is found along.

Weights of the target's means stay as they were: the mean of a level was made from other rows'
targets, and errors of left-out rows are too kind to it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from maxmargin.kernels import RBF, Laplacian
from maxmargin.ops.clock import stop_if_over
from maxmargin.ops.engine import engine_of
from maxmargin.ops.positive_definite import invert
from maxmargin.tabular.candidate import Candidate
from maxmargin.tabular.distances import trend_kernel
from maxmargin.tabular.preparation import BLOCKS, KERNEL_BLOCKS, Rows
from maxmargin.tabular.task import Task

Vector = NDArray[np.float64]
Single = NDArray[np.float32]

EVALUATIONS = 25  # of the criterion
LEAST_FALL = 3e-4  # of the criterion in a step, relative to its first value; then the descent ends
LINE_SEARCH = 6  # evaluations in a step at most: single precision is noisy
MOST_PARTS = 300  # of prepared columns whose weights are looked for
LEAST_SHARE = 0.15  # of the larger of two twin columns' weights that the other begins with
LOWEST, HIGHEST = 6.0, 3.0  # how far the logarithm of a weight may go
RIDGES = (1e-4, 3.0)
_TWINS = (("standardised", "ranks", "steps"),)
_FREE = ("standardised", "ranks", "missing", "steps")
_FAILED = 1e3


def weigh_columns(task: Task, start: Candidate, pull: float) -> Candidate | None:
    """Return the candidate with a weight for each part of the columns; None where there is no gain.

    Parameters
    ----------
    task : Task
        Some hundred rows.
    start : Candidate
        Its kernel, weights and ridge are where the descent begins.
    pull : float
        How much it costs to go far.
    """
    parts = int(task.rows.group.max(initial=-1)) + 1
    free = _free_parts(task.rows, parts)
    if not 1 < free.sum() <= MOST_PARTS:
        return None
    begin = np.append(np.log(_first_weights(task.rows, start, parts)), np.log(start.ridge))
    criterion = LeftOutError(task, start, begin, pull, free)
    bounds = [(t - LOWEST, t + HIGHEST) if f else (t, t) for t, f in zip(begin, free, strict=False)]
    found = minimize(
        criterion.relative, begin, jac=True, method="L-BFGS-B",
        bounds=[*bounds, tuple(np.log(RIDGES))],
        options={"maxfun": EVALUATIONS, "maxls": LINE_SEARCH, "ftol": LEAST_FALL},
    )  # fmt: skip
    if not found.fun < 1.0:
        return None
    weights, ridge = np.exp(found.x[:-1]), float(np.exp(found.x[-1]))
    return replace(
        start, weights=(1.0,) * len(KERNEL_BLOCKS), columns=tuple(weights.tolist()),
        gamma=1.0, median=1.0, ridge=ridge,
    )  # fmt: skip


def _free_parts(rows: Rows, parts: int) -> NDArray[np.bool_]:
    """Say of each part of the columns whether its weight is looked for."""
    kinds = [BLOCKS.index(name) for name in _FREE]
    first = np.unique(rows.group, return_index=True)[1]
    return np.isin(rows.block[first], kinds)[:parts]


def _first_weights(rows: Rows, start: Candidate, parts: int) -> Vector:
    """Return the start's weights by part; of twin columns none begins at 0."""
    of_block = dict(zip(KERNEL_BLOCKS, start.weights, strict=True))
    for twins in _TWINS:
        least = LEAST_SHARE * max(of_block[name] for name in twins)
        of_block |= {name: max(of_block[name], least) for name in twins}
    known = replace(start, weights=tuple(of_block[name] for name in KERNEL_BLOCKS))
    first = np.unique(rows.group, return_index=True)[1]
    tiny = float(np.finfo(np.float32).tiny)
    return np.maximum(known.scales(rows)[first], tiny)[:parts]


class LeftOutError:
    """The criterion and its slopes, by the logarithms of weights and ridge.

    Only the weights of free parts may change; the distances along the others are computed once.
    """

    def __init__(
        self,
        task: Task,
        start: Candidate,
        begin: Vector,
        pull: float,
        free: NDArray[np.bool_] | None = None,
    ) -> None:
        self._absolute, self._profile = start.metric == "absolute", start.profile
        self._exponential = Laplacian(1.0) if self._absolute else RBF(1.0)
        X, group = np.asarray(task.rows.X, dtype=np.float32), task.rows.group
        moves = np.ones(len(group), bool) if free is None else free[group]
        self._X, self._group = np.ascontiguousarray(X[:, moves]), group[moves]
        self._parts, self._first = len(begin) - 1, 0.0
        others = X[:, ~moves] * self._scale(begin, group[~moves])
        self._fixed = self._distances(others) if others.shape[1] else np.float32(0.0)
        self._trend = trend_kernel(task.rows, start.trend)
        self._Y = task.Y.astype(np.float32)
        weight = np.ones(len(task)) if task.weight is None else task.weight
        self._weight = weight / weight.mean()
        total = float((self._weight[:, None] * np.square(task.Y)).sum())
        self._share = (self._weight / (total or 1.0)).astype(np.float32)[:, None]
        self._begin, self._pull = begin, pull

    def relative(self, theta: Vector) -> tuple[float, Vector]:
        """Return the criterion and its gradient, both divided by its first value."""
        value, gradient = self(theta)
        self._first = self._first or value or 1.0
        return value / self._first, gradient / self._first

    def __call__(self, theta: Vector) -> tuple[float, Vector]:
        """Return the criterion and its gradient."""
        stop_if_over()
        rows = self._X * self._scale(theta, self._group)
        slack = np.exp(theta[-1]) / self._weight
        K, slope = self._kernel(self._distances(rows) + self._fixed)
        K += self._trend
        K.flat[:: len(K) + 1] += slack.astype(np.float32)
        if not invert(K):
            return _FAILED, np.zeros_like(theta)
        error, M = self._error(K)
        by_column = self._by_column(rows, M * slope)
        gradient: Vector = np.bincount(self._group, by_column, self._parts).astype(np.float64)
        off = theta - self._begin
        gradient = np.append(gradient, float(M.diagonal() @ slack)) + self._pull * off
        return error + 0.5 * self._pull * float(off @ off), gradient

    def _error(self, G: Single) -> tuple[float, Single]:
        """Return the error of left-out rows and its slopes by the kernel's values."""
        beta, diagonal = G @ self._Y, G.diagonal()[:, None]
        errors = beta / diagonal
        a = 2.0 * self._share * errors / diagonal
        half = G * np.sqrt((a * errors).sum(axis=1))
        both = (G @ a) @ beta.T
        M = half @ half.T - np.float32(0.5) * (both + both.T)
        return float((self._share * errors * errors).sum(dtype=np.float64)), M

    def _scale(self, theta: Vector, group: NDArray[np.intp]) -> Single:
        return np.exp(theta[group] * (1.0 if self._absolute else 0.5)).astype(np.float32)

    def _distances(self, rows: Single) -> Single:
        D = np.empty((len(rows), len(rows)), np.float32)
        points = self._exponential.prepare(rows)
        self._exponential.distances(points, points, D)
        return D

    def _kernel(self, D: Single) -> tuple[Single, Single]:
        """Return the kernel of distances and its slope."""
        if self._profile == "exponential":
            K = np.exp(-D)
            return K, -K
        if self._profile == "rational quadratic":
            K = 1.0 / (1.0 + D)
            return K, -K * K
        smooth = self._profile == "matern 5/2"
        root = np.sqrt(np.float32(5.0 if smooth else 3.0) * D)
        near = np.exp(-root)
        if smooth:
            linear = (1.0 + root) * near
            return linear + np.square(root) * near / np.float32(3.0), np.float32(-5 / 6) * linear
        return (1.0 + root) * near, np.float32(-1.5) * near

    def _by_column(self, rows: Single, weight: Single) -> Vector:
        """Return sum_ik weight_ik |x_ij - x_kj|^p of every column j."""
        if self._absolute:
            out = np.empty(rows.shape[1])
            engine_of(rows).kernel_l1.l1_by_column(rows, np.ascontiguousarray(weight), out)
            return out
        total = weight.sum(axis=1)
        squares = (np.square(rows) * total[:, None]).sum(axis=0)
        return np.asarray(2.0 * (squares - (rows * (weight @ rows)).sum(axis=0)), np.float64)
