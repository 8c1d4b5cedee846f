"""Who takes over from whom, and what is left when time is up before anybody began."""

import pytest

from maxmargin.ops.clock import TimeUp
from maxmargin.solvers import Limits
from maxmargin.solvers.run import relay


def too_late():
    raise TimeUp


def test_a_relay_that_cannot_begin_says_that_time_is_up():
    with pytest.raises(TimeUp):
        relay([too_late], Limits(1e-3, 100))
