"""The maximal margin, and the proof that there is none."""

import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel

from maxmargin import SVC, HardMarginSVC, NotSeparable, SlackBudgetSVC, Status, separate
from maxmargin.datasets import load_mixture
from maxmargin.kernels import RBF
from maxmargin.solvers import Trace

seeds = st.integers(0, 2**32 - 1)


def blobs(seed=0, n=60, columns=2, classes=2, spread=0.5):
    X, y = make_blobs(n, columns, centers=classes, cluster_std=spread, random_state=seed)
    return X, y


def sign(y):
    return np.where(y == np.unique(y)[1], 1.0, -1.0)


@given(seeds, st.integers(4, 40), st.integers(1, 8))
def test_the_model_or_the_witness(seed, n, d):
    """Whatever the data: a hyperplane with all margins at least 1, or weights of equal means."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), np.arange(n) % 2
    X[:, 0] += 3 * y * (rng.uniform() < 0.7)
    assume(not separate(X, y).separable or separate(X, y).margin > 1e-4)
    try:
        model = HardMarginSVC(tol=1e-6).fit(X, y)
    except NotSeparable as error:
        check_witness(error.witness, y, X @ X.T)
        assert not separate(X, y).separable
        return
    margins = sign(y) * model.decision_function(X)
    assert margins.min() >= 1 - 1e-6
    assert model.certificate_.status is Status.CERTIFIED
    np.testing.assert_allclose(model.margin_, 1 / np.linalg.norm(model.coef_), rtol=1e-6)
    assert model.margin_ >= separate(X, y).margin * (1 - 1e-6)
    np.testing.assert_array_equal(np.sort(model.support_), np.flatnonzero(margins <= 1 + 2e-6))


def check_witness(weights, y, K, close=1e-11):
    assert weights.min() >= 0
    for label in np.unique(y):
        np.testing.assert_allclose(weights[y == label].sum(), 1.0, rtol=1e-9)
    u = sign(y) * weights
    assert u @ K @ u <= close * np.abs(np.diag(K)).max()


MIXTURE = load_mixture(return_X_y=True)
XOR = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), np.array([0, 0, 1, 1])


@pytest.mark.parametrize("data", [MIXTURE, XOR], ids=["mixture", "xor"])
def test_not_separable_by_a_line(data):
    X, y = data
    with pytest.raises(NotSeparable, match="No hyperplane separates 0 from 1") as caught:
        HardMarginSVC().fit(X, y)
    check_witness(caught.value.witness, y, linear_kernel(X))


def test_not_separable_by_a_parabola():
    X, y = MIXTURE
    with pytest.raises(NotSeparable) as caught:
        HardMarginSVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(X, y)
    K = polynomial_kernel(X, degree=2, gamma=1.0, coef0=1.0)
    check_witness(caught.value.witness, y, K, close=2e-12)


def test_two_thousand_rows_that_overlap():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 20))
    y = (X[:, 0] + rng.normal(size=2000) > 0).astype(int)
    with pytest.raises(NotSeparable) as caught:
        HardMarginSVC().fit(X, y)
    check_witness(caught.value.witness, y, linear_kernel(X))


@pytest.mark.parametrize("kernel", ["rbf", RBF(gamma=2.0), "linear", "precomputed"])
def test_a_row_with_both_labels(kernel):
    X, y = blobs()
    X = np.vstack([X, X[:1]])
    y = np.append(y, 1 - y[0])
    rows = rbf_kernel(X) if kernel == "precomputed" else X
    with pytest.raises(NotSeparable) as caught:
        HardMarginSVC(kernel=kernel).fit(rows, y)
    check_witness(caught.value.witness, y, rbf_kernel(X) if kernel != "linear" else X @ X.T)
    if kernel != "linear":
        np.testing.assert_allclose(caught.value.witness[[0, -1]], 1.0)


def test_a_row_with_both_labels_in_many_columns():
    X = np.random.default_rng(0).normal(size=(6, 40))
    y = np.array([0, 1, 0, 1, 0, 1])
    assert HardMarginSVC().fit(X, y).score(X, y) == 1.0
    X[5] = X[0]
    for data in (X, sparse.csr_array(X)):
        with pytest.raises(NotSeparable) as caught:
            HardMarginSVC().fit(data, y)
        check_witness(caught.value.witness, y, X @ X.T)


def test_a_radial_kernel_separates_what_is_distinct():
    X, y = MIXTURE
    model = HardMarginSVC(kernel="rbf", gamma=10.0).fit(X, y)
    assert model.score(X, y) == 1.0
    margins = sign(y) * model.decision_function(X)
    assert margins.min() == pytest.approx(1, abs=1e-6)
    np.testing.assert_array_equal(np.sort(model.support_), np.flatnonzero(margins < 1 + 1e-6))
    norm = np.sqrt(2 * model.certificate_.dual)
    assert model.margin_ == pytest.approx(1 / norm, rel=1e-6)


def test_rows_on_the_margin_support_even_without_a_dual():
    """Of a square's four corners two would do; all four are on the margin."""
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 1, 1])
    model = HardMarginSVC().fit(X, y)
    np.testing.assert_array_equal(model.support_, [0, 1, 2, 3])
    assert model.margin_ == pytest.approx(0.5)
    assert model.n_support_.tolist() == [2, 2]
    np.testing.assert_allclose(model.decision_function(X), [-1, -1, 1, 1], atol=1e-9)


def test_more_rows_than_a_working_set():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2600, 6))
    y = (X[:, 0] > 0).astype(int)
    X[:, 0] += 0.2 * sign(y)
    model = HardMarginSVC().fit(X, y)
    assert model.certificate_.status is Status.CERTIFIED
    margins = sign(y) * model.decision_function(X)
    assert margins.min() > 1 - 2e-3
    distance = margins.min() / np.linalg.norm(model.coef_)
    assert model.margin_ == pytest.approx(distance, rel=1e-6)
    assert model.margin_ == pytest.approx(1 / np.linalg.norm(model.coef_), rel=2e-3)
    y[:3] = 1 - y[:3]
    with pytest.raises(NotSeparable):
        HardMarginSVC().fit(X, y)


def test_sparse_is_dense_and_single_precision_is_evaluated_in_double():
    X, y = blobs(columns=4)
    dense = HardMarginSVC().fit(X, y)
    csr = HardMarginSVC().fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(csr.coef_.toarray(), dense.coef_, rtol=1e-9)
    single = HardMarginSVC().fit(X.astype(np.float32), y)
    assert single.certificate_.precision == "float64"
    np.testing.assert_allclose(single.margin_, dense.margin_, rtol=1e-5)


def test_an_infinite_cost_has_the_same_solution():
    X, y = blobs(3)
    hard, soft = HardMarginSVC(tol=1e-6).fit(X, y), SVC(kernel="linear", C=1e6, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(hard.coef_, soft.coef_, rtol=1e-6)
    np.testing.assert_allclose(hard.intercept_, soft.intercept_, rtol=1e-6)


def test_weights_only_say_who_counts():
    X, y = blobs(1)
    weight = np.random.default_rng(0).uniform(0.1, 9, len(y))
    plain, weighted = HardMarginSVC().fit(X, y), HardMarginSVC().fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(plain.coef_, weighted.coef_)
    intruder = np.vstack([X, X[:1]]), np.append(y, 1 - y[0]), np.append(weight, 0.0)
    np.testing.assert_array_equal(HardMarginSVC().fit(*intruder).coef_, plain.coef_)


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_several_classes(multiclass):
    X, y = make_blobs(90, centers=[[0, 0], [8, 0], [4, 7]], cluster_std=0.5, random_state=0)
    model = HardMarginSVC(multiclass=multiclass, tol=1e-6).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.margin_.shape == (3,)
    np.testing.assert_allclose(model.margin_, 1 / np.linalg.norm(model.coef_, axis=1), rtol=1e-5)
    pair = HardMarginSVC(tol=1e-6).fit(X[y < 2], y[y < 2])
    if multiclass == "ovo":
        assert model.margin_[0] == pytest.approx(pair.margin_)
    assert model.certify(X, y).status is Status.CERTIFIED


def test_the_error_names_the_classes_and_covers_all_rows():
    X, y = make_blobs(90, centers=[[0, 0], [8, 0], [8, 0]], cluster_std=0.5, random_state=0)
    names = np.array(["ant", "bee", "cow"])[y]
    with pytest.raises(NotSeparable, match="'bee' from 'cow'") as caught:
        HardMarginSVC().fit(X, names)
    witness = caught.value.witness
    assert witness.shape == y.shape
    assert not witness[y == 0].any()
    np.testing.assert_allclose(X[y == 1].T @ witness[y == 1], X[y == 2].T @ witness[y == 2])
    with pytest.raises(NotSeparable, match="'bee' from the rest") as caught:
        HardMarginSVC(multiclass="ovr").fit(X, names)
    witness = caught.value.witness
    np.testing.assert_allclose(X[y == 1].T @ witness[y == 1], X[y != 1].T @ witness[y != 1])


def test_the_error_is_a_value_error_that_survives_pickling():
    with pytest.raises(ValueError, match="same mean") as caught:
        HardMarginSVC().fit(*XOR)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    np.testing.assert_array_equal(again.witness, caught.value.witness)


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    X, y = blobs()
    model = HardMarginSVC().fit(X, y)
    before = model.coef_.copy()
    with pytest.raises(NotSeparable):
        model.fit(*XOR)
    np.testing.assert_array_equal(model.coef_, before)
    assert model.predict(X[:2]).shape == (2,)


def test_a_kernel_that_is_not_one_is_refused_or_marked():
    K = -np.eye(6)
    with pytest.raises(ValueError, match="not positive semidefinite"):
        HardMarginSVC(kernel="precomputed").fit(K, [0, 1] * 3)


def test_stopped_before_the_rows_part():
    X, y = blobs(0, 80, 10)
    X[:, 0] += 5 * y
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model = HardMarginSVC(max_iter=1).fit(X, y)
    assert model.certificate_.status is Status.ITERATION_LIMIT
    assert model.certificate_.gap > 0
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = HardMarginSVC(time_limit=0.0).fit(X, y)
    assert model.certificate_.primal == model.certificate_.relative_gap == np.inf


def test_every_trace_point_obeys_weak_duality():
    X, y = MIXTURE
    trace = Trace()
    HardMarginSVC(kernel="rbf", gamma=10.0, callback=trace).fit(X, y)
    assert all(line.primal >= line.dual for line in trace)
    assert np.isfinite(trace.lines[-1].primal)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"tol": 0.0}, "'tol' parameter of HardMarginSVC"),
        ({"kernel": "gaussian"}, "'kernel' parameter of HardMarginSVC"),
        ({"multiclass": "all"}, "'multiclass' parameter of HardMarginSVC"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        HardMarginSVC(**params).fit(*blobs())


@pytest.mark.parametrize("model", [HardMarginSVC(), SlackBudgetSVC(budget=1.0)])
def test_means_that_only_kernel_values_confuse_are_no_witness(model):
    X, y = np.random.default_rng(0).normal(size=(10, 60)), np.arange(10) % 2
    assert separate(X + 1e6, y).separable
    assert model.fit(X + 1e6, y).score(X + 1e6, y) == 1.0  # dense rows are centred
    with pytest.warns(ConvergenceWarning, match="STALLED"):  # three digits are left
        found = clone(model).fit(sparse.csr_matrix(X + 1e6), y)
    assert found.certificate_.primal == pytest.approx(model.certificate_.primal, rel=1e-2)
    with pytest.raises(ArithmeticError, match="centre the columns"):
        clone(model).fit(sparse.csr_matrix(X + 1e7), y)
