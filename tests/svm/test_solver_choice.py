"""SVC(solver=...): the same model by other ways, and what coordinate ascent solves instead."""

import signal
import threading
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as LibSVC  # noqa: N811
from sklearn.utils.estimator_checks import check_estimator

from maxmargin import SVC, OneVsOneClassifier, Status
from maxmargin.datasets import load_mixture
from maxmargin.kernels import RBF
from maxmargin.solvers import BOX_QP_SOLVERS, Trace
from maxmargin.solvers.box_qp import together
from maxmargin.solvers.box_qp.in_memory import InMemory
from maxmargin.solvers.box_qp.turns import SmoNewtonState

FREE_BIAS = [name for name, kind in BOX_QP_SOLVERS.items() if True in kind.biases]
every_solver = pytest.mark.parametrize("solver", BOX_QP_SOLVERS)
others = pytest.mark.parametrize("solver", FREE_BIAS[1:])

X, y = load_mixture(return_X_y=True)
X4, y4 = make_blobs(160, centers=4, cluster_std=4.0, random_state=0)


def test_a_solver_is_one_of_a_list():
    with pytest.raises(ValueError, match="'solver' parameter of SVC must be one of 'working_set'"):
        SVC(solver="simplex").fit(X, y)
    assert "working_set" in BOX_QP_SOLVERS


@others
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_two_classes_have_the_same_model(solver, kernel):
    model = SVC(kernel=kernel, tol=1e-7, solver=solver).fit(X, y)
    usual = SVC(kernel=kernel, tol=1e-7).fit(X, y)
    assert model.certificate_.status is Status.CERTIFIED
    assert model.certify(X, y).status is Status.CERTIFIED
    np.testing.assert_allclose(model.decision_function(X), usual.decision_function(X), atol=1e-5)
    lib = LibSVC(kernel=kernel, tol=1e-7).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), lib.decision_function(X), atol=1e-5)


@others
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
@pytest.mark.parametrize("cache_size", [200, 0.05])
def test_four_classes_have_the_same_model(solver, multiclass, cache_size):
    options = {"multiclass": multiclass, "tol": 1e-5}
    model = SVC(**options, solver=solver, cache_size=cache_size).fit(X4, y4)
    usual = SVC(**options).fit(X4, y4)
    assert {c.status for c in model.certificates_} == {Status.CERTIFIED}
    np.testing.assert_allclose(model.decision_function(X4), usual.decision_function(X4), atol=1e-3)
    np.testing.assert_allclose(model.intercept_, usual.intercept_, atol=1e-3)


@every_solver
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_single_precision_and_sparse_rows(solver, layout):
    model = SVC(solver=solver).fit(layout(X.astype(np.float32)), y)
    assert model.certificate_.status is Status.CERTIFIED
    assert model.certificate_.precision == "float32"


@every_solver
def test_limits_hold(solver):
    with pytest.warns(ConvergenceWarning, match="max_iter=5"):
        model = SVC(solver=solver, max_iter=5).fit(X, y)
    assert (model.n_iter_ <= 5).all()
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = SVC(solver=solver, time_limit=0).fit(X4, y4)
    assert {c.status for c in model.certificates_} == {Status.TIME_LIMIT}


@every_solver
def test_a_trace_of_every_problem_is_told_in_turn(solver):
    trace, threads = Trace(), set()

    def watch(line):
        threads.add(threading.get_ident())
        trace(line)

    SVC(solver=solver, callback=watch, n_jobs=2).fit(X4, y4)
    assert threads == {threading.get_ident()}
    starts = [line for line in trace if line.iterations == 0]
    assert len(starts) == 6
    assert all(line.gap >= -1e-9 * line.primal for line in trace)


@every_solver
def test_every_solver_makes_an_estimator(solver):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(SVC(solver=solver, tol=1e-7))


# Coordinate ascent: the kernel k + 1 and no free bias


def augmented(tol=1e-7, **options):
    return SVC(solver="coordinate_ascent", tol=tol, gamma=1.0, **options)


def test_the_intercept_is_the_sum_of_the_coefficients():
    model = augmented().fit(X, y)
    np.testing.assert_allclose(model.intercept_[0], model.dual_coef_.sum(), rtol=1e-12)
    assert abs(model.dual_coef_.sum()) > 1e-3


def test_the_certificate_is_of_the_problem_with_a_penalised_bias():
    model, t = augmented(C=2.0).fit(X, y), np.where(y == 1, 1.0, -1.0)
    beta, b = model.dual_coef_[0], model.intercept_[0]
    square = beta @ RBF(gamma=1.0)(model.support_vectors_) @ beta + b**2
    slack = np.maximum(0, 1 - t * model.decision_function(X)).sum()
    np.testing.assert_allclose(model.certificate_.primal, square / 2 + 2 * slack, rtol=1e-9)
    dual = beta @ t[model.support_] - square / 2
    np.testing.assert_allclose(model.certificate_.dual, dual, rtol=1e-9)
    assert model.certificate_.dual >= SVC(gamma=1.0, C=2.0).fit(X, y).certificate_.dual


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_it_is_the_model_of_the_kernel_plus_one(multiclass):
    """Among all problems of k + 1, with a bias or not, only this intercept is sum beta."""
    model = augmented(multiclass=multiclass).fit(X4, y4)
    again = model.certify(X4, y4)
    assert again.status is Status.CERTIFIED
    np.testing.assert_allclose(again.dual, model.certificate_.dual, rtol=1e-9)
    matrix = RBF(gamma=1.0)(X4)
    given = SVC(kernel="precomputed", solver="coordinate_ascent", tol=1e-7, multiclass=multiclass)
    given.fit(matrix, y4)
    np.testing.assert_allclose(
        given.decision_function(matrix), model.decision_function(X4), atol=1e-6
    )
    assert given.certify(matrix, y4).status is Status.CERTIFIED


def test_certify_keeps_to_the_solver_of_the_fit():
    model = augmented(tol=1e-4).fit(X, y)
    model.set_params(solver="smo")
    assert model.certify(X, y).status is Status.CERTIFIED
    model.fit(X, y)
    assert model.certify(X, y).status is Status.CERTIFIED
    np.testing.assert_allclose(model.dual_coef_.sum(), 0, atol=1e-9)


def test_certify_finds_that_the_model_was_changed():
    model = augmented().fit(X, y)
    model._dual_coef_ *= 0.5
    assert model.certify(X, y).status is not Status.CERTIFIED


def test_random_state_decides_the_order_and_hardly_the_model():
    models = [augmented(random_state=seed).fit(X, y) for seed in (None, 0, 0, 1)]
    steps = [int(model.n_iter_[0]) for model in models]
    assert steps[1] == steps[2]
    assert len(set(steps)) > 1
    assert augmented().fit(X, y).n_iter_[0] == steps[0]
    values = [model.decision_function(X) for model in models]
    np.testing.assert_array_equal(values[1], values[2])
    np.testing.assert_allclose(values[1], values[3], atol=1e-5)


def test_the_primal_of_a_linear_model_has_the_bias_as_a_weight():
    """A constant column under a kernel without a bias is the same model."""
    model = SVC(kernel="linear", solver="coordinate_ascent", tol=1e-8).fit(X, y)
    constant = np.c_[X, np.ones(len(X))]
    w = np.r_[model.coef_[0], model.intercept_]
    beta = np.zeros(len(X))
    beta[model.support_] = model.dual_coef_[0]
    np.testing.assert_allclose(w, beta @ constant, atol=1e-9)


# Problems side by side


@every_solver
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_any_number_of_threads_gives_the_same_bits(solver, multiclass):
    model = SVC(solver=solver, multiclass=multiclass)
    fits = [clone(model).set_params(n_jobs=n).fit(X4, y4) for n in (1, 2, 5)]
    fits.append(clone(model).set_params(callback=Trace()).fit(X4, y4))
    for other in fits[1:]:
        np.testing.assert_array_equal(other.dual_coef_, fits[0].dual_coef_)
        np.testing.assert_array_equal(other.intercept_, fits[0].intercept_)
        assert other.certificates_ == fits[0].certificates_


def test_small_problems_are_solved_in_several_threads(monkeypatch):
    threads, meet = set(), threading.Barrier(2, timeout=60)
    go_on = SmoNewtonState.go_on

    def met(self, *arguments):
        if len(threads) < 2:
            threads.add(threading.get_ident())
            meet.wait()
        go_on(self, *arguments)

    monkeypatch.setattr(SmoNewtonState, "go_on", met)
    monkeypatch.setattr(together, "_GROUP", 1)  # a problem each
    SVC(n_jobs=2).fit(X4, y4)
    assert len(threads) == 2


def press_ctrl_c_in_the_first_step(monkeypatch, solver, noticed):
    """Press it once; the step waits until the main thread has taken it.

    The default solver's steps on small problems are those of a group, a problem each here.
    """
    begun, lock, pause = [], threading.Lock(), threading.Event()

    def interrupted(step):
        def interrupted_step(*arguments):
            limits = arguments[-1]
            with lock:
                begun.append(arguments[0])
                first = len(begun) == 1
            if first:
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
                for _ in range(1000):
                    if noticed(limits.clock):
                        break
                    pause.wait(0.01)
            return step(*arguments)

        return interrupted_step

    steps = [(BOX_QP_SOLVERS[solver], "step")]
    if solver == "working_set":
        steps = [(together, "_in_one_call"), (InMemory, "step")]
    monkeypatch.setattr(together, "_GROUP", 1)
    for owner, name in steps:
        monkeypatch.setattr(owner, name, interrupted(getattr(owner, name)))
    return begun


@every_solver
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_that_keeps_ends_the_problems_at_work_and_the_others(
    monkeypatch, solver, n_jobs
):
    usual = signal.getsignal(signal.SIGINT)
    begun = press_ctrl_c_in_the_first_step(monkeypatch, solver, lambda clock: clock.interrupted)
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        model = SVC(solver=solver, n_jobs=n_jobs, on_interrupt="keep").fit(X4, y4)
    assert signal.getsignal(signal.SIGINT) is usual
    assert any(c.status is Status.INTERRUPTED for c in model.certificates_)
    if n_jobs == 1:
        assert len(begun) == 1
        assert {c.status for c in model.certificates_[1:]} == {Status.INTERRUPTED}


@every_solver
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_raises(monkeypatch, solver, n_jobs):
    press_ctrl_c_in_the_first_step(monkeypatch, solver, lambda clock: True)
    model = SVC(solver=solver, n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X4, y4)
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize(
    "around",
    [
        lambda model: cross_val_score(model, X4, y4, cv=2),
        lambda model: make_pipeline(StandardScaler(), model).fit(X4, y4),
        lambda model: GridSearchCV(model, {"C": [1.0, 2.0]}, cv=2).fit(X4, y4),
        lambda model: OneVsOneClassifier(model).fit(X4, y4),
    ],
    ids=["scores", "pipeline", "search", "wrapper"],
)
def test_an_interrupt_ends_what_is_around_the_fit_even_if_it_was_to_keep(monkeypatch, around):
    press_ctrl_c_in_the_first_step(monkeypatch, "working_set", lambda clock: True)
    with pytest.raises(KeyboardInterrupt):
        around(SVC(on_interrupt="keep"))


def test_an_error_in_one_of_the_problems_is_raised(monkeypatch):
    def fail(*arguments):
        raise RuntimeError("from a step")

    monkeypatch.setattr(SmoNewtonState, "go_on", fail)
    with pytest.raises(RuntimeError, match="from a step"):
        SVC(n_jobs=2).fit(X4, y4)
