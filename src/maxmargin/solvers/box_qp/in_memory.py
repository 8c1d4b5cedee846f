"""All variables at once, on a matrix that lies in memory: SMO and Newton's steps by turns.

Problem: the box QP of ``problems.box_qp`` with at most some thousand variables (``turns``).
"""

from __future__ import annotations

import numpy as np

from maxmargin.certify import Point
from maxmargin.ops.kinds import GIVEN, TURNS
from maxmargin.problems import BoxQP
from maxmargin.solvers.box_qp.dual_ascent import DualAscent, Start, Vector
from maxmargin.solvers.box_qp.group_newton import solve_groups
from maxmargin.solvers.box_qp.interior_point import InteriorPoint
from maxmargin.solvers.box_qp.turns import ENOUGH, EXACT, FEWEST, FIRST, STEPS, SmoNewtonState
from maxmargin.solvers.kernel_values.matrix import Matrix
from maxmargin.solvers.run import Limits

_NEAR = 1e-7  # of the box is what an interior point may leave to a bound


class InMemory(DualAscent):
    """SMO and Newton steps on a stored matrix."""

    begun = False  # a step from duals of a neighbouring problem solves this one to rounding too

    def __init__(
        self, problem: BoxQP, view: Matrix, start: Start | None = None, seed: int = 0
    ) -> None:
        super().__init__(problem, view)
        del seed  # nothing is random here
        self._K, self.beta, self._inside = view, np.zeros(len(problem)), False
        self._F = problem.p.astype(np.float64)
        self._many = STEPS * max(len(problem), FEWEST)
        start = Start.of(problem) if start is None else start.within(problem)
        if start is not None:
            self.beta = start.beta
            self._K.bring(np.flatnonzero(start.beta))
            self._F -= self._times(start.beta) if start.product is None else start.product

    @property
    def running(self) -> Vector:
        """K beta, updated by every step."""
        return self.problem.p - self._F

    def gradient(self) -> Vector:
        """F = p - K beta, updated by every step."""
        return self._F

    def step(self, limits: Limits) -> None:
        """Solve by SMO and Newton; where they fail, begin again from inside the box."""
        self.begun = True
        before = self.violation()
        self._solve(FIRST, limits)
        if self.violation() <= limits.tol:
            return
        if self._inside:
            self.spent = self.violation() > 0.5 * before
        elif limits.max_iter < 0:
            self._restart_from_interior(limits)
            self._solve(0.0, limits)

    def _solve(self, share: float, limits: Limits) -> None:
        """Take turns until only rounding is left, SMO first down to a share of the violation.

        A problem with a bias and no groups that fills its rows is solved by the same call as many
        of them together. One that has them all is alone, and large enough for calls of its own: two
        short loops are compiled sooner than one that holds both (4.5 s of a first fit, not 6.2).
        """
        plain = self.problem.bias and self.problem.groups is None
        if not plain or self._K.source.kind == GIVEN:
            self._take_turns(share * self.violation(), limits)
            return
        turns = SmoNewtonState.begin(np.array([0, len(self.problem)]), share)
        point = self.beta, self._F, self.problem.lower, self.problem.upper
        product = np.empty(len(self.problem))
        while not turns.done[0] and limits.steps_left(self.iterations, 1) > 0:
            most = limits.steps_left(self.iterations, self._many) if limits.max_iter >= 0 else None
            made = int(turns.steps[0])
            turns.go_on(self._K, point, product, limits.tol, most)
            self.iterations += int(turns.steps[0]) - made
            if limits.clock.over():
                break
        self._flattest = min(self._flattest, float(turns.flattest[0]))

    def _take_turns(self, target: float, limits: Limits) -> None:
        """Do so where each turn is a call of its own."""
        exact, enough = EXACT * limits.tol, ENOUGH * limits.tol
        target, point = max(target, enough), (self.problem, self.beta, self._F)
        for _ in range(TURNS):
            most = limits.steps_left(self.iterations, self._many)
            steps, flat = self._K.ascend(*point, target, most, limits)
            self.iterations, self._flattest = self.iterations + steps, min(self._flattest, flat)
            if limits.clock.over() or limits.steps_left(self.iterations, 1) <= 0:
                break
            before = self.violation()
            if self.problem.groups is None:
                few = self._K.polish(*point, exact)
            else:
                few = self._solve_groups(limits)
                point = self.problem, self.beta, self._F
            violation = self.violation()
            if violation <= (exact if few else enough):
                break
            if self.problem.groups is not None and 0.5 * before < violation <= enough:
                break  # the judge says whether it is worth while to go on by SMO alone
            target = 0.1 * violation if few else enough

    def _solve_groups(self, limits: Limits) -> bool:
        """Make Newton steps from a fresh product, which decides how far they get."""
        problem, before = self.problem, self.beta.copy()
        self._F = problem.p - self.fresh_product()
        violation, merit = self.violation(), self.merit()
        few = solve_groups(self._K, problem, self.beta, self._F, limits)
        self._F = problem.p - self.fresh_product()
        if self.violation() > violation and not self.merit() > merit:  # rounding made it worse
            self.beta[:] = before
            self._F = problem.p - self.fresh_product()
        return few

    def _restart_from_interior(self, limits: Limits) -> None:
        """Begin again where an interior-point method ends, if that is better."""
        self._inside = True
        K = self._K.rows(np.arange(len(self.problem)))
        if self._has_negative_curvature() or not np.isfinite(K).all():
            return
        beta = InteriorPoint(self.problem, K).solve(limits)
        if beta is None:
            return
        start = Start(_settled(self.problem, beta)).within(self.problem).beta
        self._K.bring(np.flatnonzero(start))
        product = self._times(start)
        if self.problem.dual(start, product) > self.merit():
            self.beta, self._F = start, self.problem.p - product

    def fresh_product(self) -> Vector:
        """K beta, summed anew."""
        with np.errstate(invalid="ignore", over="ignore"):  # the judge says so of such a kernel
            return self._times(self.beta)

    def _times(self, beta: Vector) -> Vector:
        """Sum K beta; of a row with several variables their sum, in which large ones cancel."""
        copies = self.problem.copies
        if copies == 1:
            return self._K.times(beta)
        sums = np.zeros_like(beta)
        sums[: len(beta) // copies] = beta.reshape(copies, -1).sum(axis=0)
        self._K.bring(np.flatnonzero(sums))
        product = self._K.times(sums)
        return np.tile(product[: len(beta) // copies], copies)

    def restart(self, point: Point) -> None:
        """Go on from a fresh product."""
        self._F = self.problem.p - point.product


def _settled(problem: BoxQP, beta: Vector) -> Vector:
    """Put variables on a bound that an interior point has come very near to."""
    width = np.minimum(problem.upper - problem.lower, np.abs(beta).max(initial=0.0))
    settled = beta.copy()
    for bound in (problem.lower, problem.upper):
        near = np.abs(beta - bound) <= _NEAR * width
        settled[near] = bound[near]
    return settled
