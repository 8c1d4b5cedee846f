r"""One linear machine for all classes at once, after Crammer and Singer.

With rows x_i, their classes y_i among 0 .. K - 1, costs c_i > 0 and a vector w_k for each class
(last in it the coefficient of a constant column where there is an intercept). Write e_ik for 0
where k = y_i and 1 elsewhere; a row pays what its own class lacks of being 1 ahead of all others:

    primal   min_W  sum_k |w_k|^2 / 2 + sum_i c_i max_k (e_ik + w_k'x_i - w_{y_i}'x_i)

    dual     max_alpha  - sum_k |v_k|^2 / 2 - sum_ik e_ik alpha_ik,     v_k = sum_i alpha_ik x_i
             s.t.       sum_k alpha_ik = 0,   alpha_ik <= c_i where k = y_i and <= 0 elsewhere

Crammer and Singer, "On the algorithmic implementation of multiclass kernel-based vector machines",
JMLR 2, 2001. With two classes only w = w_1 - w_0 matters to the loss, which is max(0, 1 - t w'x),
and the penalty is at best |w|^2 / 4, for w_1 = -w_0 = w / 2: the hinge loss with costs 2 c_i.

With W = V the gap is a sum over rows, and so never negative: for g_ik = e_ik + w_k'x_i,

    gap = sum_ik (c_i [k = y_i] - alpha_ik) (max_l g_il - g_ik).

The intercept is regularised like the weights: a free one would ask sum_i alpha_ik = 0 of each class
and so tie all rows together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

_AT_ONCE = 2048  # rows whose losses are found together
_ROUNDING = 1e-9  # of a row's cost: duals beyond their limits by less are rounding


@dataclass(frozen=True)
class CrammerSinger:
    """min_W sum_k |w_k|^2 / 2 + sum_i cost_i max_k (e_ik + w_k'x_i - w_{label_i}'x_i)."""

    labels: NDArray[np.intp]
    cost: Vector
    classes: int

    free: ClassVar[bool] = False
    """No coefficient is left out of the penalty."""

    def __len__(self) -> int:
        return len(self.labels)

    def own(self, matrix: Matrix) -> Vector:
        """Return each row's entry for its own class."""
        return np.take_along_axis(matrix, self.labels[:, None], axis=1)[:, 0]

    def bounds(self) -> Matrix:
        """Upper bounds of the duals: the cost for a row's own class, 0 for the others."""
        bounds = np.zeros((len(self), self.classes))
        bounds[np.arange(len(self)), self.labels] = self.cost
        return bounds

    def challenges(self, values: Matrix) -> Matrix:
        """g_ik = e_ik + w_k'x_i, where ``values`` are the w_k'x_i."""
        challenges = values + 1.0
        challenges[np.arange(len(self)), self.labels] = self.own(values)
        return challenges

    def losses(self, values: Matrix) -> Vector:
        """max_k (e_ik + w_k'x_i - w_{y_i}'x_i), which is 0 or more because k = y_i is allowed."""
        found = np.empty(len(self))
        for first in range(0, len(self), _AT_ONCE):  # while they are in the processor's cache
            part = slice(first, first + _AT_ONCE)
            labels, some = self.labels[part, None], values[part]
            own, challenges = np.take_along_axis(some, labels, axis=1), some + 1.0
            np.put_along_axis(challenges, labels, own, axis=1)
            found[part] = challenges.max(axis=1) - own[:, 0]
        return found

    def primal(self, theta: Matrix, values: Matrix) -> float:
        """Value of the primal at W = theta, a row for each class."""
        return 0.5 * float((theta * theta).sum()) + float(self.cost @ self.losses(values))

    def dual(self, alpha: Matrix, back: Matrix) -> float:
        """Value of the dual, where ``back`` are the v_k; e'alpha is minus the own classes' sum."""
        return float(self.own(alpha).sum()) - 0.5 * float((back * back).sum())

    def violation(self, theta: Matrix, values: Matrix, alpha: Matrix, back: Matrix) -> float:
        """By how much g fails to be largest where a dual is below its bound, or W to be V."""
        challenges = self.challenges(values)
        loose = alpha < self.bounds()
        lowest = np.where(loose, challenges, np.inf).min(axis=1)
        rows = challenges.max(axis=1) - lowest  # -inf for a row of one class: nothing to move
        off = np.abs(theta - back)
        return float(max(0.0, rows.max(initial=0.0), off.max(initial=0.0)))

    def feasible(self, alpha: Matrix) -> bool:
        """Whether the duals of each row sum to 0 and keep their bounds, up to rounding."""
        level = _ROUNDING * self.cost
        sums = bool((np.abs(alpha.sum(axis=1)) <= level).all())
        return sums and bool((alpha - self.bounds() <= level[:, None]).all())
