import pickle
import warnings
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.inspection import permutation_importance
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as LibSVC  # noqa: N811

from maxmargin import SVC
from maxmargin.certify import Certificate, Status
from maxmargin.datasets import load_mixture
from maxmargin.kernels import RBF, FromFunction, Linear, Polynomial, Precomputed


@pytest.fixture(scope="module")
def mixture():
    return load_mixture(return_X_y=True)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


# Parameters


def test_has_scikit_learns_parameters_and_defaults_and_a_few_more():
    ours, theirs = SVC().get_params(), LibSVC().get_params()
    assert {name: ours[name] for name in theirs} == theirs
    added = {"multiclass": "ovo", "time_limit": None, "n_jobs": None, "callback": None}
    added |= {"solver": "working_set", "on_interrupt": "raise"}
    added |= {"intercept": "auto", "sampling": "epochs", "approximate": None}
    added |= {"device": "cpu"}
    assert {name: ours[name] for name in ours.keys() - theirs.keys()} == added


def test_is_the_same_after_clone_and_pickle(mixture):
    X, y = mixture
    model = SVC(kernel=RBF(gamma=0.5) + 0.1 * Linear(), C=2.0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.certificate_ == model.certificate_
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "support_")
    np.testing.assert_array_equal(copy.fit(X, y).decision_function(X), model.decision_function(X))


def test_a_grid_search_reaches_into_the_kernel(mixture):
    X, y = mixture
    search = GridSearchCV(
        SVC(kernel=RBF(gamma=1.0) + Linear()),
        {"kernel__left__gamma": [0.1, 1.0], "C": [0.1, 1.0]},
        cv=3,
    ).fit(X, y)
    best = search.best_estimator_
    assert best.kernel.left.gamma == search.best_params_["kernel__left__gamma"]
    by_hand = SVC(kernel=RBF(gamma=best.kernel.left.gamma) + Linear(), C=best.C).fit(X, y)
    np.testing.assert_array_equal(best.decision_function(X), by_hand.decision_function(X))


def test_fitting_leaves_the_parameters_alone(mixture):
    model = SVC(kernel=RBF(gamma=0.5))
    before = model.get_params()
    model.fit(*mixture)
    assert model.get_params() == before


def test_lives_in_pipelines_and_cross_validation(iris):
    pipeline = make_pipeline(StandardScaler(), SVC())
    assert cross_val_score(pipeline, *iris, cv=3).mean() > 0.9
    assert OneVsRestClassifier(SVC()).fit(*iris).score(*iris) > 0.9


# Kernels


def test_a_kernel_by_name_by_value_by_matrix_and_by_function_is_one_kernel(mixture):
    X, y = mixture
    K = RBF(gamma=1.0)(X)
    models = {
        "name": (SVC(kernel="rbf", gamma=1.0), X),
        "value": (SVC(kernel=RBF(gamma=1.0)), X),
        "callable": (SVC(kernel=partial(rbf_kernel, gamma=1.0)), X),
        "matrix": (SVC(kernel="precomputed"), K),
        "matrix by value": (SVC(kernel=Precomputed()), K),
    }
    values = {k: model.fit(rows, y).decision_function(rows) for k, (model, rows) in models.items()}
    for name, value in values.items():
        np.testing.assert_allclose(value, values["name"], atol=1e-6, err_msg=name)


def test_items_need_not_be_vectors():
    words = ["aaa", "aab", "aba", "baa", "bbb", "bba", "bab", "abb"]
    y = [word.count("a") > 1 for word in words]

    def common(a, b):
        return float(sum(x == y for x, y in zip(a, b, strict=True)))

    model = SVC(kernel=FromFunction(common, psd=True), C=10).fit(words, y)
    np.testing.assert_array_equal(model.predict(words), y)
    assert model.certificate_.status is Status.CERTIFIED


def test_coef_for_the_linear_kernel_by_value(mixture):
    X, y = mixture
    model = SVC(kernel=Linear()).fit(X, y)
    np.testing.assert_allclose(
        X @ model.coef_[0] + model.intercept_, model.decision_function(X), atol=1e-9
    )
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 1.0


# Certificates


def test_two_classes_have_one_certificate(mixture):
    model = SVC().fit(*mixture)
    assert isinstance(model.certificate_, Certificate)
    assert model.certificates_ == [model.certificate_]
    assert str(model.certificate_).count("\n") == 0


@pytest.mark.parametrize(("multiclass", "problems"), [("ovo", 6), ("ovr", 4)])
def test_several_classes_have_one_each_and_the_worst_is_shown(multiclass, problems):
    X, y = make_blobs(120, centers=4, cluster_std=3.0, random_state=0)
    model = SVC(multiclass=multiclass).fit(X, y)
    assert len(model.certificates_) == problems
    assert model.certificate_ in model.certificates_
    assert model.certificate_.relative_gap == max(c.relative_gap for c in model.certificates_)


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_certify_judges_again_from_the_data_in_double(iris, multiclass, layout):
    X, y = iris
    model = SVC(multiclass=multiclass).fit(layout(X.astype(np.float32)), y)
    shown = model.certificate_
    again = model.certify(layout(X), y)
    assert shown.precision == "float32"
    assert again.precision == "float64"
    assert again.status is Status.CERTIFIED
    assert again.gap <= shown.gap + 10 * shown.floor + 1e-4 * shown.primal
    assert model.certificate_ is shown


def test_certify_with_weights(mixture):
    X, y = mixture
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    model = SVC(gamma=1.0).fit(X, y, sample_weight=weight)
    again = model.certify(X, y, sample_weight=weight)
    np.testing.assert_allclose(again.dual, model.certificate_.dual, rtol=1e-9)
    np.testing.assert_allclose(again.primal, model.certificate_.primal, rtol=1e-9)


def test_certify_finds_that_a_model_was_changed(mixture):
    X, y = mixture
    model = SVC(gamma=1.0).fit(X, y)
    model._dual_coef_ *= 0.5
    assert model.certify(X, y).status is not Status.CERTIFIED


def test_a_kernel_that_is_none_says_so_and_still_predicts(mixture):
    model = SVC(kernel="sigmoid", gamma=2.0, coef0=-1.0).fit(*mixture)
    assert model.certificate_.status is Status.NOT_CONVEX
    assert set(model.predict(mixture[0])) <= {0, 1}


def test_an_unknown_function_that_looks_convex_is_certified(mixture):
    model = SVC(kernel=FromFunction(lambda x, y: float(np.exp(-np.sum((x - y) ** 2)))))
    assert model.fit(*mixture).certificate_.status is Status.CERTIFIED


# Limits


def test_max_iter_warns_and_sets_the_fit_status(mixture):
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        model = SVC(max_iter=3).fit(*mixture)
    assert model.fit_status_ == 1
    assert model.certificate_.status is Status.ITERATION_LIMIT
    assert (model.n_iter_ <= 3).all()
    assert SVC().fit(*mixture).fit_status_ == 0


def test_no_time_warns_and_gives_a_model(mixture):
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = SVC(time_limit=0).fit(*mixture)
    assert model.certificate_.status is Status.TIME_LIMIT
    assert model.predict(mixture[0]).shape == (200,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_values_in_a_polynomial_kernel_end(dtype):
    """scikit-learn does not come back from this one (LIBSVM without a limit on its steps)."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5000, (20, 1)).astype(dtype), rng.integers(0, 2, 20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = SVC(kernel="poly", degree=3, gamma=1).fit(X, y)
    certificate = model.certificate_
    assert certificate.status is not Status.CERTIFIED or certificate.dual <= 20


def test_verbose_prints_a_line_a_step(mixture, capsys):
    SVC(verbose=True).fit(*mixture)
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all("dual" in line and "violation" in line for line in lines)


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_a_small_cache_gives_the_same_model(multiclass):
    X, y = make_blobs(400, centers=3, cluster_std=4.0, random_state=0)
    small, large = (
        SVC(multiclass=multiclass, cache_size=size, tol=1e-6).fit(X, y) for size in (1e-3, 200)
    )
    np.testing.assert_array_equal(small.support_, large.support_)
    np.testing.assert_allclose(small.decision_function(X), large.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_any_number_of_threads_gives_the_same_bits(multiclass, layout):
    X, y = make_blobs(2500, centers=3, cluster_std=4.0, random_state=0)
    X = layout(X.astype(np.float32))
    one, two = (SVC(multiclass=multiclass, n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.support_, two.support_)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))
    assert one.certificates_ == two.certificates_


# Precision and storage


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_precision_is_kept(mixture, dtype, layout):
    X, y = mixture
    model = SVC().fit(layout(X.astype(dtype)), y)
    assert model.support_vectors_.dtype == dtype
    assert model.certificate_.precision == np.dtype(dtype).name


def test_integers_are_taken_as_double():
    model = SVC().fit(np.array([[0], [1], [2], [3]]), [0, 0, 1, 1])
    assert model.support_vectors_.dtype == np.float64


def test_the_data_are_left_alone(mixture):
    X, y = (part.copy() for part in mixture)
    weight = np.ones(len(y))
    X.flags.writeable = y.flags.writeable = weight.flags.writeable = False
    SVC().fit(X, y, sample_weight=weight).predict(X)
    np.testing.assert_array_equal(X, mixture[0])


def test_importance_by_permutation_works(mixture):
    """Other tools see an estimator like any other."""
    importance = permutation_importance(SVC().fit(*mixture), *mixture, n_repeats=2, random_state=0)
    assert (importance.importances_mean > 0).all()


def test_a_value_kernel_of_degree_two(mixture):
    X, y = mixture
    by_value = SVC(kernel=Polynomial(2, gamma=1.0, coef0=1.0)).fit(X, y)
    by_name = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(X, y)
    np.testing.assert_array_equal(by_value.decision_function(X), by_name.decision_function(X))


@pytest.mark.parametrize(
    "given",
    [
        {"cache_size": np.int8(2)},
        {"cache_size": np.float16(100)},
        {"cache_size": 1e308},
        {"tol": np.float16(0.001)},
        {"tol": np.longdouble(0.001)},
    ],
    ids=str,
)
def test_numbers_of_any_width_are_parameters(given, mixture):
    X, y = mixture
    values = SVC(**given).fit(X, y).decision_function(X)
    np.testing.assert_allclose(values, SVC().fit(X, y).decision_function(X), atol=1e-2)
