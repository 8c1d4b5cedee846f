import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from maxmargin.boosting import Columns, DecisionStump, RegressionStump
from maxmargin.boosting.direction import (
    AnyClassifier,
    AnyRegressor,
    OneSign,
    SignStump,
    SquareStump,
    is_presorted,
    is_tree,
    learner_for,
)

X = np.array([[0.0], [1.0], [2.0], [3.0]])
PULL = np.array([-1.0, -2.0, 1.0, 3.0])


@pytest.mark.parametrize("kind", [SignStump, SquareStump])
def test_a_stump_follows_the_pull(kind):
    with Columns(X, n_jobs=1) as columns:
        learner = SignStump(columns, "error") if kind is SignStump else SquareStump(columns)
        direction = learner.learn(PULL, np.ones(4), (0,))
    assert direction.member.threshold == 1.5
    assert direction.descent(PULL) == pytest.approx(PULL @ direction.values())
    assert direction.square() == pytest.approx(direction.values() @ direction.values())


def test_moving_adds_the_values():
    moved = np.empty(4)
    with Columns(X, n_jobs=1) as columns:
        direction = SignStump(columns, "error").learn(PULL, np.ones(4), (0,))
        direction.scaled(0.5).move(np.ones(4), 2.0, moved)
    np.testing.assert_array_equal(moved, [0.0, 0.0, 2.0, 2.0])


def test_a_classifier_follows_the_signs_and_one_sign_needs_none():
    learner = AnyClassifier(LogisticRegression(), X)
    assert set(learner.learn(PULL, np.ones(4), (0,)).values()) == {-1.0, 1.0}
    alone = learner.learn(np.ones(4), np.ones(4), (0,))
    assert isinstance(alone.member, OneSign)
    np.testing.assert_array_equal(alone.values(), np.ones(4))


def test_the_estimator_decides_who_learns():
    with Columns(X, n_jobs=1) as columns:
        assert type(learner_for(DecisionStump(), X, columns)) is SignStump
        assert type(learner_for(None, X, columns)) is SquareStump
    tree = learner_for(DecisionTreeRegressor(), X, None, 0.25)
    assert type(tree) is AnyRegressor
    assert tree.has_leaves
    assert type(learner_for(LogisticRegression(), X, None)) is AnyClassifier


def test_stumps_and_trees_are_known():
    assert is_presorted(None)
    assert is_presorted(RegressionStump())
    assert not is_presorted(DecisionTreeRegressor())
    assert is_tree(DecisionTreeRegressor())
    assert not is_tree(LogisticRegression())
