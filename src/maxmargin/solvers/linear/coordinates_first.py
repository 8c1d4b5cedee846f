r"""Hinges on sparse or wide rows: dual coordinate descent, and Newton's method where that is slow.

Problem: that of ``problems.linear`` with a hinge, the penalty "l2" and no free intercept. A visit
of a sparse row costs next to nothing, and where few rows share columns, as words or binary features
do, some ten visits of each are enough. Columns that go together, or costs that are high, may ask
for thousands; Newton's proximal steps then do it in some thirty, whatever the columns are like, but
each sums the products of all columns. Which of the two it is shows on the way: when the visits that
are still to be made, at the rate of the last ones, would take longer than all of Newton's steps,
those are made from where coordinate descent has come to.

Dense rows come here where columns are nearly as many as they: then hardly any is short of its
margin, Newton's matrix is nearly singular, and a few visits of each row do what took minutes (4,000
rows of 3,000 columns: 0.3 s instead of 43).
"""

from __future__ import annotations

from maxmargin.certify import LinearPoint
from maxmargin.ops.design import Design
from maxmargin.problems import LinearProblem
from maxmargin.solvers.linear.dual_coordinate import DualCoordinate
from maxmargin.solvers.linear.newton import Newton
from maxmargin.solvers.linear.propose import LinearStart
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import GapSolver

_STEPS, _CURVED = 25, 0.3  # of Newton's method, and the share of rows whose products they sum
_PASSES, _FACTOR = 6, 1 / 30  # over all rows in such a step; of Cholesky's
_VISIT = 10  # what a visit costs beside two passes over its row, in numbers read
_TRY = 0.15  # of the cost of Newton's method is spent before anything is concluded


class CoordinatesFirst(GapSolver):
    """Dual coordinate descent that hands over to Newton's method if that will be done sooner."""

    def __init__(
        self,
        problem: LinearProblem,
        design: Design,
        start: LinearStart | None = None,
        seed: int = 0,
    ) -> None:
        self.problem, self._design, self._seed, self._made = problem, design, seed, 0
        self._first = DualCoordinate(problem, design, start, seed)
        self._solver: DualCoordinate | Newton = self._first
        self._spent, self._worth = 0.0, _visits_worth(design)

    @property
    def iterations(self) -> int:  # type: ignore[override]
        """Passes and steps made so far."""
        return self._made + self._solver.iterations

    def objectives(self) -> tuple[float, float]:
        """Best primal so far, and the dual."""
        return self._solver.objectives()

    def point(self) -> LinearPoint:
        """Return the best point with fresh products."""
        return self._solver.point()

    def restart(self, point: LinearPoint) -> None:
        """Go on from fresh products."""
        self._solver.restart(point)

    def step(self, limits: Limits) -> None:
        """Make a step of whoever is at work, and consider whether it should be the other."""
        self._solver.step(limits)
        if self._solver is self._first:
            self._spent += self._first.made
            late = self._spent + self._first.needed(limits.tol) > self._worth
            if late and self._spent > _TRY * self._worth:
                self._hand_over()

    def _hand_over(self) -> None:
        point, self._made = self._first.point(), self._first.iterations
        start = LinearStart(point.theta, point.beta)
        self._solver = Newton(self.problem, self._design, start, self._seed)
        self._solver.restart(point)  # its duals bound the optimum until there are better ones


def _visits_worth(design: Design) -> float:
    """How many visits of a row take as long as Newton's method would."""
    each = design.stored / max(1, len(design))
    products = _CURVED * 0.5 * design.stored * each + _PASSES * design.stored
    return _STEPS * (products + _FACTOR * design.width**3) / (2.0 * each + _VISIT)
