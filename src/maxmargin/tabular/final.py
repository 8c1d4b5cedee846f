"""The last step of a fit: machines of all rows from the candidates that the search left.

Up to some thousand rows they are least-squares machines, whose search has already left out every
row. Beyond that they are support vector machines, which keep few rows; their cost C, a multiple of
1 / ridge, is chosen on a third of the search's sample that they have not seen, which serves for the
calibration too. Where there are too many rows for that (``most_members``), they are machines of
landmarks and of cells (``large``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import Clock
from maxmargin.ops.threads import side_by_side
from maxmargin.tabular.candidate import Candidate
from maxmargin.tabular.distances import trend_kernel
from maxmargin.tabular.large import fit_large
from maxmargin.tabular.least_squares import solve
from maxmargin.tabular.machine import (
    Member,
    average,
    choose_members,
    find_slope,
    fit_least_squares,
    fit_support_vectors,
)
from maxmargin.tabular.search import MOST_SEARCHED, SearchResult, Trial
from maxmargin.tabular.task import Task

Vector = NDArray[np.float64]
Matrix = NDArray[Any]

FACTORS = (0.3, 1.0)  # of C times the ridge: least squares and the hinge need about the same
# Rows up to which three, two and one exact machines are averaged; beyond, they take too long.
OF_TWO_CLASSES, OF_CLASSES, OF_MANY_CLASSES, OF_QUANTITIES = (
    (10_000, 20_000, 50_000),
    (5_000, 10_000, 30_000),
    (5_000, 10_000, 20_000),
    (5_000, 7_000, 10_000),
)
MANY_CLASSES = 10  # from here on there are very many pairs of classes
LEAST_SECONDS = 0.05  # that a machine gets where time is nearly up


@dataclass(frozen=True)
class Unseen:
    """What machines say of rows they have not seen."""

    rows: NDArray[np.intp]
    values: Vector


@dataclass(frozen=True)
class Fitted:
    """Members, the rows they are made of, and what is known of unseen rows."""

    members: tuple[Member, ...]
    rows: NDArray[np.intp]
    unseen: Unseen
    trials: tuple[tuple[str, int, float], ...] = ()
    """What was tried beside the search, on how many rows, with which loss."""
    complete: bool = True
    """False where time was up before all was done."""


def fit_members(
    task: Task, found: SearchResult, offset: Vector, clock: Clock, n_jobs: int | None, seed: int
) -> Fitted:
    """Fit the machines that the search chose to all rows."""
    part = task.part(found.sample)
    chosen = choose_members(part, found.finalists, found.unseen)
    if len(task) <= MOST_SEARCHED or clock.over():
        return _of_sample(part, found, chosen, offset, clock, n_jobs)
    best = sorted(chosen, key=lambda pair: -pair[1])
    candidates = [trial.candidate for trial, _ in best[: max(1, most_members(task))]]
    if not most_members(task):
        candidate, slope = candidates[0], _slope_of(part, candidates[0])
        left = _without_trend(task, slope)
        large = fit_large(left, candidate.plain, offset, clock, n_jobs, seed)
        member = replace(large.member, slope=slope)
        unseen = Unseen(large.aside, large.values + member.trend(task.rows.part(large.aside)))
        return Fitted((member,), large.rows, unseen, large.trials, not clock.over())
    factor, unseen = _choose_factor(task, found, candidates, clock, n_jobs)
    slopes = [_slope_of(part, each) for each in candidates]
    members = _fit_each(task, list(zip(candidates, slopes, strict=True)), factor, clock, n_jobs)
    return Fitted(tuple(members), np.arange(len(task)), unseen)


def _of_sample(
    part: Task,
    found: SearchResult,
    chosen: Sequence[tuple[Trial, float]],
    offset: Vector,
    clock: Clock,
    n_jobs: int | None,
) -> Fitted:
    """Fit least-squares machines to the search's last rows: the one that counts most, in any case.

    Of the others those that time allows; shares grow for those that it does not.
    """
    most = max(range(len(chosen)), key=lambda number: chosen[number][1])

    def fit(number: int) -> Member | None:
        trial, share = chosen[number]
        if clock.over() and number != most:
            return None
        return fit_least_squares(part, trial.candidate, share, offset)

    fitted = side_by_side(fit, range(len(chosen)), n_jobs)
    kept = [(m, trial) for m, (trial, _) in zip(fitted, chosen, strict=True) if m is not None]
    complete = len(kept) == len(chosen)
    total = 1.0 if complete else sum(member.share for member, _ in kept)
    members = [replace(member, share=member.share / total) for member, _ in kept]
    pairs = zip(members, kept, strict=True)
    left_out: Any = sum(member.share * trial.found.values for member, (_, trial) in pairs)
    values = np.asarray(left_out, dtype=np.float64) + offset
    unseen = Unseen(found.sample[found.unseen], values[found.unseen])
    return Fitted(tuple(members), found.sample, unseen, complete=complete)


def most_members(task: Task) -> int:
    """Return how many exact machines of all rows are averaged; 0 where even one takes too long."""
    outputs = task.Y.shape[1]
    if task.label is None:
        limits = OF_QUANTITIES
    elif outputs >= MANY_CLASSES:
        limits = OF_MANY_CLASSES
    else:
        limits = OF_TWO_CLASSES if outputs == 1 else OF_CLASSES
    return sum(len(task) <= limit for limit in limits)


def _fit_each(
    task: Task,
    candidates: Sequence[tuple[Candidate, Vector | None]],
    factor: float,
    clock: Clock,
    n_jobs: int | None,
) -> list[Member]:
    """Fit machines one after the other, as long as there is time for more than the first.

    Each comes with the slope of its trend, which is taken off the targets.
    """
    members: list[Member] = []
    for number, (candidate, slope) in enumerate(candidates):
        left = clock.left
        if members and left < LEAST_SECONDS:
            break
        share = max(LEAST_SECONDS, left / (len(candidates) - number))
        seconds = None if np.isinf(left) else share
        rest = _without_trend(task, slope)
        member = fit_support_vectors(rest, candidate.plain, factor, 1.0, seconds, n_jobs)
        members.append(replace(member, slope=slope))
    return [replace(member, share=1.0 / len(members)) for member in members]


def _choose_factor(
    task: Task,
    found: SearchResult,
    candidates: Sequence[Candidate],
    clock: Clock,
    n_jobs: int | None,
) -> tuple[float, Unseen]:
    """Choose the cost on a third of the sample, which the machines do not see."""
    sample, unseen = found.sample, np.flatnonzero(found.unseen)
    held = np.zeros(len(sample), bool)
    held[unseen[:: max(1, len(unseen) * 3 // len(sample))]] = True
    train, others = task.part(sample[~held]), task.part(sample[held])
    trended = [(each, _slope_of(train, each)) for each in candidates]
    tried: list[tuple[float, float, Vector]] = []
    for factor in FACTORS:
        if tried and clock.over():
            break
        members = _fit_each(train, trended, factor, clock, n_jobs)
        values = average(members, others.rows, n_jobs)
        tried.append((_error(others, values), factor, values))
    _, factor, values = min(tried, key=lambda each: each[0])
    return factor, Unseen(sample[held], values)


def _slope_of(sample: Task, candidate: Candidate) -> Vector | None:
    """Return the slope of a candidate's trend, found with its kernel on some rows."""
    if not candidate.trend:
        return None
    X = candidate.scaled(sample.rows)
    K = candidate.kernel(X) + trend_kernel(sample.rows, candidate.trend)
    found = solve(K, sample.Y, candidate.ridge, sample.weight)
    return None if found is None else find_slope(sample.rows, candidate, found.beta)


def _without_trend(task: Task, slope: Vector | None) -> Task:
    """Return a task with the trend taken off its targets."""
    return task if slope is None else replace(task, Y=task.Y - task.rows.trend @ slope)


def _error(task: Task, values: Vector) -> float:
    """Return the share of wrong classes, or the mean squared error."""
    if task.label is None:
        wrong = np.square(values[:, 0] - task.Y[:, 0])
    elif values.shape[1] == 1:
        wrong = (values[:, 0] > 0) != (task.label == 1)
    else:
        wrong = values.argmax(axis=1) != task.label
    return float(np.average(wrong, weights=task.weight))
