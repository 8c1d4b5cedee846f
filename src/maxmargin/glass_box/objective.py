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

from maxmargin.losses import Logistic, Loss
from maxmargin.ops.engine import engine_of

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]


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
        """Give the best value of each function that is the same for all rows."""
        ...

    def evaluate(self, z: Vector, held: Mask, g: Vector, h: Vector, bends: bool) -> float:
        """Write slopes, and with ``bends`` curvatures, of z; both 0 for rows held out.

        Returns the sum of the held rows' losses.
        """
        ...


@dataclass(frozen=True)
class TwoClasses:
    """The logistic loss of targets -1 and +1."""

    t: Vector
    weight: Vector
    longest: float = 5.0

    def constants(self) -> Vector:
        """Give the logarithm of the odds."""
        return np.array([Logistic().best_shift(0.0 * self.t, self.t, self.weight)])

    def evaluate(self, z: Vector, held: Mask, g: Vector, h: Vector, bends: bool) -> float:
        """Write slopes and curvatures."""
        rows = engine_of(z).glass_box.logistic_rows
        return float(rows(z[0], self.t, self.weight, held, g[0], h[0], bends))


@dataclass(frozen=True)
class SeveralClasses:
    """The loss -log p of the class, p the softmax of the values."""

    label: NDArray[np.intp]
    n_classes: int
    weight: Vector
    longest: float = 5.0

    def constants(self) -> Vector:
        """Give the logarithms of the classes' shares, of mean 0."""
        total = np.bincount(self.label, self.weight, self.n_classes)
        logs = np.log(total / total.sum())
        centred: Vector = logs - logs.mean()
        return centred

    def evaluate(self, z: Vector, held: Mask, g: Vector, h: Vector, bends: bool) -> float:
        """Write slopes and curvatures."""
        rows = engine_of(z).glass_box.softmax_rows
        return float(rows(z, self.label, self.weight, held, g, h, bends))


@dataclass(frozen=True)
class AnyLoss:
    """A loss of the library, for one list of targets or several."""

    loss: Loss
    targets: Sequence[Vector]
    weight: Vector
    scale: float = 1.0
    longest: float = np.inf

    def constants(self) -> Vector:
        """Give the best shift of each list."""
        return np.array([self.loss.best_shift(0.0 * t, t, self.weight) for t in self.targets])

    def evaluate(self, z: Vector, held: Mask, g: Vector, h: Vector, bends: bool) -> float:
        """Write slopes and curvatures."""
        total, weight = 0.0, np.where(held, 0.0, self.weight)
        for k, t in enumerate(self.targets):
            total += float(self.weight[held] @ self.loss.value(z[k][held], t[held]))
            g[k] = weight * self.loss.derivative(z[k], t)
            if bends:
                h[k] = weight * self._curvature(z[k], t)
        return total

    def _curvature(self, z: Vector, t: Vector) -> Vector:
        if self.loss.smooth and self.loss.has_curvature:
            return self.loss.curvature(z, t)
        return 1.0 / np.maximum(np.abs(z - t), 0.1 * self.scale) / 2.0


def objective_of_labels(
    loss: Loss, label: NDArray[np.intp], n_classes: int, weight: Vector
) -> Objective:
    """Give the objective of class numbers."""
    if loss == Logistic() and n_classes > 2:
        return SeveralClasses(label, n_classes, weight)
    positive = [1] if n_classes == 2 else range(n_classes)
    signs = [np.where(label == k, 1.0, -1.0) for k in positive]
    if loss == Logistic():
        return TwoClasses(signs[0], weight)
    return AnyLoss(loss, signs, weight, longest=5.0)


def objective_of_numbers(loss: Loss, t: Vector, weight: Vector) -> Objective:
    """Give the objective of quantities."""
    fitted = loss.fitted_to(np.full_like(t, loss.best_shift(0.0 * t, t, weight)), t, weight)
    spread: Any = np.abs(t - np.average(t, weights=weight))
    scale = float(np.average(spread, weights=weight)) or 1.0
    own_link = fitted.response(np.ones(1))[0] != 1.0
    return AnyLoss(fitted, [t], weight, scale, 5.0 if own_link else np.inf)
