r"""Newton's method for a kernel machine of any smooth convex loss.

Problem: ``problems.kernel``. At values f, with slopes beta_i = -c_i L'(f_i), curvatures
h_i = c_i L''(f_i) and s_i = h_i^1/2, the minimum of the quadratic model is

    a = beta + s u,    (I + S K S) u = s (f - K beta - b),    sum_i a_i = 0 for a free b,

which is a = beta - h (K a + b - f): the duals' linear prediction at the new values. The matrix has
no eigenvalue below 1 however singular K is (Rasmussen and Williams, "Gaussian Processes for Machine
Learning", 2006, algorithm 3.1), and rows without curvature drop out of it (Chapelle, "Training a
support vector machine in the primal", Neural Computation 19, 2007).

The step leads from the present coefficients to a, as far as the objective falls. Where that stops
short, lambda c is added to the curvatures the next time. The certificate is made of a itself, put
where the conjugates are finite: its gap is of second order in what is left of the step.

A few thousand rows are solved for by Cholesky's method. More of them by conjugate gradients, with
(I + S L L'S)^-1 as the preconditioner, where L L' = K_m K_mm^-1 K_m' has the rank of m landmarks
(Frangella, Tropp and Udell, "Randomized Nystroem preconditioning", 2023); where costs are so large
that this takes too many of them, and the matrix is stored, by Cholesky's method again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Point
from maxmargin.problems import KernelProblem
from maxmargin.solvers.box_qp.dual_ascent import Start
from maxmargin.solvers.cholesky import Cholesky, IndefiniteError
from maxmargin.solvers.kernel_values.products import Products
from maxmargin.solvers.linear.newton import least_along
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import Solver

Vector = NDArray[np.float64]

_DAMPING, _MORE, _LEAST, _MOST = 1e-6, 5.0, 1e-9, 1e6
_SMALL, _FINEST = 1024, 1e-13  # rows, and the relative gap that costs next to nothing for so few
_EXACT = 2048  # rows for which Cholesky's method is about as quick as gradients, and surer
_LANDMARKS, _JITTER = 512, 1e-10
_MOST_GRADIENTS, _PATIENCE, _ROUGH, _SHARE = 500, 50, 1e-3, 0.1
_EPS = float(np.finfo(np.float64).eps)
_SPENT = 3  # steps without a smaller gap, of a machine that is near enough


@dataclass(frozen=True)
class _Candidate:
    """Duals that a certificate may be made of, and the objectives there."""

    beta: Vector
    product: Vector
    """K beta, as a whole product gave it: nothing is added to it on the way."""
    primal: float
    dual: float

    @property
    def relative_gap(self) -> float:
        size = max(abs(self.primal), abs(self.dual))
        return 0.0 if size == 0 else (self.primal - self.dual) / size


class KernelNewton(Solver):
    """Newton's method on the coefficients of a kernel machine."""

    multiplies: ClassVar[bool] = True
    """Whether it asks for products with the whole matrix, not for rows of it."""

    def __init__(
        self, problem: KernelProblem, view: Products, start: Start | None = None, seed: int = 0
    ) -> None:
        self.problem, self._K, self._seed = problem, view, seed
        self.iterations, self._idle, self._damping = 0, 0, 0.0
        self.aim = _FINEST if len(problem) <= _SMALL else 1.0  # steps cost next to nothing
        self._exact = view.matrix is not None and len(view) <= _EXACT
        beta = np.zeros(len(problem)) if start is None else problem.near(start.beta)
        self._place(beta, view.times(beta) if beta.any() else np.zeros(len(problem)))

    def _place(self, beta: Vector, product: Vector) -> None:
        """Begin at these coefficients, with the best intercept."""
        self._a, self._product = beta, product
        self._b = self.problem.intercept(beta, -product)
        self._best = self._seen(beta, product, self._b)
        self._lowest = self._best.primal

    def _seen(self, beta: Vector, product: Vector, b: float) -> _Candidate:
        primal = self.problem.primal(beta, product, b)
        return _Candidate(beta, product, primal, self.problem.dual(beta, product))

    @property
    def spent(self) -> bool:  # type: ignore[override]
        """Whether only rounding is left."""
        return self._idle >= _SPENT and self._best.relative_gap < 1e-6

    def violation(self) -> float:
        """Return the relative gap by the running numbers."""
        return self._best.relative_gap

    def merit(self) -> float:
        """Return the best dual less the lowest primal: a step raises one or lowers the other."""
        return self._best.dual - self._lowest

    def objectives(self) -> tuple[float, float]:
        """Primal and dual at the best duals so far."""
        return self._best.primal, self._best.dual

    def point(self) -> Point:
        """Return the best duals with their product."""
        gram, beta = self._K.gram, self._best.beta
        order = np.argsort(-np.abs(beta))
        convex = gram.psd if gram.psd is not None else gram.seems_convex(order)
        return Point(beta, self._best.product, gram.rounding, convex)

    def restart(self, point: Point) -> None:
        """Go on from a fresh product."""
        self._place(point.beta, point.product)

    def step(self, limits: Limits) -> None:
        """Make one Newton step; what is beyond all numbers on the way is not taken."""
        with np.errstate(over="ignore", invalid="ignore"):
            self._step(limits)

    def _step(self, limits: Limits) -> None:
        self.iterations += 1
        values = self._product + self._b
        slopes = self.problem.slopes(values)
        h = self.problem.curvatures(values) + self._damping * self.problem.cost
        a, b = self._newton(slopes, h, values, limits)
        product = self._K.times(a)
        self._consider(a, product)
        self._advance(a - self._a, product - self._product, b - self._b)

    def _newton(
        self, slopes: Vector, h: Vector, values: Vector, limits: Limits
    ) -> tuple[Vector, float]:
        """Find coefficients and intercept where the quadratic model is least."""
        s = np.sqrt(h)
        right = s * (values - self._K.times(slopes))
        x, y = self._solve(s, np.column_stack([right, s]), limits).T
        b = 0.0
        if self.problem.free:
            bend = float(s @ y)
            b = float(slopes.sum() + s @ x) / bend if bend > 0 else self._b
        return slopes + s * (x - b * y), b

    def _consider(self, a: Vector, product: Vector) -> None:
        """Keep coefficients that make a smaller gap, as the nearest feasible duals."""
        beta = self.problem.near(a)
        if not np.array_equal(beta, a):
            product = self._K.times(beta)
        if not np.isfinite(self.problem.prices(product)).all():
            return  # far from the optimum, where a loss may be beyond all numbers
        seen = self._seen(beta, product, self.problem.intercept(beta, -product))
        better = seen.primal - seen.dual < self._best.primal - self._best.dual
        self._idle = 0 if better else self._idle + 1
        self._best = seen if better else self._best

    def _advance(self, step: Vector, change: Vector, rise: float) -> None:
        """Go along a step to where the objective is least; damp the next one by how far."""
        values, moved = self._product + self._b, change + rise
        inner, square = float(step @ self._product), float(step @ change)

        def derivative(length: float) -> float:
            slopes = self.problem.slopes(values + length * moved)
            return inner + length * square - float(slopes @ moved)

        slope = derivative(0.0)
        if not slope < 0.0:
            return  # only rounding is left of the step
        length = least_along(derivative, slope)
        self._a = self._a + length * step
        self._product = self._product + length * change
        self._b += length * rise
        primal = self.problem.primal(self._a, self._product, self._b)
        self._lowest = min(self._lowest, primal)
        if length < 0.5:
            self._damping = min(_MOST, _MORE * max(self._damping, _DAMPING))
        elif length >= 0.8:
            self._damping = self._damping / _MORE if self._damping > _LEAST else 0.0

    # (I + S K S) x = r

    def _solve(self, s: Vector, right: Vector, limits: Limits) -> Vector:
        if not self._exact:
            found = self._by_gradients(s[:, None], right, limits)
            if found is not None:
                return found
            self._exact = True  # too many gradients are needed
        return self._by_cholesky(s, right)

    def _by_cholesky(self, s: Vector, right: Vector) -> Vector:
        """Solve for the rows with a curvature."""
        assert self._K.matrix is not None
        curved = np.flatnonzero(s)
        part, solution = s[curved], np.zeros_like(right)
        some = self._K.matrix[np.ix_(curved, curved)]
        rounded = len(curved) * _EPS * float(np.max(np.square(part) * some.diagonal(), initial=0.0))
        for more in (0.0, 1.0, 1e3, 1e6):
            matrix = some * part * part[:, None]
            matrix[np.diag_indices_from(matrix)] += 1.0 + more * rounded
            with self._blamed(more > 0.0):
                solution[curved] = Cholesky.of(matrix, self._K.workers).solve(right[curved])
                return solution
        return right

    @contextmanager
    def _blamed(self, sure: bool) -> Iterator[None]:
        """Take a negative eigenvalue for rounding if the kernel is known to have none."""
        try:
            yield
        except IndefiniteError:
            if sure and not self._K.gram.psd:
                raise

    def _by_gradients(self, s: Vector, right: Vector, limits: Limits) -> Vector | None:
        """Solve for all columns by preconditioned conjugate gradients, as the gap deserves.

        None where too many of them would be needed and the matrix is there to be factorised.
        """
        inverse = _Inverse.of(s, self._factor)
        share = min(_ROUGH, _SHARE * self._best.relative_gap)
        x, residual = np.zeros_like(right), right
        towards = inverse.times(residual)
        rho = first = _inner(residual, towards)
        stored = self._K.matrix is not None
        for _ in range(_PATIENCE if stored else _MOST_GRADIENTS):
            if (rho <= share**2 * first).all() or limits.clock.over():
                break
            product = towards + s * self._K.times(s * towards)
            bend = _inner(towards, product)
            if (bend < 0.0).any():
                with self._blamed(True):
                    raise IndefiniteError
                break
            length = np.divide(rho, bend, out=np.zeros_like(rho), where=bend > 0.0)
            x, residual = x + length * towards, residual - length * product
            scaled = inverse.times(residual)
            rho, before = _inner(residual, scaled), rho
            again = np.divide(rho, before, out=np.zeros_like(rho), where=before > 0.0)
            towards = scaled + again * towards
        else:
            return None if stored else x
        return x

    @cached_property
    def _factor(self) -> Vector:
        """L of K_m K_mm^-1 K_m' = L L', for landmarks m."""
        n = len(self.problem)
        some = np.random.default_rng(self._seed).choice(n, min(n, _LANDMARKS), replace=False)
        columns = self._K.columns(np.sort(some))
        square = columns[np.sort(some)]
        square[np.diag_indices_from(square)] += _JITTER * max(float(square.trace()), 1e-300)
        return Cholesky.of(square).divide(columns.T).T


def _inner(left: Vector, right: Vector) -> Vector:
    """Multiply columns with columns."""
    products: Vector = np.einsum("ij,ij->j", left, right)
    return products


@dataclass(frozen=True)
class _Inverse:
    """(I + S L L' S)^-1 = I - S L (I + L'S^2 L)^-1 L'S, for a thin L."""

    s: Vector
    thin: Vector
    core: Cholesky

    @classmethod
    def of(cls, s: Vector, thin: Vector) -> _Inverse:
        core = (thin * np.square(s)).T @ thin
        core[np.diag_indices_from(core)] += 1.0
        return cls(s, thin, Cholesky.of(core))

    def times(self, r: Vector) -> Vector:
        inner = self.core.solve(self.thin.T @ (self.s * r))
        return r - self.s * (self.thin @ inner)
