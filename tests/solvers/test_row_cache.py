import numpy as np
import pytest

from maxmargin.kernels import RBF
from maxmargin.kernels.gram import Gram
from maxmargin.ops.kinds import TILE_COLUMNS
from maxmargin.ops.threads import Workers
from maxmargin.solvers import RowCache
from maxmargin.solvers.kernel_values.iterate import Iterate, Window

N = 12


@pytest.fixture
def gram():
    return Gram.of(RBF(gamma=0.5), np.random.default_rng(0).normal(size=(N, 3)))


@pytest.fixture
def K(gram):  # noqa: N802
    return gram.kernel.block(gram.rows, gram.rows)


def move(iterate, variables, values):
    """Move variables, every second of which is said to be free."""
    iterate.move(variables, values, variables % 2 == 0)


def cache_of(gram, lines, boundaries=None):
    return RowCache(gram, lines * N * gram.dtype.itemsize, Workers(1), boundaries)


@pytest.mark.parametrize(("lines", "held"), [(-5, 1), (0, 1), (1, 1), (5, 5), (N, N), (10 * N, N)])
def test_the_budget_bounds_the_lines(gram, lines, held):
    cache = cache_of(gram, lines)
    assert cache.lines == held
    assert cache.store.shape == (held, N)


def test_the_least_recently_used_rows_give_way(gram):
    cache = cache_of(gram, 3)
    for rows in ([0, 1, 2], [0], [3]):
        placed = cache.place(np.array(rows), np.ones(len(rows), bool))
    np.testing.assert_array_equal(sorted(cache.resident()[0]), [0, 2, 3])
    np.testing.assert_array_equal(placed.displaced, [1])
    np.testing.assert_array_equal(placed.displaced_slots, placed.slots)


def test_rows_of_variables_at_a_bound_give_way_first(gram):
    cache = cache_of(gram, 3)
    cache.place(np.array([0, 1]), np.array([True, True]))
    cache.place(np.array([2]), np.array([False]))
    placed = cache.place(np.array([3]), np.array([True]))
    np.testing.assert_array_equal(placed.displaced, [2])


def test_rows_that_are_there_are_not_evaluated_again(gram):
    cache = cache_of(gram, 5)
    iterate = Iterate(Window(cache, (0,), N))
    move(iterate, np.arange(4), np.ones(4))
    assert iterate.rows_evaluated == 4
    move(iterate, np.arange(5), np.full(5, 2.0))
    assert iterate.rows_evaluated == 5


@pytest.mark.parametrize("lines", [1, 2, 5, N])
@pytest.mark.parametrize("boundaries", [[0, N], [0, 5, N], [0, 1, 2, N]])
def test_both_products_follow_any_moves(gram, K, lines, boundaries):
    cache = cache_of(gram, lines, boundaries)
    iterate = Iterate(Window(cache, tuple(range(len(boundaries) - 1)), N))
    rng = np.random.default_rng(1)
    for _ in range(20):
        chosen = rng.permutation(N)[: rng.integers(1, N)]
        move(iterate, chosen, rng.normal(size=len(chosen)))
        np.testing.assert_allclose(iterate.running, K @ iterate.beta, atol=1e-12)
    np.testing.assert_allclose(iterate.fresh_product(), K @ iterate.beta, atol=1e-12)
    move(iterate, np.array([0]), np.zeros(1))
    np.testing.assert_allclose(iterate.fresh_product(), K @ iterate.beta, atol=1e-12)


@pytest.mark.parametrize("lines", [1, 4, N])
def test_problems_share_rows_but_not_products(gram, K, lines):
    """Three windows of two segments each, as one-vs-one asks, one after the other on one cache."""
    cache, rng = cache_of(gram, lines, [0, 4, 7, N]), np.random.default_rng(2)
    for segments in ((0, 1), (0, 2), (1, 2)):
        iterate = Iterate(Window(cache, segments, N))
        part = K[np.ix_(iterate.index, iterate.index)]
        for _ in range(5):
            chosen = rng.permutation(len(iterate))[:3]
            move(iterate, chosen, rng.normal(size=3))
        np.testing.assert_allclose(iterate.running, part @ iterate.beta, atol=1e-12)
        np.testing.assert_allclose(iterate.fresh_product(), part @ iterate.beta, atol=1e-12)


def test_the_fresh_product_does_not_look_at_the_running_one(gram, K):
    iterate = Iterate(Window(cache_of(gram, 3), (0,), N))
    move(iterate, np.arange(N), np.ones(N))
    iterate.running[:] = 1e9
    move(iterate, np.arange(6), np.full(6, 2.0))
    np.testing.assert_allclose(iterate.fresh_product(), K @ iterate.beta, atol=1e-12)


@pytest.mark.parametrize("lines", [1, N])
def test_begin_at_and_restart(gram, K, lines):
    iterate, beta = Iterate(Window(cache_of(gram, lines), (0,), N)), np.arange(N, dtype=float)
    move(iterate, np.array([3]), np.array([7.0]))
    iterate.begin_at(beta, K @ beta)
    np.testing.assert_array_equal(iterate.beta, beta)
    np.testing.assert_allclose(iterate.fresh_product(), K @ beta, atol=1e-12)
    move(iterate, np.array([0, 1]), np.array([5.0, 6.0]))
    np.testing.assert_allclose(iterate.fresh_product(), K @ iterate.beta, atol=1e-12)
    iterate.restart(np.zeros(N))
    np.testing.assert_array_equal(iterate.running, 0)


def test_variables_long_at_a_bound_give_way_before_new_memory_is_touched(gram):
    cache = cache_of(gram, N)
    cache.place(np.array([0, 1]), np.array([False, True]))
    for row in range(2, 6):
        cache.place(np.array([row]), np.array([True]))
    placed = cache.place(np.array([7]), np.array([True]))
    np.testing.assert_array_equal(placed.displaced, [0])
    placed = cache.place(np.array([8]), np.array([True]))
    assert len(placed.displaced) == 0


def test_however_many_pieces_a_thread_takes_at_a_time_the_bits_are_the_same():
    n, rng = 20 * TILE_COLUMNS + 7, np.random.default_rng(3)
    gram = Gram.of(RBF(gamma=0.5), rng.normal(size=(n, 3)).astype(np.float32))
    found = []
    for threads in (1, 3, 16):
        with Workers(threads) as workers:
            cache = RowCache(gram, 40 * n * 4, workers, [0, 5 * TILE_COLUMNS + 3, n])
            iterate = Iterate(Window(cache, (0, 1), n))
            for first in (0, 20, 10):
                move(iterate, np.arange(first, first + 30), np.linspace(-1, 1, 30) + first)
            found.append((iterate.running.copy(), iterate.fresh_product()))
    for others in found[1:]:
        for one, other in zip(found[0], others, strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(*found[0], rtol=1e-12, atol=1e-12)
