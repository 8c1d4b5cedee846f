"""LinearSVC: scikit-learn's parameters, attributes and errors; more than it in what is promised."""

import inspect
import pickle
import re
import signal
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC as Liblinear

from maxmargin import SVC, LinearSVC, Status
from maxmargin.solvers import Trace

ADDED = ["intercept", "solver", "time_limit", "n_jobs", "callback"]
ADDED += ["on_interrupt", "device", "sampling"]


def make(classes=2, n=150, d=5, seed=0):
    X, y = make_classification(
        n,
        d,
        n_informative=d - 1,
        n_redundant=0,
        n_classes=classes,
        n_clusters_per_class=1,
        class_sep=0.6,
        random_state=seed,
    )
    return StandardScaler().fit_transform(X), y


X, y = make()
X3, y3 = make(3)
KINDS = {
    "hinge": {"loss": "hinge"},
    "squared hinge": {"loss": "squared_hinge"},
    "l1": {"penalty": "l1"},
    "crammer_singer": {"multi_class": "crammer_singer"},
    "free hinge": {"loss": "hinge", "intercept": "free"},
    "dual coordinate": {"loss": "hinge", "solver": "dual_coordinate"},
    "gradient descent": {"solver": "gradient_descent"},
    "working set": {"loss": "hinge", "intercept": "free", "solver": "working_set"},
}
every_kind = pytest.mark.parametrize("params", KINDS.values(), ids=KINDS)


def exact(**params):
    """As precise as the solver goes: epochs over the duals of all classes gain ever less."""
    tol = 1e-7 if params.get("multi_class") else 1e-9
    return LinearSVC(**{"tol": tol, "max_iter": 100_000} | params)


def objective(model, data, labels, C=1.0, weight=1.0):
    """The primal of a model of two classes, written out."""
    t = np.where(labels == model.classes_[1], 1.0, -1.0)
    w, b = model.coef_[0], float(np.ravel(model.intercept_)[0])
    short = np.maximum(0, 1 - t * (data @ w + b))
    size = np.abs(w).sum() if model.penalty == "l1" else w @ w / 2
    if model.fit_intercept and model.intercept == "regularized":
        scaled = b / model.intercept_scaling
        size += abs(scaled) if model.penalty == "l1" else scaled**2 / 2
    return size + C * np.sum(weight * (short if model.loss == "hinge" else short**2))


# Parameters and attributes


def test_parameters_and_defaults_are_scikit_learns_and_then_some():
    ours, theirs = (dict(inspect.signature(m).parameters) for m in (LinearSVC, Liblinear))
    assert [*theirs, *ADDED] == list(ours)
    for name, parameter in theirs.items():
        assert ours[name].default == parameter.default, name
        assert ours[name].kind is parameter.kind, name
    for name in ADDED:
        assert ours[name].kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize(
    ("name", "fit_intercept"),
    [(name, f) for name in KINDS for f in (True, False) if f or name != "working set"],
)
@pytest.mark.parametrize("classes", [2, 3])
def test_attributes_have_scikit_learns_shapes(name, fit_intercept, classes):
    params, (data, labels) = KINDS[name], make(classes)
    labels = np.array(["a", "b", "c"])[labels]
    ours = LinearSVC(**params, fit_intercept=fit_intercept, max_iter=10_000).fit(data, labels)
    known = {k: v for k, v in params.items() if k not in ADDED}
    theirs = Liblinear(**known, fit_intercept=fit_intercept, max_iter=10**6).fit(data, labels)
    for attribute in ("coef_", "intercept_", "classes_"):
        one, two = (np.asarray(getattr(model, attribute)) for model in (ours, theirs))
        assert (one.shape, one.dtype) == (two.shape, two.dtype), attribute
    assert fit_intercept or ours.intercept_ == 0.0
    assert ours.n_features_in_ == 5
    assert isinstance(ours.n_iter_, int)
    assert ours.n_iter_ > 0
    values = ours.decision_function(data)
    assert values.shape == theirs.decision_function(data).shape
    np.testing.assert_allclose(
        values, np.squeeze(data @ ours.coef_.T + ours.intercept_), rtol=1e-12
    )
    assert ours.score(data, labels) >= theirs.score(data, labels) - 0.03
    expected = 1 if classes == 2 or params.get("multi_class") else 3
    assert len(ours.certificates_) == expected
    assert all(c.status is Status.CERTIFIED for c in ours.certificates_)
    assert ours.certificate_ in ours.certificates_
    assert ours.certificate_.relative_gap == max(c.relative_gap for c in ours.certificates_)


def test_names_of_columns():
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = LinearSVC().fit(frame, pd.Series(y))
    assert model.feature_names_in_.tolist() == list("abcde")
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[list("edcba")])


@pytest.mark.parametrize("scaling", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("params", [{"loss": "hinge"}, {}, {"penalty": "l1"}])
def test_intercept_scaling_is_liblinears(params, scaling):
    shifted = X + 1.0
    ours = exact(**params, intercept_scaling=scaling).fit(shifted, y)
    theirs = Liblinear(**params, intercept_scaling=scaling, tol=1e-8, max_iter=10**7)
    theirs.set_params(dual=params.get("penalty") != "l1").fit(shifted, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert ours.certificate_.primal == pytest.approx(objective(ours, shifted, y), rel=1e-9)


def test_a_large_scaling_approaches_the_free_intercept():
    shifted = X + 1.0
    free = exact(intercept="free").fit(shifted, y)
    far, near = (exact(intercept_scaling=s).fit(shifted, y).intercept_ for s in (1.0, 1e3))
    assert abs(near - free.intercept_) < 1e-3 * abs(far - free.intercept_)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_free_intercept_agrees_with_the_kernel_machine(C, classes):
    data, labels = make(classes)
    linear = LinearSVC(loss="hinge", intercept="free", C=C, tol=1e-12).fit(data, labels)
    kernel = SVC(kernel="linear", C=C, tol=1e-9, multiclass="ovr").fit(data, labels)
    new = np.random.default_rng(1).normal(size=(50, 5))
    np.testing.assert_allclose(
        linear.decision_function(new), kernel.decision_function(new), atol=1e-6
    )
    if classes == 2:
        np.testing.assert_allclose(linear.coef_, kernel.coef_, atol=1e-6)
        np.testing.assert_allclose(linear.intercept_, kernel.intercept_, atol=1e-6)
        assert linear.certificate_.primal == pytest.approx(kernel.certificate_.primal, rel=1e-6)


# Weights


@every_kind
def test_a_row_of_weight_two_is_a_row_given_twice(params):
    weight = np.where(np.arange(len(X)) < 40, 2.0, 1.0)
    rows = np.r_[np.arange(len(X)), np.arange(40)]
    weighted, repeated = exact(**params).fit(X, y, weight), exact(**params).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=2e-3)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, atol=2e-3)
    value = repeated.certificate_.primal
    assert weighted.certificate_.primal == pytest.approx(value, rel=2 * weighted.tol)


@every_kind
@pytest.mark.parametrize("none", [0.0, -1.0])
def test_rows_without_a_positive_weight_are_left_out(params, none):
    weight = np.where(np.arange(len(X)) < 100, 1.0, none)
    weighted = LinearSVC(**params, max_iter=10_000).fit(X, y, weight)
    without = LinearSVC(**params, max_iter=10_000).fit(X[:100], y[:100])
    np.testing.assert_array_equal(weighted.coef_, without.coef_)


def test_a_class_without_weight_keeps_its_place_among_three():
    model = LinearSVC().fit(X3, y3, sample_weight=np.where(y3 == 2, 0.0, 1.0))
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.coef_.shape == (3, 5)
    assert set(model.predict(X3)) <= {0, 1}


@pytest.mark.parametrize("kind", [list, tuple, pd.Series, np.float32])
def test_weights_of_any_kind(kind):
    weight = np.linspace(0.5, 2, len(X))
    expected = LinearSVC().fit(X, y, weight).coef_
    np.testing.assert_allclose(LinearSVC().fit(X, y, kind(weight)).coef_, expected, rtol=1e-5)


def test_one_weight_for_all_rows_is_a_factor_of_c():
    np.testing.assert_allclose(
        LinearSVC().fit(X, y, np.full(len(X), 3.0)).coef_, LinearSVC(C=3.0).fit(X, y).coef_
    )


@every_kind
def test_class_weights_are_factors_of_c(params):
    by_class = LinearSVC(**params, class_weight={1: 3.0}, max_iter=10_000).fit(X, y)
    by_row = LinearSVC(**params, max_iter=10_000).fit(X, y, np.where(y == 1, 3.0, 1.0))
    np.testing.assert_array_equal(by_class.coef_, by_row.coef_)


def test_balanced_classes_weigh_the_same():
    rare = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:15]]
    counts = np.bincount(y[rare])
    weight = (len(rare) / (2 * counts))[y[rare]]
    balanced = LinearSVC(class_weight="balanced").fit(X[rare], y[rare])
    np.testing.assert_allclose(balanced.coef_, LinearSVC().fit(X[rare], y[rare], weight).coef_)
    theirs = Liblinear(class_weight="balanced", tol=1e-8, max_iter=10**6).fit(X[rare], y[rare])
    np.testing.assert_allclose(balanced.coef_, theirs.coef_, atol=1e-4)


# Storage


@every_kind
@pytest.mark.parametrize(
    "storage",
    [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.coo_matrix, np.asfortranarray],
)
def test_sparse_rows_give_the_same_model(params, storage):
    holes = np.where(np.abs(X) > 0.5, X, 0.0)
    dense, other = (exact(**params).fit(data, y) for data in (holes, storage(holes)))
    np.testing.assert_allclose(dense.coef_, other.coef_, atol=2e-3)
    assert dense.certificate_.primal == pytest.approx(other.certificate_.primal, rel=3 * dense.tol)
    np.testing.assert_allclose(
        other.decision_function(holes), other.decision_function(storage(holes)), rtol=1e-12
    )


def test_sparse_rows_out_of_order_and_with_values_given_twice():
    rows = sparse.csr_matrix(
        (np.array([1.0, 2.0, -1.0, 0.5, 0.5]), np.array([1, 0, 0, 2, 2]), np.array([0, 2, 3, 5]))
    )
    labels = [0, 1, 1]
    for params in KINDS.values():
        one, two = (exact(**params).fit(data, labels) for data in (rows, rows.toarray()))
        np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-5)
    assert not rows.has_canonical_format


@every_kind
def test_single_precision(params):
    single, double = (LinearSVC(**params, max_iter=10_000).fit(X.astype(t), y) for t in "fd")
    assert single.certificate_.status is Status.CERTIFIED
    assert single.certificate_.precision == "float32"
    assert single.certificate_.primal == pytest.approx(double.certificate_.primal, rel=2e-4)
    value = single.decision_function(X.astype(np.float32))
    np.testing.assert_allclose(value, double.decision_function(X), atol=0.05)


def test_read_only_rows_are_left_alone():
    frozen, labels = X.copy(), y.copy()
    frozen.flags.writeable = labels.flags.writeable = False
    for params in KINDS.values():
        LinearSVC(**params, max_iter=10_000).fit(frozen, labels)
    np.testing.assert_array_equal(frozen, X)


# The l1 penalty, and all classes at once


def test_l1_leaves_weights_out_and_the_smaller_c_the_more():
    rng = np.random.default_rng(0)
    noise = np.c_[X, rng.normal(size=(len(X), 40))]
    counts = [
        np.count_nonzero(LinearSVC(penalty="l1", C=C, dual=False).fit(noise, y).coef_)
        for C in (1e-4, 0.02, 0.1, 1.0)
    ]
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert 0 < counts[1] < 10
    assert np.count_nonzero(LinearSVC().fit(noise, y).coef_) == 45


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_crammer_and_singer_is_liblinears(classes, intercept):
    data, labels = make(classes)
    params = {"multi_class": "crammer_singer", "C": 0.1, "fit_intercept": intercept}
    ours = exact(**params, tol=1e-6).fit(data, labels)
    theirs = Liblinear(**params, tol=1e-6, max_iter=10**6).fit(data, labels)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    agree = ours.predict(data) == theirs.predict(data)
    assert agree.mean() >= 0.98


def test_two_classes_at_once_are_the_hinge_with_twice_the_cost():
    """w1 - w0 = w pays |w|^2 / 4 for its size, half of what the hinge's machine pays."""
    joint = exact(multi_class="crammer_singer", tol=1e-8).fit(X, y)
    hinge = exact(loss="hinge", C=2.0).fit(X, y)
    np.testing.assert_allclose(joint.coef_, hinge.coef_, atol=1e-3)
    assert 2 * joint.certificate_.primal == pytest.approx(hinge.certificate_.primal, rel=1e-6)


# What can be combined


REFUSED = {
    "l1 hinge": {"penalty": "l1", "loss": "hinge"},
    "l1 hinge primal": {"penalty": "l1", "loss": "hinge", "dual": False},
    "l1 dual": {"penalty": "l1", "dual": True},
    "hinge primal": {"loss": "hinge", "dual": False},
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_liblinear_refuses_is_refused_in_its_words(name):
    with pytest.raises(ValueError, match="Unsupported set of arguments") as ours:
        LinearSVC(**REFUSED[name]).fit(X, y)
    with pytest.raises(ValueError, match="Unsupported set of arguments") as theirs:
        Liblinear(**REFUSED[name]).fit(X, y)
    common = str(theirs.value).split("Parameters:", maxsplit=1)[1].split("dual", maxsplit=1)[0]
    assert common in str(ours.value)


@pytest.mark.parametrize(
    "params",
    [
        {"solver": "primal_coordinate"},
        {"penalty": "l1", "solver": "newton"},
        {"penalty": "l1", "solver": "dual_coordinate"},
        {"loss": "hinge", "solver": "gradient_descent"},
        {"intercept": "free", "solver": "dual_coordinate"},
        {"intercept": "free", "multi_class": "crammer_singer"},
    ],
    ids=repr,
)
def test_our_own_combinations_that_make_no_sense(params):
    with pytest.raises(ValueError, match=r"Unsupported set|has no free intercept") as caught:
        LinearSVC(**params).fit(X, y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("solver", ["projected_subgradient", "pegasos"])
@pytest.mark.parametrize("params", [{}, {"loss": "hinge", "intercept": "free"}], ids=repr)
def test_subgradients_say_what_they_need(solver, params):
    needed = r"needs loss='hinge', penalty='l2' and intercept='regularized'\. Got .*\.$"
    with pytest.raises(ValueError, match=needed):
        LinearSVC(solver=solver, **params).fit(X, y)


@pytest.mark.parametrize("dual", [True, False, "auto", np.True_, np.False_])
def test_dual_changes_the_solver_and_not_the_answer(dual):
    model = exact(dual=dual).fit(X, y)
    np.testing.assert_allclose(model.coef_, exact().fit(X, y).coef_, atol=1e-4)


@pytest.mark.parametrize("solver", ["newton", "dual_coordinate", "gradient_descent"])
def test_every_solver_gives_the_same_model(solver):
    model = exact(solver=solver).fit(X3, y3)
    np.testing.assert_allclose(model.coef_, exact().fit(X3, y3).coef_, atol=1e-4)


def test_many_columns_and_few():
    """More columns than Newton's square matrix is worth: coordinates in the dual, or gradients."""
    rng = np.random.default_rng(0)
    wide = sparse.random(80, 2000, 0.05, format="csr", random_state=0)
    labels = np.where(wide @ rng.normal(size=2000) > 0, 1, 0)
    for loss in ("hinge", "squared_hinge"):
        ours = exact(loss=loss, tol=1e-6).fit(wide, labels)
        theirs = Liblinear(loss=loss, tol=1e-8, max_iter=10**6).fit(wide, labels)
        assert ours.certificate_.status is Status.CERTIFIED
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
        free = exact(loss=loss, intercept="free", tol=1e-6).fit(wide, labels)
        assert free.certificate_.status is Status.CERTIFIED


# What a fitted model does


@every_kind
def test_sparse_coefficients(params):
    model = LinearSVC(**params, max_iter=10_000).fit(X, y)
    values, coef = model.decision_function(X), model.coef_.copy()
    assert model.sparsify() is model
    assert sparse.issparse(model.coef_)
    np.testing.assert_allclose(model.decision_function(X), values, rtol=1e-12)
    np.testing.assert_allclose(model.decision_function(sparse.csr_matrix(X)), values, rtol=1e-12)
    assert model.certify(X, y).status is Status.CERTIFIED
    assert sparse.issparse(model.coef_)  # which is only looked at
    assert model.densify() is model
    np.testing.assert_array_equal(model.coef_, coef)


@every_kind
@pytest.mark.parametrize("classes", [2, 3])
def test_certify_judges_this_model_on_these_data(params, classes):
    data, labels = make(classes)
    model = LinearSVC(**params, max_iter=10_000).fit(data, labels)
    before = model.certificate_
    again = model.certify(data, labels)
    assert again.status is Status.CERTIFIED
    assert again.precision == "float64"
    assert model.certificate_ is before
    if params.get("multi_class") or classes == 2:
        assert again.primal == pytest.approx(before.primal, rel=1e-9)
    model.coef_ = model.coef_ + 0.5
    spoilt = model.certify(data, labels)
    assert spoilt.status is Status.STALLED
    assert spoilt.relative_gap > 0.01


def test_certify_asks_for_the_weights_of_the_fit_and_the_right_labels():
    weight = np.linspace(0.1, 3, len(X))
    model = LinearSVC(tol=1e-6).fit(X, y, weight)
    assert model.certify(X, y, weight).status is Status.CERTIFIED
    assert model.certify(X, y).status is Status.STALLED
    with pytest.raises(ValueError, match="certify needs the data the model was fitted to"):
        model.certify(X[:5], y)
    with pytest.raises(ValueError, match=r"labels among \[0, 1\]"):
        model.certify(X, y + 5)


@every_kind
def test_pickle_and_clone(params):
    model = LinearSVC(**params, max_iter=10_000).fit(X3, y3)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X3), model.decision_function(X3))
    assert again.certificate_ == model.certificate_
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        clone(model).predict(X3)


@every_kind
def test_the_same_bits_every_time_and_for_any_threads(params):
    models = [
        LinearSVC(**params, random_state=7, n_jobs=n, max_iter=10_000).fit(X3, y3) for n in (1, 2)
    ]
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)
    assert models[0].certificates_ == models[1].certificates_
    again = models[0].fit(X3, y3)
    np.testing.assert_array_equal(again.coef_, models[1].coef_)


def test_random_state():
    """Orders differ and end near the same optimum; None is always the same order."""
    params = {"loss": "hinge", "solver": "dual_coordinate", "max_iter": 10_000}
    seeds = [0, 1, np.random.RandomState(0), None, None]
    coefs = [LinearSVC(**params, random_state=seed).fit(X, y).coef_ for seed in seeds]
    assert not np.array_equal(coefs[0], coefs[1])
    np.testing.assert_allclose(coefs[0], coefs[1], atol=0.02)
    np.testing.assert_array_equal(coefs[0], coefs[2])
    np.testing.assert_array_equal(coefs[3], coefs[4])


def test_model_selection_and_pipelines():
    search = GridSearchCV(make_pipeline(StandardScaler(), LinearSVC()), {"linearsvc__C": [0.1, 1]})
    assert search.fit(*load_iris(return_X_y=True)).best_score_ > 0.9


# Limits and warnings


@pytest.mark.parametrize("params", [{"loss": "hinge"}, {"penalty": "l1"}, {"solver": "newton"}])
@pytest.mark.parametrize("classes", [2, 3])
def test_too_few_steps_are_told(params, classes):
    data, labels = make(classes)
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT: max_iter was reached") as told:
        model = LinearSVC(**params, max_iter=1, tol=1e-13).fit(data, labels)
    assert len(told) == 1
    assert told[0].filename == __file__
    assert model.certificate_.status is Status.ITERATION_LIMIT
    assert model.certificate_.gap > 0
    assert model.n_iter_ == 1


def test_no_steps_at_all_give_the_model_that_knows_nothing():
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        model = LinearSVC(max_iter=0).fit(X, y)
    assert not model.coef_.any()
    assert model.certificate_.primal == pytest.approx(len(X))


def test_no_time_is_told():
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT: time_limit was reached"):
        model = LinearSVC(time_limit=0.0).fit(X3, y3)
    assert {c.status for c in model.certificates_} == {Status.TIME_LIMIT}


def interrupt(progress):
    if progress.iterations == 1:
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_raises_and_leaves_the_model_as_it_was():
    model = LinearSVC(loss="hinge", callback=interrupt, solver="newton")
    with pytest.raises(KeyboardInterrupt):
        model.fit(X3, y3)
    assert not hasattr(model, "coef_")


def test_ctrl_c_can_end_all_classes_with_the_best_so_far():
    usual, model = signal.getsignal(signal.SIGINT), LinearSVC(loss="hinge", solver="newton")
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        model.set_params(callback=interrupt, on_interrupt="keep").fit(X3, y3)
    assert signal.getsignal(signal.SIGINT) is usual
    assert [c.status for c in model.certificates_[1:]] == [Status.INTERRUPTED] * 2


def test_progress_is_told(capsys):
    trace = Trace()
    model = LinearSVC(loss="hinge", callback=trace, verbose=1).fit(X, y)
    assert len(capsys.readouterr().out.splitlines()) == len(trace) > 1
    assert all(line.gap >= -1e-12 * abs(line.primal) for line in trace)  # but for rounding
    assert list(trace)[-1].primal == pytest.approx(model.certificate_.primal, rel=1e-6)


@every_kind
def test_data_beyond_the_doubles_are_never_certified(params):
    with pytest.warns(ConvergenceWarning, match=r"NUMERICAL_ERROR|STALLED|ITERATION_LIMIT"):
        model = LinearSVC(**params).fit(X * 1e200, y)
    assert model.certificate_.status is not Status.CERTIFIED
    assert np.isfinite(model.coef_).all()


def test_a_failed_fit_leaves_the_last_model_alone():
    model = LinearSVC().fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.where(X > 2, np.nan, X), y3)
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.classes_.tolist() == [0, 1]


# Bad input: the type of error that scikit-learn raises, in one helpful sentence.


def spoilt(value):
    bad = X.copy()
    bad[1, 1] = value
    return bad


FITS = {
    "nan": ({}, spoilt(np.nan), y),
    "inf": ({}, spoilt(np.inf), y),
    "nan in a sparse matrix": ({}, sparse.csr_array(spoilt(np.nan)), y),
    "nan in y": ({}, X, np.where(y == 1, np.nan, 0.0)),
    "one class": ({}, X, np.ones(len(X))),
    "continuous target": ({}, X, np.linspace(0.1, 1, len(X))),
    "no target": ({}, X, None),
    "fewer labels": ({}, X, y[:3]),
    "one dimension": ({}, X[:4, 0], y[:4]),
    "two columns of labels": ({}, X, np.stack([y, 1 - y], axis=1)),
    "strings": ({}, X.astype(str).astype(object) + "a", y),
    "complex numbers": ({}, X[:4, :2] + 1j, y[:4]),
    "no rows": ({}, X[:0], y[:0]),
    "no columns": ({}, X[:, :0], y),
    "penalty": ({"penalty": "l3"}, X, y),
    "no penalty": ({"penalty": None}, X, y),
    "loss": ({"loss": "logistic"}, X, y),
    "dual": ({"dual": "sometimes"}, X, y),
    "zero tol": ({"tol": 0.0}, X, y),
    "negative C": ({"C": -1.0}, X, y),
    "zero C": ({"C": 0.0}, X, y),
    "C as a string": ({"C": "1"}, X, y),
    "multi_class": ({"multi_class": "ovo"}, X, y),
    "fit_intercept": ({"fit_intercept": "yes"}, X, y),
    "intercept_scaling": ({"intercept_scaling": 0.0}, X, y),
    "negative max_iter": ({"max_iter": -1}, X, y),
    "fraction of a step": ({"max_iter": 1.5}, X, y),
    "class_weight name": ({"class_weight": "fair"}, X, y),
    "class_weight number": ({"class_weight": 2.0}, X, y),
    "random_state": ({"random_state": "chance"}, X, y),
}
OURS = {
    "intercept": ({"intercept": "both"}, "'intercept' parameter of LinearSVC must be one of"),
    "solver": ({"solver": "magic"}, "'solver' parameter of LinearSVC must be one of"),
    "time_limit": ({"time_limit": -1.0}, "'time_limit' parameter of LinearSVC must be a number"),
    "n_jobs": ({"n_jobs": 0}, "n_jobs == 0 has no meaning"),
}


def error_of(action):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            action()
        except Exception as error:
            return error
    raise AssertionError("nothing was raised")


def same_type_and_helpful(ours, theirs):
    builtin = next(kind for kind in type(theirs).__mro__ if kind.__module__ == "builtins")
    assert isinstance(ours, builtin), (ours, theirs)
    message = str(ours)
    assert 10 < len(message) < 400, message
    assert "\n" not in message.strip() or message.startswith(("Expected 2D", "Complex data"))
    assert "maxmargin." not in message


@pytest.mark.parametrize("name", FITS)
def test_fit_refuses_what_scikit_learn_refuses(name):
    params, data, labels = FITS[name]
    ours, theirs = (
        error_of(lambda m=model: m(**params).fit(data, labels)) for model in (LinearSVC, Liblinear)
    )
    same_type_and_helpful(ours, theirs)


@pytest.mark.parametrize(
    "weight",
    [np.zeros(len(X)), -np.ones(len(X)), 1.0 * (y == 1), np.ones(3), np.ones((len(X), 1)), ["a"]],
    ids=["zero", "negative", "one class", "too few", "two dimensions", "strings"],
)
def test_fit_refuses_weights_that_leave_nothing_to_learn_from(weight):
    """scikit-learn fits some of them to something."""
    with pytest.raises(ValueError, match=r"weight|convert") as caught:
        LinearSVC().fit(X, y, sample_weight=weight)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", OURS)
def test_our_own_parameters(name):
    params, message = OURS[name]
    with pytest.raises(ValueError, match=re.escape(message)):
        LinearSVC(**params).fit(X, y)


@pytest.mark.parametrize("method", ["predict", "decision_function"])
@pytest.mark.parametrize("rows", [X[:, :1], spoilt(np.nan), X[0], [["a"] * 5], X[:0]], ids=range(5))
def test_a_fitted_model_refuses_the_same_rows(method, rows):
    ours, theirs = (
        error_of(lambda m=model: getattr(m().fit(X, y), method)(rows))
        for model in (LinearSVC, Liblinear)
    )
    same_type_and_helpful(ours, theirs)


@pytest.mark.parametrize("method", ["predict", "decision_function", "sparsify", "densify"])
def test_an_unfitted_model_says_so(method):
    rows = [X] if method in ("predict", "decision_function") else []
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(LinearSVC(), method)(*rows)
