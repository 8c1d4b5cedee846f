"""The search of a machine for a table: which columns, which distance, which kernel, which ridge.

A candidate weighs the blocks of prepared columns, measures a distance, and takes a decreasing
function of it as the kernel. All candidates are judged by leaving rows out of a least-squares
machine, which is exact and costs one factorisation (``least_squares``). The search begins with many
candidates on few rows, and goes on with the best of them, and their neighbours, on more (successive
halving: Jamieson and Talwalkar, AISTATS 2016). How many rows and candidates depends on the numbers
of rows alone, never on measured time, so that the result is the same on any machine; a time limit
only cuts it short.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import RBF, Kernel, Laplacian, Matern, RationalQuadratic
from maxmargin.ops.clock import Clock
from maxmargin.ops.threads import side_by_side
from maxmargin.progress import advance
from maxmargin.tabular.least_squares import LeaveOneOut, solve
from maxmargin.tabular.preparation import BLOCKS, Rows

Vector = NDArray[np.float64]
Matrix = NDArray[Any]

PROFILES = ("exponential", "matern", "rational quadratic")
METRICS = ("absolute", "squared")

GAMMAS = (0.15, 0.5, 1.5, 5.0)  # times the inverse of the median distance
RIDGES = (0.003, 0.03, 0.3)
STAGES = (600, 1500, 3000)  # rows that are looked at, stage after stage
SURVIVORS = (10, 5)  # candidates that each stage but the last sends on, with their neighbours
FINALISTS = 8  # of the last stage that may be members
SAMPLE = 400  # rows whose distances tell the median


@dataclass(frozen=True)
class Candidate:
    """A kernel on prepared columns, and a ridge."""

    weights: tuple[float, ...]
    """Of each block."""
    metric: str
    profile: str
    gamma: float
    """Times the inverse of the median distance."""
    ridge: float
    median: float = 1.0

    @property
    def kernel(self) -> Kernel:
        """The kernel on scaled columns."""
        if self.profile == "matern":
            return Matern(1.5, 1.0, self.metric)
        if self.profile == "rational quadratic":
            return RationalQuadratic(1.0, 1.0, self.metric)
        return Laplacian(1.0) if self.metric == "absolute" else RBF(1.0)

    def scaled(self, rows: Rows, dtype: Any = np.float32) -> Matrix:
        """Return the columns that count, scaled so that the kernel's gamma is 1."""
        weight = np.asarray(self.weights)[rows.block] * (self.gamma / self.median)
        used = np.flatnonzero(weight > 0)
        scale = weight[used] if self.metric == "absolute" else np.sqrt(weight[used])
        return np.ascontiguousarray(rows.X[:, used] * scale, dtype=dtype)

    def profile_of(self, D: Matrix) -> Matrix:
        """Return the kernel matrix of a matrix of distances (in which gamma is not counted)."""
        out = np.empty_like(D)
        rate = D.dtype.type(self.gamma / self.median)
        self.kernel.of_distances(D * rate, out)  # type: ignore[attr-defined]
        return out

    def __str__(self) -> str:
        parts = [f"{w:g} {name}" for name, w in zip(BLOCKS, self.weights, strict=True) if w]
        return (
            f"{self.profile} of {self.metric} distance, {' + '.join(parts)}, "
            f"gamma {self.gamma:.3g}, ridge {self.ridge:.3g}"
        )


@dataclass(frozen=True)
class Trial:
    """A candidate, judged on some rows."""

    candidate: Candidate
    rows: int
    loss: float
    """Mean squared error of left-out rows, relative to that of the mean."""
    found: LeaveOneOut = field(repr=False)


@dataclass(frozen=True)
class SearchResult:
    """All trials, and those of the last stage by their loss."""

    trials: tuple[tuple[str, int, float], ...]
    """What was tried, on how many rows, with which loss."""
    finalists: tuple[Trial, ...]
    sample: NDArray[np.intp]
    """The rows of the last stage."""
    complete: bool
    """False where time was up before all stages were done."""


@dataclass(frozen=True)
class Task:
    """What a machine is to learn: prepared rows, targets of mean 0 and weights."""

    rows: Rows
    Y: Matrix
    weight: Vector | None
    label: NDArray[np.intp] | None = None
    """Of classes, whose shares samples keep."""

    def part(self, places: NDArray[np.intp]) -> Task:
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[places]
        label = None if self.label is None else self.label[places]
        return Task(self.rows.part(places), self.Y[places], weight, label)

    def __len__(self) -> int:
        return len(self.Y)


def run_search(task: Task, clock: Clock, n_jobs: int | None, seed: int = 0) -> SearchResult:
    """Search a machine for a task."""
    order = _spread_order(task, seed)
    sizes = [size for size in STAGES if size < len(task)][: len(STAGES) - 1]
    sizes.append(min(len(task), STAGES[-1]))
    candidates = list(first_candidates(task.rows))
    told: list[tuple[str, int, float]] = []
    finalists: list[Trial] = []
    sample = order[:0]
    for stage, size in enumerate(sizes):
        places = np.sort(order[:size])
        trials = _judge(task.part(places), candidates, clock, n_jobs)
        told += [(str(t.candidate), t.rows, t.loss) for t in trials]
        advance((stage + 1) / (len(sizes) + 1))
        if trials and (clock.over() is False or not finalists):
            finalists, sample = trials, places
        if clock.over():
            return SearchResult(tuple(told), tuple(finalists[:FINALISTS]), sample, False)
        if stage < len(sizes) - 1:
            keep = SURVIVORS[min(stage, len(SURVIVORS) - 1)]
            candidates = list(neighbours([t.candidate for t in trials[:keep]], stage))
    return SearchResult(tuple(told), tuple(finalists[:FINALISTS]), sample, True)


def _spread_order(task: Task, seed: int) -> NDArray[np.intp]:
    """Return a random order of rows whose every beginning has about the shares of classes."""
    random = np.random.default_rng(seed)
    order = random.permutation(len(task))
    if task.label is None:
        return order
    classes = task.label[order]
    place = np.empty(len(order))
    for c in np.unique(classes):
        members = np.flatnonzero(classes == c)
        place[members] = (np.arange(len(members)) + 0.5) / len(members)
    return order[np.argsort(place, kind="stable")]


def first_candidates(rows: Rows) -> Iterator[Candidate]:
    """Yield what the first stage tries."""
    numbers = [(1.0, 0.0), (0.0, 1.0), (0.5, 0.5)] if rows.has("standardised") else [(0.0, 0.0)]
    words = [(1.0, 1.0), (1.0, 0.0), (0.5, 1.0)] if rows.has("levels") else [(0.0, 0.0)]
    texts = (1.0,) if rows.has("texts") else (0.0,)
    kernels = product(METRICS, PROFILES, GAMMAS, RIDGES)
    for (a, b), (c, d), e, kernel in product(numbers, words, texts, kernels):
        yield Candidate((a, b, 0.5, c, d, e), *kernel)


def neighbours(best: Sequence[Candidate], stage: int) -> Iterator[Candidate]:
    """Yield the survivors of a stage and candidates near them."""
    step = (1.8, 1.3)[min(stage, 1)]
    for each in _without_ridges(best):
        for gamma in (1.0, step, 1.0 / step) if stage == 0 else (1.0,):
            for ridge in (1.0, 0.3, 3.0):
                yield replace(each, gamma=each.gamma * gamma, ridge=each.ridge * ridge)


def _without_ridges(best: Sequence[Candidate]) -> list[Candidate]:
    """Keep the best ridge of each kernel."""
    seen: dict[Candidate, Candidate] = {}
    for each in best:
        seen.setdefault(replace(each, ridge=0.0), each)
    return list(seen.values())


def _judge(
    task: Task, candidates: Sequence[Candidate], clock: Clock, n_jobs: int | None
) -> list[Trial]:
    """Judge candidates on rows, best first; those that time allows."""
    groups: dict[tuple[tuple[float, ...], str], list[Candidate]] = {}
    for each in candidates:
        groups.setdefault((each.weights, each.metric), []).append(each)
    distances = _Distances(task.rows)
    scale = float(np.square(task.Y).mean()) or 1.0

    def work(group: tuple[tuple[tuple[float, ...], str], list[Candidate]]) -> list[Trial]:
        (weights, metric), members = group
        D, median = distances.weighted(weights, metric)
        found: list[Trial] = []
        for kernel, ridges in _by_kernel(members):
            first = metric == candidates[0].metric and weights == candidates[0].weights
            if (clock.expired or clock.interrupted) and (found or not first):
                break  # one machine there has to be
            known = replace(kernel, median=median)
            K = known.profile_of(D)
            found += _of_ridges(task, known, K, ridges, scale)
        return found

    trials = [t for each in side_by_side(work, groups.items(), n_jobs) for t in each]
    return sorted(trials, key=lambda trial: trial.loss)


def _by_kernel(members: Sequence[Candidate]) -> list[tuple[Candidate, list[float]]]:
    """Group candidates of one kernel, whose ridges share its matrix."""
    ridges: dict[Candidate, list[float]] = {}
    for each in members:
        ridges.setdefault(replace(each, ridge=0.0), []).append(each.ridge)
    return [(kernel, sorted(set(found))) for kernel, found in ridges.items()]


def _of_ridges(
    task: Task, kernel: Candidate, K: Matrix, ridges: Sequence[float], scale: float
) -> Iterator[Trial]:
    for ridge in ridges:
        found = solve(K, task.Y, ridge, task.weight)
        if found is None or not np.isfinite(found.values).all():
            continue
        errors = np.square(found.values - task.Y).mean(axis=1)
        loss = float(np.average(errors, weights=task.weight)) / scale
        yield Trial(replace(kernel, ridge=ridge), len(task), loss, found)


class _Distances:
    """Matrices of distances of each block, made when first asked for, and their weighted sums."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[tuple[int, str], Matrix] = {}

    def weighted(self, weights: Sequence[float], metric: str) -> tuple[Matrix, float]:
        """Return the weighted sum, and its median over pairs of rows."""
        n = len(self._rows.X)
        D = np.zeros((n, n), np.float32)
        for number, weight in enumerate(weights):
            if weight > 0 and (self._rows.block == number).any():
                D += np.float32(weight) * self._of_block(number, metric)
        some = np.unique(np.linspace(0, n - 1, min(n, SAMPLE)).astype(np.intp))
        pairs = D[np.ix_(some, some)][np.triu_indices(len(some), 1)]
        median = float(np.median(pairs)) if len(pairs) else 1.0
        return D, median or float(pairs.mean()) or 1.0

    def _of_block(self, number: int, metric: str) -> Matrix:
        key = number, metric
        if key not in self._known:
            X = np.ascontiguousarray(self._rows.X[:, self._rows.block == number], np.float32)
            kernel = Laplacian(1.0) if metric == "absolute" else RBF(1.0)
            rows = kernel.prepare(X)
            D = np.empty((len(X), len(X)), np.float32)
            for first in range(0, len(X), 256):
                part = slice(first, first + 256)
                kernel.distances(rows[part], rows, D[part])
            self._known[key] = np.maximum(D, D.T)
        return self._known[key]
