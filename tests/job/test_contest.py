"""Races: contests with a time budget and more rows than a trial needs."""

import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline

from maxmargin.evaluation.rows import EvaluationRows
from maxmargin.job import budget as job_budget
from maxmargin.job import contest as job_contest
from maxmargin.job import effort as job_effort
from maxmargin.job import sample as job_sample
from maxmargin.job import trial as job_trial
from maxmargin.job.budget import Budget
from maxmargin.job.candidate import Candidate
from maxmargin.job.contest import hold_contest
from maxmargin.job.rules import Rules
from maxmargin.job.wanted import Wanted
from maxmargin.ops.clock import stop_if_over

ROWS = 6000
RNG = np.random.default_rng(0)
X = pl.DataFrame({"x": RNG.normal(size=ROWS)})
Y = np.where(X["x"].to_numpy() > 0, "yes", "no")


class Clock:
    """A clock that only the fits of this module move."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


class Errs(ClassifierMixin, BaseEstimator):
    """Knows the answer but for a share of the rows; a fit takes seconds in proportion to rows.

    It looks at the clock a hundred times, as long fits do.
    """

    judging = 0.0  # seconds of predicting a row, for each row that it learned from

    def __init__(self, share=0.0, seconds=0.0, log=None, clock=None, salt=1.0):
        self.share = share
        self.salt = salt
        self.seconds = seconds
        self.log = log
        self.clock = clock

    def fit(self, X, y):
        for _ in range(100):
            self.clock.now += self.seconds * len(y) / ROWS / 100
            stop_if_over()
        self.log.append(len(y))
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        x = X["x"].to_numpy()
        self.clock.now += self.judging * len(x) * self.log[-1]
        wrong = np.modf(np.abs(x) * 1000.0 * self.salt)[0] < self.share
        return np.where(wrong, -x, x)

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


@pytest.fixture
def clock(monkeypatch):
    """All that reads the time in a race reads this clock."""
    made = Clock()
    monkeypatch.setattr(time, "perf_counter", made)
    for module in (job_budget, job_contest, job_effort):
        monkeypatch.setattr(module, "perf_counter", made)
    return made


@pytest.fixture
def race(make_table, clock):
    table = make_table(X, Y)
    rules = Rules(table, "accuracy", Wanted("accuracy"), 5, 0, blend=False)

    def held(budget, models, max_rows=None, **facts):
        logs = {name: [] for name in models}

        known = replace(rules, **facts)

        def built(name, share, seconds, salt=1.0):
            return lambda *_: Pipeline([("m", _Shared(share, seconds, logs[name], clock, salt))])

        candidates = [
            Candidate(
                name,
                name,
                built(name, *traits),
                max_rows=max_rows,
                deepens=name.rpartition("+")[0],
            )
            for name, traits in models.items()
        ]
        rows = EvaluationRows.of(table.features, table.target)
        return hold_contest(known, rows, candidates, Budget(budget)), logs

    return held


class _Shared(Errs):
    """Clones write into the same log."""

    def __sklearn_clone__(self):
        return _Shared(self.share, self.seconds, self.log, self.clock, self.salt)


def test_without_a_budget_everything_is_fitted_to_all_folds_and_all_rows(race):
    contest, logs = race(None, {"good": (0.05, 0), "bad": (0.4, 0)})
    assert [entry.status for entry in contest.entries] == ["done", "done"]
    assert all(log[:6] == [4800] * 5 + [6000] for log in logs.values())
    assert set(contest.models) == {"good", "bad"}


def test_trials_come_first_and_with_time_everything_is_finished(race):
    contest, logs = race(60.0, {"good": (0.05, 0), "bad": (0.4, 0)})
    assert all(log[:7] == [1200, *[4800] * 5, 6000] for log in logs.values())
    assert [entry.name for entry in contest.done] == ["good", "bad"]


def test_short_time_takes_fewer_folds_and_drops_what_is_clearly_behind(race):
    models = {"bad": (0.4, 1.0), "good": (0.05, 0.5), "same": (0.051, 1.0)}
    contest, logs = race(8.0, models)
    by_name = {entry.name: entry for entry in contest.entries}
    assert contest.done[0].name == "good"
    assert by_name["bad"].status == "behind"
    assert "good has" in by_name["bad"].reason
    assert logs["bad"] == [400]  # its trial
    assert any("folds of 5" in note or "fold of 5" in note for note in contest.notes)
    assert contest.models["good"] is not None


def test_the_budget_is_kept_and_the_winner_fitted_to_all_rows(race, clock):
    begun = clock()
    models = {f"m{i}": (0.05 + i / 100, 1.5) for i in range(6)}
    contest, logs = race(8.0, models)
    assert clock() - begun <= 8.0
    winner = contest.done[0].name
    assert logs[winner][-1] == 6000
    assert winner in contest.models


def test_deeper_searches_are_made_of_the_best_with_the_time_left(race):
    models = {"good": (0.05, 0), "good+": (0.01, 0), "bad": (0.4, 0)}
    contest, logs = race(60.0, models)
    assert contest.done[0].name == "good+"
    assert logs["good+"][:6] == [4800] * 5 + [6000]
    slow = {"good": (0.05, 1.0), "good+": (0.01, 1.0), "bad": (0.4, 0)}
    contest, logs = race(3.0, slow)
    assert logs["good+"] == []
    assert "good+" not in [entry.name for entry in contest.entries]


def test_a_better_model_that_has_no_time_takes_nobodys_place(race):
    contest, logs = race(4.0, {"good": (0.05, 10.0), "bad": (0.4, 0)})
    assert [entry.name for entry in contest.done] == ["bad"]
    assert contest.models["bad"] is not None
    assert logs["good"] == []  # its trial reached its limit


def test_a_trial_that_its_limit_ends_says_how_long_a_fold_takes_at_least(race):
    contest, logs = race(10.0, {"slow": (0.0, 30.0), "quick": (0.1, 0.1), "bad": (0.4, 0)})
    slow = next(entry for entry in contest.entries if entry.name == "slow")
    assert slow.status == "stopped"
    assert "too long for the time budget" in slow.reason
    assert slow.spent_seconds == pytest.approx(1.0, abs=0.1)  # a tenth of the budget, no more
    assert contest.done[0].name == "quick"
    assert logs["slow"] == []


def test_a_model_with_a_bound_on_rows_learns_from_a_sample_of_them(race):
    contest, logs = race(None, {"good": (0.05, 0)}, max_rows=1000)
    assert logs["good"] == [1000] * 6
    assert contest.done[0].sampled_rows == 1000
    assert len(contest.done[0].run.folds[0].train) == 1000
    assert len(contest.done[0].run.folds[0].validate) == 1200


@pytest.fixture
def many(monkeypatch):
    """Take the rows of this module for many."""
    monkeypatch.setattr(job_contest, "MANY_ROWS", 5000)
    monkeypatch.setattr(job_sample, "SIZES", (3000, 1500, 750))
    monkeypatch.setattr(job_trial, "LARGER", 800)


def test_of_many_rows_a_slow_model_learns_from_a_sample_and_a_repeat_from_the_same(race, many):
    models = {"quick": (0.2, 0.2), "slow": (0.05, 8.0)}
    contest, logs = race(20.0, models)
    assert contest.done[0].name == "slow"
    rows = contest.done[0].sampled_rows
    assert rows in (3000, 1500, 750)
    assert logs["slow"][:2] == [400, 800]  # its trials
    assert set(logs["slow"][2:]) == {rows}
    assert next(e for e in contest.entries if e.name == "quick").sampled_rows is None
    again, same = race(None, models, sampled={"slow": rows})
    assert same["slow"][0] == rows
    assert same["quick"][0] == 4800
    first, second = (each.done[0].run.folds[0].train for each in (contest, again))
    assert first.tolist() == second.tolist()


def test_predicting_the_rows_of_a_fold_counts_where_all_known_rows_are_compared(race, monkeypatch):
    monkeypatch.setattr(Errs, "judging", 1e-6)  # 0.5 s in a trial, and in a fold 5.8 s
    contest, logs = race(12.0, {"near": (0.05, 0.0), "far": (0.06, 0.0)}, max_rows=6000)
    assert any("1 fold of 5" in note for note in contest.notes)
    assert len(logs["near"]) <= 3


def test_of_few_rows_a_slow_model_is_stopped_and_not_sampled(race):
    contest, logs = race(20.0, {"quick": (0.2, 0.2), "slow": (0.05, 60.0)})
    assert contest.done[0].name == "quick"
    assert all(count in (400, 1200, 4800) for count in logs["slow"])


def test_an_average_of_models_that_err_on_different_rows_wins_a_race(race):
    models = {"one": (0.2, 0.1, 1.0), "two": (0.21, 0.1, np.sqrt(2)), "three": (0.22, 0.1, np.pi)}
    contest, logs = race(60.0, models, blend=True)
    best, *others = contest.done
    assert best.name == "blend"
    assert {entry.name for entry in others} == {"one", "two", "three"}
    assert best.run.mean > others[0].run.mean + 0.05
    assert sum(best.best_params["weights"].values()) == pytest.approx(1.0, abs=1e-3)  # rounded
    predicted = contest.models["blend"].predict(X)
    assert np.mean(predicted == Y) == pytest.approx(best.run.mean, abs=0.02)
    assert all(log.count(6000) == 1 for log in logs.values())  # no member is fitted again
    assert contest.verdict.test == "corrected resampled t"


def test_models_that_err_on_the_same_rows_are_not_averaged(race):
    contest, _logs = race(60.0, {"one": (0.2, 0.1), "two": (0.21, 0.1)}, blend=True)
    assert [entry.name for entry in contest.done] == ["one", "two"]
    assert "An average of the best models was no better than one." in contest.notes


def test_a_repeat_makes_the_deeper_searches_of_the_first_run_and_no_others(race):
    models = {"good": (0.05, 0), "good+": (0.01, 0), "bad": (0.4, 0)}
    contest, _logs = race(None, models, deepened=("good+",))
    assert contest.done[0].name == "good+"
    contest, logs = race(None, models, deepened=())
    assert contest.done[0].name == "good"
    assert logs["good+"] == []


def test_of_many_rows_the_best_try_again_on_more_and_their_time_is_known_better(race, monkeypatch):
    monkeypatch.setattr(job_contest, "MANY_ROWS", 5000)
    monkeypatch.setattr(job_trial, "LARGER", 3000)
    models = {"good": (0.05, 0.5), "same": (0.051, 0.5), "bad": (0.4, 0.5)}
    contest, logs = race(60.0, models)
    assert logs["good"][:2] == logs["same"][:2] == [1200, 3000]
    assert logs["bad"][:2] == [1200, 4800]
    assert {entry.name for entry in contest.done} == {"good", "same", "bad"}


def test_a_second_trial_that_its_limit_ends_keeps_its_score_and_tells_its_time(race, monkeypatch):
    monkeypatch.setattr(job_contest, "MANY_ROWS", 5000)
    monkeypatch.setattr(job_trial, "LARGER", 3000)
    models = {"quick": (0.1, 0.5), "slow": (0.09, 24.0)}
    contest, logs = race(60.0, models)
    assert logs["slow"][0] == 1200
    assert 3000 not in logs["slow"]
    assert "quick" in {entry.name for entry in contest.done}


def test_the_baseline_is_fitted_to_all_rows_though_time_is_over(race):
    contest, _ = race(12.0, {"good": (0.05, 6.0), "baseline": (0.5, 0.01)})
    assert contest.done[0].name == "good"
    assert "baseline" in contest.models
