r"""Osuna's decomposition: solve on a set S exactly, drop what is zero, add what violates.

Problem: the box QP of ``problems.box_qp``. With beta = 0 outside S (Osuna, Freund, Girosi, "An
improved training algorithm for support vector machines", NNSP 1997, section 3):

    S = {}, beta = 0
    repeat
        S <- S without those at beta_i = 0, with violators from outside
        solve the problem on S, beta fixed outside
    until nothing outside S violates

Every solution on S is a feasible start on the next S, so the dual never falls, and it rises as
long as a violator came in. Only the worst violators are added, some from each side of the bias.

The square matrix K_SS has to be stored. When the support vectors outgrow the memory for it, those
at their upper bound leave S first and keep their values: the paper's own decomposition with an S of
fixed size. On S SMO finds who is at a bound and Newton steps solve for the rest.
"""

from __future__ import annotations

import numpy as np

from maxmargin.problems import BoxQP
from maxmargin.solvers.box_qp.cached_ascent import CachedAscent
from maxmargin.solvers.box_qp.dual_ascent import Index, Start, Vector
from maxmargin.solvers.box_qp.working_set import SquareMatrix
from maxmargin.solvers.kernel_values.iterate import Window
from maxmargin.solvers.kernel_values.matrix import Matrix, violation
from maxmargin.solvers.run import Limits

_ADDED = 200  # violators that may come into S at a time
_TURNS = 11  # that SMO and Newton take at most
_SOLVED = 0.1  # of tol, at which S counts as solved
_STEPS_PER_VARIABLE = 100


class Osuna(CachedAscent):
    """Support vectors found so far, and violators, solved together."""

    squares = 2

    def __init__(
        self, problem: BoxQP, view: Window, start: Start | None = None, seed: int = 0
    ) -> None:
        super().__init__(problem, view, start, seed)
        self._matrix = SquareMatrix(view.cache, self.iterate.index, self._size)

    def step(self, limits: Limits) -> None:
        """Change S if it is solved, and solve on it."""
        F, S = self.gradient(), self._matrix.variables
        if self.problem.part(S, F).violation(self.iterate.beta[S], F[S]) <= _SOLVED * limits.tol:
            place = self._kept(S)
            S = self._matrix.exchange(place, self._violators(F, S[place]))
        beta = self._solve(S, F[S], limits)
        moved = beta != self.iterate.beta[S]
        self.move_in_time(S[moved], beta[moved], limits)

    def _kept(self, S: Index) -> Index:
        """Find the places of all but zeros; of more than there is room for, of the free ones."""
        beta, problem = self.iterate.beta[S], self.problem
        place, room = np.flatnonzero(beta), self._size - min(_ADDED, self._size // 2)
        if len(place) > room:
            free = (beta > problem.lower[S]) & (beta < problem.upper[S])
            place = np.flatnonzero(free)[-room:]
        return place

    def _violators(self, F: Vector, kept: Index) -> Index:
        """Find the worst from each side of the bias, and in any case the worst pair."""
        problem, slope = self.problem, np.empty(len(F))
        b = self._levels(F)[0][2]
        self.engine.selection.slopes(F, self.iterate.beta, problem.lower, problem.upper, b, slope)
        wanted = (min(_ADDED, self._size - len(kept)) - 2) // 2
        sides = [self._worst(sign * slope, wanted) for sign in (1.0, -1.0)]
        return np.setdiff1d(np.concatenate([*sides, self._worst_pair(F)]), kept)

    def _worst(self, slope: Vector, wanted: int) -> Index:
        candidates = np.flatnonzero(slope > 0)
        if len(candidates) <= wanted:
            return candidates
        order = np.argpartition(-slope[candidates], max(wanted, 0))
        return candidates[order[: max(wanted, 0)]]

    def _solve(self, S: Index, F: Vector, limits: Limits) -> Vector:
        """Maximise over the variables in S; returns their values."""
        beta, part = self.iterate.beta[S], self.problem.part(S, self.gradient())
        matrix, goal = Matrix.of(self._matrix.values), 0.5 * _SOLVED * limits.tol
        target = goal
        for _ in range(_TURNS):
            most = limits.steps_left(self.iterations, _STEPS_PER_VARIABLE * max(len(beta), 100))
            steps, flat = matrix.ascend(part, beta, F, target, most, limits)
            self.iterations += steps
            self._flattest = min(self._flattest, flat)
            if limits.clock.over() or limits.steps_left(self.iterations, 1) <= 0:
                break
            matrix.polish(part, beta, F, goal)
            target = 0.1 * violation(part, beta, F)
            if target <= 0.1 * goal:
                break
        return beta
