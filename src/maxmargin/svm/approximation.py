"""A support vector machine in the span of a few landmarks, for more rows than a kernel matrix has.

With landmarks z_1, ..., z_m and phi(x) = K_mm^-1/2 (k(z_1, x), ..., k(z_m, x)) of
``kernels.approximation``, the problem is the linear one of m columns,

    min_{w,b}  |w|^2 / 2 + sum_i C_i max(0, 1 - t_i (w'phi(x_i) + b)),

whose machine is one of m support vectors: w'phi(x) = sum_j beta_j k(z_j, x), beta = K_mm^-1/2 w. It
is the least of all machines in the landmarks' span; its certificate speaks of that, not of the
machine of all rows.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Certificate, LinearPoint, judge
from maxmargin.kernels.approximation import inverse_root
from maxmargin.kernels.base import Takes
from maxmargin.losses import Hinge
from maxmargin.ops.clock import TimeUp, stop_if_over
from maxmargin.ops.design import Design
from maxmargin.ops.threads import Workers
from maxmargin.problems import LinearProblem
from maxmargin.solvers import Newton, Solution, successor_of
from maxmargin.solvers.run import given_up
from maxmargin.solvers.tasks import badness, relay, solve_all
from maxmargin.svm.kernel_fit import Learned, Recipe
from maxmargin.svm.machine import KernelMachine
from maxmargin.svm.training import Training, take

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

_ROWS = 1024  # of which a thread makes features at a time


@dataclass(frozen=True)
class Approximation:
    """Rows as features by some of them, and one linear problem a class or for two of them."""

    training: Training
    recipe: Recipe
    rows: Index
    """Those that cost something."""
    places: Index
    """The landmarks, class by class."""

    @classmethod
    def by(cls, training: Training, recipe: Recipe, landmarks: int) -> Approximation:
        """Draw landmarks from the rows that cost something."""
        rows = np.flatnonzero(recipe.costs(training) > 0)
        drawn = np.random.default_rng(recipe.seed).permutation(rows)[:landmarks]
        order = np.lexsort((drawn, training.label[drawn]))
        return cls.on(training, recipe, drawn[order])

    @classmethod
    def on(cls, training: Training, recipe: Recipe, places: Index) -> Approximation:
        """Take landmarks that are known."""
        return cls(training, recipe, np.flatnonzero(recipe.costs(training) > 0), places)

    @property
    def about(self) -> str:
        """What a certificate is of."""
        return f"of the problem approximated by {len(self.places)} landmarks"

    def learn(self) -> Learned:
        """Solve the linear problems and give the machine of landmarks."""
        root = self._root()
        solutions = [self._labelled(solution) for solution in self._solve(root)]
        theta = np.stack([solution.point.theta for solution in solutions])
        return Learned(self._machine(theta, root), None, solutions)  # type: ignore[arg-type]

    def certify(self, machine: KernelMachine) -> Certificate:
        """Judge a machine of these landmarks again, by duals that are found anew."""
        root = self._root()
        weights = np.linalg.solve(root, machine.coefficients.T).T
        theta = np.column_stack([weights, machine.intercepts])
        with Workers(self.recipe.n_jobs) as workers:
            design = Design(self._features(root, workers), 1.0, workers)
            points = [solution.point for solution in self._solve(root)]
            judged = [
                judge(problem, replace(point, theta=own, values=design.values(own)), tol)
                for problem, point, own in zip(self._problems(), points, theta, strict=True)
                for tol in [self.recipe.limits.tol]
            ]
        return replace(max(judged, key=badness), about=self.about)

    def _labelled(self, solution: Solution) -> Solution:
        return replace(solution, certificate=replace(solution.certificate, about=self.about))

    def _root(self) -> Vector:
        basis = self.training.gram.rows[self.places]
        return inverse_root(self.training.gram.block(basis, basis)).astype(np.float64)

    def _features(self, root: Vector, workers: Workers) -> NDArray[Any]:
        """Make the features of all rows that cost something, a few rows at a time."""
        gram = self.training.gram
        rows, basis = gram.rows[self.rows], gram.rows[self.places]
        turn, out = root.T.astype(gram.dtype), np.empty((len(self.rows), len(root)), gram.dtype)

        def work(first: int) -> None:
            stop_if_over()
            part = slice(first, first + _ROWS)
            np.matmul(gram.block(rows[part], basis), turn, out=out[part])

        workers.each(work, range(0, len(out), _ROWS))
        return out

    @property
    def _two(self) -> bool:
        return len(self.training.classes) == 2

    def _problems(self) -> list[LinearProblem]:
        """State the problem of two classes, the first one positive, or of each against the rest."""
        label, cost = self.training.label[self.rows], self.recipe.costs(self.training)[self.rows]
        positive = range(1 if self._two else len(self.training.classes))
        sides = [np.where(label == c, 1.0, -1.0) for c in positive]
        return [LinearProblem(Hinge(), t, cost, "l2", True) for t in sides]

    def _solve(self, root: Vector) -> list[Solution]:
        limits, recipe, problems = self.recipe.limits, self.recipe, self._problems()
        features: NDArray[Any] | None = None
        with suppress(TimeUp), Workers(recipe.n_jobs) as workers:  # then nothing is begun
            features = self._features(root, workers)

        def start(problem: LinearProblem, workers: Workers) -> list[Any]:
            limits.clock.stop_if_over()
            assert features is not None
            design = Design(features, 1.0, workers)
            kinds = [Newton, successor_of(problem, design)]
            return [partial(k, problem, design, None, recipe.seed) for k in kinds if k is not None]

        def untouched(problem: LinearProblem) -> Solution:
            theta, values = np.zeros(len(root) + 1), np.zeros(len(problem))
            dtype = self.training.gram.dtype
            return given_up(
                problem, LinearPoint(theta, values, values, theta, dtype, theta), limits
            )

        if features is None:
            return [untouched(problem) for problem in problems]
        return solve_all(
            start, problems, limits, give_up=untouched, n_jobs=recipe.n_jobs, finish=relay
        )

    def _machine(self, theta: Vector, root: Vector) -> KernelMachine:
        training, places = self.training, self.places.astype(np.int32)
        matrix = training.seen.kernel.takes is Takes.MATRIX
        counts = np.bincount(training.label[places], minlength=len(training.classes))
        return KernelMachine(
            seen=training.seen,
            rows=places,
            support=np.empty((0, 0)) if matrix else take(training.X, places),
            counts=counts.astype(np.int32),
            coefficients=theta[:, :-1] @ root,
            intercepts=theta[:, -1].copy(),
            by_pairs=self._two,
            n_rows=len(training),
        )
