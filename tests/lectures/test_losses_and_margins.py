"""The lecture on losses: what the cost of an error does, and what weights are made of."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_classification
from sklearn.exceptions import ConvergenceWarning

from maxmargin import HardMarginSVC, LinearClassifier, LinearSVC, Status, losses

SMOOTH = ("logistic", "squared_hinge", "exponential", "squared", "modified_huber")
X, y = make_classification(
    120, 4, n_informative=3, n_redundant=0, class_sep=0.5, flip_y=0.1, random_state=1
)
T = np.where(y == 1, 1.0, -1.0)


@pytest.mark.parametrize("loss", ["hinge", *SMOOTH])
def test_errors_that_cost_nothing_leave_no_weights(loss):
    norms = [
        np.linalg.norm(LinearClassifier(loss, C=C, tol=1e-8).fit(X, y).coef_)
        for C in (1e-2, 1e-4, 1e-6, 1e-8)
    ]
    assert norms == sorted(norms, reverse=True)
    assert norms[-1] < 1e-5
    slopes = 1e-8 * np.abs(losses.named(loss).derivative(0.0, T)).max()
    assert norms[-1] <= 2 * slopes * np.linalg.norm(X, axis=1).sum()


def test_errors_that_cost_everything_leave_the_hard_margin():
    data, labels = make_blobs(60, 3, centers=2, random_state=0)
    hard = HardMarginSVC(tol=1e-8).fit(data, labels)
    soft = LinearSVC(loss="hinge", intercept="free", C=1e4, tol=1e-10).fit(data, labels)
    np.testing.assert_allclose(soft.coef_, hard.coef_, rtol=1e-5)
    np.testing.assert_allclose(soft.intercept_, hard.intercept_, rtol=1e-5)


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_weights_are_a_sum_of_rows_by_the_slopes_of_their_losses(loss, C):
    """The representer theorem: w = - C sum_i L'(f_i) x_i, and for a free intercept the sum is 0."""
    model = LinearClassifier(loss, C=C, tol=1e-12).fit(X, y)
    beta = -C * losses.named(loss).derivative(model.decision_function(X), T)
    np.testing.assert_allclose(beta @ X, model.coef_[0], atol=2e-5)
    assert beta.sum() == pytest.approx(0, abs=2e-5)


@pytest.mark.parametrize("loss", ["squared_hinge", "modified_huber"])
def test_rows_beyond_the_margin_have_no_part_in_the_weights(loss):
    model = LinearClassifier(loss, tol=1e-12).fit(X, y)
    margins = T * model.decision_function(X)
    inside = margins < 1
    assert 0 < inside.sum() < len(X)
    without = LinearClassifier(loss, tol=1e-12).fit(X[inside], y[inside])
    np.testing.assert_allclose(without.coef_, model.coef_, atol=1e-5)


def test_the_hinge_is_made_of_the_rows_at_or_inside_the_margin():
    """With 0 <= alpha_i <= C: C inside, 0 outside, and between where the margin is exactly 1."""
    model = LinearSVC(loss="hinge", intercept="free", tol=1e-12).fit(X, y)
    margins = T * model.decision_function(X)
    inside, at = margins < 1 - 1e-6, np.abs(margins - 1) <= 1e-6
    rest = model.coef_[0] - (T[inside] @ X[inside])
    columns = np.vstack([(T[:, None] * X)[at].T, T[at]])
    alpha = np.linalg.lstsq(columns, np.append(rest, -T[inside].sum()))[0]
    np.testing.assert_allclose(columns @ alpha, np.append(rest, -T[inside].sum()), atol=1e-5)
    assert ((alpha >= -1e-5) & (alpha <= 1 + 1e-5)).all()


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared_hinge", "exponential"])
def test_more_columns_than_rows_leave_weights_among_the_rows(loss):
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(12, 40))
    labels = rng.integers(0, 2, 12)
    w = LinearClassifier(loss, tol=1e-10).fit(wide, labels).coef_[0]
    inside = wide.T @ np.linalg.lstsq(wide.T, w)[0]
    np.testing.assert_allclose(inside, w, atol=1e-8)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "exponential", "squared"])
def test_the_objective_bounds_the_errors(loss):
    """Losses above [m <= 0]: what is minimised is no less than C times the number of errors."""
    model = LinearClassifier(loss, C=0.5).fit(X, y)
    errors = (model.predict(X) != y).sum()
    assert model.certificate_.primal >= 0.5 * errors


def test_separable_rows_have_no_likeliest_weights_but_ridge_and_the_hinge_have_best_ones():
    data, labels = make_blobs(60, 3, centers=2, random_state=0)
    norms = []
    for steps in (5, 10, 20):
        with pytest.warns(ConvergenceWarning):
            model = LinearClassifier(penalty=None, max_iter=steps, tol=1e-12).fit(data, labels)
        norms.append(np.linalg.norm(model.coef_))
    assert norms == sorted(norms)
    assert norms[-1] > 2 * norms[0]
    for model in (LinearClassifier(), LinearSVC(loss="hinge")):
        assert model.fit(data, labels).certificate_.status is Status.CERTIFIED


def test_a_row_far_on_its_side_moves_the_squared_loss_alone():
    far = np.r_[X, [40.0 * LinearSVC(loss="hinge").fit(X, y).coef_[0]]]
    for loss, moves in (("hinge", False), ("logistic", False), ("squared", True)):
        model = LinearClassifier(loss, tol=1e-10)
        before = model.fit(X, y).coef_
        after = model.fit(far, np.r_[y, 1]).coef_
        assert (np.abs(after - before).max() > 1e-3) == moves
