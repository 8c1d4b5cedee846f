import logging

import numpy as np
import pytest
from sklearn.base import clone

from maxmargin import SVC, SVCCV, LinearSVC, LinearSVCCV
from maxmargin.boosting import AdaBoostClassifier, LPBoostClassifier
from maxmargin.datasets import load_mixture, make_overlapping
from maxmargin.evaluation import (
    bias_variance,
    compare,
    evaluate,
    leave_one_out,
    nested,
    round_errors,
    select,
)
from maxmargin.neighbors import KNeighborsClassifierCV, KNeighborsRegressorCV
from maxmargin.progress.compile_time import compile_time
from maxmargin.progress.lines import BestSoFar, CountedLines, ProgressLines, SearchLines

X, Y = make_overlapping(120, separation=1.0, random_state=0)


class Clock:
    def __init__(self):
        self.seconds = 100.0

    def __call__(self):
        return self.seconds


def test_lines_say_what_is_done_of_what_the_best_and_the_times(capsys):
    clock = Clock()
    lines = SearchLines("SVCCV", {"a": 2, "b": 2}, "scores", 2, clock)
    for kind, point, score in [("a", "C=1", 0.5), ("a", "C=10", 0.75), ("b", "C=1", 0.7)]:
        clock.seconds += 10.0
        lines.add(kind, 10.0, point, score)
    clock.seconds += 10.0
    lines.add("b", 10.0, "C=10", 0.25)
    assert capsys.readouterr().out.splitlines() == [
        "SVCCV: 1 of 4 scores, best so far 0.5 (C=1), 10 s, about 30 s left",
        "SVCCV: 2 of 4 scores, best so far 0.75 (C=10), 20 s, about 20 s left",
        "SVCCV: 3 of 4 scores, best so far 0.6 (C=1), 30 s, about 10 s left",
        "SVCCV: 4 of 4 scores, best so far 0.6 (C=1), 40 s",
    ]


@pytest.mark.parametrize(("unlike", "left"), [(True, "about 20 s left"), (False, "about 1 s left")])
def test_models_that_have_not_begun_will_compile_too(unlike, left, capsys, monkeypatch):
    """Ten seconds of compilation in the first of three models, whose fits take no time."""
    clock = Clock()
    lines = SearchLines("select", {"a": 1, "b": 1, "c": 1}, "fits", 2, clock, unlike=unlike)
    clock.seconds += 10.6
    monkeypatch.setattr(compile_time, "spent", compile_time.spent + 10.0)
    lines.add("a", 0.0)
    assert capsys.readouterr().out.strip().endswith(left)


@pytest.mark.parametrize(("verbose", "count"), [(1, 4), (2, 31)])
def test_verbose_1_is_about_a_line_a_second(capsys, verbose, count):
    clock = Clock()
    lines = ProgressLines("SVCCV", "rows", verbose, clock)
    for done in range(31):
        lines.report(done, 30, done / 30, str)
        clock.seconds += 0.1
    assert len(capsys.readouterr().out.splitlines()) == count


def test_without_verbose_the_log_hears(capsys, caplog):
    caplog.set_level(logging.INFO, "maxmargin")
    CountedLines("leave_one_out")(1, 2)
    SVCCV(Cs=2, gammas=2, cv=2).fit(X, Y)
    assert capsys.readouterr().out == ""
    first, *_, last = [each.message for each in caplog.records]
    assert first.startswith("leave_one_out: 1 of 2 fits")
    assert last.startswith("SVCCV: 8 of 8 scores, best so far 0.")


def test_points_with_fewer_scores_are_not_the_best():
    best = BestSoFar()
    assert str(best) == ""
    for point, score in [("a", 0.5), ("b", 0.4), ("a", 0.6), ("c", float("nan"))]:
        best.add(point, score)
    assert str(best) == "0.55 (a)"


def test_points_that_read_the_same_are_not_one(capsys):
    SVCCV(Cs=[1.0, 1.0001], gammas=[1.0], cv=2, verbose=1).fit(X, Y)
    said = capsys.readouterr().out.splitlines()[-1]
    alone = SVCCV(Cs=[1.0, 1.0001], gammas=[1.0], cv=2).fit(X, Y)
    assert f"best so far {alone.best_score_:.4g} (C=1, gamma=1)" in said


SEARCHES = [
    (SVCCV(Cs=2, gammas=2, cv=2), "8 of 8 scores"),
    (SVCCV(Cs=2, gammas=2, cv=2, memory=0), "8 of 8 scores"),
    (LinearSVCCV(Cs=3, cv=2), "6 of 6 scores"),
    (KNeighborsClassifierCV(5), "120 of 120 rows"),
    (KNeighborsRegressorCV(5), "120 of 120 rows"),
]


@pytest.mark.parametrize(("search", "last"), SEARCHES, ids=lambda each: repr(each)[:40])
def test_every_search_has_lines_that_end_with_what_it_chose(search, last, capsys):
    quiet = clone(search).fit(X, Y)
    assert capsys.readouterr().out == ""
    search = clone(search).set_params(verbose=1).fit(X, Y)
    said = capsys.readouterr().out.splitlines()
    assert all(line.startswith(f"{type(search).__name__}: ") for line in said)
    assert last in said[-1]
    assert f"best so far {search.best_score_:.4g} (" in said[-1]
    assert search.best_params_ == quiet.best_params_
    np.testing.assert_array_equal(search.predict(X), quiet.predict(X))
    for name in ("mean_test_score", "std_test_score"):
        np.testing.assert_array_equal(search.cv_results_[name], quiet.cv_results_[name])


@pytest.mark.parametrize("search", [search for search, _ in SEARCHES], ids=lambda e: repr(e)[:40])
def test_verbose_is_a_whole_number(search):
    with pytest.raises(ValueError, match="'verbose' parameter"):
        clone(search).set_params(verbose="loud").fit(X, Y)


def test_a_race_says_how_much_it_left_out(capsys):
    X, y = load_mixture(return_X_y=True)
    SVCCV(Cs=2, gammas=2, cv=5, race=True, verbose=2).fit(X, y)
    assert "of 20 scores, best so far" in capsys.readouterr().out


def test_lpboost_prints_rounds(capsys):
    LPBoostClassifier(verbose=1).fit(X, Y)
    assert capsys.readouterr().out.startswith("round    1")


MODELS = {"a": SVC(), "b": LinearSVC()}
QUESTIONS = {
    "evaluate": (lambda **more: evaluate(MODELS, X, Y, protocol=3, **more), "6 of 6 fits, best"),
    "select": (lambda **more: select(MODELS, X, Y, 3, **more), "6 of 6 fits, best so far"),
    "compare": (lambda **more: compare(MODELS, X, Y, **more), "20 of 20 fits, best so far"),
    "nested, outer fold 2 of 2": (
        lambda **more: nested(MODELS, X, Y, outer=2, inner=2, **more),
        "4 of 4 fits, best so far",
    ),
    "leave_one_out": (lambda **more: leave_one_out(LinearSVC(), X, Y, **more), "120 of 120 fits"),
    "bias_variance": (
        lambda **more: bias_variance(MODELS, X, Y, n_repeats=2, **more),
        "4 of 4 fits",
    ),
    "round_errors": (
        lambda **more: round_errors(AdaBoostClassifier(n_estimators=3), X, Y, n_repeats=2, **more),
        "2 of 2 fits",
    ),
}


@pytest.mark.parametrize("owner", QUESTIONS)
def test_experiments_have_lines(owner, capsys):
    ask, last = QUESTIONS[owner]
    ask()
    assert capsys.readouterr().out == ""
    ask(verbose=1)
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith(f"{owner}: {last}")
