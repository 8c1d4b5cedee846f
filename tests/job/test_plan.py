"""Contests played by their trials alone."""

import math

import numpy as np
import pytest

from maxmargin.job.plan import CLOSE, HOPELESS, affordable_folds, distances, order_of, seconds_on
from maxmargin.job.trial import Trial


def trial(errors, seconds=1.0, rows=1000, judged=1000):
    """A trial with so many errors, each on a row that no better trial has wrong."""
    losses = np.zeros(judged)
    losses[:errors] = 1.0
    return Trial(1.0 - errors / judged, seconds, rows, losses)


def test_seconds_grow_with_a_power_of_the_rows_and_never_shrink():
    assert seconds_on(trial(0, 2.0), 4000, 1.0) == pytest.approx(8.0)
    assert seconds_on(trial(0, 2.0), 4000, 2.0) == pytest.approx(32.0)
    assert seconds_on(trial(0, 2.0), 10, 2.0) == 2.0


def test_distances_are_standard_errors_behind_the_best():
    found = distances({"best": trial(100), "same": trial(100), "worse": trial(140)})
    assert (found["best"], found["same"]) == (0.0, 0.0)
    p = 0.04
    assert found["worse"] == pytest.approx(p / np.sqrt(p * (1 - p) / 1000), rel=1e-2)
    assert distances({}) == {}


def test_close_models_come_first_the_quickest_of_them_before_then_by_score():
    trials = {
        "hopeless": trial(400, 0.1),
        "slow": trial(100, 9.0),
        "quick": trial(101, 1.0),
        "middling": trial(110, 0.1),
    }
    off = distances(trials)
    assert off["quick"] <= CLOSE < off["middling"] <= HOPELESS < off["hopeless"]
    names = ["untried", "hopeless", "middling", "slow", "quick"]
    assert order_of(names, trials) == ["quick", "slow", "middling", "hopeless", "untried"]
    learner_first = order_of(names, trials, ["hopeless", "absent"])
    assert sorted(learner_first[:3]) == ["hopeless", "quick", "slow"]
    assert learner_first[3:] == ["middling", "untried"]


def test_the_best_of_the_close_ones_come_before_quicker_ones():
    trials = {f"m{errors}": trial(errors, seconds=10.0 - errors) for errors in range(6)}
    names = [*trials]
    assert order_of(names, trials) == ["m2", "m1", "m0", "m3", "m4", "m5"]


@pytest.mark.parametrize(
    ("seconds", "free", "folds"),
    [([1.0], 6.0, 5), ([1.0], 4.0, 3), ([1.0], 3.0, 2), ([2.0], 5.0, 1), ([], 5.0, 5)],
)
def test_folds_leave_time_for_a_fit_to_all_rows(seconds, free, folds):
    assert affordable_folds(seconds, free, 5) == folds


def test_without_a_limit_all_folds_are_used():
    assert affordable_folds([1e6], math.inf, 7) == 7
