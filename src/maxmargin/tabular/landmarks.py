r"""A least-squares machine in the span of a few landmarks, which all rows teach.

With landmarks z_1, ..., z_m among the rows, k_i = (k(z_1, x_i), ..., k(z_m, x_i)), K their own
matrix, targets y_i of mean 0 (a column an output), weights w_i and a ridge r > 0:

    min_beta  beta'K beta / 2 + sum_i w_i / (2 r) |beta'k_i - y_i|^2,

whose optimum solves (S + r K) beta = sum_i w_i k_i y_i' with S = sum_i w_i k_i k_i' (the subset of
regressors: Smola and Schoelkopf, "Sparse greedy matrix approximation for machine learning", ICML
2000; Rudi, Camoriano and Rosasco, "Less is more: Nystroem computational regularization", NIPS
2015). S is summed over the rows a block at a time, so memory does not grow with their number, and
one S serves all ridges. It squares the condition of K, so all of this is in double precision.
Landmarks are drawn by their ridge leverage scores (Musco and Musco 2017).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from maxmargin.certify import Certificate, LinearPoint, Status, judge
from maxmargin.certify.linear import Lengths
from maxmargin.kernels import Kernel
from maxmargin.kernels.approximation import draw_by_leverage, inverse_root
from maxmargin.losses import SquaredError
from maxmargin.ops.clock import Clock
from maxmargin.ops.threads import side_by_side
from maxmargin.problems import LinearProblem

Vector = NDArray[np.float64]
Matrix = NDArray[Any]
Index = NDArray[np.intp]

POOL = 10_000  # rows that landmarks are drawn from
BLOCK = 2048  # rows whose kernel values are in memory at a time, for each group
GROUPS = 8  # partial sums of blocks; their number is fixed, and so are the bits of the whole
TOLERANCE = 1e-3  # relative gap that a machine of landmarks is certified by


@dataclass(frozen=True)
class Sums:
    """S and sum_i w_i k_i y_i' of some rows."""

    square: Vector
    product: Vector

    def without(self, part: Sums) -> Sums:
        """Take the sums of some of the rows off."""
        return Sums(self.square - part.square, self.product - part.product)


@dataclass(frozen=True)
class Landmarks:
    """Some rows, and what their kernel matrix is needed for."""

    kernel: Kernel
    places: Index
    points: Any
    """As the kernel wants them."""
    root: Vector
    """K^-1/2, of which directions that rounding has made up are left out."""

    @classmethod
    def draw(cls, kernel: Kernel, X: Matrix, count: int, seed: int) -> Landmarks:
        """Draw landmarks from scaled rows."""
        random = np.random.RandomState(seed)
        pool = np.sort(random.permutation(len(X))[:POOL])
        count = min(count, len(pool) // 2)
        chosen = draw_by_leverage(kernel, kernel.prepare(X[pool]), count, random)
        places = np.sort(pool[chosen])
        points = kernel.prepare(X[places].astype(np.float64))
        root = inverse_root(kernel.block(points, points), np.float64).matrix
        return cls(kernel, places, points, root)

    def block(self, X: Matrix) -> Matrix:
        """Return the kernel values of scaled rows and landmarks."""
        return self.kernel.block(self.kernel.prepare(X.astype(np.float64)), self.points)

    def solve(self, sums: Sums, ridge: float) -> tuple[Vector, Vector]:
        """Return the coefficients, a column an output, and those of the features K^-1/2 k."""
        A = self.root @ sums.square @ self.root
        B = self.root @ sums.product
        lift = ridge
        while True:  # what rounding did to S may outweigh a small ridge
            try:
                factor = cho_factor(A + lift * np.eye(len(A)), overwrite_a=True)
                break
            except LinAlgError:
                lift *= 10.0
        theta = cho_solve(factor, B)
        return self.root @ theta, theta


def _pieces(count: int) -> list[list[slice]]:
    """Cut rows into blocks and deal them to the groups, spread over all rows from the first on."""
    blocks = [slice(first, first + BLOCK) for first in range(0, count, BLOCK)]
    order = np.random.default_rng(0).permutation(len(blocks)).tolist()
    return [[blocks[i] for i in order[group::GROUPS]] for group in range(GROUPS)]


def add_up(
    landmarks: Landmarks, X: Matrix, Y: Vector, weight: Vector, clock: Clock, n_jobs: int | None
) -> Sums:
    """Add up the sums of rows; of those that time allows, one block of each group at least."""
    m = len(landmarks.places)

    def work(parts: list[slice]) -> Sums:
        square, product = np.zeros((m, m)), np.zeros((m, Y.shape[1]))
        for number, part in enumerate(parts):
            if number and clock.over():
                break
            K = landmarks.block(X[part])
            weighed = K * weight[part, None]
            square += K.T @ weighed
            product += weighed.T @ Y[part]
        return Sums(square, product)

    found = side_by_side(work, _pieces(len(X)), n_jobs)
    return Sums(
        np.sum([each.square for each in found], axis=0),
        np.sum([each.product for each in found], axis=0),
    )


@dataclass(frozen=True)
class Values:
    """What a machine says of all rows, and the sums over rows by which it is judged."""

    values: Vector
    back: Vector
    """sum_i beta_i k_i for the duals beta_i = (w_i / r) (y_i - f_i)."""
    complete: bool


def evaluate(
    landmarks: Landmarks,
    beta: Vector,
    X: Matrix,
    Y: Vector,
    cost: Vector,
    clock: Clock,
    n_jobs: int | None,
) -> Values:
    """Evaluate a machine on its own rows; those that time does not allow for have the value 0."""
    values = np.zeros(Y.shape)

    def work(parts: list[slice]) -> tuple[Vector, bool]:
        back = np.zeros(beta.shape)
        for part in parts:
            if clock.over():
                return back, False
            K = landmarks.block(X[part])
            values[part] = K @ beta
            back += K.T @ (cost[part, None] * (Y[part] - values[part]))
        return back, True

    found = side_by_side(work, _pieces(len(X)), n_jobs)
    back = np.sum([part for part, _ in found], axis=0)
    return Values(values, back, all(done for _, done in found))


def judge_landmarks(
    landmarks: Landmarks, theta: Vector, known: Values, Y: Vector, cost: Vector
) -> Iterator[Certificate]:
    """Judge a machine output by output, as one of all functions in the landmarks' span."""
    count, dtype = len(landmarks.places), np.dtype(np.float64)
    lengths = Lengths(np.ones(len(Y)), 0.0, count)
    stopped = None if known.complete else Status.TIME_LIMIT
    for output in range(Y.shape[1]):
        problem = LinearProblem(SquaredError(), np.array(Y[:, output]), cost, "l2", False)
        dual = cost * (Y[:, output] - known.values[:, output])
        back = landmarks.root @ known.back[:, output]
        point = LinearPoint(
            theta[:, output], known.values[:, output], dual, back, dtype, None, lengths
        )
        judged = judge(problem, point, TOLERANCE, stopped)
        yield replace(judged, about=f"of the problem in the span of {count:,} landmarks")
