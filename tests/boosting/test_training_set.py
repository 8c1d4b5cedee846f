import numpy as np
import pytest

from maxmargin.boosting.training_set import (
    RowVotes,
    TargetRows,
    TrainingSet,
    ValidationArguments,
    set_aside,
)


def training_set(label, weight):
    label = np.array(label, dtype=np.int32)
    X = np.arange(len(label))[:, None]
    return TrainingSet(X, label, label, np.array(weight), {"cost": np.arange(len(label)), "k": 3})


def test_a_part_takes_what_has_an_entry_for_each_row():
    part = training_set([0, 1, 1], [1.0, 2.0, 3.0]).part(np.array([0, 2]))
    np.testing.assert_array_equal(part.X.ravel(), [0, 2])
    np.testing.assert_array_equal(part.weight, [1.0, 3.0])
    np.testing.assert_array_equal(part.params["cost"], [0, 2])
    assert part.params["k"] == 3


def test_all_rows_are_the_same_object():
    data = training_set([0, 1], [1.0, 1.0])
    assert data.part(np.arange(2)) is data
    rows = TargetRows(data.X, (data.label,), data.weight)
    assert rows.part(rows.rows) is rows


def test_rows_without_weight_do_not_count():
    np.testing.assert_array_equal(training_set([0, 1, 1], [1.0, 0.0, 2.0]).rows(2), [0, 2])
    with pytest.raises(ValueError, match="all belong to one class"):
        training_set([0, 1, 1], [0.0, 1.0, 2.0]).rows(2)


def test_half_of_the_validation_rows_is_an_error():
    assert not ValidationArguments().given
    assert ValidationArguments([[1]], [1]).given
    with pytest.raises(ValueError, match="X_val is provided, but y_val was not"):
        assert ValidationArguments(X=[[1]]).given


def test_votes_add_up_and_their_error_is_weighted():
    votes = RowVotes(np.array([0, 1], dtype=np.int32), np.array([1.0, 3.0]), 2)
    assert votes.add(np.array([1, 1], dtype=np.int32), 0.5) == 0.25
    np.testing.assert_array_equal(votes.votes, [0.5, 0.5])
    votes.forget()
    assert not votes.votes.any()


def test_validation_rows_have_every_class():
    label = np.repeat([0, 1], 10)
    training, held_out = set_aside(np.arange(20), label, 0.2, 0)
    assert sorted([*training, *held_out]) == list(range(20))
    assert set(label[held_out]) == {0, 1}
