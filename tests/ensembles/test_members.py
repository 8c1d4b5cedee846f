from operator import add

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from maxmargin.boosting import AdaBoostClassifier, BaggingClassifier, BoostingClassifier
from maxmargin.ensembles.members import LazyMembers

X = np.random.default_rng(0).normal(size=(60, 3))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("ensemble", [AdaBoostClassifier, BaggingClassifier])
@pytest.mark.parametrize("estimator", [None, DecisionTreeClassifier(max_depth=2)])
def test_an_ensemble_is_the_sequence_of_its_members(ensemble, estimator):
    model = ensemble(estimator, n_estimators=4, random_state=0).fit(X, Y)
    assert len(model) == 4
    assert list(model) == model.estimators_
    assert model[0] is model.estimators_[0]
    assert model[-1] is model.estimators_[3]
    assert model[1:3] == model.estimators_[1:3]
    with pytest.raises(IndexError):
        model[4]


@pytest.mark.parametrize("ensemble", [AdaBoostClassifier, BaggingClassifier])
@pytest.mark.parametrize("ask", [len, iter, lambda model: model[0]])
def test_before_the_fit_there_are_none(ensemble, ask):
    with pytest.raises(NotFittedError):
        ask(clone(ensemble()))


def test_members_are_made_once_and_only_when_asked_for():
    made = []
    members = LazyMembers(lambda number: made.append(number) or [number], 4)
    assert (len(members), made) == (4, [])
    assert members[-1] == [3]
    assert members[1:3] == [[1], [2]]
    assert members == [[0], [1], [2], [3]]
    assert members != [[0], [1], [2]]
    assert members != 3
    assert made == [3, 1, 2, 0]
    assert members[0] is members[0]


def test_members_are_read_as_a_list():
    members = LazyMembers(str, 2)
    assert add(members, ["a"]) == ["0", "1", "a"]
    assert add(["a"], members) == ["a", "0", "1"]
    assert members[np.int64(1)] in members
    assert repr(members) == "['0', '1']"
    with pytest.raises(TypeError, match="unhashable"):
        hash(members)


def test_stumps_of_several_classes_speak_for_their_own():
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = BoostingClassifier(n_estimators=3).fit(X, y)
    values = np.tile(model.constants_, (len(X), 1))
    for line, steps in zip(model.estimators_, model.coefficients_, strict=True):
        values += steps * np.column_stack([stump.predict(X) for stump in line])
    np.testing.assert_array_equal(model.decision_function(X), values)
