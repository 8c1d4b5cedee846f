import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import maxmargin
from maxmargin.dask import BaggingClassifier
from maxmargin.datasets import load_mixture

X, y = load_mixture(return_X_y=True)


def test_members_learn_from_all_partitions_and_are_the_same_for_a_seed(
    client, cut_up, nothing_left
):
    tree = DecisionTreeClassifier(max_depth=3)
    arrays = cut_up(X, y, pieces=4)
    params = {"n_estimators": 5, "max_samples": 0.5, "random_state": 0}
    one, other = (BaggingClassifier(tree, **params).fit(*arrays) for _ in range(2))
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))
    assert {member.tree_.weighted_n_node_samples[0] for member in one.estimators_} == {100.0}
    assert one.score(X, y) > 0.75
    assert np.array_equal(one.predict(arrays[0]).compute(), one.to_local().predict(X))


def test_stumps_of_bags_without_replacement(client, cut_up):
    model = BaggingClassifier(n_estimators=3, bootstrap=False, max_samples=150, random_state=1)
    model.fit(*cut_up(X, y, pieces=3))
    assert type(model.to_local()) is maxmargin.BaggingClassifier
    assert model.score(X, y) > 0.6


def test_what_needs_one_machine_is_refused(client, cut_up):
    with pytest.raises(ValueError, match="does not do oob_score"):
        BaggingClassifier(oob_score=True).fit(*cut_up(X, y, pieces=2))
