"""The objective that boosting descends: the total loss of rows as a function of predictions.

    rows    L(z) = sum_i w_i loss(z_i, t_i)
    hinge   the same, rounded off: single steps get stuck at kinks that many rows share
    pairs   L(z) = sum over pairs of a query, see ``losses/ranking.py``

At a point z it gives the mean loss, the pull -dL/dz_i and the curvature d2L/dz_i^2 of every row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from maxmargin.boosting.leaf_step import newton_leaf_steps, step_by_leaf
from maxmargin.losses import Exponential, Hinge, Logistic, Loss, PairwiseLogistic, Queries
from maxmargin.losses.descent import minimise
from maxmargin.ops.engine import engine_of
from maxmargin.ops.pieces import Pieces
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]

_PASSES: dict[Loss, str] = {Logistic(): "logistic_pass", Exponential(): "exponential_pass"}


@dataclass
class ObjectivePoint:
    """Predictions of the training rows, with the loss and its derivatives there."""

    z: Vector
    value: float
    pull: Vector
    curvature: Vector | None

    @classmethod
    def empty(cls, n_rows: int) -> Self:
        """Allocate arrays for a number of rows."""
        return cls(np.empty(n_rows), np.nan, np.empty(n_rows), np.empty(n_rows))


class Objective(Protocol):
    """A total loss of rows."""

    weight: Vector
    """Of the rows, for a least-squares fit to their pull."""

    @property
    def size(self) -> float:
        """By what the total loss is divided to be the mean."""
        ...

    def evaluate(self, point: ObjectivePoint) -> None:
        """Fill in value, pull and curvature at point.z."""
        ...

    def value(self, z: Vector) -> float:
        """Return the mean loss at z."""
        ...

    def slope(self, z: Vector, h: Vector) -> float:
        """Return the derivative of the total loss at z along h."""
        ...

    def fitted_to(self, z: Vector) -> Objective:
        """Return the objective to use around z."""
        ...

    def like(self, other: Any) -> Objective:
        """Return the objective of these rows with the parameters of another."""
        ...

    def best_constant(self) -> float:
        """Return the best prediction that is the same for all rows."""
        ...

    def leaf_steps(self, point: ObjectivePoint, leaf: NDArray[Any], n_leaves: int) -> Vector:
        """Return the step of each leaf."""
        ...

    def best_leaf_steps(self, point: ObjectivePoint, leaf: NDArray[Any], n_leaves: int) -> Vector:
        """Return the best step of each leaf, if a search finds it."""
        ...


class RowObjective:
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
        self._pieces = Pieces(len(weight), workers)
        # Plain Newton steps need only sums over leaves.
        plain = type(loss).newton_shift is Loss.newton_shift
        self._newton = loss.smooth and loss.has_curvature and plain

    @property
    def size(self) -> float:
        """The sum of the weights."""
        return self._total

    def fitted_to(self, z: Vector) -> RowObjective:
        """Return the objective itself, or one whose loss parameters depend on the residuals."""
        return self._with(self.loss.fitted_to(z, self.t, self.weight))

    def like(self, other: RowObjective) -> RowObjective:
        """Return the sum of another objective's loss over these rows."""
        return self._with(other.loss)

    def _with(self, loss: Loss) -> RowObjective:
        same = loss is self.loss
        return self if same else type(self)(loss, self.t, self.weight, self._workers)

    def evaluate(self, point: ObjectivePoint) -> None:
        """Fill in value, pull and curvature at point.z."""
        if self.loss in _PASSES:
            point.value = self._compiled(point) / self._total
            return
        point.value = self.value(point.z)
        point.pull = -self.weight * self._derivative(point.z, self.t)
        bend = self._curvature(point.z, self.t) if self._newton else None
        point.curvature = None if bend is None else self.weight * bend

    def _value(self, z: Vector, t: Vector) -> Vector:
        return self.loss.value(z, t)

    def _derivative(self, z: Vector, t: Vector) -> Vector:
        return self.loss.derivative(z, t)

    def _curvature(self, z: Vector, t: Vector) -> Vector:
        return self.loss.curvature(z, t)

    def _compiled(self, point: ObjectivePoint) -> float:
        arrays, written = (point.z, self.t, self.weight), (point.pull, point.curvature)
        one_pass = getattr(engine_of(point.z).gradient, _PASSES[self.loss])
        (total,) = self._pieces.sum(lambda a, b: (one_pass(*arrays, a, b, *written),))
        return float(total)

    def value(self, z: Vector) -> float:
        """Return the mean loss at z."""
        return float(self.weight @ self._value(z, self.t)) / self._total

    def slope(self, z: Vector, h: Vector) -> float:
        """Return the derivative of the total loss at z along h."""
        return float((self.weight * self._derivative(z, self.t)) @ h)

    def best_constant(self) -> float:
        """Return the best prediction that is the same for all rows."""
        return self._best_shift(np.zeros(len(self.t)), np.arange(len(self.t)))

    def _best_shift(self, z: Vector, rows: NDArray[np.intp]) -> float:
        return self.loss.best_shift(z[rows], self.t[rows], self.weight[rows])

    def leaf_steps(self, point: ObjectivePoint, leaf: NDArray[Any], n_leaves: int) -> Vector:
        """Set each leaf to a Newton step, or to the step that its loss defines."""
        if self._newton and point.curvature is not None:
            return newton_leaf_steps(point.pull, point.curvature, leaf, n_leaves)
        return step_by_leaf(lambda rows: self._shift(point.z, rows), leaf, n_leaves)

    def best_leaf_steps(self, point: ObjectivePoint, leaf: NDArray[Any], n_leaves: int) -> Vector:
        """Set each leaf to the step that minimises its loss."""
        return step_by_leaf(lambda rows: self._best_shift(point.z, rows), leaf, n_leaves)

    def _shift(self, z: Vector, rows: NDArray[np.intp]) -> float:
        return self.loss.newton_shift(z[rows], self.t[rows], self.weight[rows])


class RoundedHinge(RowObjective):
    """The hinge max(0, 1 - m) = (r + |r|) / 2, r = 1 - m, with |r| a parabola for |r| < 1.

    Its best constant puts all rows of the larger class on the kink m = 1, and any leaf in which
    that class is still the larger one stays there: no single step leads downhill, though several
    together would. Rounded off, which adds 1/4 to a row's loss at most, it has a slope at the kink.

    The curvature is that of the parabola in r which touches it from above on both sides of 0, so
    that no step of a leaf leads uphill (D. R. Hunter and K. Lange, A tutorial on MM algorithms, Am.
    Stat. 58, 2004).
    """

    def __init__(self, loss: Loss, t: Vector, weight: Vector, workers: Workers) -> None:
        super().__init__(loss, t, weight, workers)
        self._newton = True

    def _value(self, z: Vector, t: Vector) -> Vector:
        r = 1.0 - t * z
        size = np.abs(r)
        return 0.5 * (r + np.where(size < 1.0, 0.5 * (1.0 + r * r), size))

    def _derivative(self, z: Vector, t: Vector) -> Vector:
        return -0.5 * t * (1.0 + np.clip(1.0 - t * z, -1.0, 1.0))

    def _curvature(self, z: Vector, t: Vector) -> Vector:
        return 0.5 / np.maximum(np.abs(1.0 - t * z), 1.0)

    def _best_shift(self, z: Vector, rows: NDArray[np.intp]) -> float:
        z, t, weight = z[rows], self.t[rows], self.weight[rows]
        return minimise(
            lambda c: float(weight @ self._value(z + c, t)),
            lambda c: float(weight @ self._derivative(z + c, t)),
        )


def sum_over_rows(loss: Loss, t: Vector, weight: Vector, workers: Workers) -> RowObjective:
    """Return the objective of a loss that is a sum over rows."""
    kind = RoundedHinge if loss == Hinge() else RowObjective
    return kind(loss, t, weight, workers)


class PairObjective:
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

    @property
    def size(self) -> float:
        """The number of pairs."""
        return float(self.queries.pairs)

    def fitted_to(self, z: Vector) -> PairObjective:  # noqa: ARG002
        """Return the object itself."""
        return self

    def like(self, other: Any) -> PairObjective:  # noqa: ARG002
        """Return the object itself."""
        return self

    def evaluate(self, point: ObjectivePoint) -> None:
        """Fill in value, pull and curvature at point.z."""
        total, point.pull, point.curvature = self._calculus(point.z)
        point.value = total / self.queries.pairs

    def _calculus(self, z: Vector) -> tuple[float, Vector, Vector]:
        return self.loss.calculus(z, self.queries, self._workers)

    def value(self, z: Vector) -> float:
        """Return the mean loss of a pair at z."""
        return self._calculus(z)[0] / self.queries.pairs

    def slope(self, z: Vector, h: Vector) -> float:
        """Return the derivative of the total loss at z along h."""
        return -float(self._calculus(z)[1] @ h)

    def best_constant(self) -> float:
        """Return 0, since only differences matter."""
        return 0.0

    def leaf_steps(self, point: ObjectivePoint, leaf: NDArray[Any], n_leaves: int) -> Vector:
        """Set each leaf to a Newton step by the diagonal of the Hessian, a short one."""
        assert point.curvature is not None
        return newton_leaf_steps(point.pull, point.curvature, leaf, n_leaves)

    best_leaf_steps = leaf_steps  # rows of several leaves share their pairs
