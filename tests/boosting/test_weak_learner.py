"""Weak learners behind one protocol."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from maxmargin.boosting import Columns, Split
from maxmargin.boosting.weak_learner import (
    PresortedStump,
    ResampledClassifier,
    ResampledStump,
    WeightedClassifier,
    draw_rows,
    take_rows,
)
from maxmargin.trees.label_search import leaf_classes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
LABEL = np.digitize(X[:, 0] + 0.3 * RNG.normal(size=80), [-0.4, 0.4]).astype(np.int32)
CLASSES = np.array(["a", "b", "c"])
WEIGHT = RNG.uniform(0.1, 1.0, size=80)
WEIGHT /= WEIGHT.sum()


def stumps(label, n_classes, criterion, kind=PresortedStump, *rest):
    return kind(Columns(X), label.astype(np.int32), n_classes, criterion, *rest)


def error(predicted, label):
    return WEIGHT[predicted != label].sum()


@pytest.mark.parametrize("criterion", ["error", "gini"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_stump_says_the_same_of_training_rows_with_and_without_x(criterion, n_classes):
    label = np.minimum(LABEL, n_classes - 1)
    learner = stumps(label, n_classes, criterion)
    split = learner.learn(WEIGHT)
    predicted = learner.predict_training(split)
    assert predicted.dtype == np.int32
    np.testing.assert_array_equal(predicted, learner.predict(split, X))
    assert error(predicted, label) < 1 - 1 / n_classes


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_error_stump_is_the_best_of_all_stumps(n_classes):
    label = np.minimum(LABEL, n_classes - 1)
    learner = stumps(label, n_classes, "error")
    found = error(learner.predict_training(learner.learn(WEIGHT)), label)
    best = min(
        error(np.where(X[:, j] > threshold, high, low), label)
        for j in range(3)
        for threshold in np.append(X[:, j], -np.inf)
        for low in range(n_classes)
        for high in range(n_classes)
    )
    assert found == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize(
    ("leaves", "n_classes", "numbers"),
    [
        ((-1.0, 1.0), 2, (0, 1)),
        ((1.0, -1.0), 2, (1, 0)),
        ((0.2, -0.4), 2, (1, 0)),
        ((0.0, 0.0), 2, (0, 0)),
        ((2.0, 0.0), 3, (2, 0)),
    ],
)
def test_leaves_are_classes(leaves, n_classes, numbers):
    split = Split(0, 0.0, left=leaves[0], right=leaves[1])
    assert leaf_classes(split, n_classes) == numbers
    learner = stumps(LABEL, n_classes, "error")
    expected = np.where(X[:, 0] > 0.0, numbers[1], numbers[0])
    np.testing.assert_array_equal(learner.predict(split, X), expected)
    np.testing.assert_array_equal(learner.predict_training(split), expected)


def test_members_are_clones_with_seeds_of_their_own():
    tree = DecisionTreeClassifier(max_depth=2, random_state=3)
    params = X, CLASSES[LABEL], CLASSES
    learner = WeightedClassifier(tree, *params, np.random.RandomState(0), {})
    one, other = learner.learn(WEIGHT), learner.learn(WEIGHT)
    assert one is not tree
    assert len({tree.random_state, one.random_state, other.random_state}) == 3
    again = WeightedClassifier(tree, *params, np.random.RandomState(0), {}).learn(WEIGHT)
    assert again.random_state == one.random_state
    np.testing.assert_array_equal(
        learner.predict_training(one), np.searchsorted(CLASSES, one.predict(X))
    )


def test_seeds_reach_the_inside_of_a_pipeline():
    nested = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    learner = ResampledClassifier(nested, X, CLASSES[LABEL], CLASSES, np.random.RandomState(0), {})
    assert isinstance(learner.learn(WEIGHT)[-1].random_state, int)


def test_a_resampled_member_sees_heavy_rows_only():
    heavy = np.zeros(80)
    heavy[[3, 40]] = 0.5
    label = LABEL.copy()
    label[[3, 40]] = 0, 1
    learner = ResampledClassifier(
        KNeighborsClassifier(1), X, CLASSES[label], CLASSES, np.random.RandomState(0), {}
    )
    member = learner.learn(heavy)
    assert set(map(tuple, member._fit_X)) == {tuple(X[3]), tuple(X[40])}
    assert len(member._fit_X) == 80
    split = stumps(label, 2, "error", ResampledStump, np.random.RandomState(0)).learn(heavy)
    assert (X[3, split.feature] > split.threshold) != (X[40, split.feature] > split.threshold)


def test_a_sample_has_two_classes_where_it_can():
    weight, y = np.array([0.9, 0.1]), np.array([0, 1])
    for seed in range(20):
        rows = draw_rows(np.random.RandomState(seed), weight, y)
        assert sorted(rows) == [0, 1]
    rows = draw_rows(np.random.RandomState(0), np.array([1.0, 0.0]), y)
    assert rows.tolist() == [0, 0]


def test_what_has_a_value_for_each_row_is_given_for_the_rows_at_hand():
    rows = np.array([2, 0])
    assert take_rows(np.array([1, 2, 3]), rows, 3).tolist() == [3, 1]
    assert take_rows([1, 2, 3], rows, 3) == [3, 1]
    assert take_rows([1, 2], rows, 3) == [1, 2]
    assert take_rows("abc", rows, 3) == "abc"
    assert take_rows({"a": 1, "b": 2, "c": 3}, rows, 3) == {"a": 1, "b": 2, "c": 3}
    assert take_rows(7, rows, 3) == 7
    assert take_rows(np.array(7), rows, 3) == 7
    assert take_rows(None, rows, 3) is None
