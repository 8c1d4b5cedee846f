"""Shrinking: go on with the variables that may still move, and leave the columns of the others.

At (beta0, F0 = p - K beta0) a variable at a bound that no violating pair can contain is set
aside. The rest, A, look for the increment gamma = beta_A - beta0_A of the same form of problem,

    max_gamma  F0_A'gamma - gamma'K_AA gamma / 2,    lower_A - beta0_A <= gamma <= upper_A - beta0_A

(with sum gamma = 0 if there is a bias), which starts at gamma = 0 with nothing to evaluate. When it
is solved, the rows of the variables that moved are evaluated once on the columns set aside. The
idea is Joachims's (1999, section 11.4); LIBSVM's rule decides who is set aside (Chang and Lin,
"LIBSVM", 2011, section 5.1).

It pays when the cache is so small that the rows of a working set are evaluated again in almost
every step: then they are shorter and more of them fit. Otherwise the columns set aside cost more in
the end than they saved, because rows that the cache held have to be evaluated on them again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from maxmargin.certify import Point
from maxmargin.problems import BoxQP
from maxmargin.solvers.box_qp.dual_ascent import Index, Start, Vector
from maxmargin.solvers.box_qp.working_set import WorkingSet
from maxmargin.solvers.kernel_values.iterate import Iterate, Window
from maxmargin.solvers.kernel_values.row_cache import RowCache
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import Solver

_FEW_LINES = 0.5  # of the working set's size: only a cache with fewer lines is too small, and
_LEAST_SHARE = 0.5  # of the variables must go, and
_STEPS_BETWEEN = 4  # steps on all of them come first, or the rule sets too many aside too early


class Shrinking(Solver):
    """A working-set solver that leaves settled variables out while that pays."""

    def __init__(
        self, problem: BoxQP, view: Window, start: Start | None = None, seed: int = 0
    ) -> None:
        self.problem = problem
        self._size, self._steps = view.room, 0
        self._whole = WorkingSet(problem, view, start, seed)
        self._part: WorkingSet | None = None
        self._active: Index = np.arange(len(problem))
        self._done = 0

    @property
    def iterations(self) -> int:  # type: ignore[override]
        """Pair steps so far, on all variables and on parts."""
        return self._whole.iterations + self._done + (self._part.iterations if self._part else 0)

    @property
    def iterate(self) -> Iterate:
        """The point on all variables, as it was when the present part was cut out."""
        return self._whole.iterate

    @property
    def beta(self) -> Vector:
        """The same point."""
        return self._whole.beta

    @property
    def running(self) -> Vector:
        """Its running product."""
        return self._whole.running

    def violation(self) -> float:
        """Violation among the variables at work."""
        return (self._part or self._whole).violation()

    def merit(self) -> float:
        """Return the dual: of the whole, plus what the increment has gained."""
        return self._whole.merit() + (self._part.merit() if self._part else 0.0)

    def objectives(self) -> tuple[float, float]:
        """Primal and dual; while a part is at work the primal is that of the last whole point."""
        return self._whole.objectives()[0], self.merit()

    def point(self) -> Point:
        """Return the point with a fresh product."""
        self._unshrink()
        return self._whole.point()

    def restart(self, point: Point) -> None:
        """Go on from a fresh product."""
        self._whole.restart(point)

    def step(self, limits: Limits) -> None:
        """Step on what is at work; shrink before if it pays, unshrink after if that is solved."""
        if self._part is None and self._steps >= _STEPS_BETWEEN:
            self._shrink_if_it_pays()
        solver = self._part or self._whole
        others = self.iterations - solver.iterations
        left = limits.max_iter - others if limits.max_iter >= 0 else -1
        solver.step(replace(limits, max_iter=left))
        self._steps += 1
        if self._part is not None and self._part.violation() <= limits.tol:
            self._unshrink()

    def _shrink_if_it_pays(self) -> None:
        iterate = self._whole.iterate
        if iterate.cache.lines > _FEW_LINES * self._size:
            return
        active = np.flatnonzero(~self._settled())
        if len(active) > (1 - _LEAST_SHARE) * len(self.problem):
            return
        self._active, old = active, iterate.cache
        iterate.fresh_product()  # books what the cache holds: its memory is about to be reused
        old.clear()
        gram = old.gram.reordered(iterate.index[active])
        cache = RowCache(gram, old.store.nbytes, old.workers, memory=old.store)
        buffers, window = self._whole.lend_buffers(), Window(cache, (0,), self._size)
        self._part = WorkingSet(self._increment(active), window, buffers=buffers)

    def _settled(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Which variables at a bound lie beyond every pair that could still move."""
        problem, beta, F = self.problem, self._whole.iterate.beta, self._whole.gradient()
        up, low = problem.limits(beta, F)
        only_up = (beta <= problem.lower) & (low > F)
        only_low = (beta >= problem.upper) & (up < F)
        return only_up | only_low

    def _increment(self, active: Index) -> BoxQP:
        problem, beta = self.problem, self._whole.iterate.beta[active]
        lower, upper = problem.lower[active] - beta, problem.upper[active] - beta
        return BoxQP(self._whole.gradient()[active], lower, upper, problem.bias)

    def _unshrink(self) -> None:
        """Take the part's increment over to the whole."""
        if self._part is None:
            return
        part, self._part = self._part, None
        self._done += part.iterations
        self._steps = 0
        moved = np.flatnonzero(part.iterate.beta)
        variables, gamma = self._active[moved], part.iterate.beta[moved]
        lower, upper = part.problem.lower[moved], part.problem.upper[moved]
        values = self._whole.iterate.beta[variables] + gamma
        values = np.where(gamma == lower, self.problem.lower[variables], values)
        values = np.where(gamma == upper, self.problem.upper[variables], values)
        self._whole.note_curvature(part)
        self._whole.iterate.absorb(variables, values, self._active, part.iterate)
        part.iterate.cache.clear()
