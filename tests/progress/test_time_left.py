"""Times left on recorded traces: no clock is read."""

import importlib.util
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from maxmargin.progress import MeasuredCosts, TimeLeft
from maxmargin.progress.duration import duration, time_left

_spec = importlib.util.spec_from_file_location("traces", Path(__file__).with_name("traces.py"))
traces = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(traces)


def shares_shown(trace):
    left = TimeLeft()
    return [(seconds, left.by_share(seconds, share, c)) for seconds, share, c in trace]


def guesses_shown(trace):
    left = TimeLeft()
    return [(seconds, left.by_guess(seconds, guess)) for seconds, guess in trace]


def rises(shown):
    """By how much each estimate is above the one before, less the time that passed."""
    known = [(s, left) for s, left in shown if left is not None]
    return [b - (a - (t - s)) for (s, a), (t, b) in pairwise(known)]


def naive(trace):
    return [(s, s * (1 - share) / share) for s, share, *_ in trace]


@pytest.mark.parametrize("rate", [0.01, 1.0, 500.0])
def test_steady_work_is_foretold_exactly(rate):
    trace = [(k * rate, k / 100, 0.0) for k in range(1, 101)]
    for seconds, left in shares_shown(trace):
        assert left is None or left == pytest.approx(100 * rate - seconds, abs=1e-6 * rate)


def test_compilation_at_the_start_is_no_pace():
    """Eight seconds of it, then a second for each tenth of the work."""
    trace = [(8.0 + k, k / 10, 8.0) for k in range(1, 11)]
    assert [left for _, left in shares_shown(trace)] == pytest.approx(list(range(9, -1, -1)))
    assert max(left for _, left in naive(trace)) > 80


def test_a_slow_start_of_any_kind_is_no_pace():
    """Loading what is not counted as compilation."""
    trace = [(8.0 + k, k / 20, 0.0) for k in range(1, 21)]
    shown = dict(shares_shown(trace))
    assert shown[9.0] is None
    assert shown[10.0] == pytest.approx(18.0)


@pytest.mark.parametrize("name", ["COLD_SEARCH", "COLD_SELECT"])
def test_a_cold_search_does_not_promise_hours(name):
    trace = getattr(traces, name)
    end, shown = trace[-1][0], shares_shown(trace)
    assert shown[-1] == (end, 0.0)
    known = [(end - s, left) for s, left in shown if left is not None]
    assert all(left <= 3.0 * true + 1.0 for true, left in known)
    usual = [(end - s, left) for s, left in naive(trace)]
    assert max(left - 3.0 * true for true, left in usual) > 100.0


def test_a_cold_comparison_counts_the_loops_that_later_models_will_compile():
    """Four models of five fits, each with loops of its own: none was promised in no time."""
    end, left = traces.COLD_SELECT[-1][0], TimeLeft()
    for place, (seconds, share, compiling) in enumerate(traces.COLD_SELECT):
        begun = place // 5 + 1
        shown = left.by_share(seconds, share, compiling, (4 - begun) / begun * compiling)
        true = end - seconds
        assert shown is None or true / 3.0 - 2.0 <= shown <= 3.0 * true + 1.0


def test_the_command_neither_jumps_nor_is_far_off():
    end, shown = traces.JOB[-1][0], guesses_shown(traces.JOB)
    assert max(rises(traces.JOB)) > 100.0
    assert max(rises(shown)) < 5.0
    assert shown[-1] == (end, 0.0)
    later = [(end - s, left) for s, left in shown if s > 0.2 * end]
    assert all(true / 3.0 - 1.0 <= left <= 3.0 * true + 2.0 for true, left in later)


@pytest.mark.parametrize("seed", range(20))
def test_no_report_makes_it_jump_up(seed):
    rng = np.random.default_rng(seed)
    seconds = np.cumsum(rng.exponential(scale=10.0 ** rng.integers(-2, 2), size=200))
    trace = list(zip(seconds, rng.exponential(scale=100.0, size=200), strict=True))
    shown = guesses_shown(trace)
    for (s, a), (t, b) in pairwise(shown):
        assert 0.0 <= b <= 1.5 * max(a - (t - s), 0.0) + (t - s) + 0.05 * t + 1e-6
        assert math.isfinite(b)


@pytest.mark.parametrize("guess", [1e-12, 1e12])
def test_any_guess_will_do(guess):
    left = TimeLeft()
    found = [left.by_guess(s, guess) for s in (0.0, 0.0, 1.0)]
    assert all(map(math.isfinite, found))
    assert left.by_guess(2.0, 0.0) == 0.0


def test_nothing_is_said_of_what_is_not_known():
    left = TimeLeft()
    assert left.by_share(10.0, 0.0) is None
    assert left.by_share(10.0, 0.01) is None
    assert time_left(None) == time_left(math.nan) == time_left(math.inf) == ""
    assert time_left(7300.0) == "about 2 h left"
    assert duration(59.7) == "1 min 0 s"


def test_pieces_of_a_kind_cost_what_most_of_them_did():
    costs = MeasuredCosts({"cheap": 100, "dear": 10})
    costs.add("cheap", 8.0)  # it compiled
    costs.add("cheap", 0.1)
    assert costs.share == pytest.approx(2 / 110)
    costs.add("dear", 10.0)
    assert costs.share == pytest.approx(10.2 / 110.0)
    for kind, count, seconds in [("cheap", 98, 0.1), ("dear", 9, 10.0)]:
        for _ in range(count):
            costs.add(kind, seconds)
    assert (costs.done, costs.share) == (110, 1.0)


def test_pieces_that_take_no_time_count_too():
    costs = MeasuredCosts({"a": 4})
    assert costs.share == 0.0
    costs.add("a", 0.0)
    assert costs.share == 0.25
