"""Stumps boosted along the gradient, round for round against scikit-learn's gradient boosting."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.tree import DecisionTreeRegressor

from maxmargin.boosting import BoostingClassifier, BoostingRegressor
from maxmargin.losses import Huber, Quantile

ROWS = 301
RNG = np.random.default_rng(0)
WEIGHTS = {"equal": np.ones(ROWS), "drawn": RNG.uniform(0.5, 2.0, ROWS)}
every_weight = pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)

# scikit-learn reports the deviance, twice our logistic loss, and twice our half of the square.
CLASSIFIERS = [("logistic", "log_loss", 2.0), ("exponential", "exponential", 1.0)]
REGRESSORS = [
    ("squared_error", {"loss": "squared_error"}, 2.0),
    (Huber(level=0.9), {"loss": "huber", "alpha": 0.9}, 1.0),
    (Quantile(0.8), {"loss": "quantile", "alpha": 0.8}, 1.0),
]


@pytest.fixture(scope="module")
def classes():
    X, y = make_classification(ROWS, 8, n_informative=4, flip_y=0.1, random_state=0)
    return X.astype(np.float32), y  # as scikit-learn's trees read it


@pytest.fixture(scope="module")
def numbers():
    X, y = make_regression(ROWS, 8, noise=20, random_state=0)
    return X.astype(np.float32), y


@every_weight
@pytest.mark.parametrize(("loss", "theirs", "factor"), CLASSIFIERS)
def test_classifier_with_stumps(classes, loss, theirs, factor, weight):
    X, y = classes
    a = BoostingClassifier(loss, n_estimators=60).fit(X, y, weight)
    b = GradientBoostingClassifier(loss=theirs, n_estimators=60, max_depth=1, random_state=0)
    b.fit(X, y, weight)
    np.testing.assert_allclose(factor * a.train_loss_, b.train_score_, rtol=1e-10)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-10)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(a.feature_importances_, b.feature_importances_, atol=1e-10)
    stages = zip(a.staged_decision_function(X), b.staged_decision_function(X), strict=True)
    for one, other in stages:
        np.testing.assert_allclose(one, np.ravel(other), atol=1e-10)


@every_weight
@pytest.mark.parametrize(("loss", "theirs", "factor"), REGRESSORS, ids=str)
def test_regressor_with_stumps(numbers, loss, theirs, factor, weight):
    X, y = numbers
    a = BoostingRegressor(loss, n_estimators=60).fit(X, y, weight)
    b = GradientBoostingRegressor(n_estimators=60, max_depth=1, random_state=0, **theirs)
    b.fit(X, y, weight)
    np.testing.assert_allclose(factor * a.train_loss_, b.train_score_, rtol=1e-10)
    np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-10, atol=1e-9)


def test_absolute_error_with_stumps(numbers):
    """With drawn weights only: of equal ones the pulls are -1 and +1, and splits tie."""
    X, y = numbers
    a = BoostingRegressor("absolute_error", n_estimators=60).fit(X, y, WEIGHTS["drawn"])
    b = GradientBoostingRegressor(
        loss="absolute_error", n_estimators=60, max_depth=1, random_state=0
    )
    b.fit(X, y, WEIGHTS["drawn"])
    np.testing.assert_allclose(a.train_loss_, b.train_score_, rtol=1e-10)
    np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-10, atol=1e-9)


def test_absolute_error_differs_from_theirs_by_a_tie_alone(numbers):
    """Of equal weights the pulls are -1 and +1: several splits are best, and they draw one."""
    X, y = numbers
    pull = np.sign(y - np.median(y))
    ours = BoostingRegressor("absolute_error", n_estimators=1).fit(X, y).estimators_[0, 0].split_
    seen = set()
    for seed in range(30):
        b = GradientBoostingRegressor(
            loss="absolute_error", n_estimators=1, max_depth=1, random_state=seed
        )
        tree = b.fit(X, y).estimators_[0, 0].tree_
        right = X[:, tree.feature[0]] > tree.threshold[0]
        seen.add((int(tree.feature[0]), float(tree.threshold[0])))
        assert explained(pull, right) == pytest.approx(explained(pull, ours.right_side(X)))
    assert ours.feature == min(feature for feature, _ in seen)


def explained(pull, right):
    return sum(pull[side].sum() ** 2 / side.sum() for side in (right, ~right))


@pytest.mark.parametrize(("loss", "theirs", "_"), CLASSIFIERS)
def test_classifier_with_trees(classes, loss, theirs, _):
    X, y = classes
    a = BoostingClassifier(loss, DecisionTreeRegressor(max_depth=3), n_estimators=20).fit(X, y)
    b = GradientBoostingClassifier(loss=theirs, n_estimators=20, random_state=0).fit(X, y)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-9)


def test_regressor_with_trees(numbers):
    X, y = numbers
    a = BoostingRegressor(estimator=DecisionTreeRegressor(max_depth=3), n_estimators=20).fit(X, y)
    b = GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X, y)
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-9)
