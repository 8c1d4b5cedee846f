"""Fits that end before their first point: a model of a few rows, of which nothing is proven."""

import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, r2_score

from maxmargin import NuSVC, NuSVR, OneClassSVM
from maxmargin.kernels import FromFunction, Spectrum
from maxmargin.tabular import TableOneClass

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4000, 3))
NUMBER = 100.0 + 5.0 * X[:, 0] + np.sin(3.0 * X[:, 1])
SIDE = (X[:, 0] + X[:, 1] > 1.0).astype(int)
SOON = {"time_limit": 1e-9}


def fit(model, *data, **facts):
    with pytest.warns(ConvergenceWarning, match=r"TIME_LIMIT.*a few rows, and nothing is proven"):
        return model.fit(*data, **facts)


def assert_unproven(model):
    certificate = model.certificate_
    assert certificate.status.name == "TIME_LIMIT"
    assert (certificate.primal, certificate.dual) == (np.inf, -np.inf)
    assert 0 < len(model.support_) <= 300


def test_a_single_class_finds_most_rows_inside_and_far_ones_outside():
    model = fit(OneClassSVM(nu=0.1, **SOON), X)
    assert_unproven(model)
    assert 0.8 < (model.predict(X) == 1).mean() < 0.97
    assert (model.predict(X + 20.0) == -1).all()
    whole = OneClassSVM(nu=0.1).fit(X)
    assert model.offset_[0] == pytest.approx(whole.offset_[0], rel=0.5)  # of all rows' size


@pytest.mark.parametrize("nu", [0.1, 0.3, 2.0 * min(SIDE.mean(), 1 - SIDE.mean())])
def test_classes_are_told_apart(nu):
    model = fit(NuSVC(nu=nu, **SOON), X, SIDE)
    assert_unproven(model)
    assert accuracy_score(SIDE, model.predict(X)) > 0.85


def test_many_classes_and_weights():
    label = np.digitize(X[:, 0], [-1.0, -0.3, 0.3, 1.0])
    weight = RNG.uniform(0.0, 2.0, size=len(X)) * (np.arange(len(X)) % 5 > 0)
    model = fit(NuSVC(nu=0.1, **SOON), X, label, sample_weight=weight)
    assert accuracy_score(label, model.predict(X)) > 0.7
    assert (weight[model.support_] > 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_are_predicted(dtype):
    model = fit(NuSVR(C=10.0, **SOON), X.astype(dtype), NUMBER)
    assert_unproven(model)
    assert r2_score(NUMBER, model.predict(X.astype(dtype))) > 0.8


def test_it_is_the_same_model_each_time_and_asks_for_time_to_be_certified():
    values = [fit(NuSVC(nu=0.2, **SOON), X, SIDE).decision_function(X[:50]) for _ in range(2)]
    assert np.array_equal(*values)
    with pytest.raises(ValueError, match="certify needs a point of all rows"):
        fit(NuSVC(nu=0.2, **SOON), X, SIDE).certify(X, SIDE)


def test_items_matrices_and_functions():
    texts = ["ab" * 5 if side else "ba" * 4 + "c" for side in SIDE[:200]]
    model = fit(NuSVC(nu=0.1, kernel=Spectrum(2), **SOON), texts, SIDE[:200])
    assert accuracy_score(SIDE[:200], model.predict(texts)) == 1.0
    gram = X[:400] @ X[:400].T
    for kernel, rows in (("precomputed", gram), (FromFunction(np.dot), X[:400])):
        model = fit(NuSVC(nu=0.3, kernel=kernel, **SOON), rows, SIDE[:400])
        assert accuracy_score(SIDE[:400], model.predict(rows)) > 0.75


def test_a_kernel_that_takes_long_is_not_waited_for():
    def slow(x, z):
        time.sleep(0.01)
        return float(x @ z)

    begin = time.perf_counter()
    model = fit(OneClassSVM(kernel=FromFunction(slow), **SOON), X[:500])
    assert time.perf_counter() - begin < 5.0
    assert set(model.predict(X[:2])) <= {-1, 1}


def test_rows_of_a_table():
    rows = np.repeat(X, 5, axis=0) + 0.1 * RNG.normal(size=(20_000, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = TableOneClass(nu=0.1, **SOON).fit(rows)
    assert model.stop_.name == "TIME_LIMIT"
    assert 0.8 < (model.predict(X) == 1).mean() < 0.99
    assert (model.predict(X + 20.0) == -1).all()


def test_a_limit_in_a_sentence_about_the_kernel_stays_inside():
    """The pair of rows that differs most is looked for only where the kernel is none."""
    for limit in np.geomspace(1e-3, 0.3, 8):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            NuSVC(nu=0.3, kernel=FromFunction(np.dot), time_limit=limit).fit(X[:300], SIDE[:300])
