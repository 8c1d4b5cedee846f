"""Laws of boosting, on random problems."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.boosting import (
    BoostingClassifier,
    BoostingRanker,
    BoostingRegressor,
    DecisionStump,
)
from maxmargin.losses import Quantile

seeds = st.integers(0, 2**32 - 1)


def problem(seed, rows=30):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    return rng, X, X[:, 0] - X[:, 1] ** 2 + rng.normal(size=rows)


def labels(y):
    return np.where(y > np.median(y), 1, -1)


@given(seeds, st.sampled_from(["logistic", "exponential", "squared_hinge"]))
def test_flipped_labels_flip_the_function(seed, loss):
    _, X, y = problem(seed)
    a = BoostingClassifier(loss, n_estimators=5).fit(X, labels(y))
    b = BoostingClassifier(loss, n_estimators=5).fit(X, -labels(y))
    np.testing.assert_allclose(a.decision_function(X), -b.decision_function(X), atol=1e-9)


@given(seeds, st.floats(0.1, 10.0), st.floats(-5.0, 5.0))
def test_least_squares_follows_scale_and_shift_of_the_target(seed, scale, shift):
    _, X, y = problem(seed)
    a = BoostingRegressor(n_estimators=5).fit(X, y).predict(X)
    b = BoostingRegressor(n_estimators=5).fit(X, scale * y + shift).predict(X)
    np.testing.assert_allclose(scale * a + shift, b, atol=1e-8)


@given(seeds)
def test_only_the_order_of_a_feature_counts(seed):
    _, X, y = problem(seed)
    a = BoostingRegressor(n_estimators=5).fit(X, y).predict(X)
    b = BoostingRegressor(n_estimators=5).fit(X**3, y).predict(X**3)
    np.testing.assert_allclose(a, b, atol=1e-10)


@given(seeds)
def test_weights_may_be_scaled(seed):
    rng, X, y = problem(seed)
    weight = rng.uniform(0.1, 2.0, len(y))
    a = BoostingRegressor(Quantile(0.3), n_estimators=5).fit(X, y, weight).predict(X)
    b = BoostingRegressor(Quantile(0.3), n_estimators=5).fit(X, y, 4.0 * weight).predict(X)
    np.testing.assert_allclose(a, b, atol=1e-10)


@given(seeds)
def test_rankings_do_not_see_what_all_rows_of_a_query_share(seed):
    rng, X, y = problem(seed)
    query = rng.integers(0, 3, len(y))
    a = BoostingRanker(n_estimators=5).fit(X, y, qid=query).predict(X)
    b = BoostingRanker(n_estimators=5).fit(X, np.exp(y) + 100.0 * query, qid=query).predict(X)
    np.testing.assert_allclose(a, b, atol=1e-10)


@given(seeds)
def test_the_exponential_loss_bounds_the_training_error(seed):
    _, X, y = problem(seed)
    model = BoostingClassifier(
        "exponential", DecisionStump(), init="zero", learning_rate=1.0, n_estimators=10
    ).fit(X, labels(y))
    assert (model.history_.column("train_error") <= model.train_loss_ + 1e-12).all()


@given(seeds, st.sampled_from(["leaves", "line_search"]))
def test_shapes_add_up_and_losses_fall(seed, step):
    _, X, y = problem(seed)
    model = BoostingClassifier(n_estimators=8, step=step).fit(X, labels(y))
    np.testing.assert_allclose(
        model.shape_functions().sum(X), list(model.staged_decision_function(X))[-1], atol=1e-10
    )
    assert (np.diff(model.train_loss_) <= 1e-12).all()
