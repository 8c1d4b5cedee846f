"""How a kernel machine is made of training rows: reduce, solve, recover.

A ``Recipe`` says which problems the rows state and who solves them within which limits; it holds
no data. ``learn`` gives a machine with what is known of it. Float32 kernel values that turn out too
rounded for the tolerance are evaluated again in float64, from the duals found so far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Certificate, Point, Status, judge
from maxmargin.kernels.base import Takes
from maxmargin.kernels.function import FromFunction
from maxmargin.kernels.gram import Gram
from maxmargin.ops.clock import TimeUp
from maxmargin.ops.threads import Workers, side_by_side
from maxmargin.problems import c_svc
from maxmargin.solvers import Decomposition, Limits, Solution
from maxmargin.solvers.box_qp.dual_ascent import Start
from maxmargin.solvers.box_qp.hard_margin import MeansMeetError
from maxmargin.solvers.box_qp.together import Small, group, solve_together
from maxmargin.solvers.kernel_values.memory import Memory, Rows, arrange
from maxmargin.solvers.run import given_up, nothing_proven, solve_all
from maxmargin.svm.classes import Reduction, State, Task, intercept, reduce_classes
from maxmargin.svm.machine import KernelMachine
from maxmargin.svm.sample_fit import fit_samples
from maxmargin.svm.training import Training, take

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
Numbered = tuple[int, Task, Start | None]
"""A problem of a fit: its number, and where it begins if that is known."""

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
    """Make a machine of the rows; ``starts`` are duals of a neighbouring fit, one a problem."""
    reduced = recipe.reduce(training)
    solutions = _solve(training, reduced, recipe, starts)
    if getattr(training.X, "dtype", None) == np.float32 and not recipe.limits.clock.over():
        solutions = _measured(training, reduced, solutions, recipe.limits.tol)
        if any(solution.certificate.status in TOO_COARSE for solution in solutions):
            training = training.in_double()
            found = [solution.point.beta for solution in solutions]
            solutions = _solve(training, reduced, recipe, found)
    return Learned(_machine(training, reduced, solutions, recipe), reduced, solutions)


def _machine(
    training: Training, reduced: Reduction, solutions: Sequence[Solution], recipe: Recipe
) -> KernelMachine:
    """Make the machine of all points, and of a few rows for problems without one."""
    if any(nothing_proven(solution.certificate) for solution in solutions):
        gram = training.gram.reordered(reduced.order)
        reduced, solutions = fit_samples(gram, reduced, solutions, recipe.limits, recipe.seed)
    return recipe.unit(_recover(training, reduced, solutions), reduced, solutions)


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
    if recipe.adviser is None:
        return _solve_all(training.gram, reduced, recipe, starts, recipe.options)
    adviser = recipe.adviser(training, reduced)
    try:
        options = {**recipe.options, "ask": adviser.ask()}
        return _solve_all(training.gram, reduced, recipe, starts, options)
    except MeansMeetError as error:
        raise adviser.refusal(error) from None


def _solve_all(
    gram: Gram,
    reduced: Reduction,
    recipe: Recipe,
    starts: Sequence[Vector] | None,
    options: Mapping[str, Any],
) -> list[Solution]:
    gram, limits = gram.reordered(reduced.order), recipe.limits
    with Workers(recipe.n_jobs) as workers:
        memory = Memory(_out_of_time)
        with suppress(TimeUp):  # then every problem stays where it begins
            rows = Rows(gram, reduced.edges, reduced.segments, reduced.copies)
            memory = arrange(rows, recipe.memory, workers, recipe.solver)
        begin = [Start(start) for start in starts] if starts else [None] * len(reduced.tasks)
        tasks = list(zip(range(len(begin)), reduced.tasks, begin, strict=True))
        known, left = dict[int, Solution](), tasks
        if memory.squares and recipe.solver is Decomposition:
            known, left = _solve_groups(tasks, memory, recipe, workers.threads)
        if not left:
            return [known[number] for number, _, _ in tasks]

        def start(numbered: Numbered, _workers: Workers) -> Any:
            _, task, first = numbered
            if first is None:
                limits.clock.stop_if_over()
            view = memory.view(task.segments)
            return recipe.solver(task.problem, view, first, recipe.seed, **options)

        def untouched(numbered: Numbered) -> Solution:
            task = numbered[1]
            nothing = np.zeros(len(task.problem))
            rounding = gram.rounding.of(reduced.variables(task))
            point = Point(nothing, nothing, rounding, gram.psd is not False)
            return given_up(task.problem, point, limits)

        others = solve_all(
            start,
            left,
            limits,
            n_jobs=workers.threads,
            at_once=memory.at_once,
            give_up=untouched,
        )
        found = known | dict(zip((task[0] for task in left), others, strict=True))
        return [found[number] for number in range(len(tasks))]


def _out_of_time(_segments: tuple[int, ...]) -> Any:
    raise TimeUp


def _solve_groups(
    tasks: Sequence[Numbered], memory: Memory, recipe: Recipe, threads: int
) -> tuple[dict[int, Solution], list[Numbered]]:
    """Solve small problems in groups; gives those solved by that, and the others to go on with."""
    groups = group([len(task.problem) for _, task, _ in tasks])

    def solve(part: slice) -> list[Solution | Start | None]:
        problems = [Small(task.problem, task.segments, start) for _, task, start in tasks[part]]
        return solve_together(problems, memory, recipe.limits)

    watched = recipe.limits.callback is not None
    alone = watched or len(groups) == 1  # a callback need not be prepared for several threads
    solved = (
        [solve(part) for part in groups]
        if alone
        else side_by_side(solve, groups, threads, memory.at_once)
    )
    found = list(zip(tasks, chain.from_iterable(solved), strict=True))
    known = {task[0]: each for task, each in found if isinstance(each, Solution)}
    left = [(n, task, e) for (n, task, _), e in found if not isinstance(e, Solution)]
    return known, left


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
