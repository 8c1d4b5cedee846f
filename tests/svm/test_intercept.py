"""SVC(intercept=...): a free bias, the kernel k + 1, or none on the plain kernel."""

import clarabel
import numpy as np
import pytest
from scipy import sparse

from maxmargin import SVC, LinearSVC, Status
from maxmargin.datasets import load_mixture
from maxmargin.evaluation import leave_one_out
from maxmargin.kernels import RBF
from maxmargin.storage import load_model, save_model

X, y = load_mixture(return_X_y=True)
T = np.where(y == 1, 1.0, -1.0)
K = RBF(gamma=1.0)(X)
WITHOUT = ["working_set", "osuna", "coordinate_ascent"]


def conic_dual(K, C):
    """max sum alpha - alpha'T K T alpha / 2 over the box, by an interior-point method."""
    n, settings = len(K), clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    box = sparse.csc_matrix(np.vstack([np.eye(n), -np.eye(n)])), np.r_[np.full(n, C), np.zeros(n)]
    P = sparse.csc_matrix(np.triu(T[:, None] * K * T))
    cones = [clarabel.NonnegativeConeT(2 * n)]
    return -clarabel.DefaultSolver(P, -np.ones(n), *box, cones, settings).solve().obj_val


@pytest.mark.parametrize("solver", WITHOUT)
@pytest.mark.parametrize(("intercept", "offset"), [("none", 0.0), ("regularized", 1.0)])
def test_every_solver_that_can_reaches_the_dense_optimum(solver, intercept, offset):
    model = SVC(solver=solver, intercept=intercept, gamma=1.0, C=2.0, tol=1e-6).fit(X, y)
    again = model.certify(X, y)
    assert model.certificate_.status is again.status is Status.CERTIFIED
    assert again.dual == pytest.approx(conic_dual(K + offset, 2.0), rel=1e-7)
    beta = model.dual_coef_[0]
    np.testing.assert_allclose(model.intercept_, offset * beta.sum(), atol=1e-12)
    values = K[:, model.support_] @ beta + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), values, atol=1e-9)


@pytest.mark.parametrize("solver", WITHOUT)
def test_no_bias_on_the_kernel_plus_one_is_the_regularised_bias(solver):
    options = {"solver": solver, "tol": 1e-6}
    plain = SVC(kernel=RBF(gamma=1.0) + 1, intercept="none", **options).fit(X, y)
    augmented = SVC(gamma=1.0, intercept="regularized", **options).fit(X, y)
    np.testing.assert_allclose(
        plain.decision_function(X), augmented.decision_function(X), atol=1e-4
    )
    assert plain.certificate_.dual == pytest.approx(augmented.certificate_.dual, rel=1e-9)
    assert plain.intercept_.tolist() == [0.0]


def test_without_a_bias_the_linear_model_is_that_of_explicit_features():
    kernel = SVC(kernel="linear", intercept="none", tol=1e-8).fit(X, y)
    linear = LinearSVC(loss="hinge", fit_intercept=False, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(kernel.coef_, linear.coef_, atol=1e-5)
    assert kernel.decision_function(np.zeros((1, 2))).tolist() == [0.0]


def test_the_less_the_bias_costs_the_lower_the_primal():
    """No bias is a bias of 0, and a penalised one is a free one with a penalty."""
    free, paid, none = (
        SVC(gamma=1.0, intercept=each, tol=1e-6).fit(X, y).certificate_.primal
        for each in ("free", "regularized", "none")
    )
    assert free < paid < none


def test_auto_is_what_it_was():
    usual, free = SVC(tol=1e-6).fit(X, y), SVC(tol=1e-6, intercept="free").fit(X, y)
    np.testing.assert_array_equal(usual.dual_coef_, free.dual_coef_)
    auto = SVC(solver="coordinate_ascent").fit(X, y)
    paid = SVC(solver="coordinate_ascent", intercept="regularized").fit(X, y)
    np.testing.assert_array_equal(auto.dual_coef_, paid.dual_coef_)


@pytest.mark.parametrize(
    ("intercept", "solver"),
    [("none", "smo"), ("regularized", "smo_first_order"), ("free", "coordinate_ascent")],
)
def test_a_solver_that_cannot_is_refused_with_those_that_can(intercept, solver):
    with pytest.raises(ValueError, match=rf"is not solved by solver='{solver}'; these do: '"):
        SVC(intercept=intercept, solver=solver).fit(X, y)
    with pytest.raises(ValueError, match="'intercept' parameter of SVC must be one of 'auto'"):
        SVC(intercept="maybe").fit(X, y)


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_three_classes_stored_and_read_again_are_judged_by_the_same_problem(tmp_path, multiclass):
    classes = y + (X[:, 0] > 1)
    model = SVC(intercept="none", multiclass=multiclass, tol=1e-5).fit(X, classes)
    save_model(tmp_path / "model.maxmargin", model)
    read = load_model(tmp_path / "model.maxmargin").value
    assert read.certify(X, classes).status is Status.CERTIFIED
    assert not read.intercept_.any()
    assert model.set_params(intercept="free").certify(X, classes).status is Status.CERTIFIED


def test_leave_one_out_has_no_bias_either():
    some = slice(80, 120)
    model = SVC(intercept="none", gamma=1.0)
    left_out = leave_one_out(model, X[some], y[some])
    expected = [
        model.fit(np.delete(X[some], i, 0), np.delete(y[some], i)).predict(X[some][i : i + 1])[0]
        for i in range(40)
    ]
    assert left_out.predictions.tolist() == expected


@pytest.mark.parametrize(
    "make",
    [SVC, lambda **o: LinearSVC(loss="hinge", **o)],
    ids=["kernel", "linear"],
)
def test_uniform_draws_are_a_choice_of_coordinate_solvers_alone(make):
    solver = "coordinate_ascent" if isinstance(make(), SVC) else "dual_coordinate"
    with pytest.raises(ValueError, match=f"sampling='uniform'\\) needs solver='{solver}'"):
        make(sampling="uniform").fit(X, y)
    with pytest.raises(ValueError, match="'sampling' parameter of"):
        make(sampling="often", solver=solver).fit(X, y)
    options = {"solver": solver, "tol": 1e-5, "random_state": 3}
    one, two = (make(sampling="uniform", **options).fit(X, y) for _ in range(2))
    epochs = make(**options).fit(X, y)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))
    assert one.certificate_.status is epochs.certificate_.status is Status.CERTIFIED
    assert one.certificate_.primal == pytest.approx(epochs.certificate_.primal, rel=1e-4)
    assert one.n_iter_ != epochs.n_iter_
