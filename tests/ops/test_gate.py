"""Threads that meet inside compiled loops: all of them, or nobody waits."""

import numpy as np
import pytest

from maxmargin.ops.cpu.gate import meet
from maxmargin.ops.threads import Workers, resting, threads_can_share

MEETINGS = 50
SEVERAL = [2, 3] if threads_can_share() else []


def gate():
    return np.zeros(8, np.int64)


@pytest.mark.parametrize("workers", [1, *SEVERAL, 8] if SEVERAL else [1])
def test_nobody_passes_before_all_have_come(workers):
    place, passed = gate(), np.zeros((workers, MEETINGS), np.int64)
    behind = []

    def work(number):
        for k in range(MEETINGS):
            passed[number, k] = 1
            meet(place, workers, resting())
            behind.append(workers - int(passed[:, k].sum()))

    with Workers(workers) as team:
        team.together(work, workers, place)
    assert behind == [0] * (workers * MEETINGS)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("workers", SEVERAL or [1])
@pytest.mark.parametrize("missing", [0, -1])
def test_where_one_cannot_come_the_others_do_not_wait(workers, missing, error):
    place = gate()

    def work(number):
        if number == missing % workers:
            raise error("on the way")
        for _ in range(MEETINGS):
            meet(place, workers, resting())

    with Workers(workers) as team:
        with pytest.raises(error, match="on the way"):
            team.together(work, workers, place)
        met = []
        team.together(
            lambda number: (meet(place, workers, resting()), met.append(number)), workers, place
        )
    assert sorted(met) == list(range(workers))
