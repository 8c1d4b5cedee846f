r"""A function of a kernel's space that minimises any convex loss, with its norm as the penalty.

With K the Gram matrix of the rows, targets t_i, costs c_i > 0 and a convex loss L(z, t):

    primal   min_{f,b}  |f|_H^2 / 2 + sum_i c_i L(f(x_i) + b, t_i)

    dual     max_beta   - sum_i c_i L*(-beta_i / c_i, t_i) - beta'K beta / 2,
             s.t.       sum_i beta_i = 0 where b is free                       (b = 0 otherwise)

The representer theorem (Kimeldorf and Wahba, "Some results on Tchebycheffian spline functions",
1971; Schoelkopf, Herbrich and Smola, COLT 2001, theorem 1): what f has besides the span of the
k(., x_i) changes no value and only makes it longer, so the minimum is f = sum_i beta_i k(., x_i).
At the optimum these are the duals, beta_i = -c_i L'(f_i, t_i), so one vector is both model and
proof: with f made of feasible duals the gap is

    sum_i c_i L(f_i, t_i) + c_i L*(-beta_i / c_i, t_i) + beta_i f_i,     f = K beta + b,

a sum of what each row's loss lies above the line its dual draws, never negative (Fenchel and
Young). This is the dual of ``linear`` on explicit features, with v = sum_i beta_i phi(x_i).

Losses of straight pieces have conjugates that are 0, or linear, between bounds: then the dual is
the box QP of ``box_qp``. With one kink, at z = t, p is t and the bounds are those of the conjugate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from maxmargin.losses import AbsoluteError, Hinge, Insensitive, Loss, Quantile
from maxmargin.problems.box_qp import BoxQP
from maxmargin.problems.linear import Priced, Rows, Vector, balance
from maxmargin.problems.regression import svr

_ONE_KINK = (Hinge, AbsoluteError, Quantile)  # at z = t, and straight on both sides of it


@dataclass(frozen=True)
class KernelProblem(Priced):
    """min |f|^2 / 2 + sum_i cost_i L(f(x_i) + b, t_i), with b = 0 unless it is ``free``."""

    free: bool = True
    shift: float = 0.0
    """What was taken off all targets, and belongs to the intercept that a user gets."""

    p: ClassVar[float] = 0.0
    """What the product K beta is taken from: a gradient here is minus the values."""

    def primal(self, beta: Vector, product: Vector, b: float) -> float:
        """Value of the primal at f = sum_i beta_i k(., x_i) and b, where ``product`` is K beta."""
        return 0.5 * float(beta @ product) + float(self.prices(product + b).sum())

    def conjugates(self, beta: Vector, rows: Rows = slice(None)) -> Vector:
        """c_i L*(-beta_i / c_i) of feasible duals; one at its bound may be rounded beyond it."""
        low, high = self.loss.domain(self.t[rows])
        cost = self.cost[rows]
        return cost * self.loss.conjugate(np.clip(-beta / cost, low, high), self.t[rows])

    def dual(self, beta: Vector, product: Vector) -> float:
        """Value of the dual at feasible duals."""
        return -float(self.conjugates(beta).sum()) - 0.5 * float(beta @ product)

    def shortfalls(self, beta: Vector, values: Vector) -> Vector:
        """Return how far each row's loss is above the line of its dual, in units of its cost."""
        return (self.prices(values) + self.conjugates(beta) + beta * values) / self.cost

    def intercept(self, _beta: Vector, gradient: Vector) -> float:
        """Find the b that costs the rows least at K beta = -gradient."""
        if not self.free:
            return 0.0
        return self.loss.best_shift(-gradient, self.t, self.cost)

    def near(self, beta: Vector) -> Vector:
        """Put duals where the conjugates are finite, and for a free b so that they sum to 0."""
        low, high = self._bounds
        inside = np.clip(beta, low, high)
        return balance(inside) if self.free else inside

    def feasible(self, beta: Vector) -> bool:
        """Whether the conjugates are finite and, with a free b, the sum is 0 up to rounding."""
        low, high = self._bounds
        inside = bool((beta >= low).all() and (beta <= high).all())
        slack = 1e-9 * (1.0 + float(np.abs(beta).sum()))
        return inside and (not self.free or abs(float(beta.sum())) <= slack)

    @property
    def _bounds(self) -> tuple[Vector, Vector]:
        low, high = self.loss.domain(self.t)
        return -self.cost * high, -self.cost * low


def variables_a_row(loss: Loss) -> int:
    """Count the dual variables that a row has: two for a zone between two kinks."""
    return 2 if isinstance(loss, Insensitive) else 1


def is_straight(loss: Loss) -> bool:
    """Whether a loss is known to be made of straight pieces."""
    return isinstance(loss, (*_ONE_KINK, Insensitive))


def kernel_problem(
    t: Vector, cost: Vector, *, loss: Loss, free: bool = True
) -> KernelProblem | BoxQP:
    """State the problem of a loss: a box QP where it is made of straight pieces.

    Examples
    --------
    >>> from maxmargin.losses import Quantile
    >>> problem = kernel_problem(np.array([3.0]), np.array([2.0]), loss=Quantile(0.75))
    >>> problem.p.tolist(), problem.lower.tolist(), problem.upper.tolist()
    ([3.0], [-0.5], [1.5])
    """
    if isinstance(loss, Insensitive):
        return replace(svr(t, cost, loss.epsilon), bias=free)
    if isinstance(loss, _ONE_KINK):
        low, high = loss.domain(t)
        return BoxQP(t, -cost * high, -cost * low, free)
    return KernelProblem(loss, t, cost, free)
