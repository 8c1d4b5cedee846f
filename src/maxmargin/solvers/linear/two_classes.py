r"""The machine of Crammer and Singer for two classes, by way of the hinge.

With two classes ``problems.crammer_singer`` is the hinge at twice the cost, for w = w_1 - w_0 with
w_1 = -w_0 = w / 2; its duals are alpha_i1 = -alpha_i0 = beta_i / 2, and its objective is half of
the hinge's. Its solvers take rows of any scale.
"""

from __future__ import annotations

import numpy as np

from maxmargin.certify import CrammerSingerPoint
from maxmargin.losses import Hinge
from maxmargin.ops.design import Design
from maxmargin.problems import CrammerSinger, LinearProblem
from maxmargin.solvers.linear.linear_interior_point import LinearInteriorPoint
from maxmargin.solvers.linear.linear_working_set import LinearWorkingSet
from maxmargin.solvers.linear.propose import propose_joint
from maxmargin.solvers.linear.small_newton import is_narrow
from maxmargin.solvers.solver import Delegate


class TwoClasses(Delegate):
    """The solver of the hinge, whose point is one of the joint problem."""

    def __init__(
        self, problem: CrammerSinger, design: Design, start: None = None, seed: int = 0
    ) -> None:
        del start  # a machine of all classes begins at 0
        t = np.where(problem.labels == 1, 1.0, -1.0)
        hinge = LinearProblem(Hinge(), t, 2.0 * problem.cost)
        kind = LinearInteriorPoint if is_narrow(design) else LinearWorkingSet
        super().__init__(kind(hinge, design, None, seed))
        self.problem, self._design = problem, design

    def merit(self) -> float:
        """Return the dual."""
        return 0.5 * self._inner.merit()

    def objectives(self) -> tuple[float, float]:
        """Primal and dual."""
        primal, dual = self._inner.objectives()
        return 0.5 * primal, 0.5 * dual

    def point(self) -> CrammerSingerPoint:
        """Return half of the hinge's point to either class."""
        point, sides = self._inner.point(), np.array([-0.5, 0.5])
        theta, alpha = np.outer(sides, point.theta), np.outer(point.beta, sides)
        return propose_joint(self.problem, self._design, theta, alpha)

    def restart(self, point: CrammerSingerPoint) -> None:
        """Go on from a fresh product."""
        del point
        self._inner.restart(self._inner.point())
