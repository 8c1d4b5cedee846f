import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from maxmargin.boosting import AdaBoostClassifier, BaggingClassifier

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
