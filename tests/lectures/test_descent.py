"""Boosting as approximate gradient descent, as the lectures have it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from maxmargin.boosting import (
    AdaBoostClassifier,
    BoostingClassifier,
    DecisionStump,
    Stop,
    alpha_of_error,
    bound_training_error,
)
from maxmargin.datasets import load_ten_points

TEN = load_ten_points(return_X_y=True)
CORNERS = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])


def sample(seed, n=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0, 1, -1)


def signs(model, X):
    """h_t(x_i), a row for each round."""
    return np.array([member.predict(X) for member in model.estimators_], dtype=float)


# The bounds, in their order.


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_training_error_loss_product_and_both_kinds_of_bounds(seed):
    X, y = sample(seed)
    model = AdaBoostClassifier(n_estimators=15).fit(X, y)
    bounds, rounds = model.bounds_, np.arange(1, len(model) + 1)
    H = np.cumsum(model.alphas_[:, None] * signs(model, X), axis=0)
    error, loss = (y * H <= 0).mean(axis=1), np.exp(-y * H).mean(axis=1)
    gamma = np.minimum.accumulate(bounds.edge)
    assert (bounds.error <= error + 1e-12).all()
    assert (error <= loss).all()
    np.testing.assert_allclose(loss, bounds["product"], rtol=1e-9)
    assert (bounds["product"] <= bounds.exponential * (1 + 1e-12)).all()
    assert (bounds["product"] <= bounds.geometric * (1 + 1e-12)).all()
    assert (bounds.geometric <= np.exp(-2 * rounds * gamma**2) * (1 + 1e-12)).all()
    np.testing.assert_allclose(bounds.geometric, (1 - 4 * gamma**2) ** (rounds / 2), rtol=1e-12)
    np.testing.assert_allclose(bounds.n_geometric, len(y) * bounds.geometric, rtol=1e-15)


def test_the_factor_n_is_not_needed_and_the_bound_without_it_is_reached():
    """Equal edges make the loss equal to (1 - 4 gamma^2)^(T/2): no smaller factor will do."""
    errors = np.full(7, 0.3)
    bounds = bound_training_error(errors, alpha_of_error(errors), np.zeros(7), n_rows=50)
    np.testing.assert_allclose(bounds["product"], bounds.geometric, rtol=1e-12)
    np.testing.assert_allclose(bounds.n_geometric, 50 * bounds["product"], rtol=1e-12)
    assert np.isnan(bound_training_error([0.3], [0.4], [0.0]).geometric).all()  # another alpha


# Symmetric classes: h or -h errs on at most half of the weight.


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_the_best_of_a_symmetric_class_errs_on_at_most_half(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, size=(12, 2)), rng.integers(0, 2, size=12)
    y[:2] = 0, 1
    weight = rng.exponential(size=12)
    stump = DecisionStump().fit(X, y, sample_weight=weight)
    wrong = stump.predict(X) != y
    assert weight[wrong].sum() / weight.sum() == pytest.approx(stump.error_)
    assert stump.error_ <= 0.5 + 1e-15


def test_that_says_gamma_is_not_negative_and_not_that_it_is_positive():
    """On the corners of a square, crosswise, all stumps err on just one half."""
    y = np.array([1, 1, -1, -1])
    assert DecisionStump().fit(CORNERS, y).error_ == 0.5
    with pytest.raises(ValueError, match="as bad as or worse than random guessing"):
        AdaBoostClassifier().fit(CORNERS, y)


# Within 90 degrees of the negative gradient.


def test_a_weak_learner_better_than_chance_points_within_90_degrees():
    X, y = sample(1)
    model = AdaBoostClassifier(n_estimators=30).fit(X, y)
    h, w = signs(model, X), np.full(len(y), 1 / len(y))
    for line, values, alpha in zip(model.descent_, h, model.alphas_, strict=True):
        gradient = -y * w  # -y exp(-y H) / n: with a minus in the exponent
        along = -gradient @ values
        gamma = 0.5 - w[values != y].sum() / w.sum()
        assert along == pytest.approx(2 * gamma * np.abs(gradient).sum(), rel=1e-9)
        assert line.slope == pytest.approx(along, rel=1e-9)
        across = values - along / (gradient @ gradient) * -gradient
        assert across @ gradient == pytest.approx(0.0, abs=1e-12)
        assert 0.0 < line.cosine < 1.0
        w = w * np.exp(-alpha * y * values)
        assert w.sum() == pytest.approx(line.after, rel=1e-9)
    assert (model.descent_.after < model.descent_.before).all()


@pytest.mark.parametrize("gamma", [0.05, 0.2, 0.45])
def test_the_descent_that_an_edge_guarantees(gamma):
    """The best step multiplies the loss by sqrt(1 - 4 gamma^2); small steps follow the tangent."""
    e = 0.5 - gamma

    def loss(a):
        return (1 - e) * np.exp(-a) + e * np.exp(a)

    found = minimize_scalar(loss, bounds=(0.0, 5.0), method="bounded", options={"xatol": 1e-10})
    assert found.x == pytest.approx(alpha_of_error(e), rel=1e-6)
    assert found.fun == pytest.approx(np.sqrt(1 - 4 * gamma**2), rel=1e-12)
    assert (loss(0.0) - loss(1e-6)) / 1e-6 == pytest.approx(2 * gamma, rel=1e-4)


# Stagewise training with the exponential loss.


def test_the_best_stump_of_the_exponential_loss_is_that_of_the_weighted_error():
    """For any alpha > 0 the sum falls with the weighted error, so both have one argmin."""
    X, y = TEN
    above = [X[:, [j]] > X[i, j] for j in range(2) for i in range(10)]
    h = np.array([s * np.where(side[:, 0], 1, -1) for side in above for s in (-1, 1)])
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    H = np.zeros(10)
    for alpha, member in zip(model.alphas_, model.estimators_, strict=True):
        w = np.exp(-y * H)
        error = (h != y) @ w / w.sum()
        for step in (0.1, alpha, 2.0):
            loss = np.exp(-y * (H + step * h)).sum(axis=1)
            np.testing.assert_allclose(
                loss / w.sum(), (np.exp(step) - np.exp(-step)) * error + np.exp(-step), rtol=1e-12
            )
            assert loss[error.argmin()] == pytest.approx(loss.min(), rel=1e-14)
        taken = member.predict(X)
        assert w[taken != y].sum() / w.sum() == pytest.approx(error.min(), rel=1e-12)
        H = H + alpha * taken


def test_the_general_algorithm_stops_where_no_weak_learner_leads_downhill():
    """One feature that says nothing new: r'h is 0 after the first step."""
    X, y = np.array([[0.0], [0], [0], [1], [1], [1]]), [0, 0, 1, 1, 1, 0]
    options = {"init": "zero", "step": "line_search", "learning_rate": 1.0}
    model = BoostingClassifier("exponential", DecisionStump(), **options).fit(X, y)
    assert (model.stop_, model.n_estimators_) == (Stop.TOO_WEAK, 1)
    r = -np.where(y, 1.0, -1.0) * np.exp(-np.where(y, 1.0, -1.0) * model.decision_function(X))
    sides = r[:3].sum(), r[3:].sum()
    np.testing.assert_allclose(sides, 0.0, atol=1e-12)  # so is r'h for every stump and constant
