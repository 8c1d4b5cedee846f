"""SVR, NuSVR, NuSVC and OneClassSVM against LIBSVM's optimum, by the value of the dual."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin import SVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.certify import Status

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
TARGET = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.2 * RNG.normal(size=90)
LABEL = np.where(X[:, 0] + X[:, 1] ** 2 > 0.6, "b", "a")
WEIGHT = RNG.integers(1, 4, size=90) / 2.0
GAMMA = 0.3

MODELS = [
    (SVR, svm.SVR, {"C": 2.0}, TARGET),
    (SVR, svm.SVR, {"C": 0.5, "epsilon": 0.0}, TARGET),
    (SVR, svm.SVR, {"C": 3.0, "epsilon": 0.7}, TARGET),
    (NuSVR, svm.NuSVR, {"C": 2.0, "nu": 0.3}, TARGET),
    (NuSVR, svm.NuSVR, {"C": 1.0, "nu": 0.9}, TARGET),
    (NuSVC, svm.NuSVC, {"nu": 0.3}, LABEL),
    (NuSVC, svm.NuSVC, {"nu": 0.6}, LABEL),
    (OneClassSVM, svm.OneClassSVM, {"nu": 0.2}, None),
    (OneClassSVM, svm.OneClassSVM, {"nu": 0.95}, None),
]
NAMES = [f"{ours.__name__}-{params}" for ours, _, params, _ in MODELS]


def values(model, rows):
    decide = getattr(model, "decision_function", model.predict)
    return decide(rows)


def dual(model, params, K, y):
    """Value of the dual by the coefficients that both libraries show."""
    coefficients = model.dual_coef_
    beta = np.zeros(len(K))
    beta[model.support_] = (
        coefficients.toarray() if sparse.issparse(coefficients) else coefficients
    ).ravel()
    if isinstance(model, NuSVC | svm.NuSVC):
        weight = np.ones(len(K)) if y is None else y
        beta *= params["nu"] * weight.sum() / np.abs(beta).sum()
        return -beta @ K @ beta / 2
    if isinstance(model, OneClassSVM | svm.OneClassSVM):
        return -beta @ K @ beta / 2
    zone = params.get("epsilon", 0.1) if "nu" not in params else 0.0
    return TARGET @ beta - zone * np.abs(beta).sum() - beta @ K @ beta / 2


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(("ours", "theirs", "params", "y"), MODELS, ids=NAMES)
def test_the_dual_is_that_of_libsvm(ours, theirs, params, y, weighted):
    weight = WEIGHT if weighted else None
    model = ours(gamma=GAMMA, tol=1e-8, **params).fit(X, y, sample_weight=weight)
    peer = theirs(gamma=GAMMA, tol=1e-10, **params).fit(X, y, sample_weight=weight)
    K = rbf_kernel(X, gamma=GAMMA)
    mass = weight if ours is NuSVC else None
    reached, wanted = dual(model, params, K, mass), dual(peer, params, K, mass)
    assert reached == pytest.approx(wanted, rel=1e-6, abs=1e-9)
    np.testing.assert_allclose(values(model, X), values(peer, X), atol=2e-5)
    assert model.certificate_.status is Status.CERTIFIED
    if ours is not NuSVC:
        assert model.certificate_.dual == pytest.approx(reached, rel=1e-6, abs=1e-9)
    np.testing.assert_array_equal(model.support_, peer.support_)
    assert type(model.n_iter_) is type(peer.n_iter_)


@pytest.mark.parametrize(("ours", "theirs", "params", "y"), MODELS, ids=NAMES)
def test_any_form_of_the_rows_gives_the_same_model(ours, theirs, params, y):
    dense = ours(gamma=GAMMA, tol=1e-8, **params).fit(X, y)
    rows = sparse.csr_matrix(X)
    other = ours(gamma=GAMMA, tol=1e-8, **params).fit(rows, y)
    np.testing.assert_allclose(values(other, rows), values(dense, X), atol=1e-6)
    K = rbf_kernel(X, gamma=GAMMA)
    given = ours(kernel="precomputed", tol=1e-8, **params).fit(K, y)
    np.testing.assert_allclose(values(given, K), values(dense, X), atol=1e-6)
    single = X.astype(np.float32)
    coarse = ours(gamma=GAMMA, **params).fit(single, y)
    np.testing.assert_allclose(values(coarse, single), values(dense, X), atol=2e-2)
    assert coarse.certificate_.status is Status.CERTIFIED
    with_margin = {"nu": 0.6} if ours is NuSVC else {}  # a line has none at 0.3
    linear = ours(kernel="linear", **params | with_margin).fit(X, y)
    if ours is not OneClassSVM:  # whose weights are next to nothing around the origin
        shown = X @ linear.coef_.ravel() + linear.intercept_
        np.testing.assert_allclose(shown, values(linear, X), atol=1e-9)


@pytest.mark.parametrize(("ours", "theirs", "params", "y"), MODELS, ids=NAMES)
def test_certify_judges_again_and_more_rows_than_a_square_holds_are_decomposed(
    ours, theirs, params, y
):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(1300, 3))
    target = np.where(rows[:, 0] > 0, "a", "b") if ours is NuSVC else np.sin(rows[:, 0])
    model = ours(gamma=GAMMA, cache_size=1, **params).fit(rows, target)
    assert model.certificate_.status is Status.CERTIFIED
    again = model.certify(rows, target)
    assert again.status is Status.CERTIFIED
    assert again.dual == pytest.approx(model.certificate_.dual, rel=1e-6)
    roomy = ours(gamma=GAMMA, n_jobs=1, **params).fit(rows, target)
    np.testing.assert_allclose(values(roomy, rows), values(model, rows), atol=2e-2)
    with pytest.raises(ValueError, match="certify needs the data"):
        model.certify(rows[:-1], target[:-1])


@pytest.mark.parametrize(("ours", "theirs", "params", "y"), MODELS, ids=NAMES)
def test_weights_repeat_rows_and_rows_without_one_are_left_out(ours, theirs, params, y):
    counts = np.arange(90) % 3
    y = TARGET if y is None else y
    weighted = ours(gamma=GAMMA, tol=1e-9, **params).fit(X, y, sample_weight=counts)
    repeated = ours(gamma=GAMMA, tol=1e-9, **params).fit(X.repeat(counts, axis=0), y.repeat(counts))
    np.testing.assert_allclose(values(weighted, X), values(repeated, X), atol=1e-6)
    assert (counts[weighted.support_] > 0).all()


def test_nu_is_the_share_of_errors_and_of_support_vectors():
    for nu in (0.1, 0.4):
        model = NuSVR(nu=nu, C=5.0, gamma=GAMMA, tol=1e-6).fit(X, TARGET)
        off = np.abs(TARGET - model.predict(X))
        zone = np.median(off[model.support_][off[model.support_] < off.max()])
        assert (off > off[model.support_].min() + 1e-3).mean() <= nu + 1e-9 or zone > 0
        assert len(model.support_) / len(X) >= nu - 1e-9
        alone = OneClassSVM(nu=nu, gamma=GAMMA, tol=1e-6).fit(X)
        assert (alone.decision_function(X) < -1e-5).mean() <= nu + 1e-9
        assert len(alone.support_) / len(X) >= nu - 1e-9


def test_a_nu_that_cannot_be_met_is_refused_before_the_matrix_is_evaluated():
    def never(_a, _b):
        raise AssertionError("evaluated")

    few = np.array([0] * 85 + [1] * 5)
    with pytest.raises(ValueError, match="specified nu is infeasible"):
        NuSVC(nu=0.5, kernel=never).fit(X, few)
    for bad in (0.0, 1.5, "half"):
        with pytest.raises(ValueError, match="'nu' parameter of NuSVR must be a number above 0"):
            NuSVR(nu=bad).fit(X, TARGET)


def test_bad_targets_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match="y contains NaN"):
        SVR().fit(X, np.where(TARGET > 1, np.nan, TARGET))
    with pytest.raises(ValueError, match="'epsilon' parameter of SVR must be a number at least 0"):
        SVR(epsilon=-1.0).fit(X, TARGET)


def test_a_time_limit_leaves_a_feasible_model_with_its_gap():
    for model, y in ((NuSVR(), TARGET), (NuSVC(nu=0.3), LABEL), (OneClassSVM(), None)):
        with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
            model.set_params(time_limit=0.0, gamma=GAMMA).fit(X, y)
        assert model.certificate_.status is Status.TIME_LIMIT
        assert np.isfinite(values(model, X)).all()


def test_many_classes_by_pairs():
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = NuSVC(nu=0.2, gamma=GAMMA, tol=1e-8).fit(X, y)
    peer = svm.NuSVC(nu=0.2, gamma=GAMMA, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_, peer.dual_coef_, atol=1e-4)
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))
    assert len(model.certificates_) == 3


def test_a_margin_of_nothing_is_not_certified():
    rows = RNG.normal(size=(300, 2))
    labels = rows[:, 0] + RNG.normal(size=300) > 0  # no line leaves only 5 % of each class beyond
    model = NuSVC(nu=0.1, kernel="linear")
    with pytest.warns(ConvergenceWarning, match="rho is 0 within the tolerance.*larger nu"):
        model.fit(rows, labels)
    assert model.certificate_.status is Status.STALLED
    assert model.certify(rows, labels).status is Status.STALLED
    wide = NuSVC(nu=0.9, kernel="linear").fit(rows, labels)
    assert wide.certificate_.status is Status.CERTIFIED


@pytest.mark.parametrize("model", [NuSVC(nu=0.5), NuSVR(C=3.3)], ids=["NuSVC", "NuSVR"])
def test_what_fit_certified_is_certified_again(model):
    for seed in range(20):
        random = np.random.default_rng(seed)
        rows = random.normal(size=(60, 3))
        target = rows[:, 0] + random.normal(size=60)
        y = target if isinstance(model, NuSVR) else target > 0
        model.fit(rows, y)
        again = model.certify(rows, y)
        assert again.status is model.certificate_.status is Status.CERTIFIED
        assert again.primal == pytest.approx(model.certificate_.primal, rel=1e-9)


@pytest.mark.parametrize("kind", [NuSVC, NuSVR, OneClassSVM])
def test_a_fit_that_had_no_time_claims_nothing(kind):
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = kind(time_limit=0.0).fit(X, X[:, 0] > 0)
    assert model.certificate_.gap == np.inf


def test_class_weights_do_nothing_to_nu_as_in_scikit_learn():
    uneven = {"a": 9.0, "b": 0.1}
    plain, theirs = NuSVC(nu=0.6).fit(X, LABEL), svm.NuSVC(nu=0.6, class_weight=uneven)
    weighted = NuSVC(nu=0.6, class_weight=uneven).fit(X, LABEL)
    np.testing.assert_array_equal(weighted.decision_function(X), plain.decision_function(X))
    peer = theirs.fit(X, LABEL)
    np.testing.assert_allclose(weighted.decision_function(X), peer.decision_function(X), atol=2e-2)
    np.testing.assert_array_equal(weighted.class_weight_, peer.class_weight_)
    assert weighted.certify(X, LABEL).status is Status.CERTIFIED


def test_a_single_class_is_certified_without_labels():
    model = OneClassSVM(nu=0.2).fit(X)
    assert model.certify(X).status is Status.CERTIFIED
