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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Certificate, LinearPoint, Status, judge
from maxmargin.certify.linear import Lengths
from maxmargin.kernels.approximation import InverseRoot, inverse_root
from maxmargin.kernels.base import Takes
from maxmargin.kernels.rounding import of_product, units
from maxmargin.losses import Hinge
from maxmargin.ops.clock import TimeUp, stop_if_over
from maxmargin.ops.design import Design
from maxmargin.ops.threads import Workers
from maxmargin.problems import LinearProblem
from maxmargin.solvers import Newton, Solution
from maxmargin.solvers.plan import PATIENCE_OF_NEWTON, fallbacks
from maxmargin.solvers.run import Stage, badness, given_up, solve_all
from maxmargin.svm.kernel_fit import TOO_COARSE, Learned, Recipe
from maxmargin.svm.machine import KernelMachine
from maxmargin.svm.training import Training, take

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

_ROWS, _FEW = 1024, 64  # of which a thread makes features at a time, at most and at least
_VALUES = 2**19  # and of so many numbers
_GROUPS = 8  # partial sums of rows
_SMALL = 0.1  # of what a certificate allows, up to which the rounding of features may add
_NOTHING = 1e-12  # of the largest eigenvalue of the root, below which a direction was left out


@dataclass(frozen=True)
class _Served(Lengths):
    """Lengths of features, with by how much values of the machine were seen to be off."""

    errors: Vector | float = 0.0

    def of_values(self, theta: Vector) -> Vector:
        """Add to the bound of the products what was seen of the kernel values."""
        return super().of_values(theta) + self.errors


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

    def in_double(self) -> Approximation:
        """Take the same landmarks in double precision."""
        return replace(self, training=self.training.in_double())

    @property
    def about(self) -> str:
        """What a certificate is of."""
        return f"of the problem approximated by {len(self.places)} landmarks"

    def learn(self) -> Learned:
        """Solve the linear problems and give the machine of landmarks."""
        try:
            root = self._root()
        except TimeUp:
            nothing = InverseRoot(np.zeros((len(self.places),) * 2), convex=True)
            return self._learned(nothing, [self._untouched(p) for p in self._problems()])
        solutions = self._solve(root.matrix)
        single = self.training.gram.dtype == np.float32
        if single or self._amplified(root, solutions):
            root, solutions = _unraised(root, solutions)
            solutions = self._in_time(root.matrix, solutions)
        if single and any(s.certificate.status in TOO_COARSE for s in solutions):
            return self.in_double().learn()
        return self._learned(root, solutions)

    def _amplified(self, root: InverseRoot, solutions: list[Solution]) -> bool:
        """Return whether what the root makes of rounding may count beside the tolerance.

        A feature is off by u |k_i| |K^-1/2| at most; |k_i|^2 is at most k(x_i, x_i) tr K.
        """
        square = np.abs(self.training.gram.diagonal().astype(np.float64))
        length = np.sqrt(square[self.rows] * square[self.places].sum()) * root.norm
        cost = self.recipe.costs(self.training)[self.rows]
        price = float(cost @ of_product(length, units(len(self.places))))
        return any(
            price * float(np.linalg.norm(s.point.theta)) > _SMALL * abs(s.certificate.allowed)
            for s in solutions
        )

    def _in_time(self, root: Vector, solutions: list[Solution]) -> list[Solution]:
        """Judge points in double precision; where that takes too long, nothing is proved."""
        try:
            return self._judged_in_double(root, solutions)
        except TimeUp:
            interrupted = self.recipe.limits.clock.interrupted
            over = Status.INTERRUPTED if interrupted else Status.TIME_LIMIT
            return [replace(s, certificate=replace(s.certificate, status=over)) for s in solutions]

    def _learned(self, root: InverseRoot, solutions: list[Solution]) -> Learned:
        theta = np.stack([solution.point.theta for solution in solutions])
        known = [replace(s, certificate=self._labelled(root, s.certificate)) for s in solutions]
        return Learned(self._machine(theta, root.matrix), None, known)  # type: ignore[arg-type]

    def certify(self, machine: KernelMachine) -> Certificate:
        """Judge a machine of these landmarks again, by duals that are found anew."""
        root, tol = self._root(), self.recipe.limits.tol
        weights = machine.coefficients @ np.linalg.pinv(root.matrix, _NOTHING, hermitian=True)
        theta = np.column_stack([weights, machine.intercepts])
        with Workers(self.recipe.n_jobs) as workers:
            design = Design(self._features(root.matrix, workers), 1.0, workers)
            points = [solution.point for solution in self._solve(root.matrix)]
            judged = [
                judge(problem, replace(point, theta=own, values=design.values(own)), tol)
                for problem, point, own in zip(self._problems(), points, theta, strict=True)
            ]
        return self._labelled(root, max(judged, key=badness))

    def _labelled(self, root: InverseRoot, certificate: Certificate) -> Certificate:
        """Return what a certificate is of, and that it proves nothing where there is no norm."""
        status, convex = certificate.status, root.convex and self.training.gram.psd is not False
        if not convex and status in (Status.CERTIFIED, Status.STALLED):
            status = Status.NOT_CONVEX
        return replace(certificate, about=self.about, status=status)

    def _root(self) -> InverseRoot:
        """K_mm^-1/2 of kernel values in double precision, whatever that of the features."""
        gram, places = self.training.gram, self.places
        if getattr(self.training.X, "dtype", None) == np.float32:
            gram, places = self.training.gram_in_double(places), np.arange(len(places))
        basis = gram.rows[places]
        return inverse_root(gram.block(basis, basis), self.training.gram.dtype)

    def _judged_in_double(self, root: Vector, solutions: list[Solution]) -> list[Solution]:
        """Judge points that were found by rounded features by the machines they stand for."""
        theta = np.stack([s.point.theta for s in solutions])
        beta = np.stack([s.point.beta for s in solutions], axis=1)
        exact, errors, sums = self._products(theta[:, :-1] @ root, beta)
        judged = []
        for c, (problem, s) in enumerate(zip(self._problems(), solutions, strict=True)):
            known = s.point.lengths or Lengths(np.zeros(len(problem)))
            point = replace(
                s.point,
                values=exact[:, c] + theta[c, -1],
                back=np.append(root @ sums[:, c], beta[:, c].sum()),
                lengths=_Served(known.rows, known.far, known.width, errors[:, c]),
            )
            status = s.certificate.status
            stopped = None if status is Status.CERTIFIED else status
            certificate = judge(problem, point, self.recipe.limits.tol, stopped)
            judged.append(replace(s, point=point, certificate=certificate))
        return judged

    def _products(self, coefficients: Vector, beta: Vector) -> tuple[Vector, Vector, Vector]:
        """K beta of the landmarks' coefficients, how far off it is served, and K'beta of the rows'.

        What served values differ from those in double precision counts twice to be sure, beside
        what rounding does to sums.
        """
        training, gram = self.training, self.training.gram
        basis = gram.rows[self.places]
        exact, errors = np.empty((2, len(self.rows), len(coefficients)))
        same, wide = gram.dtype == np.float64, units(len(self.places))
        landmarks = basis if same else training.gram_in_double(self.places).rows
        parts = [slice(i, i + _ROWS) for i in range(0, len(self.rows), _ROWS)]
        sums = np.zeros((min(_GROUPS, len(parts)), len(self.places), beta.shape[1]))

        def work(group: int) -> None:
            for part in parts[group :: len(sums)]:
                stop_if_over()
                served = values = gram.block(gram.rows[self.rows[part]], basis)
                if not same:
                    double = training.gram_in_double(self.rows[part])
                    values = double.block(double.rows, landmarks)
                exact[part] = values @ coefficients.T
                errors[part] = 2.0 * np.abs(served @ coefficients.T - exact[part])
                errors[part] += of_product(np.abs(values) @ np.abs(coefficients.T), wide)
                sums[group] += values.T @ beta[part]

        with Workers(self.recipe.n_jobs) as workers:
            workers.each(work, range(len(sums)))
        return exact, errors, sums.sum(axis=0)

    def _features(self, root: Vector, workers: Workers) -> NDArray[Any]:
        """Make the features of all rows that cost something, a few rows at a time."""
        gram = self.training.gram
        rows, basis = gram.rows[self.rows], gram.rows[self.places]
        turn, out = root.T.astype(gram.dtype), np.empty((len(self.rows), len(root)), gram.dtype)
        some = min(_ROWS, max(_FEW, _VALUES // len(root)))

        def work(first: int) -> None:
            stop_if_over()
            part = slice(first, first + some)
            np.matmul(gram.block(rows[part], basis), turn, out=out[part])

        workers.each(work, range(0, len(out), some))
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

        def start(problem: LinearProblem, workers: Workers) -> Any:
            limits.clock.stop_if_over()
            assert features is not None
            design = Design(features, 1.0, workers)
            stages = (Stage(Newton, PATIENCE_OF_NEWTON), *fallbacks(problem, design))
            return stages, lambda stage: stage.solver(problem, design, None, recipe.seed)

        if features is None:
            return [self._untouched(problem) for problem in problems]
        return solve_all(start, problems, limits, give_up=self._untouched, n_jobs=recipe.n_jobs)

    def _untouched(self, problem: LinearProblem) -> Solution:
        theta, values = np.zeros(len(self.places) + 1), np.zeros(len(problem))
        dtype = self.training.gram.dtype
        point = LinearPoint(theta, values, values, theta, dtype, theta)
        return given_up(problem, point, self.recipe.limits)

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


def _unraised(root: InverseRoot, solutions: list[Solution]) -> tuple[InverseRoot, list[Solution]]:
    """Express the same machines by features of the kernel itself.

    Features of raised eigenvalues are shorter than the kernel's, so that the same machine seems to
    be longer than it is, and a dual of them bounds nothing.
    """
    if root.unraised is None or root.stretch is None:
        return root, solutions
    found = []
    for solution in solutions:
        point = solution.point
        theta = np.append(root.stretch @ point.theta[:-1], point.theta[-1])
        found.append(replace(solution, point=replace(point, theta=theta)))
    return InverseRoot(root.unraised, root.convex), found
