"""Rows whose values have a price, c_i L(f_i, t_i): what linear and kernel problems share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.losses import Loss

Vector = NDArray[np.float64]
Rows = slice | NDArray[np.intp]


@dataclass(frozen=True)
class Priced:
    """A loss, with a target and a cost for every row."""

    loss: Loss
    t: Vector
    cost: Vector

    def __len__(self) -> int:
        return len(self.t)

    def slopes(self, values: Vector, rows: Rows = slice(None)) -> Vector:
        """Return the best duals at these values: beta_i = -c_i L'(f_i)."""
        return -self.cost[rows] * self.loss.derivative(values, self.t[rows])

    def curvatures(self, values: Vector, rows: Rows = slice(None)) -> Vector:
        """c_i L''(f_i)."""
        return self.cost[rows] * self.loss.curvature(values, self.t[rows])

    def prices(self, values: Vector, rows: Rows = slice(None)) -> Vector:
        """c_i L(f_i)."""
        return self.cost[rows] * self.loss.value(values, self.t[rows])

    def conjugates(self, beta: Vector, rows: Rows = slice(None)) -> Vector:
        """c_i L*(-beta_i / c_i)."""
        cost = self.cost[rows]
        return cost * self.loss.conjugate(-beta / cost, self.t[rows])


def balance(beta: Vector) -> Vector:
    """Make duals sum to 0 by scaling the heavier sign towards 0.

    Every row's conjugate is finite between its dual and 0, so the point stays feasible.
    """
    up, down = float(beta[beta > 0].sum()), -float(beta[beta < 0].sum())
    factor = min(up, down) / max(up, down) if max(up, down) > 0 else 1.0
    heavier = beta > 0 if up > down else beta < 0
    return np.where(heavier, factor * beta, beta)
