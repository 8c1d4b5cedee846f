"""What boosting descends: the total loss of the training rows as a function of their predictions.

    rows    L(z) = sum_i w_i loss(z_i, t_i)
    pairs   L(z) = sum over pairs of a query, see ``losses/ranking.py``

At a point z it gives the mean loss, the pull -dL/dz_i and the curvature d2L/dz_i^2 of every row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from maxmargin.losses import Exponential, Logistic, Loss, PairwiseLogistic, Queries
from maxmargin.losses.base import newton_step
from maxmargin.ops.cpu.gradient import exponential_pass, logistic_pass
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]

_PIECE = 1 << 15  # rows to a piece of work

_PASSES: dict[Loss, Any] = {Logistic(): logistic_pass, Exponential(): exponential_pass}


@dataclass
class Point:
    """Predictions of the training rows, with the loss and its derivatives there."""

    z: Vector
    value: float
    pull: Vector
    curvature: Vector | None

    @classmethod
    def empty(cls, n_rows: int) -> Self:
        """Make room for the numbers of so many rows."""
        return cls(np.empty(n_rows), np.nan, np.empty(n_rows), np.empty(n_rows))


class Objective(Protocol):
    """A total loss of rows."""

    weight: Vector
    """Of the rows, for a least-squares fit to their pull."""

    def evaluate(self, point: Point) -> None:
        """Fill in value, pull and curvature at point.z."""
        ...

    def value(self, z: Vector) -> float:
        """Give the mean loss at z."""
        ...

    def slope(self, z: Vector, h: Vector) -> float:
        """Give the derivative of the total loss at z along h."""
        ...

    def fitted_to(self, z: Vector) -> Objective:
        """Give the objective to use around z."""
        ...

    def best_constant(self) -> float:
        """Give the best prediction that is the same for all rows."""
        ...

    def shifts(self, point: Point, leaf: NDArray[Any], n_leaves: int) -> Vector:
        """Give the step of each leaf."""
        ...


class Rows:
    """The weighted sum of a loss over rows.

    Parameters
    ----------
    loss : Loss
    t : ndarray of shape (rows,)
        Targets.
    weight : ndarray of shape (rows,)
    workers : Workers
    """

    def __init__(self, loss: Loss, t: Vector, weight: Vector, workers: Workers) -> None:
        self.loss, self.t, self.weight = loss, t, weight
        self._workers, self._total = workers, float(weight.sum())
        self._newton = loss.smooth and loss.has_curvature and _shifts_by_newton(loss)

    def fitted_to(self, z: Vector) -> Rows:
        """Give itself, or the sum of a loss whose parameters follow the residuals."""
        loss = self.loss.fitted_to(z, self.t, self.weight)
        return self if loss is self.loss else Rows(loss, self.t, self.weight, self._workers)

    def evaluate(self, point: Point) -> None:
        """Fill in value, pull and curvature at point.z."""
        if self.loss in _PASSES:
            point.value = self._compiled(point) / self._total
            return
        z, t, weight = point.z, self.t, self.weight
        point.value = self.value(z)
        point.pull = -weight * self.loss.derivative(z, t)
        point.curvature = weight * self.loss.curvature(z, t) if self._newton else None

    def _compiled(self, point: Point) -> float:
        starts = range(0, len(point.z), _PIECE)
        sums = np.zeros(len(starts))
        arrays, one_pass = (point.z, self.t, self.weight), _PASSES[self.loss]

        def work(k: int) -> None:
            stop = min((k + 1) * _PIECE, len(point.z))
            sums[k] = one_pass(*arrays, k * _PIECE, stop, point.pull, point.curvature)

        self._workers.each(work, range(len(starts)))
        return float(sums.sum())

    def value(self, z: Vector) -> float:
        """Give the mean loss at z."""
        return float(self.weight @ self.loss.value(z, self.t)) / self._total

    def slope(self, z: Vector, h: Vector) -> float:
        """Give the derivative of the total loss at z along h."""
        return float((self.weight * self.loss.derivative(z, self.t)) @ h)

    def best_constant(self) -> float:
        """Give the best prediction that is the same for all rows."""
        return self.loss.best_shift(np.zeros(len(self.t)), self.t, self.weight)

    def shifts(self, point: Point, leaf: NDArray[Any], n_leaves: int) -> Vector:
        """Give each leaf a Newton step, or the step that its loss takes instead."""
        if self._newton and point.curvature is not None:
            return newton_shifts(point, leaf, n_leaves)
        rows = [np.flatnonzero(leaf == k) for k in range(n_leaves)]
        return np.array([self._shift(point.z, r) if len(r) else 0.0 for r in rows])

    def _shift(self, z: Vector, rows: NDArray[np.intp]) -> float:
        return self.loss.newton_shift(z[rows], self.t[rows], self.weight[rows])


class Pairs:
    """The pairwise loss of a ranking.

    Parameters
    ----------
    loss : PairwiseLogistic
    queries : Queries
    weight : ndarray of shape (rows,)
        Of rows; pairs weigh the product.
    workers : Workers
    """

    def __init__(
        self, loss: PairwiseLogistic, queries: Queries, weight: Vector, workers: Workers
    ) -> None:
        self.loss, self.queries, self.weight, self._workers = loss, queries, weight, workers

    def fitted_to(self, z: Vector) -> Pairs:  # noqa: ARG002
        """Give itself."""
        return self

    def evaluate(self, point: Point) -> None:
        """Fill in value, pull and curvature at point.z."""
        total, point.pull, point.curvature = self._calculus(point.z)
        point.value = total / self.queries.pairs

    def _calculus(self, z: Vector) -> tuple[float, Vector, Vector]:
        return self.loss.calculus(z, self.queries, self._workers)

    def value(self, z: Vector) -> float:
        """Give the mean loss of a pair at z."""
        return self._calculus(z)[0] / self.queries.pairs

    def slope(self, z: Vector, h: Vector) -> float:
        """Give the derivative of the total loss at z along h."""
        return -float(self._calculus(z)[1] @ h)

    def best_constant(self) -> float:
        """Give 0, since only differences count."""
        return 0.0

    def shifts(self, point: Point, leaf: NDArray[Any], n_leaves: int) -> Vector:
        """Give each leaf a Newton step by the diagonal of the Hessian, which is a short one."""
        return newton_shifts(point, leaf, n_leaves)


def newton_shifts(point: Point, leaf: NDArray[Any], n_leaves: int) -> Vector:
    """Give each leaf the Newton step sum of pull / sum of curvature."""
    assert point.curvature is not None
    G = np.bincount(leaf, point.pull, n_leaves)
    H = np.bincount(leaf, point.curvature, n_leaves)
    return np.array([newton_step(-g, h) for g, h in zip(G, H, strict=True)])


def _shifts_by_newton(loss: Loss) -> bool:
    """Whether the loss takes plain Newton steps, so that sums over leaves are all they need."""
    return type(loss).newton_shift is Loss.newton_shift
