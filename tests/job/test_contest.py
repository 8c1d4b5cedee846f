"""Races: contests with a time budget and more rows than a trial needs."""

import time

import numpy as np
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline

from maxmargin.evaluation.rows import Rows
from maxmargin.job.budget import Budget
from maxmargin.job.candidate import Candidate
from maxmargin.job.contest import hold_contest
from maxmargin.job.rules import Rules
from maxmargin.job.wanted import Wanted

ROWS = 6000
RNG = np.random.default_rng(0)
X = pl.DataFrame({"x": RNG.normal(size=ROWS)})
Y = np.where(X["x"].to_numpy() > 0, "yes", "no")


class Errs(ClassifierMixin, BaseEstimator):
    """Knows the answer but for a share of the rows; a fit takes seconds in proportion to rows."""

    def __init__(self, share=0.0, seconds=0.0, log=None):
        self.share = share
        self.seconds = seconds
        self.log = log

    def fit(self, X, y):
        time.sleep(self.seconds * len(y) / ROWS)
        self.log.append(len(y))
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        x = X["x"].to_numpy()
        wrong = np.modf(np.abs(x) * 1000.0)[0] < self.share
        return np.where(wrong, -x, x)

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


@pytest.fixture
def race(make_table):
    table = make_table(X, Y)
    rules = Rules(table, "accuracy", Wanted("accuracy"), 5, 0, blend=False)

    def held(budget, models, **facts):
        logs = {name: [] for name in models}

        def built(name, share, seconds):
            return lambda *_: Pipeline([("m", _Shared(share, seconds, logs[name]))])

        candidates = [
            Candidate(name, name, built(name, *facts), deepens=name.rpartition("+")[0])
            for name, facts in models.items()
        ]
        rows = Rows.of(table.features, table.target)
        return hold_contest(rules, rows, candidates, Budget(budget)), logs

    return held


class _Shared(Errs):
    """Clones write into the same log."""

    def __sklearn_clone__(self):
        return _Shared(self.share, self.seconds, self.log)


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
    contest, logs = race(10.0, models)
    by_name = {entry.name: entry for entry in contest.entries}
    assert contest.done[0].name == "good"
    assert by_name["bad"].status == "behind"
    assert "good has" in by_name["bad"].reason
    assert logs["bad"] == [400]  # its trial
    assert any("folds of 5" in note or "fold of 5" in note for note in contest.notes)
    assert contest.models["good"] is not None


def test_the_budget_is_kept_and_the_winner_fitted_to_all_rows(race):
    begun = time.perf_counter()
    models = {f"m{i}": (0.05 + i / 100, 1.5) for i in range(6)}
    contest, logs = race(8.0, models)
    assert time.perf_counter() - begun < 10.0
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
    contest, _logs = race(4.0, {"good": (0.05, 10.0), "bad": (0.4, 0)})
    assert [entry.name for entry in contest.done] == ["bad"]
    assert contest.models["bad"] is not None
