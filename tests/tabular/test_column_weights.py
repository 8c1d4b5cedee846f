"""Weights of columns by descent on the error of left-out rows."""

from dataclasses import replace

import numpy as np
import pytest

from maxmargin.tabular.candidate import METRICS, PROFILES, Candidate
from maxmargin.tabular.column_weights import LeftOutError, weigh_columns
from maxmargin.tabular.least_squares import solve
from maxmargin.tabular.preparation import BLOCKS, Preparation
from maxmargin.tabular.task import Task

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 5))
START = Candidate(
    (1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0), "squared", "exponential", 0.5, 0.1, median=5.0
)


def task_of(X, y, weight=None):
    y = ((y - y.mean()) / y.std())[:, None]
    columns = [np.array(column) for column in X.T]
    _, rows = Preparation.learn(columns, [f"x{j}" for j in range(len(columns))], y)
    return Task(rows, y, weight)


def criterion_of(task, metric, profile, pull=0.01):
    start = replace(START, metric=metric, profile=profile)
    parts = task.rows.group.max() + 1
    begin = RNG.normal(size=parts + 1) * 0.3 - 2.0
    return start, begin, LeftOutError(task, start, begin - 0.1, pull)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("profile", PROFILES)
def test_slopes_are_those_of_differences(metric, profile):
    task = task_of(X, X[:, 0] * X[:, 1] + X[:, 2], np.where(np.arange(120) % 3, 1.0, 2.0))
    _, begin, criterion = criterion_of(task, metric, profile)
    gradient = criterion(begin)[1]
    for j in range(len(begin)):
        step = np.zeros(len(begin))
        step[j] = 3e-2
        slope = (criterion(begin + step)[0] - criterion(begin - step)[0]) / 6e-2
        assert gradient[j] == pytest.approx(slope, rel=0.02, abs=3e-5)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("profile", PROFILES)
def test_the_error_is_that_of_the_machine_found(metric, profile):
    task = task_of(X, X[:, 0] * X[:, 1] + X[:, 2])
    start, begin, criterion = criterion_of(task, metric, profile, pull=0.0)
    known = replace(
        start,
        weights=(1.0,) * len(BLOCKS),
        columns=tuple(np.exp(begin[:-1])),
        gamma=1.0,
        median=1.0,
    )
    rows = known.scaled(task.rows, np.float64)
    K = known.kernel(rows, rows)
    found = solve(K, task.Y, float(np.exp(begin[-1])), None)
    assert criterion(begin)[0] == pytest.approx(np.square(found.values - task.Y).mean(), rel=1e-3)


def test_columns_that_say_nothing_lose_their_weight():
    task = task_of(X, X[:, 0] * X[:, 1])
    found = weigh_columns(task, START, 1e-3)
    assert found is not None
    of_column = np.bincount(np.arange(10) // 2, found.columns)
    assert of_column[:2].min() > 3 * of_column[2:].max()


def test_one_column_has_nothing_to_weigh_it_against():
    words = np.array(["a", "b"] * 30, dtype=object)
    target = RNG.normal(size=(60, 1))
    _, rows = Preparation.learn([words], ["w"], target)
    assert weigh_columns(Task(rows, target, None), START, 1e-3) is None
