import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from maxmargin.problems import SlackBudget

seeds = st.integers(0, 2**32 - 1)


def case(seed, n=9):
    rng = np.random.default_rng(seed)
    X, t = rng.normal(size=(n, 3)), np.where(np.arange(n) % 2, -1.0, 1.0)
    weight = rng.uniform(0.2, 3, n) if seed % 2 else np.ones(n)
    alpha = rng.uniform(0, 2, n) * (rng.uniform(size=n) < 0.8)
    plus, minus = alpha[t > 0].sum(), alpha[t < 0].sum()
    alpha[t > 0] *= min(1.0, minus / plus) if plus else 1.0
    alpha[t < 0] *= min(1.0, plus / minus) if minus else 1.0
    problem = SlackBudget(t, weight, float(rng.uniform(0.1, 8)))
    return X, problem, X @ X.T, alpha * t


@given(seeds)
def test_the_intercept_has_the_least_slack(seed):
    _, problem, K, beta = case(seed)
    values = K @ beta
    b = problem.intercept(beta, problem.p - values)
    ends = np.abs(values).max() + 2
    best = minimize_scalar(lambda b: problem.slack(values + b), bounds=(-ends, ends)).fun
    assert problem.slack(values + b) <= best + 1e-9


def test_the_middle_of_all_intercepts_of_least_slack():
    problem = SlackBudget(np.array([1.0, -1.0]), np.ones(2), 1.0)
    assert problem.intercept(np.zeros(2), np.array([1.0, -1.0])) == 0.0
    heavy = SlackBudget(np.array([1.0, -1.0]), np.array([2.0, 1.0]), 1.0)
    assert heavy.intercept(np.zeros(2), np.array([1.0, -1.0])) == 1.0


@given(seeds, seeds, st.floats(-3, 3))
def test_weak_duality_between_any_two_points(one, other, b):
    _, problem, K, beta = case(one)
    w = np.random.default_rng(other).normal(size=len(problem))
    assert problem.feasible(beta)
    assert problem.dual(beta, K @ beta) <= problem.primal(w, K @ w, b) + 1e-9


@given(seeds)
def test_the_dual_is_the_penalised_one_less_what_the_budget_costs(seed):
    _, problem, K, beta = case(seed)
    C = problem.multiplier(beta)
    penalised = problem.penalised(C)
    assert penalised.feasible(np.clip(beta, penalised.lower, penalised.upper))
    expected = penalised.dual(beta, K @ beta) - C * problem.budget
    assert problem.dual(beta, K @ beta) == pytest.approx(expected, abs=1e-12)


def test_a_point_beyond_the_budget_has_no_primal_value():
    problem = SlackBudget(np.array([1.0, -1.0]), np.ones(2), 1.0)
    K = np.array([[1.0, -1.0], [-1.0, 1.0]])
    inside, outside = np.array([0.25, -0.25]), np.array([0.2, -0.2])
    assert problem.primal(inside, K @ inside, 0.0) == 0.125
    assert problem.primal(outside, K @ outside, 0.0) == np.inf


def test_weights_whose_means_coincide_bound_the_slack():
    """Four corners of a square crosswise: whatever (w, b), the slacks sum to 4 or more."""
    X, t = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), np.array([1.0, 1, -1, -1])
    problem = SlackBudget(t, np.ones(4), 1.0)
    assert problem.least_slack(np.full(4, 0.5)) == 4.0
    rng = np.random.default_rng(0)
    for w, b in zip(rng.normal(size=(50, 2)), rng.normal(size=50), strict=True):
        assert problem.slack(X @ w + b) >= 4.0 - 1e-12
