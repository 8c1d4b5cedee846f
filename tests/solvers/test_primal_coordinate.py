"""Linear models with the l1 penalty: certified, and what LIBLINEAR and a conic solver find."""

from importlib.metadata import version

import clarabel
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.fixes import parse_version

from maxmargin import losses
from maxmargin.certify import Status
from maxmargin.ops.clock import Clock
from maxmargin.ops.design import Design
from maxmargin.ops.threads import Workers
from maxmargin.problems import LinearProblem
from maxmargin.solvers import Limits, Trace, run
from maxmargin.solvers.linear import primal_coordinate
from maxmargin.solvers.linear.primal_coordinate import PrimalCoordinate

# Since 1.8 scikit-learn asks for the penalty this way, and warns of the other.
NEW = parse_version(version("scikit-learn")) >= parse_version("1.8")
L1 = {"l1_ratio": 1.0} if NEW else {"penalty": "l1"}
SMOOTH = ["squared_hinge", "logistic", "modified_huber", "exponential", "squared"]


@pytest.fixture(params=["products", "columns"])
def way(request, monkeypatch):
    """Both ways to minimise a model, whatever the width."""
    if request.param == "columns":
        monkeypatch.setattr(primal_coordinate, "NARROW", 0)
    return request.param


def make(n=200, d=8, seed=0):
    X, y = make_classification(n, d, n_informative=4, n_redundant=1, flip_y=0.1, random_state=seed)
    return X, np.where(y, 1.0, -1.0)


def state(loss, t, cost=1.0, free=False):
    return LinearProblem(losses.named(loss), t, np.broadcast_to(cost, t.shape).copy(), "l1", free)


def solve(X, problem, limits=None, *, constant=1.0, seed=0, n_jobs=1):
    with Workers(n_jobs) as workers:
        solver = PrimalCoordinate(problem, Design(X, constant, workers), None, seed)
        return run(solver, limits or Limits(1e-6))


def objective(X, problem, theta, constant=1.0):
    Z = np.c_[X, np.full(len(X), constant)] if constant else X
    return problem.primal(theta, Z @ theta)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("C", [1e-4, 0.05, 1.0])
@pytest.mark.parametrize("storage", [np.asarray, np.asfortranarray, sparse.csr_matrix])
@pytest.mark.parametrize("loss", SMOOTH)
def test_certified_with_fresh_products(way, loss, storage, C, free):
    X, t = make()
    problem = state(loss, t, C, free)
    solution = solve(storage(X), problem)
    certificate, point = solution.certificate, solution.point
    assert certificate.status is Status.CERTIFIED
    assert -1e-12 <= certificate.relative_gap <= 1e-6
    assert certificate.primal == pytest.approx(objective(X, problem, point.theta))
    assert certificate.dual <= certificate.primal * (1 + 1e-12)
    np.testing.assert_allclose(point.back, np.c_[X, np.ones(len(X))].T @ point.beta, atol=1e-9)
    if C == 1e-4:
        assert not problem.penalised(point.theta).any()


@pytest.mark.parametrize("C", [0.02, 0.5])
@pytest.mark.parametrize("scaling", [1.0, 3.0])
def test_liblinears_squared_hinge(way, scaling, C):
    X, t = make(seed=1)
    peer = LinearSVC(
        C=C, penalty="l1", dual=False, intercept_scaling=scaling, tol=1e-8, max_iter=10**5
    ).fit(X, t)
    problem = state("squared_hinge", t, C)
    solution = solve(X, problem, Limits(1e-8), constant=scaling)
    theirs = np.r_[peer.coef_[0], peer.intercept_ / scaling]
    value = objective(X, problem, theirs, scaling)
    assert value == pytest.approx(solution.certificate.primal, rel=1e-7)
    np.testing.assert_allclose(solution.point.theta, theirs, atol=1e-4)


@pytest.mark.parametrize("C", [0.02, 0.5])
def test_liblinears_logistic_regression(way, C):
    X, t = make(seed=1)
    peer = LogisticRegression(C=C, solver="liblinear", tol=1e-8, max_iter=10**5, **L1).fit(X, t)
    problem = state("logistic", t, C)
    solution = solve(X, problem, Limits(1e-8))
    theirs = np.r_[peer.coef_[0], peer.intercept_]
    assert objective(X, problem, theirs) == pytest.approx(solution.certificate.primal, rel=1e-7)
    np.testing.assert_allclose(solution.point.theta, theirs, atol=1e-4)
    np.testing.assert_array_equal(solution.point.theta == 0, theirs == 0)


def conic(X, t, cost, free):
    """min sum r + sum c_i xi_i^2,  -r <= theta <= r,  xi_i >= 1 - t_i theta'x_i,  xi >= 0."""
    n, d = X.shape
    eye, none = np.eye(d), np.zeros((d, n))
    rows = [
        np.hstack([eye, -eye, none]),
        np.hstack([-eye, -eye, none]),
        np.hstack([-t[:, None] * X, np.zeros((n, d)), -np.eye(n)]),
        np.hstack([np.zeros((n, 2 * d)), -np.eye(n)]),
    ]
    sizes = np.ones(d)
    if free:
        sizes[-1] = 0.0
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    P = sparse.csc_array(sparse.diags_array(np.r_[np.zeros(2 * d), 2 * cost]))
    q, A = np.r_[np.zeros(d), sizes, np.zeros(n)], sparse.csc_array(np.vstack(rows))
    b = np.r_[np.zeros(2 * d), -np.ones(n), np.zeros(n)]
    cones = [clarabel.NonnegativeConeT(len(b))]
    solution = clarabel.DefaultSolver(P, q, A, b, cones, settings).solve()
    return np.array(solution.x)[:d], solution.obj_val


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_conic_solver_finds_the_same(way, seed, free):
    rng = np.random.default_rng(seed)
    X, cost = rng.normal(size=(30, 4)), rng.uniform(0.05, 2, 30)
    t = np.where(X[:, 0] + 0.5 * rng.normal(size=30) > 0.3, 1.0, -1.0)
    theta, value = conic(np.c_[X, np.ones(30)], t, cost, free)
    solution = solve(X, state("squared_hinge", t, cost, free), Limits(1e-9))
    assert solution.certificate.primal == pytest.approx(value, rel=1e-8)
    assert solution.certificate.dual == pytest.approx(value, rel=1e-8)
    np.testing.assert_allclose(solution.point.theta, theta, atol=1e-4)


def test_more_columns_than_rows_with_few_that_matter():
    rng = np.random.default_rng(0)
    X = sparse.random(150, 700, 0.05, format="csr", random_state=0)
    t = np.where(X @ rng.normal(size=700) > 0, 1.0, -1.0)
    for loss in ("squared_hinge", "logistic"):
        problem = state(loss, t, 2.0)
        solution = solve(X, problem)
        assert solution.certificate.status is Status.CERTIFIED
        assert 0 < (solution.point.theta != 0).sum() < 150
        dense = solve(X.toarray(), problem)
        assert dense.certificate.primal == pytest.approx(solution.certificate.primal, rel=2e-6)


def test_optimality_conditions(way):
    """v_j is the sign of a weight, and within [-1, 1] without one."""
    X, t = make()
    point = solve(X, state("logistic", t, 0.1), Limits(1e-9)).point
    v, theta = point.back, point.theta
    np.testing.assert_allclose(v[theta != 0], np.sign(theta[theta != 0]), atol=1e-4)
    assert (np.abs(v) <= 1 + 1e-7).all()
    assert (theta == 0).any()


@pytest.mark.parametrize("loss", SMOOTH)
def test_the_primal_never_rises_and_the_dual_stays_below(way, loss):
    X, y = load_breast_cancer(return_X_y=True)
    X, t = StandardScaler().fit_transform(X), np.where(y, 1.0, -1.0)
    trace = Trace()
    solution = solve(X, state(loss, t, 0.3, free=True), Limits(1e-5, callback=trace))
    assert solution.certificate.status is Status.CERTIFIED
    primal, dual = (
        np.array([getattr(line, name) for line in trace]) for name in ("primal", "dual")
    )
    assert (np.diff(primal) <= 1e-14 * primal[1:]).all()
    assert (np.diff(dual) >= 0).all()
    assert (dual <= primal[-1] * (1 + 1e-12)).all()


def test_equal_bits_for_a_seed_and_any_threads(way):
    X, t = make(3000)
    problem = state("squared_hinge", t, 0.1)
    one, again = solve(X, problem, seed=3), solve(X, problem, seed=3, n_jobs=2)
    np.testing.assert_array_equal(one.point.theta, again.point.theta)
    np.testing.assert_array_equal(one.point.beta, again.point.beta)


def test_a_duplicate_is_a_double_cost(way):
    X, t = make()
    twice = solve(np.r_[X, X[:50]], state("logistic", np.r_[t, t[:50]]), Limits(1e-9))
    weighted = solve(X, state("logistic", t, np.where(np.arange(200) < 50, 2.0, 1)), Limits(1e-9))
    np.testing.assert_allclose(twice.point.theta, weighted.point.theta, atol=1e-4)


def test_single_precision_and_columns_of_zeros(way):
    X, t = make()
    X = np.c_[X, np.zeros(200)].astype(np.float32)
    for storage in (np.asarray, sparse.csr_matrix):
        solution = solve(storage(X), state("logistic", t), constant=0.1)
        assert solution.certificate.status is Status.CERTIFIED
        assert solution.certificate.precision == "float32"
        assert solution.point.theta[-2] == 0.0
    nothing = solve(sparse.csr_matrix((200, 3)), state("squared_hinge", t, free=True))
    assert nothing.certificate.status is Status.CERTIFIED
    assert nothing.point.theta[-1] == pytest.approx(t.mean())


def test_limits_are_told(way):
    X, t = make()
    problem = state("squared_hinge", t, 10.0)
    few = solve(X, problem, Limits(1e-15, max_iter=3))
    assert (few.iterations, few.certificate.status) == (3, Status.ITERATION_LIMIT)
    none = solve(X, problem, Limits(1e-9, max_iter=0))
    assert (none.iterations, none.certificate.status) == (0, Status.ITERATION_LIMIT)
    late = solve(X, problem, Limits(1e-9, clock=Clock(0.0)))
    assert late.certificate.status is Status.TIME_LIMIT
    clock = Clock()
    clock.interrupt()
    stopped = solve(X, problem, Limits(1e-9, clock=clock))
    assert stopped.certificate.status is Status.INTERRUPTED
    assert stopped.certificate.gap >= 0


def test_other_penalties_are_refused():
    X, t = make()
    problem = LinearProblem(losses.named("logistic"), t, np.ones(len(t)), "l2")
    with pytest.raises(ValueError, match="does not solve loss 'logistic', penalty 'l2'"):
        solve(X, problem)
