import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from maxmargin.bagging.bag import BaggedSplit, fit_to_bag, pack_stumps, probabilities, unpack_stumps
from maxmargin.boosting import Split

X = np.array([[0.0], [1.0], [2.0], [3.0]])
SPLIT = Split(0, 1.5, left=0.0, right=1.0)


def test_stored_splits_come_back():
    members = [BaggedSplit(SPLIT, np.array([[2.0, 0.0], [1.0, 1.0]]))] * 2
    found = unpack_stumps(pack_stumps(members))
    assert [each.split for each in found] == [SPLIT, SPLIT]
    np.testing.assert_array_equal(found[0].leaf_weight, members[0].leaf_weight)


def test_a_threshold_lies_between_rows_of_the_bag():
    fitted = fit_to_bag(SPLIT, X, np.array([0, 3]))
    assert fitted.threshold == 1.5
    assert fit_to_bag(SPLIT, X, np.array([0, 1, 3])).threshold == 2.0


def test_a_member_without_probabilities_is_sure():
    label = np.array([0, 0, 1, 1])
    sure = probabilities(RidgeClassifier().fit(X, label), X, 2)
    np.testing.assert_array_equal(sure, np.eye(2)[label])
    unsure = probabilities(LogisticRegression().fit(X, label), X, 2)
    np.testing.assert_allclose(unsure.sum(axis=1), 1.0)
