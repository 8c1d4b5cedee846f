"""Going to class: eight rows of four categorical features, and one round of AdaBoost on them."""

import numpy as np
import pytest

from maxmargin.boosting import DecisionStump
from maxmargin.datasets import load_going_to_class

WEATHER, HEALTH, TEACHING, TOPIC = range(4)


def one_feature(feature, **options):
    X, y = load_going_to_class(return_X_y=True)
    x = X[:, [feature]]
    stump = DecisionStump(categorical_features=[0], **options).fit(x, y)
    return stump, np.flatnonzero(stump.predict(x) != y)


def test_the_stump_on_health_errs_on_row_seven_alone():
    stump, wrong = one_feature(HEALTH)
    assert wrong.tolist() == [6]
    assert stump.error_ == pytest.approx(1 / 8)
    assert stump.predict([["Sick"], ["Good"], ["Average"]]).tolist() == ["No", "Yes", "Yes"]


def test_so_it_does_when_one_category_stands_against_the_rest():
    stump, wrong = one_feature(HEALTH, categorical_split="one_vs_rest")
    assert wrong.tolist() == [6]
    assert stump.split_.categories.tolist() == [False, False, True]  # Average, Good, Sick


@pytest.mark.parametrize(
    ("feature", "errors"), [(WEATHER, 1), (HEALTH, 1), (TEACHING, 1), (TOPIC, 2)]
)
def test_weather_and_teaching_tie_with_health(feature, errors):
    stump, wrong = one_feature(feature)
    assert len(wrong) == errors
    assert stump.error_ == pytest.approx(errors / 8)


def test_of_the_tied_features_the_first_is_taken():
    X, y = load_going_to_class(return_X_y=True)
    assert DecisionStump(categorical_features=[0, 1, 2, 3]).fit(X, y).feature_ == WEATHER


def test_the_weights_after_the_stump_on_health():
    """The wrong row has half of the weight, each of the seven others a fourteenth."""
    X, y = load_going_to_class(return_X_y=True)
    stump, _ = one_feature(HEALTH)
    wrong, e = stump.predict(X[:, [HEALTH]]) != y, stump.error_
    alpha = 0.5 * np.log((1 - e) / e)
    weight = np.exp(np.where(wrong, alpha, -alpha)) / 8 / (2 * np.sqrt(e * (1 - e)))
    np.testing.assert_allclose(weight, np.where(wrong, 1 / 2, 1 / 14))
    second = DecisionStump(categorical_features=[0, 1, 2, 3]).fit(X, y, weight)
    assert second.predict(X[[6]]) == y[6]
