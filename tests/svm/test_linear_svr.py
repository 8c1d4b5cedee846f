"""LinearSVR: its objective against LIBLINEAR's, its limits, and data that are hard."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.datasets import load_diabetes

from maxmargin import SVR, LinearSVR
from maxmargin.certify import Status

RNG = np.random.default_rng(3)
X = RNG.normal(size=(300, 6))
TARGET = X @ np.arange(-2.0, 4.0) + 0.5 * RNG.standard_t(2, size=300)
LOSSES = ["epsilon_insensitive", "squared_epsilon_insensitive"]


def objective(model, X, y, weight=1.0):
    w, b = model.coef_, np.ravel(model.intercept_)[0] / model.intercept_scaling
    beyond = np.maximum(0.0, np.abs(y - X @ w - np.ravel(model.intercept_)[0]) - model.epsilon)
    price = beyond if model.loss == LOSSES[0] else beyond**2
    return 0.5 * (w @ w + b * b) + model.C * np.sum(weight * price)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("epsilon", [0.0, 0.8])
@pytest.mark.parametrize("loss", LOSSES)
def test_no_dearer_than_liblinear(loss, epsilon, weighted):
    weight = RNG.integers(1, 4, size=300) / 2.0 if weighted else None
    given = {"loss": loss, "epsilon": epsilon, "C": 0.7, "intercept_scaling": 2.0}
    model = LinearSVR(**given, tol=1e-9).fit(X, TARGET, sample_weight=weight)
    peer = svm.LinearSVR(**given, tol=1e-9, max_iter=100_000, random_state=0)
    peer.fit(X, TARGET, sample_weight=weight)
    prices = [
        objective(each, X, TARGET, 1.0 if weight is None else weight) for each in (model, peer)
    ]
    assert prices[0] <= prices[1] * (1 + 1e-9)
    assert model.certificate_.status is Status.CERTIFIED
    assert model.certificate_.primal == pytest.approx(prices[0], rel=1e-9)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-3)
    assert model.coef_.shape == peer.coef_.shape
    assert np.shape(model.intercept_) == np.shape(peer.intercept_)


@pytest.mark.parametrize("loss", LOSSES)
def test_sparse_rows_and_a_judge_afterwards(loss):
    dense = LinearSVR(loss=loss, epsilon=0.2, tol=1e-9).fit(X, TARGET)
    rows = sparse.csr_matrix(X)
    other = LinearSVR(loss=loss, epsilon=0.2, tol=1e-9).fit(rows, TARGET)
    np.testing.assert_allclose(other.predict(rows), dense.predict(X), atol=1e-5)
    assert dense.certify(X, TARGET).status is Status.CERTIFIED
    shifted = LinearSVR(loss=loss, epsilon=0.2, tol=1e-6).fit(X, TARGET)
    shifted.coef_ = shifted.coef_ + 0.5
    assert shifted.certify(X, TARGET).status is not Status.CERTIFIED


def test_a_free_intercept_is_the_kernel_machines():
    free = LinearSVR(epsilon=0.3, intercept="free", tol=1e-9).fit(X, TARGET)
    kernel = SVR(kernel="linear", epsilon=0.3, tol=1e-9).fit(X, TARGET)
    np.testing.assert_allclose(free.predict(X), kernel.predict(X), atol=1e-4)
    assert free.certificate_.primal == pytest.approx(kernel.certificate_.primal, rel=1e-6)
    far = LinearSVR(epsilon=0.3, intercept="free", tol=1e-6).fit(X + 1e6, TARGET)
    np.testing.assert_allclose(far.predict(X + 1e6), free.predict(X), atol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_columns_of_any_scale_are_certified(loss):
    rows, target = load_diabetes(return_X_y=True)
    for scale in (1e-3, 1.0, 1e3):
        model = LinearSVR(loss=loss, C=10.0).fit(scale * rows, target)
        assert model.certificate_.status is Status.CERTIFIED


def test_more_columns_than_rows():
    rows = RNG.normal(size=(40, 2000))
    target = rows[:, 0] - rows[:, 1]
    model = LinearSVR(C=100.0, epsilon=0.1).fit(rows, target)
    assert model.certificate_.status is Status.CERTIFIED
    assert np.abs(model.predict(rows) - target).max() < 0.11
