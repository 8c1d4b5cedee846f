from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from maxmargin.job import Job, run_comparison, run_job
from maxmargin.job.chronology import forward_folds, latest_rows, note_on_time
from maxmargin.tables import InputError
from maxmargin.tables.timeline import timeline_of

QUICK = Job(models=("lda",), folds=3, time_budget=None)
N = 120


@pytest.fixture
def in_time(make_table):
    """Rows in any order, with their times."""

    def made(times, target=None):
        rng = np.random.default_rng(0)
        y = np.array(["no", "yes"])[np.arange(N) % 2] if target is None else target
        table = make_table(pl.DataFrame({"x": rng.normal(size=N) + (y == y[0])}), y)
        return replace(table, timeline=timeline_of(pl.Series("when", times)))

    return made


def shuffled(times):
    return np.random.default_rng(1).permutation(np.asarray(times)).tolist()


@pytest.mark.parametrize(
    "times",
    [range(N), np.arange(N) // 5, np.r_[np.zeros(30), np.arange(N - 30)], np.arange(N) ** 3],
    ids=["days", "ties", "many at first", "holes"],
)
def test_nothing_is_learned_from_the_future(in_time, times):
    table = in_time(shuffled(times))
    test = latest_rows(table, 0.2)
    when = table.timeline.ranks
    places = np.setdiff1d(np.arange(N), test)
    assert when[places].max() < when[test].min()
    assert 0.1 < len(test) / N < 0.3
    folds = forward_folds(table, places, 4)
    for train, judged in folds:
        assert when[places[train]].max() < when[places[judged]].min()
    judged = np.concatenate([part for _, part in folds])
    assert len(np.unique(judged)) == len(judged)
    last_train, last = folds[-1]
    assert sorted([*last_train, *last]) == list(range(len(places)))


def test_the_whole_job_keeps_to_time(in_time):
    table = in_time(shuffled(range(N)))
    outcome = run_job(QUICK, table)
    when = table.timeline.ranks
    assert when[outcome.trail.rows("train")].max() < when[outcome.test.rows].min()
    for fold in outcome["lda"].run.folds:
        assert when[fold.train].max() < when[fold.validate].min()
    assert outcome.verdict.test == "corrected resampled t"
    assert any("from 96 on; the last row learned from is of 95" in note for note in outcome.notes)
    assert any("mix past and future" in note for note in outcome.notes)
    contest = run_comparison(QUICK, table)
    for fold in contest.entries[0].run.folds:
        assert when[fold.train].max() < when[fold.validate].min()


def test_the_past_looks_better_than_the_future_of_what_drifts(make_table):
    """A column that follows time says all of a class between its neighbours, nothing later."""
    rng = np.random.default_rng(0)
    level = np.repeat(rng.normal(size=12), 30)
    features = pl.DataFrame({"day": np.arange(360.0), "noise": rng.normal(size=360)})
    table = make_table(features, level + 0.1 * rng.normal(size=360), "regression")
    ordered = replace(table, timeline=timeline_of(pl.Series("when", range(360))))
    job = replace(QUICK, models=("boosting",))
    mixed, honest = (run_job(job, each).test.look.result.value for each in (table, ordered))
    assert mixed > 0.3
    assert honest < 0.0


def test_ties_that_move_the_border_are_told(in_time):
    table = in_time(np.repeat([1, 2, 3], [50, 30, 40]).tolist())
    note = note_on_time(table, latest_rows(table, 0.2), 0.2)
    assert "they are 33 % of the rows and not 20 %" in note


@pytest.mark.parametrize(
    ("times", "target", "sentence"),
    [
        ([0] * 60 + [1] * 60, None, "too few different times for 3 folds"),
        (range(N), np.repeat(["a", "b"], [100, 20]), "Class 'b' has rows only since 96"),
        (range(N), np.repeat(["a", "b"], [92, 28]), "enough rows of every class"),
    ],
)
def test_times_that_allow_no_split_are_one_sentence(in_time, times, target, sentence):
    with pytest.raises(InputError, match=sentence):
        run_job(QUICK, in_time(list(times), target))
