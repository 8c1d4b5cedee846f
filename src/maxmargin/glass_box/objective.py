"""What the rounds descend: slopes g and curvatures h of every row's loss at its values z.

Two classes and quantities have one function, several classes one for each. With the logistic loss
several classes share the softmax, whose Hessian is taken for its diagonal; with other losses of
labels each class is learnt against the rest. A loss without a curvature gets that of a parabola
which touches it from above around the value, as for the absolute error r^2 / (2 |r|).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maxmargin.losses import Logistic, Loss, PairwiseLogistic, Queries, SquaredError
from maxmargin.ops.engine import engine_of

Vector = NDArray[np.float64]
Fold = NDArray[np.int16]
Rows = NDArray[np.intp]


class Objective(Protocol):
    """A loss of rows that the rounds lower."""

    @property
    def weight(self) -> Vector:
        """Of the rows."""
        ...

    @property
    def longest(self) -> float:
        """The longest step of a leaf, before the learning rate."""
        ...

    def constants(self) -> Vector:
        """Return the best value of each function that is the same for all rows."""
        ...

    def slopes(self, z: Vector, fold: Fold, bag: int, g: Vector, h: Vector) -> None:
        """Write slopes and curvatures of z; both 0 for the rows that a bag holds out."""
        ...

    def loss(self, z: Vector, rows: Rows) -> float:
        """Return the total loss of some rows."""
        ...

    def size(self, rows: Rows) -> float:
        """Return what the total loss of rows is divided by to be the mean."""
        ...


@dataclass(frozen=True)
class RowObjective:
    """An objective that is a sum over rows.

    Parameters
    ----------
    t : ndarray of shape (rows,)
        Targets: signs of two classes, numbers of several, or quantities.
    weight : ndarray of shape (rows,)
    """

    t: NDArray[Any]
    weight: Vector

    def size(self, rows: Rows) -> float:
        """Return the weight of rows."""
        return float(self.weight[rows].sum())


@dataclass(frozen=True)
class TwoClasses(RowObjective):
    """The logistic loss of targets -1 and +1."""

    longest: float = 5.0

    def constants(self) -> Vector:
        """Return the logarithm of the odds."""
        return np.array([Logistic().best_shift(0.0 * self.t, self.t, self.weight)])

    def slopes(self, z: Vector, fold: Fold, bag: int, g: Vector, h: Vector) -> None:
        """Write slopes and curvatures."""
        ops = engine_of(z).glass_box
        ops.logistic_slopes(z[0], self.t, self.weight, fold, bag, g[0], h[0])

    def loss(self, z: Vector, rows: Rows) -> float:
        """Return the total loss of some rows."""
        return float(engine_of(z).glass_box.logistic_loss(z[0], self.t, self.weight, rows))


@dataclass(frozen=True)
class SeveralClasses(RowObjective):
    """The loss -log p of the class, p the softmax of the values."""

    n_classes: int
    longest: float = 5.0

    def constants(self) -> Vector:
        """Return the logarithms of the classes' shares, of mean 0."""
        total = np.bincount(self.t, self.weight, self.n_classes)
        logs = np.log(total / total.sum())
        centred: Vector = logs - logs.mean()
        return centred

    def slopes(self, z: Vector, fold: Fold, bag: int, g: Vector, h: Vector) -> None:
        """Write slopes and curvatures."""
        engine_of(z).glass_box.softmax_slopes(z, self.t, self.weight, fold, bag, g, h)

    def loss(self, z: Vector, rows: Rows) -> float:
        """Return the total loss of some rows."""
        return float(engine_of(z).glass_box.softmax_loss(z, self.t, self.weight, rows))


@dataclass(frozen=True)
class Squares(RowObjective):
    """The squared error of quantities."""

    longest: float = np.inf

    def constants(self) -> Vector:
        """Return the mean."""
        return np.array([SquaredError().best_shift(0.0 * self.t, self.t, self.weight)])

    def slopes(self, z: Vector, fold: Fold, bag: int, g: Vector, h: Vector) -> None:
        """Write slopes and curvatures."""
        ops = engine_of(z).glass_box
        ops.square_slopes(z[0], self.t, self.weight, fold, bag, g[0], h[0])

    def loss(self, z: Vector, rows: Rows) -> float:
        """Return the total loss of some rows."""
        return 0.5 * float(self.weight[rows] @ (z[0, rows] - self.t[rows]) ** 2)


@dataclass(frozen=True)
class AnyLoss:
    """A loss of the library, for one list of targets or several."""

    loss_of_rows: Loss
    targets: Sequence[Vector]
    weight: Vector
    scale: float = 1.0
    longest: float = np.inf

    def constants(self) -> Vector:
        """Return the best shift of each list."""
        shift = self.loss_of_rows.best_shift
        return np.array([shift(0.0 * t, t, self.weight) for t in self.targets])

    def slopes(self, z: Vector, fold: Fold, bag: int, g: Vector, h: Vector) -> None:
        """Write slopes and curvatures."""
        weight = np.where(fold == bag, 0.0, self.weight)
        for k, t in enumerate(self.targets):
            np.multiply(weight, self.loss_of_rows.derivative(z[k], t), out=g[k])
            np.multiply(weight, self._curvature(z[k], t), out=h[k])

    def loss(self, z: Vector, rows: Rows) -> float:
        """Return the total loss of some rows."""
        value, weight = self.loss_of_rows.value, self.weight[rows]
        parts = [weight @ value(z[k, rows], t[rows]) for k, t in enumerate(self.targets)]
        return float(sum(parts))

    def size(self, rows: Rows) -> float:
        """Return the weight of rows."""
        return float(self.weight[rows].sum())

    def _curvature(self, z: Vector, t: Vector) -> Vector:
        if self.loss_of_rows.smooth and self.loss_of_rows.has_curvature:
            return self.loss_of_rows.curvature(z, t)
        return 1.0 / np.maximum(np.abs(z - t), 0.1 * self.scale) / 2.0


class Ranking:
    """The logistic loss of the pairs of rows of a query that differ in relevance.

    Parameters
    ----------
    y : ndarray of shape (rows,)
        Relevances.
    query : ndarray of int of shape (rows,)
    weight : ndarray of shape (rows,)
    """

    longest = 5.0

    def __init__(self, y: Vector, query: NDArray[Any], weight: Vector) -> None:
        self._y, self._query, self.weight = y, query, weight
        self._of_bag: dict[int, tuple[Rows, Queries]] = {}

    def constants(self) -> Vector:
        """Return 0, since only differences count."""
        return np.zeros(1)

    def slopes(self, z: Vector, fold: Fold, bag: int, g: Vector, h: Vector) -> None:
        """Write slopes and curvatures."""
        if bag not in self._of_bag:
            rows = np.flatnonzero(fold != bag)
            self._of_bag[bag] = rows, self._queries(rows)
        rows, queries = self._of_bag[bag]
        g[:] = h[:] = 0.0
        if queries.pairs:
            _, pull, bend = PairwiseLogistic().calculus(z[0, rows], queries)
            g[0, rows], h[0, rows] = -pull, bend

    def loss(self, z: Vector, rows: Rows) -> float:
        """Return the total loss of the pairs among some rows."""
        queries = self._queries(rows)
        return PairwiseLogistic().calculus(z[0, rows], queries)[0] if queries.pairs else 0.0

    def size(self, rows: Rows) -> float:
        """Return the weight of the pairs among rows."""
        return self._queries(rows).pairs

    def _queries(self, rows: Rows) -> Queries:
        return Queries.of(self._y[rows], self._query[rows], self.weight[rows])


def pairs_of(y: Vector, groups: Any, weight: Vector) -> Queries:
    """Return the pairs of rows of a group that differ in relevance; None is one group."""
    queries = Queries.of(y, groups, weight)
    if not queries.pairs:
        raise ValueError(
            "There is no pair to put in order: in no group do two rows differ in relevance; check "
            "y, groups and sample_weight."
        )
    return queries


def ranking(y: Vector, groups: Any, weight: Vector) -> Objective:
    """Return the objective of relevances."""
    pairs_of(y, groups, weight)
    numbers = np.zeros(len(y), np.intp)
    if groups is not None:
        numbers = np.unique(groups, return_inverse=True)[1].astype(np.intp)
    return Ranking(y, numbers, weight)


def objective_of_labels(
    loss: Loss, label: NDArray[np.intp], n_classes: int, weight: Vector
) -> Objective:
    """Return the objective of class numbers."""
    if loss == Logistic() and n_classes > 2:
        return SeveralClasses(label, weight, n_classes)
    positive = [1] if n_classes == 2 else range(n_classes)
    signs = [np.where(label == k, 1.0, -1.0) for k in positive]
    if loss == Logistic():
        return TwoClasses(signs[0], weight)
    return AnyLoss(loss, signs, weight, longest=5.0)


def objective_of_numbers(loss: Loss, t: Vector, weight: Vector) -> Objective:
    """Return the objective of quantities."""
    if loss == SquaredError():
        return Squares(t, weight)
    fitted = loss.fitted_to(np.full_like(t, loss.best_shift(0.0 * t, t, weight)), t, weight)
    spread: Any = np.abs(t - np.average(t, weights=weight))
    scale = float(np.average(spread, weights=weight)) or 1.0
    own_link = fitted.response(np.ones(1))[0] != 1.0
    return AnyLoss(fitted, [t], weight, scale, 5.0 if own_link else np.inf)
