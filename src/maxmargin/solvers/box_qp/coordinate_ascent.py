r"""Stochastic dual coordinate ascent: one variable at a time, in random order.

Problem: the box QP of ``problems.box_qp`` without a bias, so that variables can move alone. A
bias comes back as one more feature that is 1 everywhere: the kernel becomes k + 1, the solution
f(x) = sum_i beta_i (k(x_i, x) + 1), and the bias b = sum_i beta_i is regularised like the weights:

    primal   min_{w,b}  (|w|^2 + b^2) / 2 + sum_i C_i max(0, 1 - t_i (<w, phi(x_i)> + b))

One pass takes all variables in a random order, and sets each to its best value with the others
fixed (Hsieh, Chang, Lin, Keerthi, Sundararajan, "A dual coordinate descent method for large-scale
linear SVM", ICML 2008, algorithm 1, here with kernels; Shalev-Shwartz and Zhang, "Stochastic dual
coordinate ascent methods", JMLR 14, 2013):

    beta_i <- min(u_i, max(l_i, beta_i + F_i / K_ii)),     F = p - K beta.

An update costs O(n), a kernel row times a number; a variable that stays where it is costs O(1).

With ``sampling="uniform"`` every step draws one of all variables, each with probability 1 / n, and
a pass is n draws: the form in which the second paper proves its rates. About a share of 1 / e of
the variables is not drawn in such a pass, so that it does less than an epoch.
"""

from __future__ import annotations

import numpy as np

from maxmargin.ops.clock import WORK
from maxmargin.problems import BoxQP
from maxmargin.solvers.box_qp.cached_ascent import CachedAscent
from maxmargin.solvers.box_qp.dual_ascent import Index, Start, Vector
from maxmargin.solvers.kernel_values.iterate import Window
from maxmargin.solvers.run import Limits

_TOGETHER = 64  # rows evaluated at a time
_FEWEST_UPDATES = 1000  # between two looks of the outer loop, which would see no gain in fewer


class CoordinateAscent(CachedAscent):
    """Passes over all variables in random order."""

    biases = (False,)
    whole_rows = True

    def __init__(
        self,
        problem: BoxQP,
        view: Window,
        start: Start | None = None,
        seed: int = 0,
        *,
        sampling: str = "epochs",
    ) -> None:
        super().__init__(problem, view, start, seed)
        self._uniform = sampling == "uniform"
        self._diagonal = self._gram.diagonal()
        self._flattest = float(self._diagonal.min(initial=np.inf))
        self._order: Index = np.empty(0, dtype=np.intp)

    def step(self, limits: Limits) -> None:
        """Make a pass, several on few variables and a part of one on many, within the limits."""
        F = self.gradient()
        most = min(max(len(F), _FEWEST_UPDATES), max(1, WORK // len(F)))
        left = limits.steps_left(self.iterations, most)
        for _ in range(max(1, _FEWEST_UPDATES // len(F))):
            left -= self._pass(F, left, limits)
        self.iterate.running[:] = self.problem.p - F

    def _pass(self, F: Vector, most: int, limits: Limits) -> int:
        """Go through what is left of the order, or a new one; returns the updates made."""
        if len(self._order) == 0:
            self._order = self._drawn(len(F))
        problem, left, ascend = self.problem, most, self.engine.coordinate.ascend
        while left > 0 and len(self._order) > 0 and not limits.clock.over():
            far, updates = ascend(
                self.iterate.cache.store,
                self.iterate.lines(),
                self._diagonal,
                self._order,
                self.iterate.beta,
                F,
                problem.lower,
                problem.upper,
                left,
            )
            left -= updates
            self._order = self._order[far:]
            if left > 0 and len(self._order) > 0:
                self._fetch(F)
        self.iterations += most - left
        return most - left

    def _drawn(self, n: int) -> Index:
        """Draw the variables of a pass: each once, or each step's from all."""
        if self._uniform:
            return self._random.integers(n, size=n)
        return self._random.permutation(n)

    def _fetch(self, F: Vector) -> None:
        """Store the row that is needed now, with those of others that will want to move."""
        iterate, problem, first = self.iterate, self.problem, self._order[:1]
        best = iterate.beta + F / np.maximum(self._diagonal, np.finfo(np.float32).tiny)
        wanted = np.clip(best, problem.lower, problem.upper) != iterate.beta
        wanted[first] = False
        others = self._order[(wanted & (iterate.lines() < 0))[self._order]]
        coming = np.concatenate([first, _once(others) if self._uniform else others])
        chosen = coming[: max(1, iterate.cache.room_ahead(_TOGETHER))]
        free = (best[chosen] > problem.lower[chosen]) & (best[chosen] < problem.upper[chosen])
        iterate.fetch(chosen, free)


def _once(variables: Index) -> Index:
    """Name each variable once, where it comes first."""
    _, first = np.unique(variables, return_index=True)
    return variables[np.sort(first)]
