"""What a recording notes of threads, and that without one nothing is wrapped."""

import sys
import threading
import time

import numpy as np
import pytest

from maxmargin import LinearSVC
from maxmargin.ops import timeline
from maxmargin.ops.cpu.gate import meet
from maxmargin.ops.threads import Workers, resting, threads_can_share
from maxmargin.ops.timeline import BUSY, TURN, WAKING, gathered, recording, watched

SHARED = pytest.mark.skipif(not threads_can_share(), reason="compiled loops cannot share a gate")


def of_kind(noted, kind):
    return [span for span in noted.spans if span.kind == kind]


def test_without_a_recording_functions_are_the_very_same():
    assert watched(of_kind) is of_kind
    assert gathered(of_kind) is of_kind


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_each_piece_is_noted_once(n_jobs):
    with recording() as noted, Workers(n_jobs) as workers:
        workers.each(time.sleep, [1e-4] * 9)
    busy = of_kind(noted, BUSY)
    assert len(busy) == 9
    assert {noted.places[span.number] for span in busy} == {"time.sleep"}
    assert all(noted.begin <= s.begin < s.end <= noted.end for s in busy)


def test_pieces_too_few_to_share_are_noted_on_the_thread_that_calls():
    with recording() as noted, Workers(4) as workers:
        workers.each(time.sleep, [0.0] * 3)
    assert [span.thread for span in noted.spans] == [threading.get_ident()] * 3


def test_threads_wake_and_take_turns_around_their_pieces():
    with recording() as noted, Workers(3) as workers:
        workers.each(time.sleep, [1e-3] * 12)
    turns, waking = of_kind(noted, TURN), of_kind(noted, WAKING)
    assert len(turns) == 3
    assert {s.thread for s in waking} == {s.thread for s in turns} - {threading.get_ident()}
    for span in of_kind(noted, BUSY):
        own = next(turn for turn in turns if turn.thread == span.thread)
        assert own.begin <= span.begin < span.end <= own.end


def test_time_asleep_is_no_time_of_the_processor():
    with recording() as noted, Workers(1) as workers:
        workers.each(time.sleep, [0.02])
    (span,) = noted.spans
    assert span.end - span.begin >= 20_000_000 > 10 * span.processor


@SHARED
def test_gates_of_compiled_loops_are_counted():
    gate = np.zeros(8, np.int64)

    def work(number):
        for _ in range(7):
            meet(gate, 2, resting())

    with recording() as noted, Workers(2) as workers:
        workers.together(work, 2, gate)
    assert list(noted.passed.values()) == [7]
    assert list(noted.shared.values()) == [2]
    assert len(of_kind(noted, BUSY)) == 2


def test_a_piece_that_fails_is_noted_and_its_error_comes_out():
    def fail(piece):
        raise ValueError("on the way")

    with (
        recording() as noted,
        Workers(2) as workers,
        pytest.raises(ValueError, match="on the way"),
    ):
        workers.each(fail, range(8))
    assert of_kind(noted, BUSY)


def test_there_is_one_recording_at_a_time_and_it_ends_with_its_block():
    with recording(), pytest.raises(RuntimeError, match="already"), recording():
        pass
    with recording() as noted:
        pass
    assert noted.spans == []
    assert timeline.watched(of_kind) is of_kind


def test_a_recorded_fit_has_the_same_bits():
    random = np.random.default_rng(0)
    X = random.normal(size=(20_000, 20))
    y = X @ random.normal(size=20) > 0
    plain = LinearSVC(n_jobs=3).fit(X, y)
    with recording() as noted:
        seen = LinearSVC(n_jobs=3).fit(X, y)
    assert seen.coef_.tobytes() == plain.coef_.tobytes()
    assert of_kind(noted, BUSY)


def test_threads_that_come_too_late_for_any_piece_are_not_waited_for():
    """All 150 came, and were waited for, before what nobody has begun was taken back."""
    usual = sys.getswitchinterval()
    with recording() as noted, Workers(16) as workers:
        workers.each(time.sleep, [1e-3] * 32)  # all threads exist
        begun = len(of_kind(noted, WAKING))
        try:
            sys.setswitchinterval(60)  # this thread does all pieces before another gets the lock
            for _ in range(10):
                workers.each(abs, range(16))
        finally:
            sys.setswitchinterval(usual)
    assert len(of_kind(noted, BUSY)) - 32 == 10 * 16
    assert len(of_kind(noted, WAKING)) - begun <= 15
