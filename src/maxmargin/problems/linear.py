r"""A linear model of any loss: weights on explicit features, with a penalty.

With rows x_i of features, targets t_i, costs c_i > 0 and a convex loss L(z, t), over theta (the
weights, and last the coefficient of a constant column where there is an intercept):

    primal   min_theta  R(theta) + sum_i c_i L(f_i, t_i),        f_i = theta'x_i

    dual     max_beta   - sum_i c_i L*(-beta_i / c_i, t_i) - R*(v),    v = sum_i beta_i x_i

Three penalties R:

    "l2"     |theta|^2 / 2,    R*(v) = |v|^2 / 2
    "l1"     |theta|_1,        R*(v) = 0 where |v_j| <= 1 for all j, and infinite elsewhere
    "none"   0,                R*(v) = 0 where v = 0

A free intercept is a last coefficient that R leaves out; then v_last = sum_i beta_i must be 0, the
equality of the kernel machine's dual. A regularised one, scikit-learn's, is an ordinary column of
the constant ``intercept_scaling``. The quadratic penalty is minus the logarithm of a Gaussian prior
on theta, the loss log(1 + exp(-m)) that of the likelihood: with both, the minimum is the maximum a
posteriori; with "none", maximum likelihood.

By Fenchel and Young each row's loss is at least the line its dual draws,

    c L(f, t) + c L*(-beta / c, t) + beta f >= 0,   with equality iff -beta/c is in dL(f),

and likewise R(theta) + R*(v) - theta'v >= 0 with equality iff v is in dR(theta). The gap is the sum
of all these shortfalls, so it is never negative, and 0 exactly at the optimum (Rockafellar, "Convex
Analysis", 1970, theorem 31.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.losses import Loss, ResidualLoss

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


PENALTIES = ("l2", "l1", "none")


@dataclass(frozen=True)
class LinearProblem(Priced):
    """min R(theta) + sum_i cost_i L(f_i, t_i); with ``free``, R leaves the last coefficient out."""

    penalty: str = "l2"
    free: bool = False

    @property
    def labelled(self) -> bool:
        """Whether targets are labels of -1 and +1; those of a residual's loss are numbers."""
        return not isinstance(self.loss, ResidualLoss)

    def penalised(self, theta: Vector) -> Vector:
        """Leave a free intercept out."""
        return theta[:-1] if self.free else theta

    def curvature_of_penalty(self, width: int) -> Vector:
        """Diagonal of the penalty's second derivative."""
        diagonal = np.full(width, 1.0 if self.penalty == "l2" else 0.0)
        if self.free:
            diagonal[-1] = 0.0
        return diagonal

    def penalty_value(self, theta: Vector) -> float:
        """R(theta)."""
        weights = self.penalised(theta)
        if self.penalty == "l2":
            return 0.5 * float(weights @ weights)
        return float(np.abs(weights).sum()) if self.penalty == "l1" else 0.0

    def primal(self, theta: Vector, values: Vector) -> float:
        """Value of the primal at theta, where ``values`` are the f_i."""
        return self.penalty_value(theta) + float(self.cost @ self.loss.value(values, self.t))

    def clipped(self, beta: Vector, rows: Rows = slice(None)) -> Vector:
        """Put duals where the conjugate is finite: -beta_i / c_i between the loss's slopes."""
        low, high = self.loss.slopes
        if not (np.isfinite(low) or np.isfinite(high)):
            return beta
        scaled = self.cost[rows]
        if self.labelled:
            scaled = scaled * self.t[rows]
        slope = -beta / scaled
        outside = (slope < low) | (slope > high)
        if not outside.any():
            return beta  # what is feasible stays as it is, to the last bit
        return np.where(outside, -scaled * np.clip(slope, low, high), beta)

    def balanced(self, beta: Vector) -> Vector:
        """Make duals sum to 0 for a free intercept, by scaling the heavier sign towards 0."""
        return balance(beta) if self.free else beta

    def dual(self, beta: Vector, back: Vector) -> float:
        """Value of the dual, where ``back`` is v; with "l1", at the largest feasible multiple."""
        feasible = beta / self._excess(back) if self.penalty == "l1" else beta
        return -float(self.conjugates(feasible).sum()) - self.penalty_conjugate(back)

    def _excess(self, back: Vector) -> float:
        """How many times too large v is for "l1", at least 1."""
        return max(1.0, float(np.abs(self.penalised(back)).max(initial=0.0)))

    def penalty_conjugate(self, back: Vector) -> float:
        """R*(v) where it is finite."""
        v = self.penalised(back)
        return 0.5 * float(v @ v) if self.penalty == "l2" else 0.0

    def judged(
        self,
        theta: Vector,
        values: Vector,
        beta: Vector,
        back: Vector,
        prices: Vector | None = None,
    ) -> tuple[float, float, float]:
        """Primal, dual and violation, with each row's loss and conjugate evaluated once.

        The violation is the largest shortfall: of a row's loss (Fenchel-Young), in units of its
        cost, and of a coefficient. ``prices`` are those of the values, where they are known.
        """
        prices = self.prices(values) if prices is None else prices
        conjugates = self.conjugates(beta)
        primal = self.penalty_value(theta) + float(prices.sum())
        dual = -float(conjugates.sum()) - self.penalty_conjugate(back)
        if self.penalty == "l1" and self._excess(back) > 1.0:
            dual = self.dual(beta, back)
        rows = (prices + conjugates + beta * values) / self.cost
        off = self._off(self.penalised(theta), self.penalised(back))
        return primal, dual, float(np.maximum(rows.max(initial=0.0), off.max(initial=0.0)))

    def violation(self, theta: Vector, values: Vector, beta: Vector, back: Vector) -> float:
        """Find the largest shortfall, of a row's loss or of a coefficient."""
        return self.judged(theta, values, beta, back)[2]

    def _off(self, weights: Vector, v: Vector) -> Vector:
        """How far v is from the penalty's derivatives at the weights."""
        if self.penalty == "l1":  # the sign of a weight, and within [-1, 1] without one
            return np.where(weights != 0, np.abs(v - np.sign(weights)), np.abs(v) - 1.0)
        return np.abs(v - weights) if self.penalty == "l2" else np.abs(v)

    def feasible(self, beta: Vector, back: Vector, spread: Vector | None = None) -> bool:
        """Whether v meets the equalities up to rounding; a free intercept's, all with "none".

        ``spread`` says what each v_j cancels from; without it, columns about 1 in size are assumed.
        """
        finite = bool(np.isfinite(beta).all() and np.isfinite(back).all())
        if not finite or (self.penalty != "none" and not self.free):
            return finite
        spread = np.full(len(back), np.abs(beta).sum()) if spread is None else spread
        equal = slice(None) if self.penalty == "none" else slice(len(back) - 1, None)
        return bool((np.abs(back[equal]) <= 1e-9 * spread[equal]).all())
