"""A foreign call in a thread of its own."""

import subprocess
import sys
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


LEFT_BEHIND = """
import time
from maxmargin.ops.aside import aside
from maxmargin.ops.clock import TimeUp, watch

try:
    with watch(0.01):
        aside(lambda: (time.sleep(0.3), print("ended", flush=True)))
except TimeUp:
    print("left", flush=True)
"""


def test_python_waits_a_moment_for_what_is_left_behind():
    ended = subprocess.run(
        [sys.executable, "-c", LEFT_BEHIND], capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == ["left", "ended"]
