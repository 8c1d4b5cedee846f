"""The theory of the lectures on examples small enough to solve by hand.

Primal: min |w|^2 / 2 + C sum_i xi_i,  y_i (<w, x_i> + b) >= 1 - xi_i,  xi_i >= 0.
Dual:   max sum_i alpha_i - sum_ij alpha_i alpha_j y_i y_j <x_i, x_j> / 2,
        0 <= alpha_i <= C,  sum_i alpha_i y_i = 0.
"""

import numpy as np
import pytest

from maxmargin import SVC
from maxmargin.datasets import load_mixture, make_overlapping
from maxmargin.kernels import FeatureMap, Polynomial


def alphas(model, n):
    alpha = np.zeros(n)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return alpha


def test_two_points_by_hand():
    """x = -1 and x = 1: w = 1, b = 0, alpha = 1/2 each, margin 1 / |w| = 1, value 1/2."""
    model = SVC(kernel="linear", C=10).fit([[-1.0], [1.0]], [-1, 1])
    np.testing.assert_allclose(model.coef_, [[1]], atol=1e-9)
    np.testing.assert_allclose(model.intercept_, [0], atol=1e-9)
    np.testing.assert_allclose(model.dual_coef_, [[-0.5, 0.5]], atol=1e-9)
    np.testing.assert_allclose([model.certificate_.primal, model.certificate_.dual], 0.5)


def test_two_points_and_a_cost_below_their_multipliers():
    """C = 1/4 binds both: w = 1/2, slack 1/2 each; 1/8 + 2 * 1/4 * 1/2 = 3/8 on both sides."""
    model = SVC(kernel="linear", C=0.25).fit([[-1.0], [1.0]], [-1, 1])
    np.testing.assert_allclose(model.coef_, [[0.5]], atol=1e-9)
    np.testing.assert_allclose(model.dual_coef_, [[-0.25, 0.25]])
    np.testing.assert_allclose([model.certificate_.primal, model.certificate_.dual], 3 / 8)


def test_three_points_by_hand():
    """(1, 1), (2, 2) against (0, 0): w = (1, 1), b = -1; the far point supports nothing."""
    X, y = [[1.0, 1.0], [2.0, 2.0], [0.0, 0.0]], [1, 1, -1]
    model = SVC(kernel="linear", C=100).fit(X, y)
    np.testing.assert_allclose(model.coef_, [[1, 1]], atol=1e-8)
    np.testing.assert_allclose(model.intercept_, [-1], atol=1e-8)
    np.testing.assert_array_equal(sorted(model.support_), [0, 2])
    np.testing.assert_allclose(alphas(model, 3), [1, 0, 1], atol=1e-8)
    np.testing.assert_allclose(1 / np.linalg.norm(model.coef_), 1 / np.sqrt(2))


def test_four_points_of_xor_by_hand():
    """With (1 + <x, y>)^2 all four have alpha = 1/8 and f(x) = x1 x2, of norm 1/sqrt(2)."""
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    y = X[:, 0] * X[:, 1]
    model = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=100).fit(X, y)
    np.testing.assert_allclose(alphas(model, 4), 1 / 8, atol=1e-9)
    np.testing.assert_allclose(model.certificate_.dual, 1 / 4)
    new = np.random.default_rng(0).normal(size=(20, 2))
    np.testing.assert_allclose(model.decision_function(new), new[:, 0] * new[:, 1], atol=1e-8)


@pytest.fixture(params=["linear", "rbf"])
def fitted(request):
    X, y = load_mixture(return_X_y=True)
    C = 1.0
    model = SVC(kernel=request.param, C=C, gamma=1.0, tol=1e-6).fit(X, y)
    return model, np.where(y == 1, 1.0, -1.0) * model.decision_function(X), alphas(model, len(y)), C


def test_nonzero_alpha_means_on_or_inside_the_margin(fitted):
    _, margins, alpha, C = fitted
    assert (margins[alpha == 0] >= 1 - 1e-5).all()
    assert (margins[alpha == C] <= 1 + 1e-5).all()
    between = (alpha > 0) & (alpha < C)
    assert between.any()
    np.testing.assert_allclose(margins[between], 1, atol=1e-5)


def test_strictly_inside_means_alpha_is_c_and_strictly_outside_means_zero(fitted):
    _, margins, alpha, C = fitted
    assert (alpha[margins < 1 - 1e-4] == C).all()
    assert (alpha[margins > 1 + 1e-4] == 0).all()


def test_hinge_loss_is_the_slack(fitted):
    """The primal value is |w|^2 / 2 + C sum max(0, 1 - y f(x)), and the dual one equals it."""
    model, margins, alpha, C = fitted
    slack = np.maximum(0.0, 1 - margins)
    # sum_i alpha_i y_i (K beta)_i = sum_i alpha_i (margin_i - y_i b) = sum_i alpha_i margin_i
    square_norm = alpha @ margins
    np.testing.assert_allclose(square_norm / 2 + C * slack.sum(), model.certificate_.primal)
    np.testing.assert_allclose(alpha.sum() - square_norm / 2, model.certificate_.dual)
    assert model.certificate_.relative_gap < 1e-4
    # Complementary slackness: who pays slack has alpha = C.
    np.testing.assert_allclose(slack * (C - alpha), 0, atol=1e-4)


def test_the_equality_of_the_dual(fitted):
    model, *_ = fitted
    np.testing.assert_allclose(model.dual_coef_.sum(), 0, atol=1e-9)


def test_the_weights_are_the_sum_of_the_support_vectors():
    X, y = make_overlapping(60, random_state=0)
    model = SVC(kernel="linear").fit(X, y)
    np.testing.assert_allclose(model.coef_, model.dual_coef_ @ model.support_vectors_)


def phi(X):
    """(1 + <x, y>)^2 = <phi(x), phi(y)> in the plane."""
    r, (a, b) = np.sqrt(2), X.T
    return np.column_stack([np.ones(len(X)), r * a, r * b, a * a, b * b, r * a * b])


def test_the_kernel_trick():
    X, y = load_mixture(return_X_y=True)
    explicit, trick = FeatureMap(phi), Polynomial(2, gamma=1.0, coef0=1.0)
    np.testing.assert_allclose(explicit(X), trick(X), rtol=1e-12, atol=1e-12)
    by_kernel = SVC(kernel=trick).fit(X, y)
    by_map = SVC(kernel=explicit).fit(X, y)
    by_hand = SVC(kernel="linear").fit(phi(X), y)
    values = by_kernel.decision_function(X)
    np.testing.assert_allclose(by_map.decision_function(X), values, atol=1e-3)
    np.testing.assert_allclose(by_hand.decision_function(phi(X)), values, atol=1e-3)
    np.testing.assert_array_equal(by_kernel.support_, by_hand.support_)


def test_leave_one_out_error_is_at_most_the_share_of_support_vectors():
    X, y = make_overlapping(30, random_state=1)
    model = SVC(kernel="linear").fit(X, y)
    wrong = sum(
        SVC(kernel="linear").fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0] != y[i]
        for i in range(len(y))
    )
    assert wrong <= len(model.support_)
