"""Scores of kernel machines over folds, kernels and costs C, with everything shared that can be.

A search fits the same rows again and again. Here each kernel's matrix is evaluated once for all
folds and costs; on each fold the costs are taken in rising order, each fit starting at the duals of
the one before; and validation values are products with rows of the same matrix.

From the solution beta at C the start at C' > C is s beta, which stays in the box for 1 <= s <= C'/C
and keeps the sum 0: the best such s maximises s p'beta - s^2 beta'K beta / 2. It is 1 where no
variable is at a bound, because then nothing changes, and C'/C where all are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from itertools import pairwise, zip_longest
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from maxmargin.kernels import Kernel
from maxmargin.kernels.base import Takes
from maxmargin.ops.clock import Clock
from maxmargin.ops.threads import Workers, side_by_side
from maxmargin.solvers.memory import evaluate
from maxmargin.svm import decision
from maxmargin.svm.kernel_fit import Learned, Recipe, learn
from maxmargin.svm.machine import KernelMachine
from maxmargin.svm.training import Sides, Training, centred, ready, take

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
Fold = tuple[Index, Index]


class Candidate(ClassifierMixin, BaseEstimator):
    """A machine as a scorer sees it, on validation rows whose values are known already."""

    def __init__(self, machine: Any, classes: Any, values: Any, options: Any) -> None:
        self.machine = machine
        self.classes = classes
        self.values = values
        self.options = options

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes of the fold."""
        classes: NDArray[Any] = self.classes
        return classes

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: ARG002  (the values are theirs)
        """Predict the validation rows."""
        numbers = self.machine.numbers(self.values, self.options["break_ties"])
        labels: NDArray[Any] = self.classes[numbers]
        return labels

    def decision_function(self, X: Any) -> Vector:  # noqa: ARG002
        """Give the values of the validation rows."""
        several = len(self.classes) > 2 and self.machine.by_pairs
        if several and self.options["decision_function_shape"] == "ovo":
            return np.asarray(self.values)
        confidences: Vector = self.machine.confidences(self.values)
        return confidences


@dataclass(frozen=True)
class Cell:
    """What is known of one kernel and cost on one fold."""

    score: float
    fit_seconds: float
    score_seconds: float


@dataclass(frozen=True)
class Search:
    """Rows, folds and what to try on them.

    Parameters
    ----------
    model : SVC
        With every parameter but the kernel's and C.
    X, y, weight
        Checked rows, labels and weights of all rows.
    folds : sequence of (training rows, validation rows)
    scorer : callable
        scorer(estimator, X, y) as scikit-learn has them; with weights, sample_weight too.
    memory : int
        Bytes for the matrix of a kernel; without room for it fits share nothing but starts.
    clock : Clock
    """

    model: Any
    X: Any
    y: NDArray[Any]
    weight: Vector | None
    folds: Sequence[Fold]
    scorer: Callable[..., float]
    memory: int
    clock: Clock

    def run(self, kernels: Sequence[Kernel], prices: Sequence[float]) -> list[list[list[Cell]]]:
        """Score every cost on every kernel and fold: by kernel, by fold, by cost."""
        tasks = [(k, f) for k in range(len(kernels)) for f in range(len(self.folds))]
        shared = _Matrices(self, kernels)

        def work(task: tuple[int, int]) -> list[Cell]:
            k, f = task
            try:
                return self._fold(shared.training(k, f), self.folds[f], prices)
            finally:
                shared.done(k)

        cells = side_by_side(work, tasks, self.model.n_jobs)
        n = len(self.folds)
        return [cells[k * n : (k + 1) * n] for k in range(len(kernels))]

    def _fold(self, training: Training, fold: Fold, prices: Sequence[float]) -> list[Cell]:
        """Fit to the training rows for one cost after the other, and score the others."""
        part, order = self._sorted_part(training, fold[0])
        block = self._block(training, fold[1], fold[0][order])
        recipe: Recipe = self.model._recipe(self.clock, training.offset == 0)
        cells: list[Cell] = []
        starts: list[Vector] | None = None
        for price, following in zip_longest(prices, prices[1:]):
            begun = perf_counter()
            learned = learn(part, replace(recipe, price=price, n_jobs=1), starts)
            fitted = perf_counter()
            score = self._score(learned, part, block, fold[1])
            cells.append(Cell(score, fitted - begun, perf_counter() - fitted))
            starts = _grown(learned, (following or price) / price)
        return cells

    def _sorted_part(self, training: Training, rows: Index) -> tuple[Training, Index]:
        """Take rows class by class, so that no problem has to gather its own."""
        weight = None if self.weight is None else self.weight[rows]
        sides = Sides.of(self.model, self.y[rows], weight)
        order = np.argsort(sides.label, kind="stable")
        facts = replace(sides, label=sides.label[order], weight=_taken(sides.weight, order))
        part = training.of(rows[order], facts)
        if training.gram.whole is None:
            return part, order
        places = rows[order]
        return part.stored(training.gram.whole[np.ix_(places, places)]), order

    def _block(self, training: Training, rows: Index, columns: Index) -> NDArray[Any] | None:
        """Take kernel values of validation rows, where there is a matrix to take them from."""
        whole = training.gram.whole
        return None if whole is None else whole[np.ix_(rows, columns)].astype(np.float64)

    def _score(self, learned: Learned, part: Training, block: Any, rows: Index) -> float:
        X = take(self.X, rows)
        machine = learned.machine
        values = machine.decide(X, np.asarray, 1) if block is None else _values(machine, block)
        shown = Candidate(machine, part.classes, values, self.model.get_params(deep=False))
        given = {}
        if self.weight is not None and _takes_weights(self.scorer):
            given["sample_weight"] = self.weight[rows]
        return float(self.scorer(shown, X, self.y[rows], **given))


def _takes_weights(scorer: Callable[..., float]) -> bool:
    taken = signature(scorer).parameters
    return "sample_weight" in taken or any(p.kind is p.VAR_KEYWORD for p in taken.values())


def _values(machine: KernelMachine, block: Vector) -> Vector:
    """Give the values of all problems from kernel values against the training rows."""
    edges = np.cumsum([0, *machine.counts])
    parts = [
        block[:, machine.rows[a:b]] @ machine.coefficients[:, a:b].T for a, b in pairwise(edges)
    ]
    sums = np.stack(parts, axis=1)
    if machine.by_pairs:
        return decision.pair_values(sums, machine.intercepts)
    values: Vector = sums.sum(axis=1) + machine.intercepts
    return values


def _grown(learned: Learned, most: float) -> list[Vector]:
    """Scale duals to begin at a cost so many times as high."""
    grown = []
    for task, solution in zip(learned.reduced.tasks, learned.solutions, strict=True):
        beta, product = solution.point.beta, solution.point.product
        curvature = float(beta @ product)
        best = float(task.problem.p @ beta) / curvature if curvature > 0 else most
        grown.append(min(max(best, 1.0), most) * beta)
    return grown


def _taken(values: Any, order: Index) -> Any:
    return None if values is None else values[order]


class _Matrices:
    """The matrix of each kernel, evaluated when its first fold begins, dropped after its last."""

    def __init__(self, search: Search, kernels: Sequence[Kernel]) -> None:
        self._search, self._kernels = search, kernels
        self._locks = [threading.Lock() for _ in kernels]
        self._left = [len(search.folds)] * len(kernels)
        self._kept: dict[int, Training] = {}

    def training(self, k: int, f: int) -> Training:
        """Give the rows with the matrix of a kernel; of one that rows decide, that of the fold."""
        search, kernel = self._search, self._kernels[k]
        train = search.folds[f][0]
        resolved = kernel.resolved(take(search.X, train), _taken(search.weight, train))
        if resolved != kernel:
            return self._ready(resolved)
        with self._locks[k]:
            if k not in self._kept:
                self._kept[k] = self._ready(kernel)
            return self._kept[k]

    def done(self, k: int) -> None:
        """Count a fold of a kernel as done."""
        with self._locks[k]:
            self._left[k] -= 1
            if self._left[k] == 0:
                self._kept.pop(k, None)

    def _ready(self, kernel: Kernel) -> Training:
        search = self._search
        sides = Sides.of(search.model, search.y, search.weight)
        free = search.model._free_bias
        seen = centred(kernel, search.X, sides.weight, free)
        training = ready(seen, search.X, sides, free)
        size = len(training) ** 2 * training.gram.dtype.itemsize
        if size > search.memory or kernel.takes is Takes.MATRIX:
            return training if kernel.takes is not Takes.MATRIX else _given(training)
        with Workers() as workers:
            return training.stored(evaluate(training.gram, workers))


def _given(training: Training) -> Training:
    """Take a matrix that the user gave as evaluated."""
    return training.stored(np.ascontiguousarray(training.gram.rows.K))  # type: ignore[attr-defined]
