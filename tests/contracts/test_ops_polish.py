"""Newton steps on the free variables, compiled and in NumPy: laws, twins, bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.ops.engine import Engine

GROUP = "polish"
reference = getattr(Engine("reference"), GROUP)

seeds = st.integers(0, 2**32 - 1)


def near_optimum(seed, bias, dtype=np.float64, n=24):
    """A box QP and a point of it where most variables are free."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, n))
    K = (features @ features.T / n + 0.1 * np.eye(n)).astype(dtype)
    sign, C = np.where(np.arange(n) % 2, -1.0, 1.0), float(rng.uniform(0.5, 5))
    lower, upper = np.where(sign > 0, 0.0, -C), np.where(sign > 0, C, 0.0)
    beta = rng.uniform(0.05, 0.95, n) * (upper + lower)
    if bias:
        beta[sign > 0] *= -beta[sign < 0].sum() / beta[sign > 0].sum()
        beta = np.clip(beta, lower, upper)
        beta[sign < 0] *= -beta[sign > 0].sum() / beta[sign < 0].sum()
    return K, sign, lower, upper, beta


def polished(ops, case, bias, target=1e-12):
    K, p, lower, upper, beta = case
    beta, exact = beta.copy(), K.astype(np.float64)
    F = p - exact @ beta
    few = ops.polish(K, np.arange(len(K)), beta, F, lower, upper, bias, target)
    return bool(few), beta, F


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(seed=seeds)
def test_the_dual_rises_and_the_gradient_is_kept(ops, bias, dtype, seed):
    case = near_optimum(seed, bias, dtype)
    K, p, lower, upper, before = case
    few, beta, F = polished(ops, case, bias)
    exact = K.astype(np.float64)
    assert few
    assert ((beta >= lower) & (beta <= upper)).all()
    np.testing.assert_allclose(F, p - exact @ beta, atol=1e-8)

    def dual(b):
        return p @ b - b @ exact @ b / 2

    assert dual(beta) >= dual(before) - 1e-9
    free = (beta > lower) & (beta < upper)
    if bias:
        np.testing.assert_allclose(beta.sum(), before.sum(), atol=1e-9)
        np.testing.assert_allclose(np.ptp(F[free]) if free.any() else 0.0, 0.0, atol=1e-6)
    else:
        np.testing.assert_allclose(F[free], 0.0, atol=1e-6)


@pytest.mark.parametrize("bias", [True, False])
@given(seed=seeds)
def test_twins_agree(tested, bias, seed):
    case = near_optimum(seed, bias)
    _, fast, _ = polished(tested, case, bias)
    _, slow, _ = polished(reference, case, bias)
    np.testing.assert_allclose(fast, slow, rtol=1e-7, atol=1e-7)


def test_too_many_free_variables_are_left_alone(ops):
    n = ops.MOST_FREE + 1
    K, beta, p = np.eye(n), np.full(n, 0.5), np.ones(n)
    F = p - beta
    lower, upper = np.zeros(n), np.ones(n) * 2
    assert not ops.polish(K, np.arange(n), beta, F, lower, upper, False, 0.0)
    np.testing.assert_array_equal(beta, 0.5)


def test_a_trace_of_a_bound_is_the_bound_and_the_sum_stays(ops):
    beta = np.array([1.0, -0.6, -0.4 - 1e-13, 1e-13])
    box = np.array([0.0, -5, -5, 0]), np.array([5.0, 0, 0, 5])
    ops.polish(np.eye(4), np.arange(4), beta, np.zeros(4), *box, True, 1.0)
    assert beta[3] == 0.0
    assert beta.sum() == pytest.approx(0.0, abs=1e-16)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_the_factor_is_choleskys(ops, n):
    features = np.random.default_rng(n).normal(size=(n, n + 2))
    A = features @ features.T
    L, right = A.copy(), np.arange(1.0, n + 1)
    assert ops.factorise(L)
    np.testing.assert_allclose(np.tril(L) @ np.tril(L).T, A, atol=1e-9)
    x = right.copy()
    ops.solve_factored(L, x)
    np.testing.assert_allclose(A @ x, right, atol=1e-6)
    indefinite = A - 2 * np.trace(A) * np.eye(n)
    assert not ops.factorise(indefinite)
