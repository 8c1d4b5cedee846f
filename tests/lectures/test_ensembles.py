"""What the lectures say of ensembles: overfitting and its causes, costs, bags."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from maxmargin.boosting import AdaBoostClassifier, BaggingClassifier
from maxmargin.datasets import make_overlapping
from maxmargin.evaluation import member_correlation, round_errors


def sample(random, flipped=0.2, n=200):
    """Draw five normal columns and the sign of their sum, with some of the labels flipped."""
    X = random.normal(size=(n, 5))
    return X, np.sign(X.sum(axis=1)) * np.where(random.uniform(size=n) < flipped, -1, 1)


OTHERS = sample(np.random.RandomState(1), flipped=0.0, n=500)


@pytest.fixture(scope="module")
def noisy():
    watched = {"n_iter_no_change": 20, "validation_fraction": 0.3, "random_state": 0}
    models = {
        "all": AdaBoostClassifier(n_estimators=200),
        "stopped": AdaBoostClassifier(n_estimators=200, **watched),
    }
    return round_errors(models, *OTHERS, sample=sample, n_repeats=8, random_state=0)


def test_with_noisy_labels_too_many_rounds_harm_and_stopping_early_saves(noisy):
    assert noisy["all"].best < 100
    assert noisy["all"].rise.low > 0.0
    assert noisy["stopped"].less(noisy["all"]).low > 0.0


def test_without_noise_they_do_not_and_edges_and_margins_are_larger():
    clean = round_errors(
        AdaBoostClassifier(n_estimators=200),
        *OTHERS,
        sample=lambda random: sample(random, 0.0),
        n_repeats=5,
        random_state=0,
    )["AdaBoostClassifier"]
    assert clean.rise.value < 0.01
    models = [
        AdaBoostClassifier(n_estimators=200).fit(*sample(np.random.RandomState(0), share))
        for share in (0.0, 0.2)
    ]
    plain, flipped = (model.bounds_.edge[-50:].mean() for model in models)
    assert 0.0 < flipped < 0.5 * plain


def test_a_weak_learner_that_errs_nowhere_ends_boosting_and_outvotes_all_before_it():
    X, y = sample(np.random.RandomState(0))
    model = AdaBoostClassifier(DecisionTreeClassifier(), random_state=0).fit(X, y)
    assert len(model.estimators_) == 1
    eight = AdaBoostClassifier(DecisionTreeClassifier(max_depth=8), random_state=0).fit(X, y)
    assert eight.estimator_errors_[-1] == 0.0
    last = eight.estimators_[-1].predict(OTHERS[0])
    np.testing.assert_array_equal(eight.predict(OTHERS[0]), last)


def test_misses_fall_and_false_positives_rise_with_the_cost_of_a_miss():
    X, y = make_overlapping(400, random_state=0)
    others, truth = make_overlapping(2000, random_state=1)
    rates = []
    for ratio in (0.25, 1.0, 4.0, 16.0):
        model = AdaBoostClassifier(n_estimators=30, class_weight={-1: 1.0, 1: ratio})
        said = model.fit(X, y).predict(others)
        rates.append([np.mean(said[truth == 1] == -1), np.mean(said[truth == -1] == 1)])
    misses, alarms = np.array(rates).T
    assert (np.diff(misses) < 0).all()
    assert (np.diff(alarms) > 0).all()


def test_a_bag_holds_63_per_cent_of_the_rows_and_judges_itself_by_the_others():
    X, y = sample(np.random.RandomState(0), 0.1)
    tree = DecisionTreeClassifier()
    bag = BaggingClassifier(tree, 60, oob_score=True, random_state=0).fit(X, y)
    held = np.array([len(np.unique(rows)) for rows in bag.estimators_samples_]) / len(X)
    expected = 1 - (1 - 1 / len(X)) ** len(X)
    # A row is in or out of a bag: the deviation of the mean share is at most this.
    assert abs(held.mean() - expected) < 4 * np.sqrt(expected * (1 - expected) / held.size / 200)
    others, truth = sample(np.random.RandomState(1), 0.1, 1000)
    error = np.mean(bag.predict(others) != truth)
    assert abs(1 - bag.oob_score_ - error) < 4 * np.sqrt(error * (1 - error) / len(X))
    assert bag.oob_errors_[-1] < bag.oob_errors_[0]


def test_members_of_boosting_err_on_other_rows_than_each_other_and_those_of_bags_on_the_same():
    X, y = sample(np.random.RandomState(0), 0.1)
    boosted = AdaBoostClassifier(n_estimators=40).fit(X, y)
    bagged = BaggingClassifier(n_estimators=40, random_state=0).fit(X, y)
    first, second = (member_correlation(model, *OTHERS) for model in (boosted, bagged))
    assert first.errors < 0.5 * second.errors
    assert first.member_error - first.error > second.member_error - second.error
