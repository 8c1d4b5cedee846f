"""Scores of kernel machines over folds, kernels and costs C, with everything shared that can be.

A search fits the same rows again and again. Here distances are taken once for all kernels made of
them, each kernel's matrix is evaluated once for all folds and costs, and on each fold the costs are
walked through in rising order (``ops.cpu.cost_walk``), each from the solution of the one before.
Two classes are solved on the matrix of all rows, where validation rows have no room to move and
get their values on the way; of several, each pair on its own square.

Kernel values between 0 and 1 are kept in single precision where that moves decision values by less
than the solver's tolerance does. The best point is fitted again by ``SVC``, whose certificate
counts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin

from maxmargin.inputs.container import column_names, take_rows
from maxmargin.kernels import Kernel
from maxmargin.kernels.base import Takes
from maxmargin.kernels.gram import Gram
from maxmargin.ops.clock import Clock, TimeUp
from maxmargin.ops.engine import engine_of
from maxmargin.ops.threads import Workers, count_threads, side_by_side
from maxmargin.progress import advance, muted, part
from maxmargin.solvers.kernel_values.memory import evaluate
from maxmargin.svm import decision
from maxmargin.svm.kernel_fit import Recipe, learn
from maxmargin.svm.search_cv import MISSING, Cell, Tell, score, silent
from maxmargin.svm.training import Labels, Training, centred, ready, take

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
Fold = tuple[Index, Index]

_WORK = 1 << 26  # kernel values that a walk reads between two looks at the clock
_MOST_STEPS = 10_000_000  # of a problem, where nobody says how many, as in LIBSVM
_SINGLE = 1e-8  # times C and the root of the rows: what single precision does to decision values
_SMALL = 1000  # rows whose matrix is quick in double precision too, of which loops exist already
_STRIP = 256  # rows of a matrix that are filled at a time
_SURE = 0.95  # that a point is worse than the best must a race be to drop it


class Candidate(ClassifierMixin, BaseEstimator):
    """A machine as a scorer sees it, on validation rows whose values are known already."""

    def __init__(self, rows: Any, values: Any, classes: Any, by_pairs: Any, options: Any) -> None:
        self.rows = rows
        self.values = values
        self.classes = classes
        self.by_pairs = by_pairs
        self.options = options

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes of the fold."""
        classes: NDArray[Any] = self.classes
        return classes

    def _check(self, X: Any) -> None:
        if X is not self.rows:
            raise ValueError(
                "A search knows the values of validation rows alone: a scorer that changes or "
                "picks rows needs GridSearchCV(SVC())."
            )

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the validation rows."""
        self._check(X)
        facts = len(self.classes), self.by_pairs, self.options["break_ties"]
        labels: NDArray[Any] = self.classes[decision.numbers(self.values, *facts)]
        return labels

    def decision_function(self, X: Any) -> Vector:
        """Return the values of the validation rows."""
        self._check(X)
        several = len(self.classes) > 2 and self.by_pairs
        if several and self.options["decision_function_shape"] == "ovo":
            return np.asarray(self.values)
        return decision.confidences(self.values, len(self.classes), self.by_pairs)


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
    scorer : callable or None
        scorer(estimator, X, y) as scikit-learn has them; with weights, sample_weight too. None for
        the accuracy.
    memory : int
        Bytes for matrices; without room for them every fit stands alone.
    clock : Clock
        Fits that are not made when it is over have no scores.
    given
        The rows as the user has them, for scorers.
    """

    model: Any
    X: Any
    y: NDArray[Any]
    weight: Vector | None
    folds: Sequence[Fold]
    scorer: Callable[..., float] | None
    memory: int
    clock: Clock
    given: Any

    def run(
        self,
        kernels: Sequence[Kernel],
        prices: Sequence[float],
        tell: Tell = silent,
        race: bool = False,
    ) -> list[list[list[Cell]]]:
        """Score every cost on every kernel and fold: by kernel, by fold, by cost.

        ``tell`` hears of every score, from several threads.
        """
        shared = _Matrices(self, kernels, max(prices))
        alive = np.ones((len(kernels), len(prices)), dtype=bool)
        found: dict[tuple[int, int], list[Cell]] = {}
        everything = [(k, f) for k in range(len(kernels)) for f in range(len(self.folds))]
        rounds = _by_fold(everything) if race else [everything]
        for number, tasks in enumerate(rounds, 1):
            chosen = [task for task in tasks if alive[task[0]].any()]
            share = 1.0 / len(everything)
            work = partial(self._task, shared, prices, alive, tell, share)
            threads = self.model.n_jobs if self.model._device(len(self.y)) == "cpu" else 1
            cells = side_by_side(work, chosen, threads)
            found |= dict(zip(chosen, cells, strict=True))
            if race and 2 < number < len(rounds):
                alive &= _hopeful(found, number, *alive.shape)
        nothing = [MISSING] * len(prices)
        return [
            [found.get((k, f), nothing) for f in range(len(self.folds))]
            for k in range(len(kernels))
        ]

    def _task(
        self,
        shared: _Matrices,
        prices: Sequence[float],
        alive: NDArray[np.bool_],
        tell: Tell,
        share: float,
        task: tuple[int, int],
    ) -> list[Cell]:
        """Score a kernel's costs that are alive on a fold; those that are done when time is up."""
        k, f = task
        cells, wanted = [], alive[k]
        places = np.flatnonzero(wanted).tolist()
        some = [prices[place] for place in places]
        try:
            with part(share):
                found = self._cells(shared.training(k, f), self.folds[f], some)
                for place, cell in zip(places, found, strict=True):
                    cells.append(cell)  # those before the end of time count
                    tell(k, place, cell)
                    advance(len(cells) / len(some))
        except TimeUp:
            if not self.clock.over():
                raise  # it is not this search's time that is up
        finally:
            shared.done(k)
        done = iter(cells)
        return [next(done, MISSING) if w else MISSING for w in wanted]

    def _cells(self, training: Training, fold: Fold, prices: Sequence[float]) -> Iterator[Cell]:
        whole, (train, others) = training.gram.whole, fold
        sides = Labels.of(self.model.class_weight, self.y[train], _taken(self.weight, train))
        by_pairs = self.model.multiclass == "ovo" or len(sides.classes) == 2
        if whole is None:
            solved = self._one_by_one(training, fold, sides, prices)
        else:
            self.clock.stop_if_over()
            solved = _Walk(self, whole, fold, sides, by_pairs).values(np.asarray(prices))
        for values, seconds, finished in solved:
            begun = perf_counter()
            score = self._score(values, sides.classes, by_pairs, others)
            yield Cell(score, seconds, perf_counter() - begun, finished)

    def _one_by_one(
        self, training: Training, fold: Fold, sides: Labels, prices: Sequence[float]
    ) -> Iterator[tuple[Vector, float, bool]]:
        """Fit machines of their own, each cost's from the duals of the one before."""
        train, others = fold
        rows = training.of(train, sides)
        device = self.model._device(len(rows))
        recipe: Recipe = self.model._recipe(self.clock, training.intercept)
        recipe = replace(recipe, n_jobs=1, device=device)
        starts: list[Vector] | None = None
        for price, following in zip(prices, [*prices[1:], prices[-1]], strict=True):
            self.clock.stop_if_over()
            begun = perf_counter()
            with muted():  # each fit is a step of its task
                learned = learn(rows, replace(recipe, price=price), starts)
            seconds = perf_counter() - begun
            starts = [following / price * s.point.beta for s in learned.solutions]
            values = learned.machine.decide(take(self.X, others), np.asarray, 1, device)
            finished = all(c.status.name != "ITERATION_LIMIT" for c in learned.certificates)
            yield values, seconds, finished

    @cached_property
    def _options(self) -> dict[str, Any]:
        options: dict[str, Any] = self.model.get_params(deep=False)
        return options

    def _score(self, values: Vector, classes: Any, by_pairs: bool, rows: Index) -> float:
        X = None if self.scorer is None else take_rows(self.given, rows)
        shown = Candidate(X, values, classes, by_pairs, self._options)
        return score(self.scorer, shown, X, self.y[rows], _taken(self.weight, rows))


@dataclass(frozen=True)
class _Walk:
    """The problems of a fold, on the matrix of all rows."""

    search: Search
    whole: NDArray[Any]
    fold: Fold
    sides: Labels
    by_pairs: bool

    def values(self, prices: Vector) -> Iterator[tuple[Vector, float, bool]]:
        """Return the values of the validation rows for each cost, with seconds, and if it ended."""
        begun, n = perf_counter(), len(self.sides.classes)
        if self.by_pairs and n > 2:
            walked = [self._pair(i, j, prices) for i, j in combinations(range(n), 2)]
        else:
            walked = [self._against_rest(c, prices) for c in range(1 if n == 2 else n)]
        seconds = (perf_counter() - begun) / len(prices)
        for c in range(len(prices)):
            values = np.column_stack([found[c] for found, _ in walked])
            yield values, seconds, all(steps[c] < self._limit for _, steps in walked)

    @cached_property
    def _limit(self) -> int:
        most: int = self.search.model.max_iter
        return most if most >= 0 else max(_MOST_STEPS, 100 * len(self.whole))

    @cached_property
    def _units(self) -> Vector:
        """What a row's slack costs for C = 1."""
        unit, weight = self.sides.class_weight[self.sides.label], self.sides.weight
        return unit if weight is None else np.where(weight > 0, unit * weight, 0.0)

    def _against_rest(self, c: int, prices: Vector) -> tuple[Vector, Index]:
        """Separate a class from all others; return the values of validation rows, and the steps."""
        (train, others), n = self.fold, len(self.whole)
        p, room = np.zeros(n), np.zeros(n)
        p[train] = np.where(self.sides.label == c, 1.0, -1.0)
        np.add.at(room, train, self._units)  # a row may be there several times
        _, products, intercepts, steps = self._walked(self.whole, p, room, prices)
        return products[:, others] + intercepts[:, None], steps

    @cached_property
    def _sorted(self) -> tuple[NDArray[Any], Vector, Vector, Index]:
        """Rows that cost something, class by class: their square, validation rows, units, edges."""
        counts = np.flatnonzero(self._units > 0)
        order = counts[np.argsort(self.sides.label[counts], kind="stable")]
        edges = np.searchsorted(self.sides.label[order], np.arange(len(self.sides.classes) + 1))
        train, others = self.fold
        square = engine_of(self.whole).cost_walk.gather(self.whole, train[order])
        block = self.whole[np.ix_(others, train[order])].astype(np.float64)
        return square, block, self._units[order], edges

    def _pair(self, i: int, j: int, prices: Vector) -> tuple[Vector, Index]:
        """Separate two classes on their own square."""
        whole, block, units, edges = self._sorted
        parts = [slice(edges[c], edges[c + 1]) for c in (i, j)]
        m = edges[i + 1] - edges[i]
        q = m + edges[j + 1] - edges[j]
        square, here = np.empty((q, q), whole.dtype), (slice(m), slice(m, q))
        for a, rows in zip(here, parts, strict=True):
            for b, columns in zip(here, parts, strict=True):
                square[a, b] = whole[rows, columns]
        p = np.ones(q)
        p[m:] = -1.0
        room = np.concatenate([units[part] for part in parts])
        betas, _, intercepts, steps = self._walked(square, p, room, prices)
        sums = sum(betas[:, a] @ block[:, part].T for a, part in zip(here, parts, strict=True))
        return sums + intercepts[:, None], steps

    def _walked(self, store: Any, p: Vector, room: Vector, prices: Vector) -> Any:
        """Walk through the costs, with a look at the clock now and then."""
        q, n = len(p), len(prices)
        betas, products, intercepts = np.zeros((n, q)), np.zeros((n, q)), np.zeros(n)
        steps, beta, F = np.zeros(n, np.int64), np.zeros(q), p.copy()
        low, high = np.where(p < 0, -room, 0.0), np.where(p > 0, room, 0.0)
        most, at = max(1000, _WORK // q), 0
        where = beta, F, betas, products, intercepts, steps
        walk, target = engine_of(store).cost_walk.walk, self.search.model.tol
        while at < n:
            at = walk(store, p, low, high, prices, at, target, most, self._limit, *where)
            self.search.clock.stop_if_over()
        return betas, products, intercepts, steps


class _Matrices:
    """The matrix of each kernel, evaluated when its first fold begins, dropped after its last."""

    def __init__(self, search: Search, kernels: Sequence[Kernel], dearest: float) -> None:
        self._search, self._kernels = search, kernels
        self._locks = [threading.Lock() for _ in kernels]
        self._left = [len(search.folds)] * len(kernels)
        self._kept: dict[int, Training] = {}
        n, tol = len(search.y), search.model.tol
        self._single = n > _SMALL and _SINGLE * dearest * np.sqrt(n) <= tol
        alike = {kernel.distance for kernel in kernels}
        shared = len(kernels) > 1 and len(alike) == 1 and None not in alike
        threads = count_threads(search.model.n_jobs)
        # Two kernels' matrices at a time, and a square cut out of them for each thread.
        self._copies = min(len(kernels), 2) + threads
        item = 4 if self._single else 8
        self._shares = shared and (8 + item * self._copies) * n**2 <= search.memory
        self._distances: NDArray[Any] | None = None
        self._measuring = threading.Lock()

    def training(self, k: int, f: int) -> Training:
        """Return the rows with the matrix of a kernel, resolved on the fold if rows decide it."""
        search, kernel = self._search, self._kernels[k]
        train = search.folds[f][0]
        named = kernel.selective and column_names(search.given) is not None
        rows = take_rows(search.given, train) if named else take(search.X, train)
        resolved = kernel.resolved(rows, _taken(search.weight, train))
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
        sides = Labels.of(search.model.class_weight, search.y, search.weight)
        seen = centred(kernel, search.X, sides.weight, True)
        training = ready(seen, search.X, sides)
        gram, n = training.gram, len(training)
        if kernel.takes is Takes.MATRIX:
            return training.stored(np.ascontiguousarray(gram.rows.K))  # type: ignore[attr-defined]
        dtype = np.dtype(np.float32) if self._single and kernel.distance else gram.dtype
        if n**2 * dtype.itemsize * self._copies > search.memory:
            return training
        with Workers() as workers:
            if not kernel.distance:
                return training.stored(evaluate(gram, workers))
            return training.stored(self._from_distances(gram, dtype, workers))

    def _from_distances(self, gram: Gram, dtype: Any, workers: Workers) -> NDArray[Any]:
        """Evaluate a kernel's matrix from distances, which are kept if others want them too."""
        matrix, kernel = np.empty((len(gram), len(gram)), dtype), gram.kernel
        kept = self._measured(gram, workers) if self._shares else None

        def work(first: int) -> None:
            self._search.clock.stop_if_over()
            strip = slice(first, first + _STRIP)
            D = _strip(gram, strip) if kept is None else kept[strip]
            kernel.of_distances(D, matrix[strip])  # type: ignore[attr-defined]

        workers.each(work, range(0, len(gram), _STRIP))
        return matrix

    def _measured(self, gram: Gram, workers: Workers) -> NDArray[Any]:
        with self._measuring:
            if self._distances is None:
                distances = np.empty((len(gram), len(gram)), gram.dtype)

                def work(first: int) -> None:
                    self._search.clock.stop_if_over()
                    strip = slice(first, first + _STRIP)
                    distances[strip] = _strip(gram, strip)

                workers.each(work, range(0, len(gram), _STRIP))
                self._distances = distances
            return self._distances


def _strip(gram: Gram, rows: slice) -> NDArray[Any]:
    """Measure the distances of some rows from all."""
    some = gram.rows[rows]
    D = np.empty((len(some), len(gram)), gram.dtype)
    gram.kernel.distances(some, gram.rows, D)  # type: ignore[attr-defined]
    return D


def _by_fold(tasks: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    folds = sorted({f for _, f in tasks})
    return [[task for task in tasks if task[1] == fold] for fold in folds]


def _hopeful(
    found: dict[tuple[int, int], list[Cell]], folds: int, n_kernels: int, n_costs: int
) -> NDArray[np.bool_]:
    """Return which points are not surely worse than the best, by a t-test over the folds so far."""
    scores = np.full((n_kernels, n_costs, folds), np.nan)
    for (k, f), cells in found.items():
        scores[k, :, f] = [cell.score for cell in cells]
    means = scores.mean(axis=2)
    if np.isnan(means).all():
        return np.ones_like(means, dtype=bool)
    best = scores[np.unravel_index(np.nanargmax(means), means.shape)]
    behind = best - scores
    spread = behind.std(axis=2, ddof=1) / np.sqrt(folds)
    sure = behind.mean(axis=2) > stats.t.ppf(_SURE, folds - 1) * spread
    return ~(sure & (behind.mean(axis=2) > 0))


def _taken(values: Any, order: Index) -> Any:
    return None if values is None else values[order]
