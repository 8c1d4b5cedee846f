r"""Sequential minimal optimisation: two variables at a time, in closed form.

Problem: the box QP of ``problems.box_qp`` with a bias. The equality sum beta = 0 ties variables
together, so the least that can move is a pair, beta_i + s and beta_j - s, and for a pair the best
step is known (Platt, "Sequential minimal optimization", 1998, section 2.1):

    s = (F_i - F_j) / (K_ii + K_jj - 2 K_ij),   shortened so that both stay in the box.

Which pair:

- first order: the one that violates the optimality conditions most, i = argmax F over I_up and
  j = argmin F over I_low (Keerthi, Shevade, Bhattacharyya, Murthy, "Improvements to Platt's SMO
  algorithm", Neural Computation 13, 2001, modification 2);
- second order: the same i, and the j with the largest gain (F_i - F_j)^2 / (K_ii + K_jj - 2 K_ij)
  (Fan, Chen, Lin, "Working set selection using second order information", JMLR 6, 2005, WSS 2).

A pair costs O(n), two kernel rows and a pass over F. Rows come from the cache; one that is not
there is evaluated together with those of the worst violators, which are likely to be wanted next.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from maxmargin.ops.clock import WORK
from maxmargin.problems import BoxQP
from maxmargin.solvers.box_qp.cached_ascent import CachedAscent
from maxmargin.solvers.box_qp.dual_ascent import Index, Start, Vector
from maxmargin.solvers.kernel_values.iterate import Window
from maxmargin.solvers.kernel_values.matrix import NO_GROUPS, Source
from maxmargin.solvers.run import Limits

_AIM = 0.9  # of tol: what is left to the rounding of the running product
_TOGETHER = 32  # rows evaluated at a time
_FEWEST_PAIRS, _PAIRS_PER_VARIABLE = 100, 0.25  # between two looks of the outer loop


class SMO(CachedAscent):
    """Pairs of variables, chosen by second-order information."""

    biases = (True,)
    whole_rows = True
    fewest_lines = 2
    second_order: ClassVar[bool] = True

    def __init__(
        self, problem: BoxQP, view: Window, start: Start | None = None, seed: int = 0
    ) -> None:
        super().__init__(problem, view, start, seed)
        self._diagonal = self._gram.diagonal()
        self._used = np.zeros(len(problem), dtype=bool)
        self._nowhere, self._taken = Source.none(0), np.zeros(1, np.int64)
        most = int(max(_FEWEST_PAIRS, _PAIRS_PER_VARIABLE * len(problem)))
        self._pairs = max(1, min(most, WORK // len(problem)))

    def step(self, limits: Limits) -> None:
        """Make some pair steps."""
        problem, F = self.problem, self.gradient()
        left = limits.steps_left(self.iterations, self._pairs)
        pair, smo_pairs = (0, 0), self.engine.smo.smo_pairs
        while pair[0] >= 0 and not limits.clock.over():
            steps, flattest, *pair = smo_pairs(
                self.iterate.cache.store,
                self.iterate.lines(),
                self._taken,
                *self._nowhere.parts,
                self._diagonal,
                self.iterate.beta,
                F,
                problem.lower,
                problem.upper,
                _AIM * limits.tol,
                left,
                self.second_order,
                self._used,
                NO_GROUPS,
                1,
            )
            left -= steps
            self.iterations += steps
            self._flattest = min(self._flattest, flattest)
            if pair[0] >= 0:
                self._fetch(np.unique(pair), F)
        self.iterate.running[:] = problem.p - F

    def _fetch(self, pair: Index, F: Vector) -> None:
        """Store a pair's rows, with those of violators for which there is room."""
        cache = self.iterate.cache
        cache.touch(self.iterate.index[self._used])
        self._used[:] = False
        room = min(cache.room_ahead(_TOGETHER), len(F)) - len(pair)
        chosen = np.concatenate([pair, self._violators(F, pair, room)]) if room > 0 else pair
        self.iterate.fetch(chosen, np.ones(len(chosen), dtype=bool))

    def _violators(self, F: Vector, pair: Index, most: int) -> Index:
        """Find the worst whose rows are not stored."""
        slope = self._slopes(F)
        slope[self.iterate.lines() >= 0] = slope[pair] = 0.0
        worst = np.argpartition(-np.abs(slope), most)[:most]
        return worst[slope[worst] != 0]


class FirstOrderSMO(SMO):
    """Pairs of variables, the maximal violating one in every step."""

    second_order = False
