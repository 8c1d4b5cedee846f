"""Stochastic subgradient steps, compiled and in NumPy: the same weights to the last few bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from maxmargin.ops.design import Design
from maxmargin.ops.engine import Engine
from maxmargin.ops.threads import Workers

GROUP = "subgradient"
reference = getattr(Engine("reference"), GROUP)


def descend(ops, X, t, orders, *, constant=0.0, weight=0.1, radius=3.0, storage=np.asarray):
    """Give the weights, the counts and the state after these orders."""
    design = Design(storage(X), constant, Workers(1))
    v, state = np.zeros(design.width), np.array([0.0, 1.0, 0.0])
    short, drawn = np.zeros(len(t)), np.zeros(len(t))
    for order in orders:
        facts = constant, t, design.row_norms(), np.array(order), weight, radius
        ops.pegasos(*design.csr, *facts, v, short, drawn, state)
    return state[1] * v / (weight * state[0]), short, drawn, state


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(data=st.data())
def test_twins_and_storages_agree(tested, dtype, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, d = data.draw(st.integers(1, 10)), data.draw(st.integers(1, 12))
    X = (rng.normal(size=(n, d)) * (rng.uniform(size=(n, d)) < 0.7)).astype(dtype)
    t, orders = rng.choice([-1.0, 1.0], n), rng.integers(n, size=(3, 2 * n))
    options = {
        "constant": data.draw(st.sampled_from([0.0, 1.5])),
        "weight": data.draw(st.sampled_from([1e-6, 0.01, 1.0])),
        "radius": data.draw(st.sampled_from([0.1, 1.0, 1e3])),
    }
    slow = descend(reference, X, t, orders, **options)
    for storage in (np.asarray, sparse.csr_matrix):
        fast = descend(tested, X, t, orders, storage=storage, **options)
        np.testing.assert_allclose(fast[0], slow[0], rtol=1e-6, atol=1e-7 * options["radius"])
        np.testing.assert_array_equal(fast[2], slow[2])
        assert np.linalg.norm(fast[0]) <= options["radius"] * (1 + 1e-9)
        v = fast[0] * options["weight"] * fast[3][0] / fast[3][1]
        np.testing.assert_allclose(fast[3][2], v @ v, rtol=1e-6, atol=1e-300)


def test_two_steps_by_hand(ops):
    """lambda = 1/2: w = 2 x, whose margin of 2 is enough, so the second step only shrinks it."""
    one, two = ([[0]], [[0, 0]])
    X, t, options = np.array([[1.0]]), np.ones(1), {"weight": 0.5, "radius": 10.0}
    assert descend(ops, X, t, one, **options)[0].tolist() == [2.0]
    w, short, drawn, _ = descend(ops, X, t, two, **options)
    assert (w.tolist(), short.tolist(), drawn.tolist()) == ([1.0], [1.0], [2.0])


def test_a_step_beyond_the_ball_ends_on_it(ops):
    X, t = np.array([[3.0, 4.0]]), -np.ones(1)
    w, *_ = descend(ops, X, t, [[0]], weight=1e-3, radius=2.0)
    np.testing.assert_allclose(w, [-1.2, -1.6])


def test_a_factor_that_all_but_vanishes_is_taken_over(tested):
    """Each of many first steps is shortened by orders of magnitude."""
    rng = np.random.default_rng(0)
    X, t, orders = rng.normal(size=(5, 3)), np.array([1.0, -1, 1, -1, 1]), np.arange(5)[None]
    options = {"weight": 1e-12, "radius": 1.0}
    orders = np.tile(orders, (60, 1))
    fast, slow = (descend(ops, X, t, orders, **options) for ops in (tested, reference))
    assert 1e-100 <= fast[3][1] <= 1.0
    np.testing.assert_allclose(fast[0], slow[0], rtol=1e-6)
