"""SVC(approximate=m): the machine of landmarks, its certificate and what it is called."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from maxmargin import (
    SVC,
    KernelLogisticRegression,
    LinearClassifier,
    MultipleKernelSVC,
    explain_dual,
)
from maxmargin.certify import Status
from maxmargin.evaluation import leave_one_out
from maxmargin.kernels import RBF, FromFunction
from maxmargin.ops.clock import TimeUp

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3))
Y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.3 * RNG.normal(size=400) > 0.8, "yes", "no")
THREE = np.digitize(X[:, 0] + X[:, 1] ** 2, [0.0, 1.0])
KERNEL = RBF(0.4)


def test_all_rows_as_landmarks_make_the_exact_machine():
    exact = SVC(kernel=KERNEL, tol=1e-6).fit(X, Y)
    model = SVC(kernel=KERNEL, tol=1e-7, approximate=400).fit(X, Y)
    assert model.certificate_.primal == pytest.approx(exact.certificate_.primal, rel=1e-5)
    np.testing.assert_allclose(model.decision_function(X), exact.decision_function(X), atol=2e-2)


def test_it_is_the_linear_machine_on_nystroem_features():
    model = SVC(kernel=KERNEL, tol=1e-8, approximate=40, random_state=3).fit(X, Y)
    assert len(model.support_) == model.n_support_.sum() == 40
    landmarks = X[model.support_]
    values, vectors = np.linalg.eigh(KERNEL(landmarks))
    features = KERNEL(X, landmarks) @ (vectors / np.sqrt(values))
    peer = LinearClassifier("hinge", tol=1e-8).fit(features, Y)
    assert model.certificate_.primal == pytest.approx(peer.certificate_.primal, rel=1e-6)
    np.testing.assert_allclose(
        model.decision_function(X), peer.decision_function(features), atol=1e-2
    )
    assert (model.predict(X) == peer.predict(features)).mean() > 0.99


def test_the_certificate_says_what_it_is_of_and_is_found_again():
    model = SVC(kernel=KERNEL, approximate=30).fit(X, Y)
    certificate = model.certificate_
    assert certificate.status is Status.CERTIFIED
    assert str(certificate).endswith("(of the problem approximated by 30 landmarks)")
    again = model.certify(X, Y)
    assert again.status is Status.CERTIFIED
    assert again.about == certificate.about
    assert again.primal == pytest.approx(certificate.primal, rel=1e-5)
    exact = SVC(kernel=KERNEL).fit(X, Y).certificate_
    assert certificate.primal > exact.dual  # the span is a part of the space
    assert exact.about == ""
    with pytest.raises(TypeError, match="without approximate"):
        explain_dual(model, X, Y)


def test_several_classes_are_each_against_the_rest_and_items_have_landmarks():
    model = SVC(kernel=KERNEL, approximate=80).fit(X, THREE)
    assert model.decision_function(X).shape == (400, 3)
    assert model.score(X, THREE) > 0.9
    assert len(model.certificates_) == 3
    single = SVC(kernel=KERNEL, approximate=80).fit(X.astype(np.float32), THREE)
    assert (single.predict(X.astype(np.float32)) == model.predict(X)).mean() > 0.98

    def common(a, b):
        return float(len(set(a) & set(b)))

    words, kinds = ["night", "light", "sight", "sun", "moon", "noon"], [1, 1, 1, 0, 0, 0]
    read = SVC(kernel=FromFunction(common, psd=True), approximate=4).fit(words, kinds)
    assert read.predict(["fight", "soon"]).tolist() == [1, 0]


def test_single_precision_is_judged_by_the_kernel_itself():
    rows = np.repeat(RNG.normal(size=(8, 3)), 10, axis=0)  # most eigenvalues are rounding
    labels = np.repeat([0, 1] * 4, 10)
    exact = SVC().fit(rows, labels).certificate_
    model = SVC(approximate=40).fit(rows.astype(np.float32), labels)
    assert model.certificate_.status is Status.CERTIFIED
    assert model.certificate_.primal == pytest.approx(exact.primal, rel=2e-3)
    assert model.certificate_.dual <= exact.primal * (1 + 1e-6)
    again = model.certify(rows.astype(np.float32), labels)
    assert again.status is Status.CERTIFIED
    assert again.primal == pytest.approx(model.certificate_.primal, rel=1e-4)
    fine = SVC(approximate=40, tol=1e-9).fit(rows.astype(np.float32), labels)
    assert fine.certificate_.status is Status.CERTIFIED
    assert fine.certificate_.precision == "float64"  # single precision is too coarse for it


def test_single_precision_bounds_the_optimum_of_the_same_landmarks():
    """Small eigenvalues, which features of single precision raise, make no machine longer."""
    certified = 0
    for seed in range(80):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 30))
        rows, labels = rng.normal(size=(n, 1)).astype(np.float32), rng.permutation(np.arange(n) % 2)
        facts = {"C": 10.0 ** rng.uniform(1, 4), "kernel": RBF(10.0 ** rng.uniform(-1, 1))}
        model = SVC(approximate=int(rng.integers(4, n)), **facts).fit(rows, labels)
        best = clone(model).fit(rows.astype(np.float64), labels).certificate_
        assert best.status is Status.CERTIFIED
        for seen in (model.certificate_, model.certify(rows, labels)):
            certified += seen.status is Status.CERTIFIED
            assert seen.dual <= best.primal + best.floor + seen.floor
            assert seen.primal >= best.dual - best.floor - seen.floor
    assert certified > 150


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_more_landmarks_than_columns_add_no_noise(dtype):
    rows = (50.0 * RNG.normal(size=(37, 2))).astype(dtype)
    labels = (rows @ [1.0, -2.0] > 0).astype(int)
    exact = SVC(C=1e6, kernel="linear", tol=1e-5).fit(rows, labels)
    model = SVC(C=1e6, kernel="linear", approximate=33, tol=1e-5).fit(rows, labels)
    assert model.certificate_.status is Status.CERTIFIED
    assert model.certificate_.primal == pytest.approx(exact.certificate_.primal, rel=1e-4)
    assert np.abs(model.dual_coef_).sum() < 2 * np.abs(exact.dual_coef_).sum()
    weights = model.dual_coef_[0] @ rows[model.support_].astype(float)
    slack = np.maximum(0, 1 - (2 * labels - 1) * model.decision_function(rows).astype(float))
    primal = weights @ weights / 2 + 1e6 * slack.sum()
    assert primal - model.certificate_.dual <= model.certificate_.allowed


def test_a_wide_kernel_is_not_taken_for_an_indefinite_one():
    rows = RNG.normal(size=(40, 1))
    for gamma in 10.0 ** np.arange(-9, -2):
        model = SVC(gamma=gamma, approximate=40).fit(rows, np.arange(40) % 2)
        assert model.certificate_.status is Status.CERTIFIED


def test_what_the_root_makes_of_rounding_is_judged():
    X = np.sort(RNG.normal(size=(18, 1)) * 733, axis=0)
    y = (X[:, 0] > 0).astype(int)
    y[8] = 1 - y[8]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = SVC(C=1e10, gamma=2e-6, approximate=17, tol=1e-5).fit(X, y)
    slack = np.maximum(0, 1 - (2 * y - 1) * model.decision_function(X))
    beta, rows = model.dual_coef_[0], X[model.support_]
    primal = beta @ RBF(2e-6)(rows, rows) @ beta / 2 + 1e10 * slack.sum()
    seen = model.certificate_
    assert seen.primal >= primal * (1 - 1e-6) - seen.floor
    assert primal - seen.dual <= seen.allowed or seen.status is not Status.CERTIFIED


def test_an_indefinite_kernel_is_not_certified():
    model = SVC(kernel="sigmoid", gamma=1.0, coef0=1.0, approximate=30).fit(X, Y)
    assert model.certificate_.status is Status.NOT_CONVEX
    assert model.certify(X, Y).status is Status.NOT_CONVEX
    seen = SVC(kernel=lambda A, B: -(A @ B.T), approximate=30)
    with pytest.warns(ConvergenceWarning, match="NOT_CONVEX"):
        assert seen.fit(X, Y).certificate_.status is Status.NOT_CONVEX


def test_the_time_limit_ends_the_factorisation_too(monkeypatch):
    def late(_work):
        raise TimeUp

    monkeypatch.setattr("maxmargin.kernels.approximation.aside", late)
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = SVC(approximate=30, time_limit=100.0).fit(X, Y)
    assert model.certificate_.status is Status.TIME_LIMIT
    assert model.decision_function(X[:2]).tolist() == [0.0, 0.0]


def test_weights_limits_and_refusals():
    counts = np.arange(400) % 3
    weighted = SVC(kernel=KERNEL, approximate=30, tol=1e-8).fit(X, Y, sample_weight=counts)
    assert (counts[weighted.support_] > 0).all()
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = SVC(approximate=30, time_limit=0.0).fit(X, Y)
    assert model.certificate_.status is Status.TIME_LIMIT
    for bad in (0, 2.5, "many"):
        with pytest.raises(ValueError, match="'approximate' parameter of SVC"):
            SVC(approximate=bad).fit(X, Y)


def test_leaving_one_out_fits_machines_that_are_more_than_their_recipe_as_a_whole():
    rows, labels = X[:12], np.arange(12) % 2
    for model in (SVC(approximate=4), KernelLogisticRegression(), MultipleKernelSVC()):
        found = leave_one_out(model, rows, labels)
        assert found.refits == 12
        others = np.arange(12) != 5
        left = clone(model).fit(rows[others], labels[others])
        assert found.predictions[5] == left.predict(rows[5:6])[0]
