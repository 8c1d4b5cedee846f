r"""Newton's method on sums over partitions, for a linear model that no machine holds the rows of.

The problem is that of ``problems/linear.py`` and the method that of ``solvers/linear/newton.py``.
The client keeps theta and the path of smoothings (d numbers each); a step sends d numbers to every
task and gets d^2 + d + 2 back from every partition:

    sum_i h_i x_i x_i',   sum_i beta_i x_i,   sum_i c_i L(f_i),   what the smoothing hides.

Answers are added in the order of partitions, so a fit has the same bits whoever computed them. The
duals that prove the result stay on the workers: they follow from theta, the step and the path, and
so does every sum that the judge asks for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from maxmargin.certify import Certificate, Status, judge
from maxmargin.certify.certificate import BY_GAP, conclude_one
from maxmargin.dask.cluster import Cluster, Table
from maxmargin.dask.linear_rows import (
    Facts,
    LinearTask,
    Recipe,
    Smoothing,
    Sums,
    add_up,
    judge_rows,
    look,
    sum_duals,
)
from maxmargin.kernels.rounding import of_product, units
from maxmargin.ops.clock import TimeUp
from maxmargin.problems import LinearProblem
from maxmargin.solvers.linear.newton import least_along
from maxmargin.solvers.linear.small_newton import damping_of, width_of
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import GapSolver

Vector = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)
_JITTER = 1e-11
_MORE, _LEAST, _MOST, _FIRST = 5.0, 1e-9, 1e6, 1e-6
_NARROW = 0.3
_PROMISING = 5.0


@dataclass(frozen=True)
class SummedProblem:
    """A linear problem whose rows lie on workers: what is left of it without them."""

    task: LinearTask
    rows: int
    _alone: LinearProblem = field(init=False)

    def __post_init__(self) -> None:
        none = np.empty(0)
        task = self.task
        alone = LinearProblem(task.loss, none, none, task.penalty, task.free)
        object.__setattr__(self, "_alone", alone)

    def __len__(self) -> int:
        return self.rows

    def __getattr__(self, name: str) -> Any:
        if name in ("penalty_value", "penalty_conjugate", "curvature_of_penalty", "penalised"):
            return getattr(self._alone, name)
        raise AttributeError(name)

    def off(self, theta: Vector, back: Vector) -> float:
        """Return how far v is from the penalty's derivatives."""
        none = np.empty(0)
        return self._alone.judged(theta, none, none, back)[2]

    def feasible(self, beta_size: float, back: Vector, spread: Vector) -> bool:
        """Whether v meets the equalities up to rounding."""
        if not self.task.free:
            spread = np.maximum(spread, _EPS)
        return self._alone.feasible(np.array([beta_size]), back, spread)


@dataclass(frozen=True)
class SummedPoint:
    """Coefficients, and the facts of every partition at them; no facts when the cluster is lost."""

    theta: Vector
    facts: list[Facts] | None
    precision: np.dtype[Any]
    width: int


@judge.register
def judge_summed(
    problem: SummedProblem, point: SummedPoint, tol: float, stopped: Status | None = None
) -> Certificate:
    """Judge as ``certify.linear`` does, from sums over partitions."""
    if point.facts is None:
        numbers = (np.inf, -np.inf, np.inf, 0.0)
        return conclude_one(
            numbers, BY_GAP, tol, (True, True, False), point.precision.name, stopped
        )
    theta, parts = point.theta, point.facts
    back = add_up(parts, lambda p: p.back)
    primal = problem.penalty_value(theta) + add_up(parts, lambda p: p.price)
    dual = -add_up(parts, lambda p: p.conjugate) - problem.penalty_conjugate(back)
    worst = max([p.violation for p in parts] + [problem.off(theta, back)])
    weight, squares = add_up(parts, lambda p: p.weight), add_up(parts, lambda p: p.squares)
    spread = np.sqrt(weight * add_up(parts, lambda p: p.spread))
    if problem.task.penalty != "none":
        spread = np.full(len(back), weight)
    floor = _floor(problem, point, primal, back, weight, squares)
    finite = all(p.finite for p in parts)
    sound = bool(np.isfinite(primal) and np.isfinite(theta).all())
    proven = finite and bool(np.isfinite(dual)) and problem.feasible(weight, back, spread)
    return conclude_one(
        (primal, dual, worst, floor),
        BY_GAP,
        tol,
        (sound, True, proven),
        point.precision.name,
        stopped,
    )


def _floor(
    problem: SummedProblem,
    point: SummedPoint,
    primal: float,
    back: Vector,
    weight: float,
    squares: float,
) -> float:
    """Bound what rounding adds to the gap."""
    assert point.facts is not None
    moved = add_up(point.facts, lambda p: p.moved)
    floor = _EPS * (abs(primal) + moved) + add_up(point.facts, lambda p: p.rounding)
    if problem.task.penalty == "none":
        return float(floor + np.abs(back) @ np.abs(point.theta))
    if problem.task.free:
        floor += abs(float(back[-1] * point.theta[-1]))
    error = float(np.linalg.norm(of_product(np.sqrt(weight * squares), units(problem.rows))))
    return float(floor + error * float(np.linalg.norm(back)))


class SummedNewton(GapSolver):
    """Newton's method whose rows are on a cluster."""

    needs: ClassVar = "a loss with a curvature and the penalty 'l2' or none"

    def __init__(
        self,
        problem: SummedProblem,
        cluster: Cluster,
        table: Table,
        theta: Vector,
        *,
        scale: float = 1.0,
        precision: np.dtype[Any] | None = None,
        name: str = "",
    ) -> None:
        self.problem, self._cluster, self._table = problem, cluster, table
        self._task, self._name, self.iterations = problem.task, name, 0
        self._precision = np.dtype(np.float64) if precision is None else precision
        self._diagonal = problem.curvature_of_penalty(len(theta))
        smooth = problem.task.loss.smooth
        self._damping = damping_of(problem.task.loss)
        width = scale * width_of(warm=bool(theta.any()))
        self._smoothing = None if smooth else Smoothing(width, theta.tobytes())
        self._theta = self._best_theta = theta
        self._recipe = Recipe(self._smoothing, theta, np.zeros_like(theta), 0.0, 0.0)
        self._dual, self._primal = -np.inf, np.inf
        self._lost = False
        self._here = self._look(theta)
        self._note()

    # what the outer loop asks

    def violation(self) -> float:
        """Return the relative gap; all of it before there is a dual point."""
        return super().violation() if np.isfinite(self._dual) else np.inf

    def merit(self) -> float:
        """Return minus the gap, or minus the primal before there is a dual point."""
        return super().merit() if np.isfinite(self._dual) else -self._primal

    def point(self) -> SummedPoint:
        """Ask for everything afresh."""
        facts = None
        try:
            if not self._cluster.clock.interrupted and np.isfinite(self._dual):
                facts = self._judge()
        except TimeUp:
            facts = None
        width = len(self._best_theta)
        return SummedPoint(self._best_theta, facts, self._precision, width)

    def _judge(self) -> list[Facts]:
        return self._cluster.ask(
            self._table,
            self._title("judge"),
            judge_rows,
            self._task,
            self._best_theta,
            self._recipe,
        )

    def restart(self, point: SummedPoint) -> None:
        """Go on: the numbers that the judge saw are as fresh as ours."""

    def step(self, limits: Limits) -> None:
        """Make one Newton step."""
        self.iterations += 1
        here, theta = self._here, self._theta
        gradient = self._diagonal * theta - here.back
        step, undamped = self._direction(here.matrix, gradient)
        decrement = np.inf if undamped is None else -0.5 * float(gradient @ undamped)
        if undamped is not None and self._is_promising(decrement, limits.tol):
            self._look_at_duals(Recipe(self._smoothing, theta, undamped))

        def derivative(length: float) -> float:
            self._ahead = self._look(theta + length * step)
            ahead = self._diagonal * (theta + length * step) - self._ahead.back
            return float(ahead @ step)

        length = least_along(derivative, float(gradient @ step))
        self._theta, self._here = theta + length * step, self._ahead
        self._note()
        self._adapt(length, decrement)

    # sums

    def _title(self, what: str) -> str:
        return f"{self._name}step {self.iterations}: {what}"

    def _look(self, theta: Vector) -> Sums:
        parts = self._cluster.ask(
            self._table, self._title("sums"), look, self._task, self._smoothing, theta
        )
        return Sums(*(add_up(parts, lambda p, k=k: p[k]) for k in range(4)))  # type: ignore[misc]

    def _note(self) -> None:
        primal = self.problem.penalty_value(self._theta) + self._here.price
        if primal < self._primal:
            self._primal, self._best_theta = primal, self._theta

    def _is_promising(self, decrement: float, tol: float) -> bool:
        return decrement <= _PROMISING * tol * abs(self._primal) or not np.isfinite(self._dual)

    def _look_at_duals(self, recipe: Recipe) -> None:
        """Evaluate predicted duals, made to sum to 0 for a free intercept."""
        sums = self._dual_sums(recipe)
        if self._task.free:
            up, down = add_up(sums, lambda p: p.up), add_up(sums, lambda p: p.down)
            factor = min(up, down) / max(up, down) if max(up, down) > 0 else 1.0
            heavy: Any = {"up": factor} if up > down else {"down": factor}
            recipe = recipe._replace(**heavy)
            sums = self._dual_sums(recipe)
        back = add_up(sums, lambda p: p.back)
        size = add_up(sums, lambda p: p.up) + add_up(sums, lambda p: p.down)
        spread = np.sqrt(size * add_up(sums, lambda p: p.spread))
        if self._task.penalty != "none":
            spread = np.full(len(back), size)
        value = -add_up(sums, lambda p: p.conjugate) - self.problem.penalty_conjugate(back)
        feasible = bool(np.isfinite(value)) and self.problem.feasible(size, back, spread)
        if feasible and value > self._dual:
            self._dual, self._recipe = value, recipe

    def _dual_sums(self, recipe: Recipe) -> list[Any]:
        return self._cluster.ask(self._table, self._title("duals"), sum_duals, self._task, recipe)

    # directions

    def _direction(self, matrix: Vector, gradient: Vector) -> tuple[Vector, Vector | None]:
        """Solve for the step, damped where steps were too long before."""
        matrix = matrix.copy()
        diagonal = matrix.diagonal() + self._diagonal
        scale = np.maximum(diagonal, np.finfo(np.float64).tiny)
        np.fill_diagonal(
            matrix, diagonal + _JITTER * np.maximum(diagonal, _JITTER * diagonal.max())
        )
        undamped = _solve(matrix, -gradient)
        step = undamped
        if self._damping > 0 or undamped is None:
            damping = max(self._damping, _LEAST)
            np.fill_diagonal(matrix, matrix.diagonal() + damping * scale.max())
            step = _solve(matrix, -gradient)
        if step is None:
            step = -gradient / (scale + scale.max())
        return step, undamped

    def _adapt(self, length: float, decrement: float) -> None:
        """Damp more or less; narrow the smoothing once it hides more than a step gains."""
        if length < 0.5:
            self._damping = min(_MOST, _MORE * max(self._damping, _FIRST))
        elif length >= 0.8:
            self._damping = self._damping / _MORE if self._damping > _LEAST else 0.0
        if self._smoothing is not None and length > 0.3 and decrement <= self._here.hidden:
            self._smoothing = self._smoothing.sharpened(self._theta, _NARROW)
            self._here = self._look(self._theta)


def _solve(matrix: Vector, right: Vector) -> Vector | None:
    try:
        factor = cho_factor(matrix, lower=True, check_finite=False)
        solution: Vector = cho_solve(factor, right, check_finite=False)
    except LinAlgError:
        return None
    return solution if np.isfinite(solution).all() else None
