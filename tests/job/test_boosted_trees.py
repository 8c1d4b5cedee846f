"""scikit-learn's boosted trees as models that are stored and ended in time."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import KFold, StratifiedKFold

from maxmargin.job.boosted_trees import BoostedTreesClassifier, BoostedTreesRegressor
from maxmargin.job.forest import ForestRegressor
from maxmargin.job.rounds_search import RoundsSearch
from maxmargin.job.scaled_target import ScaledTarget
from maxmargin.ops.clock import TimeUp, watch
from maxmargin.storage import from_plain, to_plain
from maxmargin.storage.plain import NotPlainError


def table(n=600, classes=2, seed=0):
    """Two numbers, one with gaps, and codes of five levels."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.normal(size=n), rng.integers(0, 5, n)])
    X[::7, 1] = np.nan
    value = X[:, 0] + (X[:, 2] % 2) + 0.5 * rng.normal(size=n)
    return X, np.digitize(value, np.quantile(value, np.arange(1, classes) / classes)), value


@pytest.mark.parametrize("classes", [2, 4])
def test_the_trees_are_those_of_scikit_learn(classes):
    X, y, _ = table(classes=classes)
    peer = HistGradientBoostingClassifier(
        max_iter=20, categorical_features=[2], early_stopping=False, random_state=0
    ).fit(X, y)
    model = BoostedTreesClassifier([2], max_iter=20).fit(X, y)
    assert np.array_equal(model.predict_proba(X), peer.predict_proba(X))
    assert np.array_equal(model.predict(X), peer.predict(X))


def test_those_of_a_quantity_too():
    X, _, value = table()
    peer = HistGradientBoostingRegressor(
        max_iter=20, categorical_features=[2], early_stopping=False, random_state=0
    ).fit(X, value)
    assert np.array_equal(
        BoostedTreesRegressor([2], max_iter=20).fit(X, value).predict(X), peer.predict(X)
    )


def test_a_stored_model_predicts_the_same_and_takes_codes_that_are_new():
    X, y, _ = table(classes=3)
    model = BoostedTreesClassifier([2], max_iter=5).fit(X, y)
    again = from_plain(to_plain(model))
    X[:9, 2] = 77.0
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("column", "value"),
    [("left", 0), ("right", 9999), ("feature_idx", -1), ("feature_idx", 3)],
)
def test_nodes_that_lead_elsewhere_are_refused(column, value):
    X, y, _ = table()
    model = BoostedTreesClassifier([2], max_iter=2).fit(X, y)
    nodes = {name: each.copy() for name, each in model.trees_.nodes.items()}
    nodes[column][0] = value  # the root of the first tree
    model.trees_ = replace(model.trees_, nodes=nodes)
    with pytest.raises((NotPlainError, ValueError), match="do not fit together"):
        from_plain(to_plain(model))


def test_more_levels_than_bins_are_split_like_numbers():
    X, y, _ = table()
    X[:, 2] = np.arange(len(X))
    model = BoostedTreesClassifier([2], max_iter=3).fit(X, y)
    assert model.predict(X).shape == y.shape


def test_a_fit_ends_between_two_rounds():
    X, y, _ = table()
    with pytest.raises(TimeUp), watch(0.0):
        BoostedTreesClassifier(max_iter=10**6).fit(X, y)


def test_rounds_are_chosen_on_rows_put_aside():
    X, _, value = table(400)
    noise = np.random.default_rng(3).normal(size=400)
    shapes = [{"max_leaf_nodes": 4}, {"max_leaf_nodes": 31, "min_samples_leaf": 2}]
    search = RoundsSearch(BoostedTreesRegressor(max_iter=200), shapes, KFold(3))
    assert search.fit(X, noise).best_params_["max_iter"] < 30  # nothing is to be learned
    rounds = search.fit(X, value).best_params_["max_iter"]
    assert 10 < rounds < 200
    assert search.best_estimator_.max_iter == rounds
    assert len(search.cv_results_["mean_test_loss"]) == 2
    assert search.best_score_ == -search.cv_results_["mean_test_loss"].min()


def test_rows_put_aside_weigh_as_those_that_are_learned_from():
    X, _, value = table(2000)
    rare = (value > np.quantile(value, 0.95)).astype(int)
    parts = StratifiedKFold(3, shuffle=True, random_state=0)
    model = BoostedTreesClassifier([2], max_iter=300, class_weight="balanced")
    best = RoundsSearch(model, [{}], parts).fit(X, rare)
    assert -best.best_score_ < np.log(2.0)  # of guessing both classes alike
    assert best.best_params_["max_iter"] > 5


def test_random_trees_do_not_depend_on_threads_and_are_stored():
    X, _, value = table()
    one, two = (ForestRegressor(10, n_jobs=n).fit(X, value) for n in (1, 2))
    assert np.array_equal(one.predict(X), two.predict(X))
    assert np.array_equal(from_plain(to_plain(one)).predict(X), one.predict(X))
    assert one.score(X, value) > 0.8


def test_a_scaled_target_is_predicted_in_its_own_unit():
    X, _, value = table()
    model = ScaledTarget(ForestRegressor(10))
    small, large = model.fit(X, value).predict(X), model.fit(X, 1000 * value + 7).predict(X)
    assert large == pytest.approx(1000 * small + 7)
