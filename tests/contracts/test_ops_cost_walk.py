"""Costs walked through, compiled and in NumPy: every cost's optimum, from whichever start."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.ops.engine import Engine

GROUP = "cost_walk"
reference = getattr(Engine("reference"), GROUP)

TOL, COSTS = 1e-3, np.array([0.01, 0.3, 5.0, 100.0])


def problem(rng, q, gamma, dtype, frozen=0.0):
    """Two overlapping classes under a radial kernel, some of whose rows may not move."""
    p = np.where(rng.random(q) < 0.5, 1.0, -1.0)
    p[:2] = 1.0, -1.0
    X = rng.normal(size=(q, 3)) + 0.7 * p[:, None]
    X[-1] = X[0]  # two rows alike, perhaps of different classes
    K = np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=2)).astype(dtype)
    room = np.where((rng.random(q) < frozen) & (np.arange(q) > 1), 0.0, rng.uniform(0.5, 2, q))
    return K, p, np.where(p < 0, -room, 0.0), np.where(p > 0, room, 0.0)


def walk(ops, K, p, low, high, most=10**9, limit=10**9, costs=COSTS):
    n, q = len(costs), len(p)
    betas, products, intercepts = np.zeros((n, q)), np.zeros((n, q)), np.zeros(n)
    steps, where, at, calls = np.zeros(n, np.int64), (np.zeros(q), p.copy()), 0, 0
    while at < n:
        found = betas, products, intercepts, steps
        at = ops.walk(K, p, low, high, costs, at, TOL, most, limit, *where, *found)
        calls += 1
    return betas, products, intercepts, steps, calls


def violation(p, beta, product, lower, upper):
    F = p - product
    up, down = F[beta < upper].max(initial=-np.inf), F[beta > lower].min(initial=np.inf)
    return up - down


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(
    seed=st.integers(0, 2**32 - 1),
    q=st.integers(2, 60),
    gamma=st.sampled_from([0.01, 0.5, 20.0]),
    frozen=st.sampled_from([0.0, 0.4]),
)
def test_every_cost_is_solved(ops, dtype, seed, q, gamma, frozen):
    K, p, low, high = problem(np.random.default_rng(seed), q, gamma, dtype, frozen)
    betas, products, _, _, _ = walk(ops, K, p, low, high)
    for C, beta, product in zip(COSTS, betas, products, strict=True):
        exact = K.astype(np.float64) @ beta
        np.testing.assert_allclose(product, exact, atol=1e-9 * (1 + np.abs(beta).sum()))
        assert (beta >= C * low).all()
        assert (beta <= C * high).all()
        assert abs(beta.sum()) <= 1e-9 * (1 + np.abs(beta).sum())
        assert violation(p, beta, product, C * low, C * high) <= TOL + 1e-9 * np.abs(beta).sum()


@given(seed=st.integers(0, 2**32 - 1), q=st.integers(2, 60), gamma=st.sampled_from([0.05, 1.0]))
def test_twins_reach_the_same_optimum(tested, seed, q, gamma):
    given_ = problem(np.random.default_rng(seed), q, gamma, np.float64)
    K, p, low, high = given_
    fast, slow = (walk(ops, *given_) for ops in (tested, reference))
    for C, one, other in zip(COSTS, fast[0], slow[0], strict=True):
        duals = [p @ beta - beta @ K @ beta / 2 for beta in (one, other)]
        room = TOL * C * (high - low).sum()
        np.testing.assert_allclose(*duals, atol=room + 1e-9)
    values = [products + b[:, None] for _, products, b, _, _ in (fast, slow)]
    unlike = np.abs(values[0] - values[1])[:2]  # a higher cost leaves more to the tolerance
    assert unlike.max() < 0.05


def test_it_comes_back_and_goes_on(ops):
    K, p, low, high = problem(np.random.default_rng(0), 40, 0.5, np.float64)
    whole, parts = walk(ops, K, p, low, high), walk(ops, K, p, low, high, most=7)
    assert whole[4] == 1
    assert parts[4] > 3
    for C, beta, product in zip(COSTS, parts[0], parts[1], strict=True):
        assert violation(p, beta, product, C * low, C * high) <= TOL + 1e-9


def test_a_limit_leaves_each_cost_as_it_stands(ops):
    K, p, low, high = problem(np.random.default_rng(1), 40, 0.5, np.float64)
    betas, products, _, steps, calls = walk(ops, K, p, low, high, limit=3)
    assert calls == 1
    assert steps.max() == 3
    np.testing.assert_allclose(products, betas @ K, atol=1e-9)


def test_fewer_rows_move_where_many_are_settled(ops):
    """On more rows than a round takes steps, so that squares are cut out, twice and more."""
    K, p, low, high = problem(np.random.default_rng(2), 300, 0.3, np.float64)
    betas, products, intercepts, _, _ = walk(ops, K, p, low, high)
    for C, beta, product, b in zip(COSTS, betas, products, intercepts, strict=True):
        lower, upper = C * low, C * high
        assert violation(p, beta, product, lower, upper) <= TOL + 1e-9
        free = (beta > lower + 1e-9 * C) & (beta < upper - 1e-9 * C)
        if free.any():
            assert b == pytest.approx((p - product)[free].mean())
    np.testing.assert_allclose(products, betas @ K, atol=1e-7)


def test_a_bound_missed_by_rounding_is_no_free_variable(ops):
    """Balanced sides all at their bounds: the intercept is the middle of what they allow."""
    p = np.repeat([1.0, -1.0], [30, 70])
    X = np.linspace(-1, 1, 100)[:, None]
    K, unit = np.exp(-0.01 * (X - X.T) ** 2), np.repeat([1 / 30, 1 / 70], [30, 70])
    low, high = np.where(p < 0, -unit, 0.0), np.where(p > 0, unit, 0.0)
    betas, products, intercepts, _, _ = walk(ops, K, p, low, high, costs=np.array([0.1]))
    np.testing.assert_allclose(np.abs(betas[0]), 0.1 * unit)
    F = p - products[0]
    assert intercepts[0] == pytest.approx((F[p < 0].max() + F[p > 0].min()) / 2)


def test_a_square_is_gathered(ops):
    K = np.arange(25.0).reshape(5, 5)
    index = np.array([3, 0, 4])
    np.testing.assert_array_equal(ops.gather(K, index), K[np.ix_(index, index)])
