"""Fewer folds where the first model of a race takes longer than its trial promised."""

from types import SimpleNamespace

import pytest

from maxmargin.job.contest import FIRST, _Race
from maxmargin.job.effort import Effort


def effort(seconds, folds, *, to_come=None):
    """Return a model that has some folds, of which each takes so many seconds."""
    rest = seconds * (6 - folds) if to_come is None else to_come
    facts = {"estimate": seconds, "to_come": rest, "over": False, "trial": object()}
    return SimpleNamespace(folds=[None] * folds, **facts)


def folds_used(left, model, *, result=False, replayed=None):
    """Return the number of folds that the race goes on with, of five."""
    used = []
    race = SimpleNamespace(
        budget=SimpleNamespace(until_report=left),
        rules=SimpleNamespace(used_folds=replayed),
        _has_result=result,
        _use_folds=used.append,
    )
    _Race._replan(race, model)
    return used[0] if used else 5


def test_folds_stay_where_all_of_them_fit():
    assert folds_used(100.0, effort(1.0, 1)) == 5
    assert folds_used(5.0 / FIRST, effort(1.0, 1)) == 5


@pytest.mark.parametrize(("left", "count"), [(16.0, 1), (45.0, 2), (65.0, 3), (1.0, 1)])
def test_folds_and_the_last_fit_take_a_share_of_the_time_left(left, count):
    assert folds_used(left, effort(14.0, 1)) == count


def test_folds_that_are_done_stay():
    assert folds_used(1.0, effort(14.0, 3)) == 3


def test_nothing_changes_after_a_result_in_a_repeated_run_or_without_a_limit():
    assert folds_used(16.0, effort(14.0, 1), result=True) == 5
    assert folds_used(16.0, effort(14.0, 1), replayed=5) == 5
    assert folds_used(None, effort(14.0, 1)) == 5
    assert folds_used(16.0, effort(14.0, 0)) == 5


def test_judgements_of_folds_that_do_not_count_go():
    model = Effort.__new__(Effort)
    model.folds, model.judge = [1, 2, 3], SimpleNamespace(judgements=["a", "b", "c"])
    model.use([None])
    assert (model.folds, model.judge.judgements) == ([1], ["a"])
    assert model.parts == [None]
