"""Laws of AdaBoost on arbitrary data."""

from dataclasses import dataclass

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from maxmargin.boosting import AdaBoostClassifier, DecisionStump

SLACK = 1e-10  # rounding of products of many normalisers


@dataclass(frozen=True)
class Case:
    """Rows with classes and weights, and the parameters of a model."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    params: dict
    seed: int

    def fit(self, X=None, y=None, weight=None, **changes):
        X, y = (self.X if X is None else X), (self.y if y is None else y)
        params = self.params | changes
        stump = DecisionStump(params.pop("criterion"))
        weight = self.weight if weight is None else weight
        return AdaBoostClassifier(stump, **params).fit(X, y, weight)


@st.composite
def cases(draw, most_classes=4, rates=(1.0, 0.5, 1.7)):
    seed = draw(st.integers(0, 2**32 - 1))
    rng, n, K = (
        np.random.default_rng(seed),
        draw(st.integers(8, 60)),
        draw(st.integers(2, most_classes)),
    )
    X = rng.normal(size=(n, 3))
    if draw(st.booleans()):
        X = X.round(1)
    y = np.digitize(X[:, 0] + draw(st.floats(0, 2)) * rng.normal(size=n), [-0.5, 0.5, 1.0][: K - 1])
    y[:K] = np.arange(K)
    weight = rng.integers(1, 4, size=n).astype(float)
    rate = draw(st.sampled_from(rates))
    rounds, criterion = draw(st.integers(1, 25)), draw(st.sampled_from(["error", "gini"]))
    params = {"n_estimators": rounds, "criterion": criterion, "learning_rate": rate}
    return Case(X, y, weight, params, seed)


def fit_or_give_up(case, **changes):
    """Give up on the few cases whose first stump is no better than chance."""
    try:
        return case.fit(**changes)
    except ValueError as error:
        assume("worse than random" not in str(error))
        raise


two_classes = cases(most_classes=2, rates=(1.0,))
# A rate above 1 overshoots, and soon all weight is on rows that rounding tells apart.
without_overshoot = cases(rates=(1.0, 0.5))


@given(two_classes)
def test_the_theorem_error_below_product_below_exponential(case):
    model = fit_or_give_up(case)
    bounds = model.bounds_
    gamma = 0.5 - model.estimator_errors_
    assert (bounds.error <= bounds["product"] + SLACK).all()
    assert (bounds["product"] <= bounds.exponential * (1 + SLACK)).all()
    np.testing.assert_allclose(bounds.exponential, np.exp(-2 * np.cumsum(gamma**2)), rtol=1e-12)


@given(cases())
def test_the_training_error_is_below_the_product_for_any_rate_and_number_of_classes(case):
    model = fit_or_give_up(case)
    share = case.weight / case.weight.sum()
    errors = [share[said != case.y].sum() for said in model.staged_predict(case.X)]
    np.testing.assert_allclose(model.bounds_.error, errors, atol=1e-12)
    assert (model.bounds_.error <= model.bounds_["product"] + SLACK).all()
    np.testing.assert_array_equal(model.history_.column("train_error"), model.bounds_.error)
    np.testing.assert_allclose(
        model.history_.column("bound"), model.bounds_["product"], rtol=1e-12, atol=1e-300
    )


@given(cases())
def test_weights_are_positive_and_sum_to_one(case):
    model = fit_or_give_up(case)
    assert np.isfinite(model.weights_).all()
    assert (model.weights_ > 0).all()
    np.testing.assert_allclose(model.weights_.sum(), 1.0, rtol=1e-12)
    assert np.isfinite(model.estimator_weights_).all()


@given(two_classes)
def test_swapping_the_labels_swaps_the_vote(case):
    """By Gini's index a side may hold as much of both classes, and then is said to be the first."""
    model = fit_or_give_up(case, criterion="error")
    flipped = fit_or_give_up(case, criterion="error", y=1 - case.y)
    assume(determined(model))
    np.testing.assert_allclose(model.estimator_errors_, flipped.estimator_errors_, atol=1e-9)
    values = model.decision_function(case.X)
    np.testing.assert_allclose(values, -flipped.decision_function(case.X), atol=1e-8)


@given(without_overshoot)
def test_a_repeated_row_is_a_weight(case):
    times = case.weight.astype(int)
    weighted = fit_or_give_up(case)
    repeated = fit_or_give_up(
        case, X=case.X.repeat(times, axis=0), y=case.y.repeat(times), weight=np.ones(times.sum())
    )
    agree(weighted, repeated, case.X)


@given(without_overshoot, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(case, random):
    order = np.array(random.sample(range(len(case.y)), len(case.y)))
    model = fit_or_give_up(case)
    permuted = fit_or_give_up(case, X=case.X[order], y=case.y[order], weight=case.weight[order])
    agree(model, permuted, case.X)
    np.testing.assert_allclose(model.weights_[order], permuted.weights_, rtol=1e-6, atol=1e-9)


@given(without_overshoot, st.floats(1e-6, 1e6))
def test_the_scale_of_the_weights_does_not_matter(case, scale):
    agree(fit_or_give_up(case), fit_or_give_up(case, weight=scale * case.weight), case.X)


@given(cases())
def test_margins_and_predictions_agree(case):
    model = fit_or_give_up(case)
    margins = model.margins(case.X, case.y)
    assert (np.abs(margins) <= 1.0).all()
    right = model.predict(case.X) == case.y
    assert (margins[right] >= -1e-12).all()
    assert (margins[~right] <= 1e-12).all()


def determined(model):
    """Whether every error is far enough from 0 and from chance for rounding not to decide."""
    chance = 1 - 1 / len(model.classes_)
    errors = model.estimator_errors_
    return bool((errors > 1e-6).all() and (errors < chance - 1e-6).all())


def agree(one, other, X):
    assume(determined(one))
    np.testing.assert_allclose(one.estimator_errors_, other.estimator_errors_, atol=1e-9)
    np.testing.assert_allclose(
        one.decision_function(X), other.decision_function(X), rtol=1e-7, atol=1e-8
    )
