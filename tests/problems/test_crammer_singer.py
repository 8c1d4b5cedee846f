import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.certify import CrammerSingerPoint, Status, judge
from maxmargin.problems import CrammerSinger

seeds = st.integers(0, 2**32 - 1)


def case(seed, classes=4, n=9, d=3):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(n, d)), rng.integers(classes, size=n)
    problem = CrammerSinger(labels, rng.uniform(0.1, 3, n), classes)
    # What others give up, the own class gets, up to its bound.
    alpha = -rng.uniform(0, 1, (n, classes)) * (rng.uniform(size=(n, classes)) < 0.7)
    alpha[np.arange(n), labels] = 0.0
    share = np.minimum(1.0, problem.cost / np.maximum(1e-12, -alpha.sum(axis=1)))
    alpha *= share[:, None]
    alpha[np.arange(n), labels] = -alpha.sum(axis=1)
    return X, problem, alpha, rng


def at(problem, X, theta, alpha):
    return CrammerSingerPoint(theta, X @ theta.T, alpha, alpha.T @ X, np.dtype(np.float64))


@given(seeds, st.integers(2, 5))
def test_weak_duality_between_any_two_points(seed, classes):
    X, problem, alpha, rng = case(seed, classes)
    theta = rng.normal(size=(classes, X.shape[1]))
    assert problem.feasible(alpha)
    assert problem.dual(alpha, alpha.T @ X) <= problem.primal(theta, X @ theta.T) + 1e-9


@given(seeds)
def test_the_gap_is_the_sum_over_rows_of_the_text(seed):
    X, problem, alpha, _ = case(seed)
    theta = alpha.T @ X
    g = problem.challenges(X @ theta.T)
    rows = (problem.bounds() - alpha) * (g.max(axis=1, keepdims=True) - g)
    gap = problem.primal(theta, X @ theta.T) - problem.dual(alpha, theta)
    assert gap == pytest.approx(rows.sum(), rel=1e-9, abs=1e-9)
    assert (rows >= -1e-12).all()


def test_losses_by_hand():
    problem = CrammerSinger(np.array([0, 1, 2]), np.array([1.0, 1.0, 2.0]), 3)
    values = np.array([[3.0, 1.0, 0.0], [0.5, 1.0, 0.0], [4.0, 0.0, 1.0]])
    np.testing.assert_allclose(problem.losses(values), [0.0, 0.5, 4.0])
    assert problem.primal(np.ones((3, 2)), values) == 3.0 + 0.5 + 8.0


@given(seeds)
def test_two_classes_are_the_hinge_loss(seed):
    X, problem, _, rng = case(seed, classes=2)
    w, t = rng.normal(size=X.shape[1]), 2.0 * problem.labels - 1
    theta = np.stack([-w / 2, w / 2])
    hinge = w @ w / 4 + problem.cost @ np.maximum(0, 1 - t * (X @ w))
    assert problem.primal(theta, X @ theta.T) == pytest.approx(hinge)


def test_infeasible_duals_are_told():
    _, problem, alpha, _ = case(0)
    assert not problem.feasible(alpha + 1e-3)
    doubled = alpha * 2 * problem.cost.max() / problem.own(alpha)[problem.own(alpha) > 0].min()
    assert not problem.feasible(doubled)
    assert not problem.feasible(np.full_like(alpha, np.nan))


def test_no_violation_at_an_optimum_found_by_hand():
    """Rows 1 and -1 of opposite classes, c large: w_1 = 1/2 = -w_0, both losses 0."""
    X = np.array([[1.0], [-1.0]])
    problem = CrammerSinger(np.array([1, 0]), np.array([5.0, 5.0]), 2)
    theta = np.array([[-0.5], [0.5]])
    alpha = np.array([[-0.25, 0.25], [0.25, -0.25]])
    certificate = judge(problem, at(problem, X, theta, alpha), 1e-9)
    assert certificate.status is Status.CERTIFIED
    assert (certificate.primal, certificate.dual) == (0.25, 0.25)
    assert certificate.kkt_violation == 0.0
    off = judge(problem, at(problem, X, 2 * theta, alpha), 1e-9)
    assert off.status is Status.STALLED
    assert off.kkt_violation == 1.0


@given(seeds)
def test_the_judge_is_not_fooled_by_duals_beyond_their_bounds(seed):
    X, problem, alpha, _ = case(seed)
    beyond = alpha * 1e3
    point = at(problem, X, beyond.T @ X, beyond)
    if problem.feasible(beyond):  # all duals 0
        assert not alpha.any()
    else:
        assert judge(problem, point, 10.0).status is not Status.CERTIFIED


def test_numbers_that_are_none_are_an_error():
    X, problem, alpha, _ = case(0)
    theta = np.full((4, 3), np.nan)
    assert judge(problem, at(problem, X, theta, alpha), 1e-3).status is Status.NUMERICAL_ERROR


def test_the_own_class_challenges_nobody_to_the_last_bit():
    problem = CrammerSinger(np.array([0, 1]), np.ones(2), 2)
    values = np.array([[1.0 + 3e-16, 1e-17], [1e-17, 1.0 + 3e-16]])
    assert (problem.losses(values) >= 0).all()
    np.testing.assert_array_equal(problem.own(problem.challenges(values)), problem.own(values))
