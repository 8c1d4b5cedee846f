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
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import Clock, TimeUp, grace, stop_if_over
from maxmargin.ops.threads import side_by_side
from maxmargin.tabular.candidate import METRICS, PROFILES, Candidate
from maxmargin.tabular.column_weights import weigh_columns
from maxmargin.tabular.distances import Distances
from maxmargin.tabular.least_squares import LeaveOneOut, solve
from maxmargin.tabular.preparation import Rows
from maxmargin.tabular.sampling import spread_order
from maxmargin.tabular.stages import Stages
from maxmargin.tabular.task import Task

Vector = NDArray[np.float64]
Matrix = NDArray[Any]

GAMMAS = (0.15, 0.5, 1.5, 5.0)  # times the inverse of the median distance
RIDGES = (0.003, 0.03, 0.3)
FIRST_ROWS, MOST_SEARCHED = 600, 3000  # that the first stage looks at, and the last at most
FIRST = PROFILES[:2]  # what the first stage tries; the second has the others
STEPS = (1.0, 4.0)  # weights of columns with jumps, beside those of the same columns without
NEARBY = (1.0, 1.5)  # gammas of the second stage: more rows bear narrower kernels
TRENDS = (0.1, 1.0)  # weights of the linear kernel, for quantities
TREND_GAMMAS = (1.0, 3.0)  # what a trend leaves bears narrower kernels
TRENDED = 3  # kernels that are tried with a trend
LEAST_SAVED = 0.01  # share of the error of left-out rows that a trend has to save
SURVIVORS = (4, 5)  # candidates that each stage but the last sends on, with their neighbours
LAST_SURVIVORS = 3  # where three machines of all rows at most are to come
FINALISTS = 8  # of the last stage that may be members
PULLS = (0.001, 0.004)  # of weights of columns towards those that they begin with
STARTS = 2  # kernels whose columns are weighed one by one
MOST_WEIGHED, SHARE_WEIGHED, LEAST_WEIGHED = 1000, 0.5, 60  # rows that weights are found by


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
    unseen: NDArray[np.bool_]
    """Which of those had no part in finding the finalists' weights of columns."""
    complete: bool
    """False where time was up before all stages were done."""


def run_search(
    task: Task, clock: Clock, n_jobs: int | None, seed: int = 0, stages: Stages | None = None
) -> SearchResult:
    """Search a machine for a task; ``stages`` hears of every stage."""
    order = spread_order(len(task), task.label, seed)
    sizes = stage_sizes(len(task))
    candidates = list(first_candidates(task.rows))
    told: list[tuple[str, int, float]] = []
    finalists: list[Trial] = []
    sample = seen = order[:0]
    for stage, size in enumerate(sizes):
        places, last = np.sort(order[:size]), stage == len(sizes) - 1
        unseen = ~np.isin(places, seen)
        trials = _judge(task.part(places), candidates, clock, n_jobs, unseen)
        if stage == 0 and not clock.over():
            trials = _try_trends(task.part(places), trials, clock, n_jobs)
            seen = np.sort(order[: min(MOST_WEIGHED, int(SHARE_WEIGHED * sizes[-1]))])
            weighed = _weigh(task.part(seen), [t.candidate for t in trials], clock, n_jobs)
            if last:
                unseen, both = ~np.isin(places, seen), [trials[0].candidate, *weighed]
                more = _judge(task.part(places), both, clock, n_jobs, unseen)
                trials = sorted([*trials, *_only_weighed(more)], key=lambda trial: trial.loss)
        told += [(str(t.candidate), t.rows, t.loss) for t in trials]
        if stages is not None:
            stages.searched(_describe(trials))
        if trials and (clock.over() is False or not finalists):
            finalists, sample = trials, places
        if clock.over():
            break
        if not last:
            best = [t.candidate for t in trials[: _survivors(stage, sizes, len(task))]]
            candidates = list(neighbours([*best, *weighed] if stage == 0 else best, stage))
    chosen = tuple(finalists[:FINALISTS])
    if any(trial.candidate.columns for trial in chosen):
        unseen = ~np.isin(sample, seen)
    else:
        unseen = np.ones(len(sample), bool)
    return SearchResult(tuple(told), chosen, sample, unseen, not clock.over())


def _describe(trials: Sequence[Trial]) -> str:
    return f"{trials[0].loss:.4g} ({trials[0].candidate})" if trials else ""


def stage_sizes(rows: int) -> list[int]:
    """Return how many rows each stage looks at, the middle one in between by ratio.

    Examples
    --------
    >>> stage_sizes(500), stage_sizes(2400), stage_sizes(10**6)
    ([500], [600, 1200, 2400], [600, 1341, 3000])
    """
    last = min(rows, MOST_SEARCHED)
    return [last] if last <= FIRST_ROWS else [FIRST_ROWS, int((FIRST_ROWS * last) ** 0.5), last]


def first_candidates(rows: Rows) -> Iterator[Candidate]:
    """Yield what the first stage tries."""
    numbers = [(0.5, 0.5), (1.0, 0.0), (0.0, 1.0)] if rows.has("standardised") else [(0.0, 0.0)]
    words = [(1.0, 1.0), (1.0, 0.0), (0.5, 1.0)] if rows.has("levels") else [(0.0, 0.0)]
    texts = 1.0 if rows.has("texts") else 0.0
    steps = STEPS if rows.has("steps") else (0.0,)
    mixtures = [
        *product(numbers, words[:1], steps[:1]),
        *product(numbers[:1], words[1:], steps[:1]),
    ]
    mixtures += product(numbers[:1], words[:1], steps[1:])
    for ((a, b), (c, d), s), kernel in product(mixtures, product(METRICS, FIRST, GAMMAS, RIDGES)):
        yield Candidate((a, b, 0.5, c, d, texts, s), *kernel)


def neighbours(best: Sequence[Candidate], stage: int) -> Iterator[Candidate]:
    """Yield the survivors of a stage and candidates near them; of the best also other kernels."""
    kernels = _without_ridges(best)
    if stage == 0:
        kernels += [replace(kernels[0], profile=profile) for profile in PROFILES[2:]]
    kernels += [replace(each, trend=0.0) for each in kernels[:1] if each.trend]
    for each in kernels:
        for gamma in NEARBY if stage == 0 else (1.0,):
            for ridge in (1.0, 0.3, 3.0):
                yield replace(each, gamma=each.gamma * gamma, ridge=each.ridge * ridge)


def _survivors(stage: int, sizes: Sequence[int], rows: int) -> int:
    """Return how many candidates a stage sends on."""
    if stage == len(sizes) - 2 and rows > MOST_SEARCHED:
        return LAST_SURVIVORS
    return SURVIVORS[min(stage, len(SURVIVORS) - 1)]


def _try_trends(task: Task, trials: list[Trial], clock: Clock, n_jobs: int | None) -> list[Trial]:
    """Try the best kernels of a quantity with a linear trend."""
    if task.label is not None or not trials:
        return trials
    trended = list(with_trends([trial.candidate for trial in trials]))
    found = _judge(task, trended, clock, n_jobs, np.ones(len(task), bool))
    return _keep_if_better(trials, found)


def _keep_if_better(trials: list[Trial], trended: list[Trial]) -> list[Trial]:
    """Return the trials, with those of trends if the best saves enough of the error."""
    if not trended or trended[0].loss > (1.0 - LEAST_SAVED) * trials[0].loss:
        return trials
    return sorted([*trials, *trended], key=lambda trial: trial.loss)


def with_trends(best: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield the best kernels with a linear trend; what is left bears narrower kernels."""
    for each in _without_ridges(best)[:TRENDED]:
        for trend, gamma, ridge in product(TRENDS, TREND_GAMMAS, (0.3, 1.0, 3.0)):
            yield replace(each, trend=trend, gamma=each.gamma * gamma, ridge=each.ridge * ridge)


def _without_ridges(best: Sequence[Candidate]) -> list[Candidate]:
    """Keep the best ridge of each kernel."""
    seen: dict[Candidate, Candidate] = {}
    for each in best:
        seen.setdefault(replace(each, ridge=0.0), each)
    return list(seen.values())


def _weigh(
    task: Task, best: Sequence[Candidate], clock: Clock, n_jobs: int | None
) -> list[Candidate]:
    """Find weights of columns for the best candidate of each of a few kernels.

    A trend is left out of the descent, whose weights would lean on it where rows are few, and comes
    back afterwards.
    """
    if len(task) < LEAST_WEIGHED:
        return []
    starts: dict[tuple[str, str], Candidate] = {}
    for each in best:
        starts.setdefault((each.metric, each.profile), each)

    def work(pair: tuple[Candidate, float]) -> Candidate | None:
        return None if clock.over() else weigh_columns(task, *pair)

    pairs = product([each.plain for each in list(starts.values())[:STARTS]], PULLS)
    try:
        found = side_by_side(work, pairs, n_jobs)
    except TimeUp:
        return []
    plain = [each for each in found if each is not None]
    trend = best[0].trend
    return [*plain, *(replace(each, trend=trend) for each in plain if trend)]


def _only_weighed(trials: Sequence[Trial]) -> list[Trial]:
    return [trial for trial in trials if trial.candidate.columns]


def _judge(
    task: Task,
    candidates: Sequence[Candidate],
    clock: Clock,
    n_jobs: int | None,
    unseen: NDArray[np.bool_],
) -> list[Trial]:
    """Judge candidates on rows, best first; those that time allows."""
    groups: dict[Any, list[Candidate]] = {}
    for each in candidates:
        groups.setdefault((each.weights, each.columns, each.metric), []).append(each)
    distances = Distances(task.rows)
    scale = float(np.square(task.Y).mean()) or 1.0

    def work(group: tuple[Any, list[Candidate]]) -> list[Trial]:
        members = group[1]
        needed = members[0] == candidates[0]  # one machine there has to be
        found: list[Trial] = []
        try:
            with grace(None) if needed else nullcontext():
                D, median = distances.of(members[0])
            for kernel, ridges in _by_kernel(members):
                known = replace(kernel, median=median)
                with grace(None) if needed and not found else nullcontext():
                    stop_if_over()
                    K = distances.add_trend(known.profile_of(D), known.trend)
                for ridge in ridges:
                    with grace(None) if needed and not found else nullcontext():
                        stop_if_over()
                    found += _of_ridge(task, known, K, ridge, scale)
        except TimeUp:
            clock.over()  # raises on where it is a fit around this one that has to end
        return found

    trials = [t for each in side_by_side(work, groups.items(), n_jobs) for t in each]
    return sorted(_on_one_scale(task, trials, unseen), key=lambda trial: trial.loss)


def _on_one_scale(
    task: Task, trials: Sequence[Trial], unseen: NDArray[np.bool_]
) -> Iterator[Trial]:
    """Yield trials; those of weighed columns by how they do where weights were not found.

    Their loss is that of the best of the others times the ratio of both on unseen rows.
    """
    others = [trial for trial in trials if not trial.candidate.columns]
    best = min(others, key=lambda trial: trial.loss, default=None)
    for trial in trials:
        if not trial.candidate.columns or best is None or not unseen.any():
            yield trial
            continue
        own, its = (_error(task, each, unseen) for each in (trial, best))
        yield replace(trial, loss=best.loss * own / its if its > 0 else trial.loss)


def _error(task: Task, trial: Trial, rows: NDArray[np.bool_]) -> float:
    errors = np.square(trial.found.values[rows] - task.Y[rows]).mean(axis=1)
    weight = None if task.weight is None else task.weight[rows]
    return float(np.average(errors, weights=weight))


def _by_kernel(members: Sequence[Candidate]) -> list[tuple[Candidate, list[float]]]:
    """Group candidates of one kernel, whose ridges share its matrix."""
    ridges: dict[Candidate, list[float]] = {}
    for each in members:
        ridges.setdefault(replace(each, ridge=0.0), []).append(each.ridge)
    return [(kernel, sorted(set(found))) for kernel, found in ridges.items()]


def _of_ridge(
    task: Task, kernel: Candidate, K: Matrix, ridge: float, scale: float
) -> Iterator[Trial]:
    found = solve(K, task.Y, ridge, task.weight)
    if found is None or not np.isfinite(found.values).all():
        return
    errors = np.square(found.values - task.Y).mean(axis=1)
    loss = float(np.average(errors, weights=task.weight)) / scale
    yield Trial(replace(kernel, ridge=ridge), len(task), loss, found)
