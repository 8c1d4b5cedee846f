import os
import threading

import numpy as np
import pytest

from maxmargin.ops.threads import Workers, count_threads


@pytest.fixture
def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def test_counts_as_joblib_does(cores):
    assert count_threads(None) == count_threads(-1) == cores
    assert count_threads(3) == 3
    assert count_threads(-2) == max(1, cores - 1)
    assert count_threads(-1000) == 1


def test_refuses_no_threads():
    with pytest.raises(ValueError, match="n_jobs == 0 has no meaning; use 1"):
        count_threads(0)


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
@pytest.mark.parametrize("pieces", [0, 1, 7])
def test_every_piece_is_done_once(n_jobs, pieces):
    done = np.zeros(pieces, int)

    def work(piece):
        done[piece] += 1

    with Workers(n_jobs) as workers:
        workers.each(work, range(pieces))
    np.testing.assert_array_equal(done, 1)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_in_a_piece_comes_out(n_jobs):
    def work(piece):
        if piece == 3:
            raise RuntimeError("piece 3")

    with Workers(n_jobs) as workers, pytest.raises(RuntimeError, match="piece 3"):
        workers.each(work, range(6))


def test_no_thread_outlives_its_block():
    before = set(threading.enumerate())
    with Workers(2) as workers:
        workers.each(lambda piece: None, range(4))
    assert set(threading.enumerate()) == before
