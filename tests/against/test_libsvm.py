"""LIBSVM, through scikit-learn at a tight tolerance in float64: the same model.

LIBSVM keeps its kernel matrix in float32 whatever the data, so its duals and decision values carry
errors of that size; objectives, where these enter squared, are compared much more closely.
"""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import laplacian_kernel, pairwise_kernels
from sklearn.svm import SVC as LibSVC  # noqa: N811

from maxmargin import SVC
from maxmargin.certify import Status

TIGHT = {"tol": 1e-8}


def pair(X, y, sample_weight=None, **params):
    ours, theirs = SVC(**TIGHT, **params), LibSVC(**TIGHT, **params)
    ours.fit(X, y, sample_weight=sample_weight)
    theirs.fit(X, y, sample_weight=sample_weight)
    return ours, theirs


def dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def dual_objectives(model, K):
    """sum |beta| - beta'K beta / 2 of every pair of classes, from the fitted attributes alone."""
    edges, coefficients = np.cumsum([0, *model.n_support_]), dense(model.dual_coef_)
    values = []
    for i, j in combinations(range(len(model.classes_)), 2):
        parts = [np.arange(edges[c], edges[c + 1]) for c in (i, j)]
        rows = np.concatenate(parts)
        lines = np.repeat([j - 1, i], [len(part) for part in parts])
        beta, support = coefficients[lines, rows], model.support_[rows]
        quadratic = beta @ K[np.ix_(support, support)] @ beta
        values.append(np.abs(beta).sum() - quadratic / 2)
    return np.array(values)


def same_model(ours, theirs, X_new, K=None):
    atol = 3e-5 * np.abs(dense(theirs.dual_coef_)).max().clip(1.0)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(dense(ours.dual_coef_), dense(theirs.dual_coef_), atol=atol)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=atol)
    values = ours.decision_function(X_new), theirs.decision_function(X_new)
    np.testing.assert_allclose(*values, rtol=1e-5, atol=atol)
    np.testing.assert_array_equal(ours.predict(X_new), theirs.predict(X_new))
    if K is not None:
        np.testing.assert_allclose(dual_objectives(ours, K), dual_objectives(theirs, K), rtol=1e-6)


KERNELS = [
    {"kernel": "linear"},
    {"kernel": "linear", "C": 0.01},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "poly", "degree": 3, "gamma": "auto", "coef0": 0.5},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 0.1, "C": 10.0},
    {"kernel": "rbf", "gamma": "auto", "C": 1000.0},
]


@pytest.mark.parametrize("params", KERNELS, ids=repr)
def test_named_kernels(data, new, params):
    X, y = data
    ours, theirs = pair(X, y, **params)
    same_model(ours, theirs, new, gram(theirs, X))
    assert all(c.status is Status.CERTIFIED for c in ours.certificates_)


def gram(model, X):
    """Their kernel on X, in scikit-learn's words."""
    wanted = {
        "linear": (),
        "poly": ("gamma", "degree", "coef0"),
        "rbf": ("gamma",),
        "sigmoid": ("gamma", "coef0"),
    }[model.kernel]
    values = {"gamma": model._gamma, "degree": model.degree, "coef0": model.coef0}
    return pairwise_kernels(X, metric=model.kernel, **{name: values[name] for name in wanted})


def test_our_dual_value_is_the_certified_one(data):
    X, y = data
    ours, theirs = pair(X, y)
    K = gram(theirs, X)
    np.testing.assert_allclose([c.dual for c in ours.certificates_], dual_objectives(ours, K))
    np.testing.assert_allclose([c.dual for c in ours.certificates_], dual_objectives(theirs, K))


def test_sigmoid_where_it_is_positive_semidefinite_enough(binary, new):
    """Not a kernel in general, so only the values are compared: it may have several optima."""
    ours, theirs = pair(*binary, kernel="sigmoid", gamma=0.01, C=1.0)
    assert ours.certificate_.status is Status.NOT_CONVEX
    values = ours.decision_function(new), theirs.decision_function(new)
    np.testing.assert_allclose(*values, atol=1e-3)


def test_precomputed(data, new):
    X, y = data
    K, K_new = X @ X.T, new @ X.T
    ours, theirs = pair(K, y, kernel="precomputed")
    same_model(ours, theirs, K_new, K)


def test_a_function_as_kernel(data, new):
    X, y = data
    ours, theirs = pair(X, y, kernel=laplacian_kernel)
    same_model(ours, theirs, new, laplacian_kernel(X))


@pytest.mark.parametrize(
    "weight", ["balanced", {0: 2.0, 1: 0.5}, {1: 5.0}], ids=["balanced", "both", "one"]
)
def test_class_weights(data, new, weight):
    ours, theirs = pair(*data, class_weight=weight)
    same_model(ours, theirs, new)
    np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_sample_weights(data, new, kernel):
    weight = np.random.default_rng(1).uniform(0.2, 3, len(data[1]))
    same_model(*pair(*data, sample_weight=weight, kernel=kernel, gamma=0.2), new)


def test_rows_of_no_weight_are_left_out(data, new):
    weight = np.random.default_rng(1).integers(0, 3, len(data[1])).astype(float)
    ours, theirs = pair(*data, sample_weight=weight, gamma=0.2)
    np.testing.assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=3e-5)
    values = ours.decision_function(new), theirs.decision_function(new)
    np.testing.assert_allclose(*values, rtol=1e-5, atol=3e-5)
    # LIBSVM numbers the rows that are left, we number the rows that were given.
    np.testing.assert_array_equal(data[0][ours.support_], ours.support_vectors_)
    assert (weight[ours.support_] > 0).all()


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("layout", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array])
def test_sparse_rows(data, new, kernel, layout):
    X, y = data
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    ours, theirs = pair(layout(X), y, kernel=kernel)
    same_model(ours, theirs, layout(new))
    same_model(SVC(**TIGHT, kernel=kernel).fit(X, y), theirs, new)
    assert sparse.issparse(ours.dual_coef_)
    assert sparse.issparse(ours.support_vectors_)
    np.testing.assert_allclose(dense(ours.support_vectors_), X[ours.support_])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_indices_of_64_bits(data, new, kernel):
    """LIBSVM's wrapper refuses them; the model is that of the same rows, dense."""
    X, y = data
    rows, rows_new = sparse.csr_array(X), sparse.csr_array(new)
    for matrix in (rows, rows_new):
        matrix.indices, matrix.indptr = (
            part.astype(np.int64) for part in (matrix.indices, matrix.indptr)
        )
    ours = SVC(**TIGHT, kernel=kernel).fit(rows, y)
    theirs = LibSVC(**TIGHT, kernel=kernel).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_allclose(
        ours.decision_function(rows_new), theirs.decision_function(new), atol=1e-5
    )


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_single_precision_stays_single_and_comes_close(data, new, layout):
    X, y = data
    ours = SVC().fit(layout(X.astype(np.float32)), y)
    theirs = LibSVC().fit(X, y)
    assert ours.support_vectors_.dtype == np.float32
    assert ours.certificate_.precision == "float32"
    assert ours.certificate_.status is Status.CERTIFIED
    values = ours.decision_function(layout(new.astype(np.float32)))
    assert values.dtype == np.float64
    np.testing.assert_allclose(values, theirs.decision_function(new), atol=0.02)


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_decision_function_shapes(data, new, shape):
    ours, theirs = pair(*data, decision_function_shape=shape)
    values = ours.decision_function(new), theirs.decision_function(new)
    assert values[0].shape == values[1].shape
    np.testing.assert_allclose(*values, atol=1e-5)


def test_break_ties(five, new):
    params = {"gamma": 5.0, "break_ties": True}
    ours, theirs = pair(*five, **params)
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    np.testing.assert_array_equal(ours.predict(new), ours.decision_function(new).argmax(axis=1))


def test_coef(data):
    ours, theirs = pair(*data, kernel="linear")
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert ours.coef_.shape == theirs.coef_.shape


def test_fitted_attributes_have_their_types_and_shapes(data):
    ours, theirs = pair(*data, kernel="linear")
    names = ["support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_", "coef_"]
    for name in [*names, "classes_", "class_weight_", "n_iter_"]:
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert (mine.shape, mine.dtype) == (other.shape, other.dtype), name
    for name in ("fit_status_", "shape_fit_", "n_features_in_"):
        assert getattr(ours, name) == getattr(theirs, name)


def test_labels_of_any_kind(new):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    ours, theirs = pair(X, names)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, names) == theirs.score(X, names)


@pytest.mark.parametrize("params", [{"C": 1e-6}, {"gamma": 1e4}, {"gamma": 1e-8}, {"C": 1e4}])
def test_extremes(binary, new, params):
    ours, theirs = pair(*binary, **params)
    assert ours.certificate_.status is Status.CERTIFIED
    K = gram(theirs, binary[0])
    np.testing.assert_allclose(dual_objectives(ours, K), dual_objectives(theirs, K), rtol=1e-6)
    np.testing.assert_allclose(
        ours.decision_function(new), theirs.decision_function(new), rtol=1e-4, atol=1e-4
    )


def test_an_infinite_cost_on_separable_data():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    ours, theirs = SVC(C=np.inf, kernel="linear"), LibSVC(C=1e10, kernel="linear")
    ours.fit(X, y)
    theirs.set_params(tol=1e-6).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
