import signal

import pytest

from maxmargin.job import budget as module
from maxmargin.job.budget import KEPT, Budget, parse_budget
from maxmargin.tables import InputError


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module, "perf_counter", lambda: now[0])
    return now


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90.0),
        ("90s", 90.0),
        ("2m", 120.0),
        (" 1.5 h ", 5400.0),
        ("2min", 120.0),
        ("none", None),
    ],
)
def test_times_are_read_as_people_write_them(text, seconds):
    assert parse_budget(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-3m", "soon", "2 weeks", "nan"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(InputError, match="--time-budget is a time such as"):
        parse_budget(text)


def test_a_share_goes_by_cost_and_what_is_left_over_goes_on(clock):
    budget = Budget(100.0)
    free = 100.0 * (1.0 - KEPT)
    assert budget.share(1.0, [3.0]) == pytest.approx(free / 4)
    clock[0] = 10.0
    assert budget.share(3.0, []) == pytest.approx(free - 10.0)
    assert budget.until_report == pytest.approx(90.0 - 10.0)
    clock[0] = 99.0
    assert budget.share(1.0, []) == budget.until_report == 0.0
    assert not budget.allows(1.0)


def test_without_a_budget_everything_is_allowed(clock):
    budget = Budget(None)
    assert budget.share(1.0, [1.0]) is None
    assert budget.until_report is None
    assert budget.allows(1e9)


def test_the_first_interrupt_ends_what_is_inside_and_the_second_everything():
    budget = Budget()
    with budget.until_interrupted():
        raise KeyboardInterrupt
    assert budget.interrupted
    with pytest.raises(KeyboardInterrupt), budget.until_interrupted():
        raise KeyboardInterrupt


def test_an_interrupt_between_models_is_noted_and_a_second_one_ends_everything():
    budget, usual = Budget(), signal.getsignal(signal.SIGINT)
    with budget.noting():
        signal.raise_signal(signal.SIGINT)
        assert budget.interrupted
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is usual


def test_an_interrupt_inside_a_model_ends_it():
    budget, reached = Budget(), []
    with budget.noting(), budget.until_interrupted():
        signal.raise_signal(signal.SIGINT)
        reached.append(True)
    assert budget.interrupted
    assert not reached


def test_what_should_be_cheap_may_still_take_a_part_of_all_that_is_left(clock):
    assert Budget(100.0, spent=20.0).share(1.0, [99.0]) == pytest.approx(0.2 * (80.0 - 30.0))
