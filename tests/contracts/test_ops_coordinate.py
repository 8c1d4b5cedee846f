"""Coordinate ascent, compiled and in NumPy: the same updates to the last few bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.ops.engine import Engine

GROUP = "coordinate"
reference = getattr(Engine("reference"), GROUP)

DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@st.composite
def problems(draw, dtype):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    q, rank = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    features = rng.normal(size=(q, rank))
    p, C = np.where(np.arange(q) % 2, -1.0, 1.0), draw(st.floats(0.01, 10))
    lower, upper = np.where(p > 0, 0.0, -C), np.where(p > 0, C, 0.0)
    beta = rng.uniform(lower, upper) if draw(st.booleans()) else np.zeros(q)
    return (features @ features.T).astype(dtype), p, lower, upper, beta


def ascend(ops, problem, order, stored, most=10**6):
    K, p, lower, upper, start = problem
    beta, slots = start.copy(), np.full(len(p), -1)
    slots[stored] = np.arange(len(stored))[::-1]
    store = np.full_like(K, np.nan)
    store[slots[stored]] = K[stored]
    F = p - K.astype(np.float64) @ beta
    far, updates = ops.ascend(store, slots, np.diag(K).copy(), order, beta, F, lower, upper, most)
    return beta, F, int(far), int(updates)


@DTYPES
@given(data=st.data())
def test_stays_in_the_box_keeps_the_gradient_and_never_loses(ops, dtype, data):
    problem = data.draw(problems(dtype))
    K, p, lower, upper, start = problem
    order = np.array(data.draw(st.permutations(range(len(p)))))
    beta, F, far, updates = ascend(ops, problem, order, np.arange(len(p)))
    K = K.astype(np.float64)

    def dual(x):
        return p @ x - x @ K @ x / 2

    assert far == len(p) >= updates
    assert ((beta >= lower) & (beta <= upper)).all()
    np.testing.assert_allclose(F, p - K @ beta, atol=1e-9)
    assert dual(beta) >= dual(start) - 1e-9


@DTYPES
@given(data=st.data())
def test_twins_agree(tested, dtype, data):
    problem = data.draw(problems(dtype))
    q = len(problem[1])
    order, most = np.array(data.draw(st.permutations(range(q)))), data.draw(st.integers(0, q))
    stored = np.array(sorted(data.draw(st.sets(st.integers(0, q - 1)))), dtype=np.intp)
    fast, slow = (ascend(ops, problem, order, stored, most) for ops in (tested, reference))
    for one, other in zip(fast, slow, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@DTYPES
@given(data=st.data())
def test_twins_agree_where_a_variable_has_several_turns(tested, dtype, data):
    """But not on how often: rounding decides whether one that is best where it is moves again."""
    problem = data.draw(problems(dtype))
    q = len(problem[1])
    order = np.array(data.draw(st.lists(st.integers(0, q - 1), max_size=2 * q)), np.intp)
    fast, slow = (ascend(ops, problem, order, np.arange(q)) for ops in (tested, reference))
    for one, other in zip(fast[:2], slow[:2], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_stops_before_a_row_that_is_missing_and_after_the_most_updates(ops):
    problem = np.eye(3), np.ones(3), np.zeros(3), np.full(3, 2.0), np.zeros(3)
    order = np.array([2, 0, 1])
    beta, F, far, updates = ascend(ops, problem, order, np.array([1, 2]))
    assert (far, updates) == (1, 1)
    np.testing.assert_array_equal([beta, F], [[0, 0, 1], [1, 1, 0]])
    assert ascend(ops, problem, order, order, most=2)[2:] == (2, 2)


def test_a_variable_that_is_best_where_it_is_needs_no_row(ops):
    problem = np.eye(2), np.array([-1.0, 0.0]), np.zeros(2), np.ones(2), np.zeros(2)
    assert ascend(ops, problem, np.array([0, 1]), np.array([], dtype=int))[2:] == (2, 0)
