"""The machine of Crammer and Singer: certified, and what LIBLINEAR and a conic solver find."""

import clarabel
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_classification
from sklearn.svm import LinearSVC

from maxmargin.certify import Status
from maxmargin.ops.clock import Clock
from maxmargin.ops.design import Design
from maxmargin.ops.threads import Workers
from maxmargin.problems import CrammerSinger
from maxmargin.solvers import Limits, Trace, run
from maxmargin.solvers.linear.crammer_singer import SequentialDual


def make(classes, n=200, d=6, seed=0):
    return make_classification(
        n, d, n_informative=d - 1, n_redundant=0, n_classes=classes, random_state=seed
    )


def state(y, cost=1.0):
    return CrammerSinger(y, np.broadcast_to(cost, y.shape).astype(float), int(y.max()) + 1)


def solve(X, problem, limits=None, *, constant=1.0, seed=0, n_jobs=1):
    with Workers(n_jobs) as workers:
        solver = SequentialDual(problem, Design(X, constant, workers), None, seed)
        return run(solver, limits or Limits(1e-6))


def objective(X, problem, theta, constant=1.0):
    Z = np.c_[X, np.full(len(X), constant)] if constant else X
    return problem.primal(theta, Z @ theta.T)


@pytest.mark.parametrize("storage", [np.asarray, np.asfortranarray, sparse.csr_matrix])
@pytest.mark.parametrize("constant", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_certified_with_fresh_products(classes, constant, storage):
    X, y = make(classes)
    problem = state(y)
    solution = solve(storage(X), problem, constant=constant)
    certificate, point = solution.certificate, solution.point
    assert certificate.status is Status.CERTIFIED
    assert 0 <= certificate.relative_gap <= 1e-6
    assert point.theta.shape == (classes, X.shape[1] + (constant != 0))
    assert problem.feasible(point.alpha)
    assert certificate.primal == pytest.approx(objective(X, problem, point.theta, constant))
    Z = np.c_[X, np.full(len(X), constant)] if constant else X
    np.testing.assert_allclose(point.theta, point.alpha.T @ Z, atol=1e-9)


@pytest.mark.parametrize("C", [0.05, 0.5])
@pytest.mark.parametrize("scaling", [1.0, 2.0])
@pytest.mark.parametrize("classes", [3, 4])
def test_liblinear_finds_the_same(classes, scaling, C):
    X, y = make(classes, seed=1)
    peer = LinearSVC(
        C=C,
        multi_class="crammer_singer",
        intercept_scaling=scaling,
        tol=1e-4,
        max_iter=100_000,
        random_state=0,
    ).fit(X, y)
    problem = state(y, C)
    solution = solve(X, problem, constant=scaling)
    theirs = np.c_[peer.coef_, peer.intercept_ / scaling]
    value = objective(X, problem, theirs, scaling)
    assert solution.certificate.dual <= value
    assert value == pytest.approx(solution.certificate.primal, rel=1e-5)
    assert (peer.predict(X) == solution.point.values.argmax(axis=1)).mean() >= 0.99
    np.testing.assert_allclose(solution.point.theta, theirs, atol=5e-3)


def test_two_classes_are_liblinears():
    """Which gives one row for two classes: the difference of ours."""
    X, y = make(2)
    peer = LinearSVC(multi_class="crammer_singer", tol=1e-4, max_iter=100_000, random_state=0)
    peer.fit(X, y)
    theta = solve(X, state(y)).point.theta
    np.testing.assert_allclose(
        theta[1] - theta[0], np.r_[peer.coef_[0], peer.intercept_], atol=5e-3
    )
    np.testing.assert_allclose(theta[0], -theta[1], atol=1e-9)


def conic(X, problem):
    """min |W|^2 / 2 + c'xi,  xi_i >= e_ik + (w_k - w_{y_i})'x_i for all k."""
    n, d = X.shape
    K = problem.classes
    rows, bounds = [], []
    for i, own in enumerate(problem.labels):
        for k in range(K):
            row = np.zeros((K, d))
            row[k] += X[i]
            row[own] -= X[i]
            rows.append(np.r_[row.ravel(), -np.eye(n)[i]])
            bounds.append(-float(k != own))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    P = sparse.csc_array(sparse.diags_array(np.r_[np.ones(K * d), np.zeros(n)]))
    q, A = np.r_[np.zeros(K * d), problem.cost], sparse.csc_array(np.array(rows))
    cones = [clarabel.NonnegativeConeT(len(rows))]
    solution = clarabel.DefaultSolver(P, q, A, np.array(bounds), cones, settings).solve()
    return np.array(solution.x)[: K * d].reshape(K, d), solution.obj_val


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_a_conic_solver_finds_the_same(classes, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(24, 3)), np.arange(24) % classes
    problem = state(y, rng.uniform(0.1, 3, 24))
    W, value = conic(X, problem)
    solution = solve(X, problem, Limits(1e-8), constant=0.0)
    assert solution.certificate.primal == pytest.approx(value, rel=1e-7)
    assert solution.certificate.dual == pytest.approx(value, rel=1e-7)
    np.testing.assert_allclose(solution.point.theta, W, atol=1e-3)


def test_the_dual_rises_and_bounds_the_primal_at_every_line_of_the_trace():
    X, y = load_iris(return_X_y=True)
    trace = Trace()
    solve(X, state(y), Limits(1e-5, callback=trace))
    lines = list(trace)
    assert len(lines) > 3
    assert all(line.primal >= line.dual - 1e-9 for line in lines)
    duals = np.array([line.dual for line in lines])
    assert (np.diff(duals) >= -1e-12 * np.abs(duals[1:])).all()


def test_equal_bits_for_a_seed_and_any_threads():
    X, y = make(4)
    one, again = solve(X, state(y), seed=3), solve(X, state(y), seed=3, n_jobs=2)
    np.testing.assert_array_equal(one.point.theta, again.point.theta)
    other = solve(X, state(y), seed=4)
    assert not np.array_equal(one.point.theta, other.point.theta)
    np.testing.assert_allclose(one.point.theta, other.point.theta, atol=1e-2)


def test_a_duplicate_is_a_double_cost():
    X, y = make(3, n=60)
    twice = solve(np.r_[X, X[:20]], state(np.r_[y, y[:20]]))
    weighted = solve(X, state(y, np.where(np.arange(60) < 20, 2.0, 1.0)))
    assert twice.certificate.primal == pytest.approx(weighted.certificate.primal, rel=3e-6)


def test_single_precision_is_certified_too():
    X, y = make(3)
    solution = solve(X.astype(np.float32), state(y))
    assert solution.certificate.status is Status.CERTIFIED
    assert solution.certificate.precision == "float32"


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_rows_of_zeros_without_a_constant_cost_what_they_must(storage):
    X, y = make(3, n=40)
    X[:5] = 0.0
    solution = solve(storage(X), state(y, 2.0), constant=0.0)
    assert solution.certificate.status is Status.CERTIFIED
    rest = solve(X[5:], state(y[5:], 2.0), constant=0.0)
    expected = rest.certificate.primal + 5 * 2.0
    assert solution.certificate.primal == pytest.approx(expected, rel=3e-6)


def test_limits_are_told():
    X, y = make(4)
    few = solve(X, state(y, 10.0), Limits(1e-9, max_iter=3))
    assert (few.iterations, few.certificate.status) == (3, Status.ITERATION_LIMIT)
    none = solve(X, state(y, 10.0), Limits(1e-9, max_iter=0))
    assert (none.iterations, none.certificate.status) == (0, Status.ITERATION_LIMIT)
    late = solve(X, state(y, 10.0), Limits(1e-9, clock=Clock(0.0)))
    assert late.certificate.status is Status.TIME_LIMIT
    clock = Clock()
    clock.interrupt()
    stopped = solve(X, state(y, 10.0), Limits(1e-9, clock=clock))
    assert stopped.certificate.status is Status.INTERRUPTED
    assert stopped.certificate.gap >= 0
