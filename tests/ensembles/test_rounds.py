"""The loop of boosting: what ends it, what it keeps, and what it tells."""

import signal

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC
from maxmargin.boosting import (
    AdaBoostClassifier,
    BaggingClassifier,
    BoostingClassifier,
    BoostingRanker,
    BoostingRegressor,
)
from maxmargin.ensembles.rounds import History, Round, RoundLimits, Stop, boost, with_printing
from maxmargin.ops.clock import Clock, TimeUp, watch


class Scripted:
    """A booster that reads its validation errors from a list and ends with a given reason."""

    def __init__(self, validation=(), end=None, last=None, watched="validation_error"):
        self.validation, self.end, self.last = list(validation), end, last
        self.watched = watched
        self.made = 0

    def round(self):
        if self.end is not None and self.made == len(self.validation):
            return self.end
        self.made += 1
        final = self.last if self.made == len(self.validation) else None
        if self.validation:
            return Round(self.made, **{self.watched: self.validation[self.made - 1]}, stop=final)
        return Round(self.made)

    def keep(self, n_rounds):
        self.made = n_rounds


class Late(Scripted):
    """A booster whose learners notice, after some rounds, that the clock is over."""

    def __init__(self, clock, rounds, interrupted=False):
        super().__init__()
        self.clock, self.rounds, self.interrupted = clock, rounds, interrupted

    def round(self):
        if self.made < self.rounds:
            return super().round()
        if self.interrupted:
            self.clock.interrupt()
        while not self.clock.over():
            pass
        raise TimeUp


def test_all_rounds_asked_for_are_made():
    booster, history = Scripted(), History()
    assert boost(booster, RoundLimits(7, callback=history)) is Stop.ROUNDS
    assert booster.made == len(history) == 7
    assert history.column("round").tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert history[0].round == 1
    assert [made.round for made in history[-2:]] == [6, 7]
    seconds = history.column("seconds")
    assert (seconds[1:] >= seconds[:-1]).all()
    assert seconds[0] > 0


def test_no_rounds_asked_for_makes_none():
    booster = Scripted()
    assert boost(booster, RoundLimits(0)) is Stop.ROUNDS
    assert booster.made == 0


@pytest.mark.parametrize("end", [Stop.TOO_WEAK, Stop.PERFECT])
def test_the_booster_can_make_no_more(end):
    booster, history = Scripted([0.5, 0.4], end=end), History()
    assert boost(booster, RoundLimits(10, callback=history)) is end
    assert booster.made == len(history) == 2


def test_a_round_can_be_the_last_even_where_more_were_asked_for():
    history = History()
    booster = Scripted([0.5, 0.4, 0.3], last=Stop.PERFECT)
    assert boost(booster, RoundLimits(10, callback=history)) is Stop.PERFECT
    assert len(history) == 3
    assert boost(Scripted([0.5], last=Stop.PERFECT), RoundLimits(1)) is Stop.PERFECT


@pytest.mark.parametrize("watched", ["validation_error", "validation_loss"])
def test_early_stopping_keeps_the_best_round_of_the_validation_part(watched):
    booster = Scripted([0.5, 0.4, 0.3, 0.35, 0.3, 0.31, 0.2], watched=watched)
    assert boost(booster, RoundLimits(7, patience=3)) is Stop.EARLY
    assert booster.made == 3


def test_a_fall_within_patience_goes_on():
    booster = Scripted([0.5, 0.4, 0.3, 0.35, 0.3, 0.31, 0.2])
    assert boost(booster, RoundLimits(7, patience=4)) is Stop.ROUNDS
    assert booster.made == 7


def test_a_fall_smaller_than_tol_does_not_count_but_is_the_lowest():
    booster = Scripted([0.5, 0.499, 0.498, 0.497, 0.1])
    assert boost(booster, RoundLimits(5, patience=3, tol=0.01)) is Stop.EARLY
    assert booster.made == 4


def test_a_fall_by_rounding_is_none():
    """Sums of other weights differ in their last bits, and on each processor otherwise."""
    booster = Scripted([0.3, *(0.3 - k * 2.0**-54 for k in range(1, 4)), 0.1])
    assert boost(booster, RoundLimits(5, patience=3)) is Stop.EARLY
    assert booster.made == 1


def test_rounds_of_an_earlier_call_count_for_patience():
    errors = [0.5, 0.3, 0.4, 0.4, 0.4, 0.1]
    whole = Scripted(errors)
    assert boost(whole, RoundLimits(6, patience=3)) is Stop.EARLY
    first, history = Scripted(errors), History()
    assert boost(first, RoundLimits(3, callback=history, patience=3)) is Stop.ROUNDS
    assert first.made == whole.made == 2
    assert boost(first, RoundLimits(4, patience=3), before=history[:2]) is Stop.EARLY
    assert first.made == 2
    assert boost(first, RoundLimits(4, patience=4), before=history[:2]) is Stop.ROUNDS
    assert first.made == 6


@pytest.mark.parametrize("stop", [Stop.ROUNDS, Stop.TOO_WEAK, Stop.CALLBACK, Stop.TIME_LIMIT])
def test_whatever_stops_the_rounds_the_best_one_is_returned_to(stop):
    booster = Scripted([0.5, 0.3, 0.4, 0.4], end=Stop.TOO_WEAK)
    rounds = 4 if stop is Stop.ROUNDS else 9
    clock = Clock(0.0) if stop is Stop.TIME_LIMIT else Clock()
    callback = (lambda made: made.round == 3) if stop is Stop.CALLBACK else None
    assert boost(booster, RoundLimits(rounds, clock, callback, patience=9)) is stop
    assert booster.made == (1 if stop is Stop.TIME_LIMIT else 2)


def test_a_callback_stops_by_true_and_by_nothing_else():
    for answer in (None, False, 1, "yes", [True], np.bool_(False)):
        assert boost(Scripted(), RoundLimits(3, callback=lambda made, a=answer: a)) is Stop.ROUNDS
    for answer in (True, np.bool_(True)):
        booster = Scripted()
        assert boost(booster, RoundLimits(3, callback=lambda made, a=answer: a)) is Stop.CALLBACK
        assert booster.made == 1
        assert boost(
            Scripted(), RoundLimits(3, callback=with_printing(lambda made, a=answer: a, 1))
        ) is (Stop.CALLBACK)


def test_without_validation_patience_never_ends():
    assert boost(Scripted(), RoundLimits(20, patience=1)) is Stop.ROUNDS


def test_the_first_round_is_made_whatever_the_limit():
    booster = Scripted()
    assert boost(booster, RoundLimits(5, clock=Clock(0.0))) is Stop.TIME_LIMIT
    assert booster.made == 1


def test_a_generous_time_limit_changes_nothing():
    assert boost(Scripted(), RoundLimits(5, clock=Clock(1e9))) is Stop.ROUNDS


def test_an_interrupted_clock_keeps_the_rounds_so_far():
    booster, clock = Scripted(), Clock()

    def interrupt(made):
        if made.round == 4:
            clock.interrupt()

    with pytest.warns(ConvergenceWarning, match="INTERRUPTED: The fit was interrupted"):
        assert boost(booster, RoundLimits(50, clock, interrupt)) is Stop.INTERRUPTED
    assert booster.made == 4


def test_ctrl_c_is_passed_on():
    def interrupt(made):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        boost(Scripted(), RoundLimits(3, callback=interrupt))


def test_an_error_of_the_callback_reaches_the_user():
    def fail(made):
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        boost(Scripted(), RoundLimits(3, callback=fail))


def test_verbose_prints_what_is_known_and_calls_the_users_callback(capsys):
    history = History()
    boost(Scripted([0.25, 0.125]), RoundLimits(2, callback=with_printing(history, 1)))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(history) == 2
    assert "validation error 0.125" in lines[1]
    assert "alpha" not in lines[1]
    boost(Scripted([0.25]), RoundLimits(1, callback=with_printing(history, 0)))
    assert len(history) == 3
    assert capsys.readouterr().out == ""
    assert with_printing(None, 0) is None
    boost(Scripted([0.25]), RoundLimits(1, callback=with_printing(None, 1)))
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_every_reason_is_one_sentence():
    for stop in Stop:
        assert stop.sentence.endswith(".")
        assert stop.sentence.count(".") == 1
    final = {Stop.PERFECT, Stop.OPTIMAL, Stop.TOO_WEAK, Stop.EARLY}
    assert {stop for stop in Stop if stop.final} == final


BOOSTERS = [
    AdaBoostClassifier,
    BaggingClassifier,
    BoostingClassifier,
    BoostingRanker,
    BoostingRegressor,
]


@pytest.mark.parametrize("booster", BOOSTERS)
def test_a_callback_can_be_called(booster):
    with pytest.raises(ValueError, match=r"None or a function\. Got 3 instead"):
        booster(callback=3).fit([[0.0], [1.0], [2.0]], [0, 1, 1])


def test_a_round_that_time_cuts_short_costs_none_of_those_before():
    clock = Clock(0.05)
    booster = Late(clock, 3)
    assert boost(booster, RoundLimits(10, clock)) is Stop.TIME_LIMIT
    assert booster.made == 3


def test_time_that_ends_in_the_first_round_is_said():
    clock = Clock(0.01)
    with pytest.raises(TimeoutError, match=r"time_limit=0\.01 .* before the first weak learner"):
        boost(Late(clock, 0), RoundLimits(10, clock))


def test_a_first_round_that_is_interrupted_leaves_nothing_to_keep():
    clock = Clock()
    with pytest.raises(KeyboardInterrupt):
        boost(Late(clock, 0, interrupted=True), RoundLimits(10, clock))


def test_time_of_somebody_around_is_theirs():
    with watch(0.02) as outer:
        clock = Clock(outer=outer)
        with pytest.raises(TimeUp):
            boost(Late(clock, 2), RoundLimits(10, clock))


def test_a_warm_start_without_time_keeps_its_members():
    X, y = np.random.default_rng(0).normal(size=(400, 2)), np.arange(400) % 2
    model = BaggingClassifier(SVC(), n_estimators=2, warm_start=True, random_state=0).fit(X, y)
    model.set_params(n_estimators=4, time_limit=0.0).fit(X, y)
    assert model.stop_ is Stop.TIME_LIMIT
    assert len(model.estimators_) >= 2
