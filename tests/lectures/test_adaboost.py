"""AdaBoost as the lectures work it out, number for number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from maxmargin.boosting import AdaBoostClassifier, DecisionStump, Stop, alpha_of_error
from maxmargin.datasets import load_going_to_class, load_ten_points

TEN = load_ten_points(return_X_y=True)
CLASS = load_going_to_class(return_X_y=True)
WEATHER, HEALTH, TEACHING, TOPIC = range(4)


def ten_points(n_estimators=3):
    return AdaBoostClassifier(n_estimators=n_estimators).fit(*TEN)


# The ten points: three stumps, and no error.


def test_ten_points_errors_and_coefficients():
    model = ten_points()
    np.testing.assert_allclose(model.estimator_errors_, [0.3, 3 / 14, 3 / 22], rtol=1e-12)
    np.testing.assert_allclose(model.estimator_errors_, [0.3, 0.2143, 0.1364], atol=5e-5)
    np.testing.assert_allclose(model.alphas_, [0.4236, 0.6496, 0.9229], atol=5e-5)
    np.testing.assert_allclose(model.alphas_, [0.42, 0.65, 0.92], atol=5e-3)


def test_ten_points_training_error_is_zero_after_three_rounds():
    X, y = TEN
    wrong = [int((labels != y).sum()) for labels in ten_points().staged_predict(X)]
    assert wrong == [3, 3, 0]
    np.testing.assert_allclose(ten_points().bounds_.error, [0.3, 0.3, 0.0], atol=1e-15)


def test_ten_points_bounds():
    bounds = ten_points().bounds_
    errors = np.array([0.3, 3 / 14, 3 / 22])
    z = 2 * np.sqrt(errors * (1 - errors))
    np.testing.assert_allclose(bounds.edge, 0.5 - errors, rtol=1e-12)
    np.testing.assert_allclose(bounds.z, z, rtol=1e-12)
    np.testing.assert_allclose(bounds["product"], np.cumprod(z), rtol=1e-12)
    exponential = np.exp(-2 * np.cumsum((0.5 - errors) ** 2))
    np.testing.assert_allclose(bounds.exponential, exponential, rtol=1e-12)
    assert (bounds.error <= bounds["product"]).all()
    assert (bounds["product"] <= bounds.exponential).all()


def test_ten_points_the_weight_of_a_mistake_is_one_half_after_every_round():
    """The next round sees the last weak learner do no better than chance."""
    X, y = TEN
    for rounds in (1, 2, 3):
        model = ten_points(rounds)
        wrong = model.estimators_[-1].predict(X) != y
        assert model.weights_.sum() == pytest.approx(1.0, rel=1e-14)
        assert model.weights_[wrong].sum() == pytest.approx(0.5, rel=1e-12)


def test_ten_points_final_vote_is_the_sign_of_the_weighted_sum():
    X, y = TEN
    model = ten_points()
    H = sum(
        alpha * np.where(member.predict(X) == 1, 1.0, -1.0)
        for alpha, member in zip(model.alphas_, model.estimators_, strict=True)
    )
    np.testing.assert_array_equal(np.sign(H), y)
    np.testing.assert_allclose(model.margins(X, y), y * H / model.alphas_.sum(), rtol=1e-13)
    np.testing.assert_allclose(model.decision_function(X), 2 * H / model.alphas_.sum(), rtol=1e-13)


# Going to class: one stump on a categorical feature, and the weights after it.


def on_one_feature(feature):
    X, y = CLASS
    stump = DecisionStump(categorical_features=[0])
    return AdaBoostClassifier(stump, n_estimators=1).fit(X[:, [feature]], y)


def test_going_to_class_the_stump_on_health_errs_on_row_seven_alone():
    X, y = CLASS
    model = on_one_feature(HEALTH)
    assert model.estimator_errors_.tolist() == [0.125]
    np.testing.assert_array_equal(np.flatnonzero(model.predict(X[:, [HEALTH]]) != y), [6])
    said = model.predict([["Average"], ["Good"], ["Sick"]])
    assert said.tolist() == ["Yes", "Yes", "No"]


def test_going_to_class_three_features_tie_and_the_topic_does_not():
    errors = [on_one_feature(feature).estimator_errors_[0] for feature in range(4)]
    np.testing.assert_allclose(errors, [1 / 8, 1 / 8, 1 / 8, 2 / 8], atol=1e-15)


def test_going_to_class_weights_after_the_health_stump():
    model = on_one_feature(HEALTH)
    expected = np.full(8, 1 / 14)
    expected[6] = 1 / 2
    np.testing.assert_allclose(model.weights_, expected, rtol=1e-14)
    assert model.hardest(1).rows.tolist() == [6]
    assert model.hardest(3).rows.tolist() == [6, 0, 1]
    np.testing.assert_allclose(model.weights_.round(2), [0.07] * 6 + [0.5, 0.07])


def test_going_to_class_with_all_four_features_the_first_of_the_tied_is_taken():
    X, y = CLASS
    model = AdaBoostClassifier(n_estimators=20, categorical_features=[0, 1, 2, 3]).fit(X, y)
    assert model.estimators_[0].split_.feature == WEATHER
    assert model.score(X, y) == 1.0
    assert [member.predict(X).shape for member in model.estimators_[:2]] == [(8,), (8,)]


# The update of the weights.


@pytest.mark.parametrize("rounds", [1, 2, 5, 20])
def test_weight_update_with_the_normaliser_of_the_lectures(rounds):
    """w <- w exp(-alpha t h) / (2 sqrt(e (1 - e))), round after round, from the members alone."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=60) > 0.5, 1, -1)
    model = AdaBoostClassifier(n_estimators=rounds).fit(X, y)
    w = np.full(60, 1 / 60)
    for t, member in enumerate(model.estimators_):
        h = member.predict(X)
        error = w[h != y].sum()
        alpha = 0.5 * np.log((1 - error) / error)
        assert error == pytest.approx(model.estimator_errors_[t], rel=1e-11)
        assert alpha == pytest.approx(model.alphas_[t], rel=1e-11)
        assert alpha == pytest.approx(alpha_of_error(error), rel=1e-15)
        z = 2 * np.sqrt(error * (1 - error))
        assert z == pytest.approx(model.bounds_.z[t], rel=1e-11)
        w = w * np.exp(-alpha * y * h) / z
        assert w.sum() == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_allclose(model.weights_, w, rtol=1e-9)


def test_a_row_told_right_loses_weight_and_a_row_told_wrong_gains():
    X, y = TEN
    before = np.full(10, 0.1)
    for rounds in (1, 2, 3):
        model = ten_points(rounds)
        right = model.estimators_[-1].predict(X) == y
        assert (model.weights_[right] <= before[right]).all()
        assert (model.weights_[~right] >= before[~right]).all()
        before = model.weights_


@given(st.floats(1e-6, 0.5), st.floats(1e-6, 1.0))
def test_so_it_is_for_any_error_of_at_most_one_half(e, w):
    """exp(-alpha) / Z = 1 / (2 (1 - e)) <= 1 and exp(alpha) / Z = 1 / (2 e) >= 1."""
    alpha, z = alpha_of_error(e), 2 * np.sqrt(e * (1 - e))
    right, wrong = w * np.exp(-alpha) / z, w * np.exp(alpha) / z
    assert right == pytest.approx(w / (2 * (1 - e)), rel=1e-9)
    assert wrong == pytest.approx(w / (2 * e), rel=1e-9)
    assert right <= w * (1 + 1e-12)
    assert wrong >= w * (1 - 1e-12)


def test_the_exponential_loss_is_the_product_of_the_normalisers():
    X, y = TEN
    model = ten_points()
    H = model.margins(X, y) * model.alphas_.sum()
    assert np.exp(-H).mean() == pytest.approx(model.bounds_["product"][-1], rel=1e-12)
    assert model.history_[-1].loss == pytest.approx(np.exp(-H).mean(), rel=1e-12)


def test_boosting_ends_when_the_weighted_error_reaches_one_half():
    """One question only: once it is asked, its weighted error is 1/2."""
    X, y = np.array([[0.0], [0], [0], [1], [1], [1]]), [0, 0, 1, 1, 1, 0]
    model = AdaBoostClassifier().fit(X, y)
    assert model.stop_ is Stop.TOO_WEAK
    assert len(model.estimators_) == 1
    assert model.estimator_errors_[0] == pytest.approx(1 / 3)


# Mislabelled examples end with the most weight.


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_flipped_digits_are_among_the_hardest(seed):
    X, digit = load_digits(return_X_y=True)
    y = digit % 2
    flipped = np.random.default_rng(seed).choice(len(y), size=round(0.02 * len(y)), replace=False)
    y[flipped] = 1 - y[flipped]
    model = AdaBoostClassifier(n_estimators=100).fit(X, y)
    hardest = model.hardest(round(0.05 * len(y)))
    assert np.isin(flipped, hardest.rows).mean() >= 0.8
    assert (np.diff(hardest.weights) <= 0).all()


def test_rows_drawn_by_their_weights_stand_in_for_weights():
    """A sample shows the weak learner where weight is; errors are those of all rows and weights."""
    X, digit = load_digits(return_X_y=True)
    X, t = X[:300], np.where(digit[:300] % 2 == 1, 1, -1)
    model = AdaBoostClassifier(n_estimators=8, resample=True, random_state=0).fit(X, t)
    weight, worse = np.full(300, 1 / 300), []
    for member, error, alpha in zip(model, model.estimator_errors_, model.alphas_, strict=True):
        said = member.predict(X)
        assert weight[said != t].sum() == pytest.approx(error, rel=1e-9)
        assert alpha == pytest.approx(alpha_of_error(error), rel=1e-9)
        worse.append(error - DecisionStump().fit(X, t, sample_weight=weight).error_)
        weight = weight * np.exp(-alpha * t * said)
        weight = weight / weight.sum()
    assert min(worse) > -1e-12
    assert 0.0 < np.mean(worse) < 0.1
