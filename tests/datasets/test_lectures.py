import numpy as np
import pytest

from maxmargin.datasets import load_going_to_class, load_ten_points


def test_going_to_class_is_the_lectures_table():
    table = load_going_to_class()
    assert table.data.shape == (8, 4)
    assert table.feature_names == ["weather", "health", "teaching", "topic_importance"]
    assert table.target.tolist() == ["Yes", "Yes", "No", "Yes", "No", "Yes", "No", "Yes"]


def test_being_sick_explains_all_but_row_seven():
    X, y = load_going_to_class(return_X_y=True)
    guess = np.where(X[:, 1] == "Sick", "No", "Yes")
    assert np.flatnonzero(guess != y).tolist() == [6]


def test_ten_points_are_five_and_five():
    points = load_ten_points()
    assert points.data.shape == (10, 2)
    assert points.target.tolist() == [1] * 5 + [-1] * 5
    assert points.target_names.tolist() == [-1, 1]


def test_three_stumps_of_the_lectures_vote_without_error():
    (x1, x2), y = load_ten_points().data.T, load_ten_points().target
    stumps = [(x1 < 2.5, 0.3), (x1 < 8.5, 3 / 14), (x2 > 4.5, 3 / 22)]
    weights, score = np.full(10, 0.1), np.zeros(10)
    for side, error in stumps:
        vote = np.where(side, 1, -1)
        assert weights[vote != y].sum() == pytest.approx(error)
        coefficient = np.log((1 - error) / error) / 2
        score += coefficient * vote
        weights *= np.exp(-coefficient * y * vote)
        weights /= weights.sum()
    np.testing.assert_array_equal(np.sign(score), y)
