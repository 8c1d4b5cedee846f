import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.problems import BoxQP, c_svc

seeds = st.integers(0, 2**32 - 1)


def case(seed, bias=True, n=8):
    """A random classification problem, its Gram matrix and a feasible point."""
    rng = np.random.default_rng(seed)
    X, t = rng.normal(size=(n, 3)), np.where(np.arange(n) % 2, -1.0, 1.0)
    problem = c_svc(t, rng.uniform(0.1, 3, n), bias=bias)
    alpha = rng.uniform(size=n) * np.abs(problem.lower + problem.upper)
    if bias:  # shrink one side until the two balance
        sides = alpha[t > 0].sum(), alpha[t < 0].sum()
        alpha[t > 0] *= min(1.0, sides[1] / sides[0])
        alpha[t < 0] *= min(1.0, sides[0] / sides[1])
    return X, t, problem, X @ X.T, alpha * t


def test_c_svc_states_the_box_by_sign():
    problem = c_svc(np.array([1, -1, 1]), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(problem.p, [1, -1, 1])
    np.testing.assert_array_equal(problem.lower, [0, -2, 0])
    np.testing.assert_array_equal(problem.upper, [1, 0, 3])
    assert problem.bias
    assert len(problem) == 3
    assert not c_svc(np.array([1, -1]), 1.0, bias=False).bias


@given(seeds, st.booleans(), st.floats(-3, 3))
def test_primal_is_half_a_squared_norm_plus_hinge_losses(seed, bias, b):
    X, t, problem, K, beta = case(seed, bias)
    w = X.T @ beta
    hinge = np.maximum(0.0, 1 - t * (X @ w + b))
    expected = w @ w / 2 + (problem.upper - problem.lower) @ hinge
    np.testing.assert_allclose(problem.primal(beta, K @ beta, b), expected, rtol=1e-12)


@given(seeds, st.booleans())
def test_dual_is_the_sum_of_alpha_less_half_a_squared_norm(seed, bias):
    X, t, problem, K, beta = case(seed, bias)
    expected = (beta * t).sum() - np.sum((X.T @ beta) ** 2) / 2
    size = np.abs(beta).sum() + np.sum((X.T @ beta) ** 2)  # of what the value cancels from
    np.testing.assert_allclose(problem.dual(beta, K @ beta), expected, atol=1e-13 * size)


@given(seeds, seeds, st.booleans(), st.floats(-3, 3))
def test_weak_duality_between_any_two_points(one, other, bias, b):
    """No dual value is above any primal value, wherever both are taken."""
    _, _, problem, K, beta = case(one, bias)
    w = np.random.default_rng(other).normal(size=len(problem))
    b = b if bias else 0.0
    assert problem.feasible(beta)
    assert problem.dual(beta, K @ beta) <= problem.primal(w, K @ w, b) + 1e-9


def test_violation_with_and_without_a_bias():
    F, beta = np.array([0.5, -0.25]), np.array([0.5, -0.5])
    assert c_svc(np.array([1, -1]), 1.0).violation(beta, F) == 0.75
    assert c_svc(np.array([1, -1]), 1.0, bias=False).violation(beta, F) == 0.5


def test_bound_variables_violate_only_inwards():
    problem = c_svc(np.array([1, -1]), 1.0)
    full = np.array([1.0, -1.0])  # the first may only sink, the second only rise
    assert problem.violation(full, np.array([2.0, -2.0])) == -4
    assert problem.violation(full, np.array([-2.0, 2.0])) == 4


def test_intercept_is_the_mean_over_free_variables_or_the_middle():
    problem = c_svc(np.array([1, -1, 1]), 1.0)
    F = np.array([0.25, 0.75, 9.0])
    assert problem.intercept(np.array([0.5, -0.5, 1.0]), F) == 0.5
    assert problem.intercept(np.array([1.0, -1.0, 0.0]), np.array([1.0, 0.5, 0.25])) == 0.75
    assert c_svc(np.array([1, -1]), 1.0, bias=False).intercept(np.zeros(2), F[:2]) == 0


def test_intercept_when_only_one_side_is_bounded():
    problem = BoxQP(np.ones(2), np.zeros(2), np.ones(2))
    assert problem.intercept(np.zeros(2), np.array([1.0, 3.0])) == 3
    assert problem.intercept(np.ones(2), np.array([1.0, 3.0])) == 1


@pytest.mark.parametrize(
    ("beta", "bias", "feasible"),
    [
        ([0.5, -0.5], True, True),
        ([0.5, -0.25], True, False),
        ([0.5, -0.25], False, True),
        ([1.5, -0.5], False, False),
        ([-0.1, 0.0], False, False),
        ([0.5, np.nan], True, False),
        ([np.nan, np.nan], False, False),
    ],
)
def test_feasible(beta, bias, feasible):
    problem = c_svc(np.array([1, -1]), 1.0, bias=bias)
    assert problem.feasible(np.array(beta)) is feasible


def test_an_infinite_cost_is_a_hard_margin():
    problem, K = c_svc(np.array([1, -1]), np.inf), np.array([[1.0, -1], [-1, 1]])
    beta = np.array([0.5, -0.5])
    assert problem.dual(beta, K @ beta) == problem.primal(beta, K @ beta, 0.0) == 0.5
    assert problem.primal(0.9 * beta, 0.9 * K @ beta, 0.0) == np.inf


def test_a_hard_margin_is_attained_by_stretching():
    problem, K = c_svc(np.array([1, -1]), np.inf), np.array([[1.0, -1], [-1, 1]])
    for size in (0.25, 0.5, 3.0):
        beta = size * np.array([0.5, -0.5])
        assert problem.stretch(K @ beta) == 1 / size
        assert problem.attained(beta, K @ beta, 0.0) == 0.5
        assert problem.objectives(beta, K @ beta)[0] >= problem.objectives(beta, K @ beta)[1]
    assert problem.attained(np.zeros(2), np.zeros(2), 0.0) == np.inf
    assert problem.attained(beta, K @ beta, 10.0) == np.inf  # on one side of everything
    assert problem.hard
    assert not c_svc(np.array([1, -1]), 1.0).hard


def test_stretching_looks_at_constrained_rows_alone():
    """One row may cost, two must hold: f >= 1 and, met more narrowly by shrinking, f >= -1."""
    problem = BoxQP(np.array([1.0, -1.0, 1.0]), np.zeros(3), np.array([np.inf, np.inf, 2.0]))
    assert problem.stretch(np.array([0.5, 0.25, -9.0])) == 2.0
    assert problem.stretch(np.array([0.5, -0.25, -9.0])) == 2.0
    assert problem.stretch(np.array([0.5, -0.75, -9.0])) == np.inf
    assert problem.stretch(np.array([-0.5, 0.0, 0.0])) == np.inf
    values = np.array([0.5, 0.25, 0.25])
    assert problem.attained(np.zeros(3), values, 0.0) == 2.0 * (1 - 0.5)


@given(seeds, st.floats(-3, 3))
def test_without_infinite_bounds_nothing_is_stretched(seed, b):
    _, _, problem, K, beta = case(seed)
    assert problem.attained(beta, K @ beta, b) == problem.primal(beta, K @ beta, b)
