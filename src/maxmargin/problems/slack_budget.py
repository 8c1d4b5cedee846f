r"""The soft margin in its constrained form: the largest margin with no more than a budget of slack.

With labels t_i in {-1, +1}, weights s_i > 0 and a budget B > 0:

    primal   min_{w,b}  |w|^2 / 2     s.t.  sum_i s_i max(0, 1 - t_i f(x_i)) <= B,
             f(x) = <w, phi(x)> + b

    dual     max_{beta,C}  t'beta - beta'K beta / 2 - C B
             s.t.          0 <= t_i beta_i <= C s_i,   sum_i beta_i = 0,   C >= 0

The multiplier C of the budget makes the Lagrangian the penalised form |w|^2 / 2 + C sum_i s_i xi_i,
less the constant C B: for the right C both have the same solutions (Boyd and Vandenberghe, "Convex
Optimization", 2004, section 5.3). For a given beta the best C is the least allowed,
max_i |beta_i| / s_i. A budget of 0 is the hard margin; with one of at least 2 min(S+, S-), S+ and
S- the total weights of the classes, w = 0 is enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems.box_qp import BoxQP, c_svc

Vector = NDArray[np.float64]

_ROUNDING = 1e-12  # of a weight or a bound
_SPARE = 1e-11  # of all weights times values: slack above the budget by less is rounding


@dataclass(frozen=True)
class SlackBudget:
    """min |w|^2 / 2 over w, b with a total slack, weighted, of at most ``budget``."""

    p: Vector
    weight: Vector
    budget: float

    def __len__(self) -> int:
        return len(self.p)

    def penalised(self, C: float) -> BoxQP:
        """State the form with a cost of C for a unit of slack."""
        return c_svc(self.p, C * self.weight)

    def multiplier(self, beta: Vector) -> float:
        """Find the least C that allows beta."""
        return float((np.abs(beta) / self.weight).max(initial=0.0))

    def dual(self, beta: Vector, product: Vector) -> float:
        """Value of the dual at beta, where ``product`` is K beta."""
        free = self.p @ beta - 0.5 * (beta @ product)
        return float(free - self.budget * self.multiplier(beta))

    def slack(self, values: Vector) -> float:
        """Total slack of rows with decision values f(x_i)."""
        return float(self.weight @ np.maximum(0.0, 1.0 - self.p * values))

    def excess(self, values: Vector) -> float:
        """Total slack less the budget; 0 where rounding explains what it is above it."""
        above = self.slack(values) - self.budget
        spare = _SPARE * float(self.weight @ (1.0 + np.abs(values)))
        return 0.0 if 0 < above <= spare else above

    def intercept(self, beta: Vector, gradient: Vector) -> float:  # noqa: ARG002
        """Find the b of least total slack, the middle of them where several are.

        The slack is piecewise linear in b with a corner at each F_i = t_i - (K beta)_i, where its
        slope grows by s_i from minus the weight of the positive class.
        """
        order = np.argsort(gradient, kind="stable")
        slope = np.cumsum(self.weight[order]) - self.weight[self.p > 0].sum()
        level = _ROUNDING * float(self.weight.sum())
        first = int(np.argmax(slope >= -level))
        last = first + int(slope[first] <= level and first + 1 < len(order))
        return float(0.5 * (gradient[order[first]] + gradient[order[last]]))

    def primal(self, beta: Vector, product: Vector, b: float) -> float:
        """Value of the primal at w = sum_i beta_i phi(x_i) and b; infinite beyond the budget."""
        kept = self.excess(product + b) <= 0
        return float(0.5 * (beta @ product)) if kept else np.inf

    def violation(self, beta: Vector, gradient: Vector) -> float:
        """By how much the penalised form's optimality conditions fail, with beta's own C.

        Rounding puts variables at their bound a little off it, because C is a quotient.
        """
        box = self.penalised(self.multiplier(beta))
        most = box.upper - box.lower
        bound = np.abs(beta) >= (1 - _ROUNDING) * most
        return box.violation(np.where(bound, self.p * most, beta), gradient)

    def feasible(self, beta: Vector) -> bool:
        """Whether beta has the labels' signs and sums to 0 up to rounding."""
        return self.penalised(np.inf).feasible(beta)

    def least_slack(self, weights: Vector) -> float:
        """Bound every total slack from below, by weights whose means coincide.

        With sum_i weights_i t_i f(x_i) = 0 and sum_i weights_i = 2, the slacks weighted with them
        sum to 2 or more, and s_i >= weights_i / max_j (weights_j / s_j).
        """
        return 2.0 / self.multiplier(weights)

    def refuted(self, weights: Vector) -> bool:
        """Whether such weights prove, beyond rounding, that no hyperplane keeps to the budget."""
        return self.least_slack(weights) > self.budget + _SPARE * float(self.weight.sum())
