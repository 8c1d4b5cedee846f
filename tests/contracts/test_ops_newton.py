"""Newton's steps, compiled and in NumPy: from the same point to the same optimum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from maxmargin.ops.design import Design
from maxmargin.ops.engine import Engine
from maxmargin.ops.kinds import DUAL, HINGE, LOGISTIC, PRIMAL, SQUARED_HINGE
from maxmargin.ops.threads import Workers

GROUP = "newton"
reference = getattr(Engine("reference"), GROUP)
KINDS = pytest.mark.parametrize("kind", [HINGE, SQUARED_HINGE, LOGISTIC])
STORAGES = pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])


def rows_of(seed, n=30, d=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.uniform(size=(n, d)) < 0.7)
    return X, rng.choice([-1.0, 1.0], n), rng.uniform(0.1, 2.0, n)


def solve(ops, kind, seed, storage, *, free=False, exact=True, dtype=np.float64, at_once=200):
    X, t, cost = rows_of(seed)
    rows = Design(storage(X.astype(dtype)), 1.0, Workers(1)).csr
    theta, values, centre = np.zeros(6), np.zeros(30), np.zeros(30)
    price = {HINGE: 1.0, SQUARED_HINGE: 1.0, LOGISTIC: np.log(2.0)}[kind]
    damping = 1e-3 if kind == HINGE else 0.0
    state = np.array([2.0, damping, price * cost.sum(), 0.0, 0.0])
    best_theta, best_dual = np.zeros(6), np.zeros(30)
    told = np.empty((at_once, 2))
    rest = centre, theta, values, state, best_theta, best_dual, told
    room = np.empty((0, 0) if exact else 0)
    made, now = 0, at_once
    while now == at_once and made < 200:
        now = ops.newton_steps(*rows, 1.0, t, cost, kind, free, room, 1e-9, at_once, *rest)
        made += now
        assert now == 0 or told[now - 1].tolist() == [state[PRIMAL], state[DUAL]]
    assert 0 < made < 200
    return best_theta, cost * t * best_dual, state


@KINDS
@STORAGES
@pytest.mark.parametrize("free", [False, True])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_both_twins_close_the_gap_at_the_same_point(tested, kind, storage, free, seed):
    ours, beta, state = solve(tested, kind, seed, storage, free=free)
    theirs, _, other = solve(reference, kind, seed, storage, free=free)
    np.testing.assert_allclose(state[PRIMAL], other[PRIMAL], rtol=1e-7)
    assert abs(state[PRIMAL] - state[DUAL]) <= 1e-8 * state[PRIMAL]
    np.testing.assert_allclose(ours[:-1], theirs[:-1], atol=1e-3)
    X, _, _ = rows_of(seed)
    np.testing.assert_allclose(X.T @ beta, ours[:-1], atol=1e-3)
    assert not free or abs(beta.sum()) <= 1e-9 * np.abs(beta).sum()


@KINDS
@STORAGES
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_a_matrix_summed_from_the_last_one_is_as_good_as_a_fresh_one(tested, kind, storage, seed):
    together, _, state = solve(tested, kind, seed, storage)
    apart, _, other = solve(tested, kind, seed, storage, at_once=1)
    np.testing.assert_allclose(state[PRIMAL], other[PRIMAL], rtol=1e-9)
    np.testing.assert_allclose(together, apart, atol=1e-4)


@STORAGES
@pytest.mark.parametrize("kind", [SQUARED_HINGE, LOGISTIC])
def test_gradients_find_what_factors_find(tested, kind, storage):
    exact, _, _ = solve(tested, kind, 1, storage)
    rough, _, _ = solve(tested, kind, 1, storage, exact=False)
    np.testing.assert_allclose(exact, rough, atol=1e-4)


@KINDS
@given(seed=st.integers(0, 2**32 - 1))
def test_passes_over_rows_agree(tested, kind, seed):
    rng = np.random.default_rng(seed)
    values, change = 3.0 * rng.normal(size=(2, 20))
    t, cost, centre = rng.choice([-1.0, 1.0], 20), rng.uniform(0.1, 2, 20), rng.uniform(size=20)
    answers = []
    for ops in (tested, reference):
        beta, h, near, cut = np.zeros((4, 20))
        price = ops.row_pass(kind, 0.7, t, cost, centre, values, 3, 19, beta, h)
        total = ops.dual_pass(kind, t, cost, beta, h, change, 3, 19, near, cut)
        answers.append(np.r_[price, total, beta, h, near, cut])
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-9, atol=1e-9)
