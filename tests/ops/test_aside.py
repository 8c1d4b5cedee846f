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


BACK_TOO_LATE = """
import os, sys, threading, time
import numpy as np
from scipy.optimize import linprog
from maxmargin.ops import aside
from maxmargin.ops.clock import TimeUp, watch

random = np.random.default_rng(0)
A, b, cost = random.normal(size=(700, 350)), random.random(700), -random.random(350)

class Slow:
    # Taken down with its module, which takes until the other thread is back from C++ and sleeps.
    def __init__(self):
        self.file = os.open(f"/proc/self/task/{threading.get_native_id()}/stat", os.O_RDONLY)
        self.read, self.wait = os.pread, time.sleep

    def __del__(self):
        asleep = 0
        while asleep < 200:
            self.wait(0.005)
            state = self.read(self.file, 200, 0).rpartition(b")")[2].split()[0]
            asleep = asleep + 1 if state == b"S" else 0

def solve():
    sys.slow = Slow()
    linprog(cost, A_ub=A, b_ub=b, bounds=(0, None))

aside._MOMENT = 0.0
try:
    with watch(0.3):
        aside.aside(solve)
except TimeUp:
    print("left", flush=True)
sys.exit(3)
"""


def test_a_thread_that_comes_back_too_late_does_not_abort():
    """HiGHS ends while the interpreter is taken down; the process ends as it wanted to."""
    ended = subprocess.run(
        [sys.executable, "-c", BACK_TOO_LATE], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout.split(), ended.stderr) == (3, ["left"], "")
