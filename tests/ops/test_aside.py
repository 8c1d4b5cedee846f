"""A foreign call in a thread of its own."""

import threading

import pytest

from maxmargin.ops.aside import aside
from maxmargin.ops.clock import TimeUp, watch


def test_gives_what_the_call_gives():
    assert aside(lambda: 6 * 7) == 42


def test_raises_what_the_call_raises():
    with pytest.raises(ZeroDivisionError):
        aside(lambda: 1 // 0)


def test_is_left_when_time_is_up():
    never = threading.Event()
    with watch(0.01), pytest.raises(TimeUp):
        aside(lambda: never.wait(20))
    assert not never.is_set()
    never.set()
