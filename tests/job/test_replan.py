"""Fewer folds where the best model of a race has no time for all of them."""

from types import SimpleNamespace

import numpy as np
import pytest

from maxmargin.job.contest import FIRST, _Race
from maxmargin.job.effort import Effort
from maxmargin.job.trial import Trial

RNG = np.random.default_rng(0)


def trial(score):
    return Trial(score, 1.0, 400, (RNG.random(4000) > score).astype(float))


def effort(seconds, folds, *, judged=False, score=0.9):
    """Return a model that has some folds, of which each takes so many seconds."""
    facts = {"estimate": seconds, "to_come": seconds * (6 - folds), "over": False}
    return SimpleNamespace(folds=[None] * folds, judged=judged, trial=trial(score), **facts)


def folds_used(left, model, *others, replayed=None):
    """Return the number of folds that the race goes on with, of five."""
    used = []
    race = SimpleNamespace(
        budget=SimpleNamespace(until_report=left),
        rules=SimpleNamespace(used_folds=replayed),
        efforts=[model, *others],
        _use_folds=used.append,
    )
    race._is_matched = lambda found: _Race._is_matched(race, found)
    _Race._make_room(race, model)
    return used[0] if used else 5


def test_folds_stay_where_all_of_them_fit():
    assert folds_used(100.0, effort(1.0, 1)) == 5
    assert folds_used(5.0 / FIRST, effort(1.0, 1)) == 5


@pytest.mark.parametrize(("left", "count"), [(16.0, 1), (45.0, 2), (65.0, 3), (1.0, 5)])
def test_folds_and_the_last_fit_take_a_share_of_the_time_left(left, count):
    assert folds_used(left, effort(14.0, 1)) == count


def test_a_model_that_is_to_begin_has_room_for_a_fold_and_its_last_fit():
    assert folds_used(30.0, effort(14.0, 0)) == 1
    assert folds_used(70.0, effort(14.0, 0)) == 2
    assert folds_used(20.0, effort(14.0, 0)) == 5  # it cannot be done at all


def test_folds_that_are_done_stay():
    assert folds_used(21.0, effort(14.0, 3)) == 3


def test_a_model_with_a_result_and_as_good_a_trial_keeps_its_folds():
    slow = effort(14.0, 1, score=0.9)
    assert folds_used(16.0, slow, effort(1.0, 5, judged=True, score=0.9)) == 5
    assert folds_used(16.0, slow, effort(1.0, 5, judged=True, score=0.7)) == 1
    assert folds_used(16.0, slow, effort(1.0, 2, judged=False, score=0.9)) == 1


def test_nothing_changes_in_a_repeated_run_or_without_a_limit():
    assert folds_used(16.0, effort(14.0, 1), replayed=5) == 5
    assert folds_used(None, effort(14.0, 1)) == 5


def test_judgements_of_folds_that_do_not_count_go():
    model = Effort.__new__(Effort)
    model.folds, model.judge = [1, 2, 3], SimpleNamespace(judgements=["a", "b", "c"])
    model.use([None])
    assert (model.folds, model.judge.judgements) == ([1], ["a"])
    assert model.parts == [None]
