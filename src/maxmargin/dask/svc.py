r"""An exact, certified kernel machine over rows that lie on many workers.

The problem is that of ``problems/box_qp.py``. A step

1. asks every partition for its worst violators, and a sample of others: two numbers a row, and the
   rows;
2. solves the small problem of at most ``SIZE`` rows here, as ``solvers/box_qp`` does;
3. sends the rows that moved to all partitions, which add them to their part of the gradient.

So a step costs 8 d q bytes to each worker and 2 q (8 d + 40) bytes back from each partition,
whatever the number of rows; kernel values are evaluated where the rows are. The client keeps the
moved rows, which are about the support vectors, and four numbers a row for the judge at the end.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.certify import Point, Status
from maxmargin.dask.cluster import Cluster, connect
from maxmargin.dask.collection import TableOnCluster
from maxmargin.dask.estimator import OnCluster, by_problem, label, lazy, one, with_client
from maxmargin.dask.reading import class_factors, read_table
from maxmargin.dask.svc_rows import (
    Batch,
    Behind,
    KernelTask,
    Violators,
    catch_up,
    fresh,
    moments,
    move,
)
from maxmargin.inputs.labels import refuse_one_class
from maxmargin.inputs.parameters import all_or_nothing, seed_of
from maxmargin.kernels.base import Takes
from maxmargin.kernels.rounding import Rounding
from maxmargin.ops.clock import TimeUp, watch
from maxmargin.problems import BoxQP
from maxmargin.solvers.kernel_values.matrix import Matrix
from maxmargin.solvers.run import Limits, Solution, run, warn_not_converged
from maxmargin.solvers.solver import Solver
from maxmargin.svm.machine import KernelMachine
from maxmargin.svm.svc import LARGEST_C
from maxmargin.svm.svc import SVC as LocalSVC  # noqa: N811  (a class)
from maxmargin.svm.training import KernelView

Vector = NDArray[np.float64]
Index = NDArray[np.int64]

SIZE = 1024
"""Rows of the small problem."""
_KEPT = 512
_FRACTION = 0.1


@dataclass
class Working:
    """The rows at work: where they lie, their duals and their gradient."""

    partition: Index
    place: Index
    X: Any
    p: Vector
    low: Vector
    high: Vector
    beta: Vector
    F: Vector

    def __len__(self) -> int:
        return len(self.beta)

    def take(self, some: Any) -> Working:
        """Take some of them."""
        return Working(*(getattr(self, name)[some] for name in self.__dataclass_fields__))

    def join(self, other: Working) -> Working:
        """Put others behind them."""
        names = self.__dataclass_fields__
        both = ([getattr(self, name), getattr(other, name)] for name in names)
        return Working(*map(_stacked, both))


def _stacked(parts: list[Any]) -> Any:
    return sparse.vstack(parts).tocsr() if sparse.issparse(parts[0]) else np.concatenate(parts)


def _joined(parts: list[Working]) -> Working:
    names = Working.__dataclass_fields__
    return Working(*(_stacked([getattr(part, name) for part in parts]) for name in names))


def _working(each: Violators, some: Any) -> Working:
    n = len(each.place[some])
    p = np.where(each.high[some] > 0.0, 1.0, -1.0)
    numbers = each.low[some], each.high[some], each.beta[some], each.gradient[some]
    return Working(np.full(n, each.partition), each.place[some], each.X[some], p, *numbers)


class ClusterAscent(Solver):
    """Decomposition whose gradient lies on workers; see ``solvers/box_qp/working_set.py``."""

    def __init__(
        self, cluster: Cluster, placed: TableOnCluster, task: KernelTask, seed: int
    ) -> None:
        self._cluster, self._placed, self._task, self._seed = cluster, placed, task, seed
        self.iterations, self._steps, self._epoch = 0, 0, 0
        self._dual, self._top = 0.0, 0.5
        self._batches: list[Batch] = []
        self._last: Working | None = None
        self.problem: Any = range(placed.rows)
        self._answers = self._ask(None)
        self._square: NDArray[Any] = np.empty((0, 0))

    # what the outer loop asks

    def violation(self) -> float:
        """Return by how much the worst pair of all partitions violates."""
        most = max(each.most for each in self._answers)
        least = min(each.least for each in self._answers)
        return most - least

    def merit(self) -> float:
        """Return the dual value."""
        return self._dual

    def objectives(self) -> tuple[float, float]:
        """Return the dual value; the primal is known when the point is judged."""
        return np.nan, self._dual

    def step(self, limits: Limits) -> None:
        """Choose, solve, send."""
        working = self._choose()
        K = self._kernel_of(working)
        part = BoxQP(working.F, working.low, working.high)
        beta, F = working.beta.copy(), working.F.copy()
        aim = max(0.5 * limits.tol, _FRACTION * part.violation(beta, F))
        most = limits.steps_left(self.iterations, 100 * max(100, self._placed.rows))
        steps, _ = Matrix.of(K).ascend(part, beta, F, aim, most, limits)
        delta = beta - working.beta
        moved = np.flatnonzero(delta)
        kept = 0 if self._last is None else self._old
        self._learn(delta[kept:] != 0.0)
        batch = Batch(
            working.X[moved],
            delta[moved],
            beta[moved],
            working.partition[moved],
            working.place[moved],
        )
        last, batches = self._last, self._batches
        self._last = replace(working, beta=beta, F=F)
        self._batches, self._steps = [*batches, batch], self._steps + 1
        try:
            self._answers = self._ask(batch)
        except TimeUp:
            self._last, self._batches, self._steps = last, batches, self._steps - 1
            raise
        self.iterations += steps
        self._dual += float(working.F @ delta - 0.5 * delta @ K @ delta)

    def _learn(self, moved: NDArray[np.bool_]) -> None:
        share = float(moved.mean()) if len(moved) else 0.5
        factor = 0.5 if share < 0.35 else 2.0 if share > 0.65 else 1.0
        self._top = min(1.0, max(1 / 64, self._top * factor))

    def _choose(self) -> Working:
        """Keep free rows of the last step, and let new violators follow."""
        kept = self._free_of_last()
        self._old = 0 if kept is None else len(kept)
        wanted = (SIZE - self._old) // 2
        both = [self._side(rising, wanted) for rising in (True, False)]
        found = [each for each in both if each is not None]
        if kept is not None:
            found.insert(0, kept)
        working = found[0]
        for each in found[1:]:
            working = working.join(each)
        pairs = np.stack([working.partition, working.place])
        _, first = np.unique(pairs, axis=1, return_index=True)
        return working.take(np.sort(first))

    def _free_of_last(self) -> Working | None:
        if self._last is None:
            return None
        last = self._last
        free = np.flatnonzero((last.beta > last.low) & (last.beta < last.high))[-_KEPT:]
        self._free = free
        return last.take(free) if len(free) else None

    def _side(self, rising: bool, wanted: int) -> Working | None:
        """Take the worst of all partitions on one side, and a sample of their others."""
        sign = 1.0 if rising else -1.0
        bound = (
            min(e.least for e in self._answers) if rising else max(e.most for e in self._answers)
        )
        tops, others = [], []
        for each in self._answers:
            violates = (each.rising == rising) & (sign * (each.gradient - bound) > 0.0)
            tops.append(_working(each, violates & each.top))
            others.append(_working(each, violates & ~each.top))
        top, other = _joined(tops), _joined(others)
        first = np.argsort(-sign * top.F, kind="stable")
        count = max(1, int(self._top * wanted))
        chosen = top.take(first[:count])
        rest = top.take(first[count:]).join(other)
        rng = np.random.default_rng([self._seed, self._steps, int(rising)])
        some = rng.permutation(len(rest))[: wanted - len(chosen)]
        chosen = chosen.join(rest.take(np.sort(some)))
        return chosen if len(chosen) else None

    def _kernel_of(self, working: Working) -> Any:
        """Return the kernel matrix of the rows at work."""
        kernel = self._task.kernel
        rows = kernel.prepare(working.X)
        K = np.array(kernel.block(rows, rows), dtype=np.float64)
        return np.ascontiguousarray(0.5 * (K + K.T))

    # the cluster

    def _ask(self, batch: Batch | None) -> list[Violators]:
        last = self._last
        none = np.zeros(0, np.int64)
        kept = (none, none)
        if last is not None:
            free = (last.beta > last.low) & (last.beta < last.high)
            kept = last.partition[free], last.place[free]
        wanted = max(64, SIZE // 2)
        state = self._task, self._epoch, self._steps, batch, kept, wanted, self._seed
        title = f"step {self._steps}: gradient"
        answers = self._cluster.ask(self._placed.table, title, move, *state)
        while any(isinstance(each, Behind) for each in answers):
            self._catch_up([i for i, each in enumerate(answers) if isinstance(each, Behind)])
            answers = self._cluster.ask(self._placed.table, title, move, *state)
        return [each for each in answers if isinstance(each, Violators)]

    def _catch_up(self, places: list[int]) -> None:
        """Send all steps to partitions that were read again."""
        for place in places:
            self._cluster.ask_one(
                self._placed.table,
                f"step {self._steps}: catch up",
                place,
                catch_up,
                self._task,
                self._epoch,
                self._batches,
            )

    # the end

    def support(self) -> Batch:
        """Return all rows with a dual, in the order of partitions."""
        if not self._batches:
            none = np.zeros(0, np.int64)
            width = self._placed.columns
            return Batch(np.zeros((0, width)), np.zeros(0), np.zeros(0), none, none)
        latest = self._batches[::-1]  # the first time that a row is met counts
        lines = [
            np.concatenate([batch[k] for batch in latest]) for k in range(1, len(Batch._fields))
        ]
        X = _stacked([batch.X for batch in latest])
        _, first = np.unique(np.stack(lines[2:]), axis=1, return_index=True)
        first = first[lines[1][first] != 0.0]
        return Batch(X[first], *(line[first] for line in lines))

    def point(self) -> Any:
        """Evaluate K beta afresh on all rows."""
        support = self.support()
        try:
            facts = self._cluster.ask(self._placed.table, "judge", fresh, self._task, support)
        except TimeUp:
            facts = None
        if facts is None:
            n = self._placed.rows
            self.problem = BoxQP(np.ones(n), np.full(n, -np.inf), np.full(n, np.inf))
            return Point(np.zeros(n), np.zeros(n), Rounding.none(n))
        self.final = support
        full = [each for each in facts if len(each.p)]
        p, low, high, beta, product, errors, lengths = (
            np.concatenate([each[k] for each in full]) for k in range(7)
        )
        self.problem = BoxQP(p, low, high)
        reach = None
        if all(each.reach is not None for each in full):
            reach = np.concatenate([each.reach for each in full])
        rounding = Rounding(np.dtype(np.float64), errors, lengths, reach)
        return Point(beta, product, rounding, self._task.kernel.psd is not False)

    def restart(self, point: Any) -> None:
        """Begin a new list of steps from the point that was judged."""
        self._epoch += 1
        self._batches = [self.final]
        self._steps, self._last = 1, None
        self._answers = self._ask(None)
        self._dual = self.problem.dual(point.beta, point.product)


@with_client
class SVC(OnCluster, LocalSVC):
    """``maxmargin.SVC`` of two classes for Dask collections: exact, and certified on all rows.

    Parameters are those of ``maxmargin.SVC``, and

    Parameters
    ----------
    client : distributed.Client or str, default=None
        The cluster; None is the current client.

    Attributes
    ----------
    support_ : ndarray
        Places of the support vectors in the order of partitions.
    support_vectors_, dual_coef_, intercept_, certificate_, classes_
        As in the local class.

    Examples
    --------
    >>> from maxmargin.dask import SVC
    >>> SVC(C=10.0, gamma=0.5).get_params()["gamma"]
    0.5
    """

    local: ClassVar = LocalSVC
    predict: Any = lazy("predict", one, label)
    decision_function: Any = lazy("decision_function", by_problem)

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the machine to Dask collections.

        Parameters
        ----------
        X : dask Array or DataFrame of shape (rows, columns)
        y : dask Array or Series of shape (rows,)
        sample_weight : dask Array or Series of shape (rows,), default=None
            Factors of C by row; rows without a positive weight are left out.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        self._check_on_cluster()
        keep = self.on_interrupt == "keep"
        with (
            watch(self.time_limit, self.on_interrupt) as clock,
            connect(self.client, clock, keep) as cluster,
        ):
            placed = read_table(cluster, X, y, sample_weight, True)
            self._note_columns(placed)
            task = self._state(cluster, placed)
            seed = seed_of(self.random_state)
            ascent = ClusterAscent(cluster, placed, task, seed)
            limits: Limits = self._resources(clock)["limits"]
            solution = run(ascent, limits)
            self._show(placed, task, ascent, solution)
        return self

    def _check_on_cluster(self) -> None:
        kernel, wrong = self._kernel(), None
        if kernel.takes is not Takes.VECTORS:
            wrong = f"kernel={self.kernel!r}"
        for name, usual in (("probability", False), ("approximate", None)):
            if getattr(self, name, usual) not in (usual, "deprecated"):
                wrong = f"{name}={getattr(self, name)!r}"
        if self.solver != "working_set" or self._intercept != "free":
            wrong = f"solver={self.solver!r} with intercept={self.intercept!r}"
        if wrong is not None:
            raise ValueError(
                f"On a cluster SVC solves kernels of vectors with a free bias; {wrong} is for "
                "maxmargin.SVC."
            )

    def _state(self, cluster: Cluster, placed: TableOnCluster) -> KernelTask:
        """Choose the kernel by all rows, and say what slack costs."""
        self.classes_ = placed.classes()
        refuse_one_class(self.classes_)
        if len(self.classes_) > 2:
            raise ValueError(
                f"On a cluster SVC separates two classes, and y has {len(self.classes_)}; fit one "
                "machine for each class against the rest."
            )
        kernel = self._kernel()
        if getattr(kernel, "gamma", None) == "scale":
            size, total, squares = np.sum(cluster.ask(placed.table, "variance", moments), axis=0)
            entries = size * placed.columns
            variance = squares / entries - (total / entries) ** 2
            gamma = 1.0 / (placed.columns * variance) if variance > 0 else 1.0
            kernel = _with_gamma(kernel, float(gamma))
        kernel = kernel.resolved(np.zeros((1, placed.columns)))
        factors = class_factors(self.class_weight, self.classes_, placed)
        self.class_weight_ = np.ones(2) if factors is None else factors
        costs = min(float(self.C), LARGEST_C) * self.class_weight_
        return KernelTask(kernel, self.classes_, (float(costs[0]), float(costs[1])))

    def _show(
        self, placed: TableOnCluster, task: KernelTask, ascent: ClusterAscent, solution: Solution
    ) -> None:
        """Set the fitted attributes, as the local class does."""
        machine = _machine(placed, task, ascent, solution)
        training: Any = _Shown(self.classes_, self.class_weight_, machine.support, placed)
        learned: Any = _Learned(machine, [solution])
        self._set_fitted_attributes(training, learned)
        if self.certificate_.status is not Status.CERTIFIED:
            warn_not_converged(learned.certificates, self._sentences_of_limits())

    def _sentences_of_limits(self) -> dict[Status, str]:
        said = f"Solver terminated early (max_iter={self.max_iter}); scale the data or raise it."
        return {Status.ITERATION_LIMIT: said}


def _with_gamma(kernel: Any, gamma: float) -> Any:
    same = copy(kernel)
    same.gamma = gamma
    return same


def _machine(
    placed: TableOnCluster, task: KernelTask, ascent: ClusterAscent, solution: Solution
) -> KernelMachine:
    """Make the machine of the support vectors, the first class first as the local class has it."""
    support, point = ascent.final, solution.point
    first = np.cumsum([0, *(each.rows for each in placed.summaries)])
    order = np.argsort(support.beta > 0.0, kind="stable")
    rows = (first[support.partition] + support.place)[order].astype(np.int32)
    positive = int(np.count_nonzero(support.beta > 0.0))
    problem = ascent.problem
    bias = problem.intercept(point.beta, problem.p - point.product)
    # Of two classes the machine's problem has the first one as its positive side.
    return KernelMachine(
        seen=KernelView(task.kernel),
        rows=rows,
        support=support.X[order],
        counts=np.array([len(rows) - positive, positive], dtype=np.int32),
        coefficients=-support.beta[order][None],
        intercepts=np.array([-bias]),
        by_pairs=True,
        n_rows=placed.rows,
    )


@dataclass(frozen=True)
class _Shown:
    """What the local class shows of its training data."""

    classes: NDArray[Any]
    class_weight: Vector
    support: Any
    placed: TableOnCluster
    target: None = None
    intercept: str = "free"

    @property
    def X(self) -> Any:  # noqa: N802
        """Something with the shape of the rows, and their storage."""
        return _Shape(self.support, (self.placed.rows, self.placed.columns))

    def __len__(self) -> int:
        return self.placed.rows


@dataclass(frozen=True)
class _Learned:
    machine: KernelMachine
    solutions: list[Solution]

    @property
    def certificates(self) -> list[Any]:
        """What is known of the solution."""
        return [solution.certificate for solution in self.solutions]


class _Shape:
    """The shape of rows that are elsewhere."""

    def __init__(self, support: Any, shape: tuple[int, int]) -> None:
        self.shape, self.dtype = shape, support.dtype
