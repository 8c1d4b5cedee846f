"""Coefficients, bounds, margins and their distribution as functions of plain numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.boosting import MarginDistribution, alpha_of_error, bound_training_error
from maxmargin.boosting.theory import heaviest, log_normaliser, vote_margins, weight_of_error

errors_below_half = st.floats(1e-9, 0.5 - 1e-9)


def test_alpha_grows_without_bound_towards_no_error_and_vanishes_at_one_half():
    assert alpha_of_error(0.5) == 0.0
    assert alpha_of_error(0.3) == pytest.approx(0.5 * np.log(7 / 3))
    alphas = alpha_of_error(np.array([0.4, 0.1, 1e-3, 1e-12]))
    assert (np.diff(alphas) > 0).all()


def test_alpha_of_several_classes_vanishes_at_chance():
    assert alpha_of_error(0.75, n_classes=4) == pytest.approx(0.0, abs=1e-15)
    assert alpha_of_error(0.5, n_classes=4) == pytest.approx(0.5 * np.log(3))
    assert alpha_of_error(0.2, learning_rate=0.1) == pytest.approx(0.1 * alpha_of_error(0.2))
    assert weight_of_error(0.2, 3, 0.5) == pytest.approx(2 * alpha_of_error(0.2, 3, 0.5))


@given(errors_below_half, st.floats(0.05, 1.95))
def test_the_normaliser_is_least_at_the_lectures_alpha(error, rate):
    best, alpha = 2 * np.sqrt(error * (1 - error)), alpha_of_error(error)
    assert np.exp(log_normaliser(error, alpha)) == pytest.approx(best, rel=1e-9)
    assert np.exp(log_normaliser(error, rate * alpha)) >= best * (1 - 1e-12)


def test_the_normaliser_does_not_overflow():
    assert log_normaliser(0.25, 1e5) == pytest.approx(1e5 + np.log(0.25))


@given(st.lists(errors_below_half, min_size=1, max_size=30))
def test_the_product_is_below_the_exponential(errors):
    bounds = bound_training_error(errors, alpha_of_error(errors), np.zeros(len(errors)))
    assert (bounds["product"] <= bounds.exponential * (1 + 1e-12)).all()
    assert (np.diff(bounds["product"]) <= 0).all()
    np.testing.assert_allclose(bounds["product"], np.cumprod(bounds.z), rtol=1e-10, atol=1e-300)


def test_the_exponential_is_only_given_where_it_is_a_bound():
    errors, nothing = [0.3, 0.2], np.zeros(2)
    slow = bound_training_error(errors, alpha_of_error(errors, 2, 0.1), nothing)
    assert np.isnan(slow.exponential).all()
    several = bound_training_error(errors, alpha_of_error(errors, 3), nothing, n_classes=3)
    assert np.isnan(several.exponential).all()
    plain = bound_training_error(errors, alpha_of_error(errors), nothing)
    # The product of a slow rate is above that bound, which is why it is none.
    assert slow["product"][-1] > plain.exponential[-1]


def test_a_perfect_learner_alone_has_no_error_and_the_bound_says_so():
    bounds = bound_training_error([0.0], [0.5], [0.0])
    assert bounds["product"].tolist() == bounds.z.tolist() == [0.0]


def test_a_perfect_learner_after_others_is_bounded_with_the_coefficient_it_got():
    bounds = bound_training_error([0.3, 0.0], [alpha_of_error(0.3), 0.5], [0.3, 0.3])
    assert bounds.z[1] == pytest.approx(np.exp(-0.5))
    assert (bounds.error <= bounds["product"]).all()
    assert (bounds["product"] <= bounds.exponential * (1 + 1e-12)).all()


def test_margins_of_two_classes():
    votes, label = np.array([3.0, -3.0, 1.0, 0.0]), np.array([1, 1, 0, 0])
    np.testing.assert_allclose(vote_margins(votes, 4.0, label), [0.75, -0.75, -0.25, 0.0])


def test_margins_of_several_classes_are_against_the_strongest_other():
    votes = np.array([[3.0, 1.0, 0.0], [3.0, 1.0, 0.0], [2.0, 2.0, 0.0]])
    label = np.array([0, 1, 0])
    np.testing.assert_allclose(vote_margins(votes, 4.0, label), [0.5, -0.5, 0.0])


def test_two_classes_told_by_votes_or_by_their_difference_have_the_same_margins():
    rng = np.random.default_rng(0)
    votes, label = rng.uniform(size=(20, 2)), rng.integers(0, 2, size=20)
    total = 3.0
    one = vote_margins(votes, total, label)
    np.testing.assert_allclose(one, vote_margins(votes[:, 1] - votes[:, 0], total, label))


def test_the_distribution_of_margins_is_a_step_function():
    distribution = MarginDistribution.of([0.5, -0.25, 0.5, 1.0])
    assert distribution.margin.tolist() == [-0.25, 0.5, 1.0]
    assert distribution.share.tolist() == [0.25, 0.75, 1.0]
    steps = distribution([-1.0, -0.25, 0.0, 0.5, 0.99, 1.0, 2.0])
    assert steps.tolist() == [0.0, 0.25, 0.25, 0.75, 0.75, 1.0, 1.0]


def test_the_distribution_takes_weights():
    distribution = MarginDistribution.of([0.5, -0.5], sample_weight=[3.0, 1.0])
    assert distribution.share.tolist() == [0.25, 1.0]


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40), st.floats(-1.5, 1.5))
def test_the_distribution_counts(margins, theta):
    expected = np.mean(np.array(margins) <= theta)
    assert MarginDistribution.of(margins)(theta) == pytest.approx(expected)


def test_heaviest_breaks_ties_by_row():
    weight = np.array([0.1, 0.3, 0.1, 0.3, 0.2])
    assert heaviest(weight, 4).tolist() == [1, 3, 4, 0]


def test_the_second_bound_ends_where_another_learning_rate_begins():
    errors = np.array([0.3, 0.2, 0.1])
    alphas = alpha_of_error(errors) * [1.0, 0.1, 1.0]
    bounds = bound_training_error(errors, alphas, np.zeros(3))
    np.testing.assert_array_equal(np.isnan(bounds.exponential), [False, True, True])
