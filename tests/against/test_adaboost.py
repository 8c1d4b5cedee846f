"""AdaBoost against scikit-learn's, round for round, with its weak learners and with our stump."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.ensemble import AdaBoostClassifier as Theirs
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from maxmargin.boosting import AdaBoostClassifier, DecisionStump
from maxmargin.datasets import load_mixture

CLOSE = {"rtol": 1e-9, "atol": 1e-11}


def problems():
    yield "mixture", load_mixture(return_X_y=True)
    yield "breast_cancer", load_breast_cancer(return_X_y=True)
    yield "wine", load_wine(return_X_y=True)
    made = {"n_samples": 400, "n_features": 8, "n_informative": 6, "n_redundant": 0}
    yield "four_classes", make_classification(**made, n_classes=4, random_state=1)
    yield "two_classes", make_classification(**made, flip_y=0.1, random_state=2)


PROBLEMS = dict(problems())


def agree(ours, theirs, X):
    """Same errors, coefficients and values."""
    n = len(theirs.estimators_)
    assert len(ours.estimators_) == n
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_[:n], **CLOSE)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_[:n], **CLOSE)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), **CLOSE)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), **CLOSE)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    stages = zip(ours.staged_decision_function(X), theirs.staged_decision_function(X), strict=True)
    for one, other in stages:
        np.testing.assert_allclose(one, other, **CLOSE)


@pytest.mark.parametrize("learning_rate", [1.0, 0.3])
@pytest.mark.parametrize("name", PROBLEMS)
def test_gini_stumps_are_their_trees_of_depth_one(name, learning_rate):
    X, y = PROBLEMS[name]
    params = {"n_estimators": 40, "learning_rate": learning_rate, "random_state": 0}
    theirs = Theirs(DecisionTreeClassifier(max_depth=1), **params).fit(X, y)
    ours = AdaBoostClassifier(DecisionStump("gini"), **params).fit(X, y)
    trees = [member.tree_ for member in theirs.estimators_]
    splits = [member.split_ for member in ours.estimators_]
    assert [split.feature for split in splits] == [tree.feature[0] for tree in trees]
    np.testing.assert_allclose(
        [split.threshold for split in splits], [tree.threshold[0] for tree in trees], rtol=1e-6
    )
    agree(ours, theirs, X)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, **CLOSE)


def test_where_splits_tie_the_errors_and_coefficients_are_theirs_all_the_same():
    """Two features of the irises split off the first species equally well."""
    X, y = load_iris(return_X_y=True)
    theirs = Theirs(DecisionTreeClassifier(max_depth=1), n_estimators=10, random_state=0).fit(X, y)
    ours = AdaBoostClassifier(DecisionStump("gini"), n_estimators=10).fit(X, y)
    agree(ours, theirs, X)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_same_trees_in_both(name, weighted):
    X, y = PROBLEMS[name]
    weight = np.random.default_rng(0).uniform(0.5, 2.0, size=len(y)) if weighted else None
    tree, params = DecisionTreeClassifier(max_depth=2, random_state=0), {"n_estimators": 15}
    theirs = Theirs(tree, **params, random_state=7).fit(X, y, weight)
    ours = AdaBoostClassifier(tree, **params, random_state=7).fit(X, y, weight)
    seeds = [member.random_state for member in theirs.estimators_]
    assert [member.random_state for member in ours.estimators_] == seeds
    agree(ours, theirs, X)


def test_another_weak_learner_in_both():
    X, y = PROBLEMS["two_classes"]
    learner = LogisticRegression(max_iter=1000, tol=1e-10)
    theirs = Theirs(learner, n_estimators=3).fit(X, y)
    ours = AdaBoostClassifier(learner, n_estimators=3).fit(X, y)
    assert len(ours.estimators_) == len(theirs.estimators_)
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), rtol=1e-5, atol=1e-7
    )


def test_a_perfect_first_learner_is_theirs():
    X, y = PROBLEMS["two_classes"]
    tree = DecisionTreeClassifier(random_state=0)
    theirs, ours = Theirs(tree, random_state=0).fit(X, y), AdaBoostClassifier(tree).fit(X, y)
    assert len(ours.estimators_) == len(theirs.estimators_) == 1
    assert ours.estimator_weights_[0] == theirs.estimator_weights_[0] == 1.0
    assert ours.estimator_errors_[0] == theirs.estimator_errors_[0] == 0.0
