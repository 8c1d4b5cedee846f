"""How a kernel machine is made of training rows: reduce, solve, recover.

A ``Recipe`` says which problems the rows state and who solves them within which limits; it holds
no data. ``learn`` gives a machine with what is known of it. Float32 kernel values that turn out too
rounded for the tolerance are evaluated again in float64, from the duals found so far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Certificate, Point, Status, judge
from maxmargin.kernels.base import Takes
from maxmargin.kernels.function import FromFunction
from maxmargin.kernels.gram import Gram
from maxmargin.ops.clock import TimeUp
from maxmargin.ops.threads import Workers
from maxmargin.problems import c_svc
from maxmargin.solvers import Decomposition, Limits, Solution
from maxmargin.solvers.box_qp.dual_ascent import Start
from maxmargin.solvers.box_qp.hard_margin import MeansMeetError
from maxmargin.solvers.box_qp.together import solve_together, takes
from maxmargin.solvers.kernel_values.memory import Memory, Rows, arrange
from maxmargin.solvers.plan import kernel_plan
from maxmargin.solvers.run import given_up, nothing_proven, solve_all
from maxmargin.svm.classes import Reduction, State, Task, intercept, reduce_classes
from maxmargin.svm.machine import KernelMachine
from maxmargin.svm.on_device import arrange_on_device, explained
from maxmargin.svm.sample_fit import fit_samples
from maxmargin.svm.training import Training, take

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

_SAMPLE, _COLUMNS = 128, 4096  # decision values that are evaluated twice, and kernel values at once
TOO_COARSE = (Status.STALLED, Status.NUMERICAL_ERROR)  # in float32, float64 may do better
_MEASURED = 3.0  # times the worst share in the sample is the share of all, to be sure


class Adviser(Protocol):
    """Somebody who knows more about problems without a solution than their solver."""

    def ask(self) -> Callable[[Any], bool] | None:
        """Return what a solver may ask about its problem, if that helps."""
        ...

    def refusal(self, error: MeansMeetError) -> Exception:
        """Return the error that tells the user why a problem has no solution."""
        ...


@dataclass(frozen=True)
class Recipe:
    """From rows to problems, and who solves them."""

    price: float
    """Of a unit of slack, before weights; infinite for none."""
    limits: Limits
    memory: int
    """Bytes for kernel values."""
    by_pairs: bool = True
    state: State = c_svc
    solver: Any = Decomposition
    options: Mapping[str, Any] = field(default_factory=dict)
    """What else the solver is started with."""
    adviser: Callable[[Training, Reduction], Adviser] | None = None
    n_jobs: int | None = None
    seed: int = 0
    device: str = "cpu"
    """Where the problems are solved: "cpu", or a card."""

    def costs(self, training: Training) -> Vector:
        """Slack costs the price times the class weight times the row's weight."""
        cost = self.price * training.class_weight[training.label]
        if training.weight is None:
            return cost
        counts = training.weight > 0
        return np.multiply(cost, training.weight, out=np.zeros(len(cost)), where=counts)

    def unit(
        self, machine: KernelMachine, _reduced: Reduction, _solutions: Sequence[Solution]
    ) -> KernelMachine:
        """Return the machine in the unit that its user expects; here the problems' own."""
        return machine

    def reduce(self, training: Training) -> Reduction:
        """Split the rows that cost something into problems of two sides."""
        pairs = self.by_pairs or len(training.classes) == 2
        costs = self.costs(training)
        return reduce_classes(training.label, costs, len(training.classes), pairs, self.state)


@dataclass(frozen=True)
class Learned:
    """A machine, the problems it solves and their solutions."""

    machine: KernelMachine
    reduced: Reduction
    solutions: Sequence[Solution]

    @property
    def certificates(self) -> list[Certificate]:
        """What is known of every problem's solution."""
        return [solution.certificate for solution in self.solutions]


def learn(training: Training, recipe: Recipe, starts: Sequence[Vector] | None = None) -> Learned:
    """Make a machine of the rows; ``starts`` are duals of a neighbouring fit, one a problem.

    A problem without a point gets that of a few rows.
    """
    reduced = recipe.reduce(training)
    solutions = _solve(training, reduced, recipe, starts)
    if getattr(training.X, "dtype", None) == np.float32 and not recipe.limits.clock.over():
        solutions = _measured(training, reduced, solutions, recipe.limits.tol)
        if any(solution.certificate.status in TOO_COARSE for solution in solutions):
            training = training.in_double()
            found = [solution.point.beta for solution in solutions]
            solutions = _solve(training, reduced, recipe, found)
    stated, known = reduced, solutions
    if any(nothing_proven(solution.certificate) for solution in solutions):
        gram = training.gram.reordered(reduced.order)
        stated, known = fit_samples(gram, reduced, solutions, recipe.limits, recipe.seed)
    machine = recipe.unit(_recover(training, stated, known), stated, known)
    return Learned(machine, reduced, solutions)


def _measured(
    training: Training, reduced: Reduction, solutions: list[Solution], tol: float
) -> list[Solution]:
    """Measure the rounding of points for which its bound is too large, and judge them again.

    A sample of decision values is evaluated in double precision. What the worst of them is off, by
    how much it might be, is a share of the bound that holds for the other rows too, with a factor
    to be sure: errors of the sample are as independent as the bound assumes.
    """
    judged = list(solutions)
    for number, (task, solution) in enumerate(zip(reduced.tasks, solutions, strict=True)):
        if solution.certificate.rounded:
            rounding, point = solution.point.rounding, solution.point
            share = _MEASURED * _worst_share(training, reduced.rows(task), point)
            if share < 1.0:
                point = replace(point, rounding=replace(rounding, share=share))
                certificate = judge(task.problem, point, tol)
                judged[number] = replace(solution, point=point, certificate=certificate)
    return judged


def _worst_share(training: Training, rows: Index, point: Point) -> float:
    """Compare some of the point's products with those of a double-precision kernel.

    And those that a user gets, who evaluates afresh even what the solver knew exactly: k(x, x). An
    error that cancels here, as that of two equal rows with opposite duals does, need not cancel for
    the user, whose rows lie elsewhere in a block; so what errors of this size add up to when they
    are independent counts as well.
    """
    support, bound = np.flatnonzero(point.beta), point.rounding.of_values(point.beta)
    sample = np.random.default_rng(0).choice(len(rows), min(_SAMPLE, len(rows)), replace=False)
    some, gram = training.gram_in_double(rows[sample]), training.gram
    exact, served, squares = np.zeros((3, len(sample)))
    for first in range(0, len(support), _COLUMNS):
        part = support[first : first + _COLUMNS]
        beta = point.beta[part]
        true = some.block(some.rows, training.gram_in_double(rows[part]).rows)
        rounded = gram.block(gram.rows[rows[sample]], gram.rows[rows[part]]).astype(np.float64)
        exact += true @ beta
        served += rounded @ beta
        squares += np.square(rounded - true) @ np.square(beta)
    parts = np.abs(exact - point.product[sample]), np.abs(exact - served), 2.0 * np.sqrt(squares)
    off = np.maximum.reduce(parts)
    return float(np.divide(off, bound[sample], out=off, where=bound[sample] > 0).max(initial=0.0))


def _solve(
    training: Training, reduced: Reduction, recipe: Recipe, starts: Sequence[Vector] | None
) -> list[Solution]:
    """Solve every problem within the limits and the memory."""
    gram, limits, tasks = training.gram.reordered(reduced.order), recipe.limits, reduced.tasks
    adviser, options = None, recipe.options
    if recipe.adviser is not None:
        adviser = recipe.adviser(training, reduced)
        options = {**options, "ask": adviser.ask()}
    with Workers(recipe.n_jobs) as workers, explained(recipe.device):
        memory, segments = Memory(_out_of_time), [task.segments for task in tasks]
        with suppress(TimeUp):  # then every problem stays where it begins
            rows = Rows(gram, reduced.edges, segments, reduced.copies)
            if recipe.device == "cpu":
                memory = arrange(rows, recipe.memory, workers, recipe.solver)
            else:
                memory = arrange_on_device(rows, tasks, recipe)
        found: list[Any] = [Start(start) for start in starts] if starts else [None] * len(tasks)
        if recipe.solver is Decomposition and memory.group is not None and gram.psd is not None:
            problems = [task.problem for task in tasks]
            if takes(problems, found, limits):
                found = solve_together(problems, segments, memory, limits, workers.threads)

        def start(number: int, _workers: Workers) -> Any:
            problem, first = tasks[number].problem, found[number]
            if first is None:
                limits.clock.stop_if_over()
            view = memory.view(segments[number])
            stages = kernel_plan(recipe.solver, view, options)
            return stages, lambda stage: stage.solver(
                problem, view, first, recipe.seed, **stage.options
            )

        def give_up(number: int) -> Solution:
            point = _nowhere(gram, reduced, tasks[number])
            return given_up(tasks[number].problem, point, limits)

        left = [n for n, each in enumerate(found) if not isinstance(each, Solution)]
        threads = {"n_jobs": workers.threads, "at_once": memory.at_once}
        try:
            others = solve_all(start, left, limits, **threads, give_up=give_up)
        except MeansMeetError as error:
            raise (error if adviser is None else adviser.refusal(error)) from None
        for number, solution in zip(left, others, strict=True):
            found[number] = solution
        return found


def _nowhere(gram: Gram, reduced: Reduction, task: Task) -> Point:
    """Return the point 0 of a problem."""
    nothing, rounding = np.zeros(len(task.problem)), gram.rounding.of(reduced.variables(task))
    return Point(nothing, nothing, rounding, gram.psd is not False)


def _out_of_time(_segments: tuple[int, ...]) -> Any:
    raise TimeUp


def _recover(
    training: Training, reduced: Reduction, solutions: Sequence[Solution]
) -> KernelMachine:
    """Keep the rows with a coefficient, or on the margin of a problem without slack."""
    points = [solution.point for solution in solutions]
    duals = reduced.join_duals([point.beta for point in points])
    kept = np.flatnonzero(duals.any(axis=0) | _on_hard_margin(reduced, solutions))
    pairs = zip(reduced.tasks, points, strict=True)
    biases = [intercept(task.problem, point, training.offset) for task, point in pairs]
    rows, edges = reduced.order[kept].astype(np.int32), np.searchsorted(kept, reduced.edges)
    kernel = training.seen.kernel
    matrix, whole = kernel.takes is Takes.MATRIX, isinstance(kernel, FromFunction) and kernel.batch
    return KernelMachine(
        seen=training.seen,
        rows=rows,
        support=np.empty((0, 0)) if matrix else take(training.X, rows),
        counts=(edges[1:] - edges[:-1]).astype(np.int32),
        coefficients=duals[:, kept],
        intercepts=np.array(biases),
        by_pairs=reduced.by_pairs,
        n_rows=len(training),
        offset=training.offset,
        everything=training.X if whole else None,
    )


_ON_MARGIN = 1e-9  # rows this close to a functional margin of 1 are on it, or twice the violation


def functional_margins(task: Task, solution: Solution) -> Vector:
    """Evaluate t_i f(x_i) at the point that was judged."""
    t, product = task.problem.p, solution.point.product
    margins: Vector = t * (product + intercept(task.problem, solution.point))
    return margins


def _on_hard_margin(reduced: Reduction, solutions: Sequence[Solution]) -> NDArray[np.bool_]:
    """Return which rows are support vectors even if their dual is 0: without slack, those at 1."""
    found = np.zeros(len(reduced.order), dtype=bool)
    for task, solution in zip(reduced.tasks, solutions, strict=True):
        if getattr(task.problem, "hard", False):
            near = max(_ON_MARGIN, 2 * min(solution.certificate.kkt_violation, 1e-3))
            found[reduced.variables(task)] |= functional_margins(task, solution) <= 1 + near
    return found
