import multiprocessing
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import Parallel, cpu_count, delayed, parallel_config

from maxmargin.ops import threads
from maxmargin.ops.compiler import blas
from maxmargin.ops.compiler.plain import is_plain
from maxmargin.ops.threads import Workers, count_threads, side_by_side, stop_if_cancelled

LIMITS = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")


@pytest.fixture(autouse=True)
def no_limits(monkeypatch):
    """Leave the environment of whoever runs the tests out of them."""
    for name in LIMITS:
        monkeypatch.delenv(name, raising=False)


def test_counts_as_joblib_does():
    cores = cpu_count()
    assert count_threads(None) == count_threads(-1) == cores
    assert count_threads(3) == 3
    assert count_threads(-2) == max(1, cores - 1)
    assert count_threads(-1000) == 1


# what is one's own where others are at work too


def asked():
    return [count_threads(n_jobs) for n_jobs in (None, 3, 1)]


def test_in_a_thread_of_somebodys_pool_there_is_one():
    with ThreadPoolExecutor(2) as pool:
        assert pool.submit(asked).result() == [1, 3, 1]
    with parallel_config("threading", n_jobs=2):
        assert Parallel()(delayed(asked)() for _ in range(2)) == [[1, 3, 1]] * 2


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # that it forks with threads
def test_in_a_process_of_somebodys_pool_there_is_one(method):
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply_async(asked).get(60) == [1, 3, 1]


def test_workers_of_joblib_have_what_it_gives_them():
    """Their share of the cores, or as many as the user says."""
    cores = cpu_count()
    for inner, own in [(None, max(1, cores // 2)), (1, 1), (5, min(5, cores))]:
        with parallel_config("loky", n_jobs=2, inner_max_num_threads=inner):
            assert Parallel()(delayed(count_threads)(n) for n in (None, 3)) == [own, 3]


@pytest.mark.parametrize("name", LIMITS)
def test_limits_of_the_environment_hold_unless_a_number_is_given(name, monkeypatch):
    monkeypatch.setenv(name, "1")
    assert asked() == [1, 3, 1]
    monkeypatch.setenv(name, str(10 * cpu_count()))
    assert asked() == [cpu_count(), 3, 1]
    monkeypatch.setenv(name, "1,2")  # OpenMP's list of nested levels
    assert asked() == [1, 3, 1]
    monkeypatch.setenv(name, "many")
    assert asked() == [cpu_count(), 3, 1]


def enter_and_leave():
    with Workers(2) as workers:
        workers.each(abs, range(8))


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # that it forks with threads
def test_a_fork_in_the_middle_of_work_does_not_hang():
    """Whatever locks and threads the parent had: none of them lives on in the child."""
    with Workers(2) as workers, threads.one_blas_thread._lock:
        workers.each(abs, range(8))
        child = multiprocessing.get_context("fork").Process(target=enter_and_leave)
        child.start()
        child.join(60)
        child.kill()
    child.join()
    assert child.exitcode == 0


def blas_threads():
    return [library.get_num_threads() for library in blas._blas().lib_controllers]


def test_blas_is_held_by_whichever_thread_asks_and_restored_by_the_last():
    usual = blas_threads()
    for library in blas._blas().lib_controllers:
        blas._set_threads(library, 2)
    ready, leave = threading.Event(), threading.Event()

    def hold():
        with threads.one_blas_thread:
            ready.set()
            leave.wait(10)

    def held_elsewhere():
        with ThreadPoolExecutor(1) as pool, threads.one_blas_thread:
            first = pool.submit(blas_threads).result()
        return first, blas_threads()

    few, many = [1] * len(usual), [2] * len(usual)
    assert held_elsewhere() == (few, many)
    if is_plain():  # threadpoolctl itself hears only the first thread that asks
        for library, number in zip(blas._blas().lib_controllers, usual, strict=True):
            blas._set_threads(library, number)
        return
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(held_elsewhere).result() == (few, many)
    with ThreadPoolExecutor(1) as pool:  # who begins is not who ends
        pool.submit(hold)
        ready.wait(10)
        threads.one_blas_thread.__enter__()
        leave.set()
    assert blas_threads() == few
    threads.one_blas_thread.__exit__()
    assert blas_threads() == many
    for library, number in zip(blas._blas().lib_controllers, usual, strict=True):
        blas._set_threads(library, number)


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


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_results_side_by_side_are_in_order(n_jobs):
    assert side_by_side(lambda piece: piece**2, range(7), n_jobs) == [0, 1, 4, 9, 16, 25, 36]
    assert side_by_side(lambda piece: piece, [], n_jobs) == []


def test_pieces_are_begun_together():
    meet = threading.Barrier(3, timeout=60)
    assert len(side_by_side(lambda piece: meet.wait(), range(3), n_jobs=3)) == 3


@pytest.mark.parametrize(("n_jobs", "at_once", "share"), [(8, None, 2), (8, 1, 8), (2, 4, 1)])
def test_a_piece_has_its_share_of_the_threads(n_jobs, at_once, share):
    def ask(piece):
        return count_threads(None), count_threads(100), count_threads(1), Workers(-1).threads

    given = side_by_side(ask, range(4), n_jobs, at_once)
    assert given == [(share, share, 1, share)] * 4
    assert count_threads(100) == 100


def test_a_piece_within_a_piece_has_a_share_of_its_share():
    def outer(piece):
        return side_by_side(lambda inner: count_threads(None), range(3), None)

    assert side_by_side(outer, range(2), 12) == [[2, 2, 2]] * 2


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_the_first_error_is_raised_and_nothing_is_begun_after_it(n_jobs):
    begun = []

    def work(piece):
        begun.append(piece)
        if piece >= 1:
            raise RuntimeError(f"piece {piece}")

    before = set(threading.enumerate())
    with pytest.raises(RuntimeError) as raised:
        side_by_side(work, range(1000), n_jobs)
    failed = [piece for piece in begun if piece >= 1]
    assert str(raised.value) == f"piece {min(failed)}"
    assert len(failed) <= n_jobs
    assert set(threading.enumerate()) == before


def test_an_earlier_piece_that_fails_later_is_the_one_to_be_told():
    failed = threading.Event()

    def work(piece):
        if piece == 0:
            assert failed.wait(60)
            time.sleep(0.05)  # the other's error is known by now
            stop_if_cancelled()
        else:
            failed.set()
        raise RuntimeError(f"piece {piece}")

    with pytest.raises(RuntimeError, match="piece 0"):
        side_by_side(work, range(2), 2)


def test_ctrl_c_in_a_piece_ends_those_before_it_too():
    pressed = threading.Event()

    def work(piece):
        if piece == 1:
            pressed.set()
            raise KeyboardInterrupt
        assert pressed.wait(60)
        while True:
            stop_if_cancelled()

    with pytest.raises(KeyboardInterrupt):
        side_by_side(work, range(2), 2)
