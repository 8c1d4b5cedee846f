"""The lectures on margins: from separability over the hard margin to both soft ones, and limits."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from maxmargin import SVC, HardMarginSVC, SlackBudgetSVC, separate
from maxmargin.datasets import load_mixture, make_overlapping


@pytest.fixture(params=range(3))
def separable(request):
    return make_blobs(60, 3, centers=2, random_state=request.param)


def alphas(model, n):
    alpha = np.zeros(n)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return alpha


def test_the_margin_is_one_over_the_norm(separable):
    X, y = separable
    model = HardMarginSVC(tol=1e-8).fit(X, y)
    w = model.coef_[0]
    distances = np.abs(X @ w + model.intercept_) / np.linalg.norm(w)
    np.testing.assert_allclose(distances.min(), 1 / np.linalg.norm(w), rtol=1e-8)
    np.testing.assert_allclose(model.margin_, distances.min(), rtol=1e-8)


def test_no_hyperplane_has_a_larger_margin(separable):
    X, y = separable
    best = HardMarginSVC().fit(X, y).margin_
    assert separate(X, y).margin <= best * (1 + 1e-9)
    rng, t = np.random.default_rng(0), np.where(y == 1, 1, -1)
    for w in rng.normal(size=(200, 3)):
        values = X @ w / np.linalg.norm(w)
        gap = values[t > 0].min() - values[t < 0].max()
        assert gap / 2 <= best * (1 + 1e-9)


def test_support_vectors_have_margin_one_and_make_up_the_normal(separable):
    X, y = separable
    model = HardMarginSVC(tol=1e-8).fit(X, y)
    t = np.where(y == 1, 1, -1)
    margins = t * model.decision_function(X)
    np.testing.assert_allclose(margins[model.support_], 1, rtol=1e-7)
    others = np.setdiff1d(np.arange(len(y)), model.support_)
    assert (margins[others] > 1 + 1e-7).all()
    alpha = alphas(model, len(y))
    np.testing.assert_allclose((alpha * t) @ X, model.coef_[0], rtol=1e-9)  # representer theorem
    assert abs(alpha @ t) < 1e-9 * alpha.sum()
    np.testing.assert_allclose(alpha.sum(), model.coef_[0] @ model.coef_[0], rtol=1e-7)


def test_rows_that_support_nothing_can_go(separable):
    X, y = separable
    model = HardMarginSVC(tol=1e-8).fit(X, y)
    kept = HardMarginSVC(tol=1e-8).fit(X[model.support_], y[model.support_])
    np.testing.assert_allclose(kept.coef_, model.coef_, rtol=1e-6)


def test_the_margin_is_half_the_distance_of_the_hulls(separable):
    """The dual's weights, scaled to sum to 1 in each class, are the nearest points of the hulls."""
    X, y = separable
    model = HardMarginSVC(tol=1e-8).fit(X, y)
    alpha = alphas(model, len(y))
    near = [alpha[y == c] / alpha[y == c].sum() @ X[y == c] for c in (0, 1)]
    np.testing.assert_allclose(np.linalg.norm(near[0] - near[1]) / 2, model.margin_, rtol=1e-6)


def test_an_infinite_cost_is_the_hard_margin_where_there_is_one(separable):
    X, y = separable
    hard = HardMarginSVC(tol=1e-8).fit(X, y)
    largest = alphas(hard, len(y)).max()
    for C in (1.01 * largest, 100 * largest):
        soft = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
        np.testing.assert_allclose(soft.coef_, hard.coef_, rtol=1e-5)
    softer = SVC(kernel="linear", C=0.5 * largest, tol=1e-8).fit(X, y)
    assert np.linalg.norm(softer.coef_) < np.linalg.norm(hard.coef_)


def test_no_cost_is_no_hyperplane():
    X, y = load_mixture(return_X_y=True)
    norms = [
        np.linalg.norm(SVC(kernel="linear", C=C, tol=1e-8).fit(X, y).coef_)
        for C in (1e-2, 1e-4, 1e-6)
    ]
    assert norms[0] > norms[1] > norms[2]
    assert norms[2] < 1e-3


def test_the_budget_has_the_same_limits(separable):
    X, y = separable
    hard = HardMarginSVC(tol=1e-8).fit(X, y)
    none, everything = (SlackBudgetSVC(budget=b, tol=1e-8).fit(X, y) for b in (0, len(y)))
    np.testing.assert_allclose(none.coef_, hard.coef_, rtol=1e-6)
    np.testing.assert_array_equal(everything.coef_, np.zeros((1, 3)))


def test_the_slack_falls_as_its_cost_rises():
    X, y = make_overlapping(60, random_state=0)
    t = np.where(y == np.unique(y)[1], 1, -1)
    slacks = []
    for C in 10.0 ** np.arange(-3, 3):
        f = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y).decision_function(X)
        slacks.append(np.maximum(0, 1 - t * f).sum())
    assert (np.diff(slacks) <= 1e-6).all()
