"""Every solver of linear models, on a zoo of problems: the same optimum, certified.

Solvers are found in ``solvers.LINEAR_SOLVERS``; each gets the losses, penalties and intercepts that
it takes. References share nothing with them: Clarabel, an interior-point method, for losses made of
lines and parabolas; for the others Newton's method in NumPy, and with l1 SciPy's L-BFGS-B.
"""

import signal
from dataclasses import dataclass, replace
from functools import cache

import clarabel
import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from maxmargin import losses
from maxmargin.certify import Status
from maxmargin.ops.clock import Clock
from maxmargin.ops.design import Design
from maxmargin.ops.threads import Workers
from maxmargin.problems import LinearProblem
from maxmargin.solvers import LINEAR_SOLVERS, Limits, Trace, run
from maxmargin.solvers.linear.propose import LinearStart

TOL = 1e-7
SMOOTH = ("squared_hinge", "logistic", "exponential", "squared", "modified_huber")
HINGES = ("hinge", "squared_hinge")
# Shortfalls 1 - m are covered by pieces, each at so much for its square and for itself.
PIECES = {
    "hinge": [(0.0, 1.0)],
    "squared_hinge": [(1.0, 0.0)],
    "modified_huber": [(1.0, 0.0), (0.0, 4.0)],
}
MONOTONE = {
    "dual_coordinate": "dual",
    "gradient_descent": "primal",
    "primal_coordinate": "primal",
    "newton": "primal",
    "working_set": "dual",
    "projected_subgradient": "both",
    "pegasos": "both",
}
# Those whose gap falls like one over the steps are asked for what they can do.
SLOW = [name for name, kind in LINEAR_SOLVERS.items() if getattr(kind, "sublinear", False)]
COARSE = 2e-2


def tol_of(solver):
    return COARSE if solver in SLOW else TOL


@dataclass(frozen=True)
class Case:
    """Rows, a problem on them, and the constant column that stands for the intercept."""

    X: object
    problem: LinearProblem
    constant: float

    @property
    def Z(self):  # noqa: N802
        """All columns, stored densely in double precision."""
        X = self.X.toarray() if sparse.issparse(self.X) else self.X
        X = X.astype(np.float64)
        return np.c_[X, np.full(len(X), self.constant)] if self.constant else X


def labelled(X, noise, seed):
    rng = np.random.default_rng(seed)
    values = X[:, 0] + 0.5 * np.sin(3 * X[:, -1]) + noise * rng.normal(size=len(X))
    t = np.where(values > 0, 1.0, -1.0)
    t[:2] = 1, -1
    return t


def make_zoo():
    rng = np.random.default_rng(0)
    X, wide, thin = (rng.normal(size=shape) for shape in ((40, 3), (15, 30), (40, 1)))
    overlapping, side = labelled(X, 0.7, 1), np.where(X[:, 0] > 0, 1.0, -1.0)
    twice = np.r_[X[:20], X[:20], X[:5]]
    twice_t = np.r_[overlapping[:20], overlapping[:20], -overlapping[:5]]
    holes = X * (rng.uniform(size=X.shape) < 0.4)  # some rows are 0 altogether
    return {
        "overlapping": (X, overlapping, 1.0),
        "soft": (X, overlapping, 1e-2),
        "separable": (X + np.outer(side, [1.0, 0, 0]), side, 1.0),
        "separable, hard": (X + np.outer(side, [1.0, 0, 0]), side, 100.0),
        "imbalanced": (X, np.where(np.arange(40) < 3, 1.0, -1.0), 1.0),
        "duplicates": (twice, twice_t, 1.0),
        "collinear": (np.c_[X, X[:, 0] + X[:, 1], 2 * X[:, 2]], overlapping, 1.0),
        "a constant column": (np.c_[X, np.ones(40)], overlapping, 1.0),
        "more columns than rows": (wide, labelled(wide, 0.5, 2), 1.0),
        "one column": (thin, labelled(thin, 1.0, 3), 1.0),
        "a cost for each row": (X, overlapping, 10.0 ** rng.uniform(-3, 3, 40)),
        "badly scaled": (X * [1e3, 1.0, 1e-3], overlapping, 1.0),
        "rows of zeros": (holes, overlapping, 1.0),
    }


ZOO = make_zoo()
INTERCEPTS = {"none": (0.0, False), "regularised": (2.5, False), "free": (1.0, True)}
STEEP = {"badly scaled"}  # ratios of curvatures that one coordinate or one gradient cannot see
FLAT = STEEP | {"a cost for each row", "separable, hard", "more columns than rows"}
UNBOUNDED = {"separable", "separable, hard", "more columns than rows"}  # without a penalty


def in_scope(solver, loss, penalty, intercept):
    free = INTERCEPTS[intercept][1]
    return LINEAR_SOLVERS[solver].scope.takes(losses.named(loss), penalty, free)


def takes(solver, name, loss, penalty, intercept):
    """What it says it takes, but for problems on which it would need too long, or for ever."""
    if not in_scope(solver, loss, penalty, intercept) or (penalty == "none" and name in UNBOUNDED):
        return False
    if name == "a cost for each row" and loss == "hinge" and penalty == "none":
        return False  # a linear program: the duals of its corner are missed by rounding
    if solver == "gradient_descent" or solver in SLOW:
        return name not in FLAT and penalty == "l2"
    return solver in ("newton", "primal_coordinate") or name not in STEEP


def case_of(name, loss, penalty="l2", intercept="none", storage=np.asarray):
    X, t, C = ZOO[name]
    constant, free = INTERCEPTS[intercept]
    cost = np.broadcast_to(C, t.shape).astype(float)
    return Case(storage(X), LinearProblem(losses.named(loss), t, cost, penalty, free), constant)


PROBLEMS = [
    (name, loss, penalty, intercept)
    for name in ZOO
    for loss in ("hinge", *SMOOTH)
    for penalty in ("l2", "l1", "none")
    for intercept in INTERCEPTS
]
MEMBERS = [
    (solver, problem)
    for solver in LINEAR_SOLVERS
    for problem in PROBLEMS
    if takes(solver, *problem)
]
every_member = pytest.mark.parametrize(
    ("solver", "member"), MEMBERS, ids=["-".join((s, *m)) for s, m in MEMBERS]
)
every_solver = pytest.mark.parametrize("solver", LINEAR_SOLVERS)
exact_solver = pytest.mark.parametrize("solver", [s for s in LINEAR_SOLVERS if s not in SLOW])
several_steps = pytest.mark.parametrize(  # a small problem is one working set, solved in one step
    "solver", [solver for solver in LINEAR_SOLVERS if solver != "working_set"]
)


def solve(case, solver, limits=None, *, n_jobs=1, seed=0):
    with Workers(n_jobs) as workers:
        design = Design(case.X, case.constant, workers)
        limits = limits or Limits(tol_of(solver))
        return run(LINEAR_SOLVERS[solver](case.problem, design, None, seed), limits)


@cache
def solved(solver, member):
    trace, case = Trace(), case_of(*member)
    return case, solve(case, solver, Limits(tol_of(solver), 10**6, callback=trace)), trace


def typical(solver, **changes):
    """A problem that the solver takes."""
    kind = {
        "dual_coordinate": {"loss": "hinge", "intercept": "regularised"},
        "newton": {"loss": "hinge", "intercept": "free"},
        "gradient_descent": {"loss": "logistic", "intercept": "free"},
        "primal_coordinate": {"loss": "logistic", "penalty": "l1", "intercept": "free"},
        "working_set": {"loss": "hinge", "intercept": "free"},
        "projected_subgradient": {"loss": "hinge", "intercept": "regularised"},
        "pegasos": {"loss": "hinge", "intercept": "regularised"},
    }
    return case_of(**{"name": "overlapping"} | kind[solver] | changes)


# What the objectives are, written out once more.


def primal_value(case, theta):
    Z, problem = case.Z, case.problem
    weights = theta[:-1] if problem.free else theta
    size = {"l2": weights @ weights / 2, "l1": np.abs(weights).sum(), "none": 0.0}[problem.penalty]
    return size + problem.cost @ problem.loss.value(Z @ theta, problem.t)


def dual_value(case, beta):
    """With l1, of the largest multiple of beta that is feasible."""
    Z, problem = case.Z, case.problem
    v = Z.T @ beta
    bound = 1e-8 * np.abs(Z * beta[:, None]).sum(axis=0) + 1e-300
    if problem.penalty == "none":
        assert (np.abs(v) <= bound).all()
        v = 0 * v
    if problem.free:
        assert abs(v[-1]) <= bound[-1]
        v = v[:-1]
    if problem.penalty == "l1":
        beta, v = beta / max(1.0, np.abs(v).max()), 0.0 * v
    u = -beta / problem.cost
    return -problem.cost @ problem.loss.conjugate(u, problem.t) - v @ v / 2


# References


def conic(case):
    """min R + sum_p c'(s_p xi_p^2 + l_p xi_p),  sum_p xi_p >= 1 - t Z theta,  xi_p >= 0.

    With l1, R is the sum of r >= |theta|.
    """
    Z, problem = case.Z, case.problem
    n, d = Z.shape
    counted = np.r_[np.ones(d - 1), 0.0] if problem.free else np.ones(d)
    pieces = np.array(PIECES[problem.loss.name])
    P = np.r_[counted * (problem.penalty == "l2"), np.zeros(d)]
    P = np.r_[P, np.kron(2 * pieces[:, 0], problem.cost)]
    q = np.r_[np.zeros(d), counted * (problem.penalty == "l1"), np.kron(pieces[:, 1], problem.cost)]
    one, more = np.eye(d), n * len(pieces)
    A = np.vstack(
        [
            np.hstack([one, -one, np.zeros((d, more))]),
            np.hstack([-one, -one, np.zeros((d, more))]),
            np.hstack([-problem.t[:, None] * Z, np.zeros((n, d)), *[-np.eye(n)] * len(pieces)]),
            np.hstack([np.zeros((more, 2 * d)), -np.eye(more)]),
        ]
    )
    b = np.r_[np.zeros(2 * d), -np.ones(n), np.zeros(more)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    cones = [clarabel.NonnegativeConeT(len(b))]
    matrices = sparse.csc_array(np.diag(P)), q, sparse.csc_array(A), b
    return np.array(clarabel.DefaultSolver(*matrices, cones, settings).solve().x)[:d]


def newton(case):
    """Newton's method with halved steps; singular matrices by least squares."""
    Z, problem = case.Z, case.problem
    counted = problem.curvature_of_penalty(Z.shape[1])
    scale = 1 / np.sqrt((problem.cost @ Z**2) + counted + 1e-300)
    theta = np.zeros(Z.shape[1])
    for _ in range(200):
        f = Z @ theta
        g = counted * theta + Z.T @ (problem.cost * problem.loss.derivative(f, problem.t))
        curvature = problem.cost * (problem.loss.curvature(f, problem.t) + 1e-12)
        H = (Z.T * curvature) @ Z + np.diag(counted)
        step = scale * np.linalg.lstsq(scale[:, None] * H * scale, -scale * g)[0]
        length, start = 1.0, primal_value(case, theta)
        while primal_value(case, theta + length * step) > start and length > 1e-12:
            length /= 2
        theta = theta + length * step
        if -(g @ step) <= 1e-15 * start:
            break
    return theta


def bounded(case):
    """L-BFGS-B on theta = p - q with p, q >= 0, in columns of one length."""
    Z, problem = case.Z, case.problem
    scale = 1 / np.sqrt((Z**2).mean(axis=0) + 1e-300)
    Z, d = Z * scale, Z.shape[1]
    toll = np.r_[scale[:-1], 0.0] if problem.free else scale

    def value(pq):
        theta = pq[:d] - pq[d:]
        f = Z @ theta
        g = Z.T @ (problem.cost * problem.loss.derivative(f, problem.t))
        total = toll @ (pq[:d] + pq[d:]) + problem.cost @ problem.loss.value(f, problem.t)
        return total, np.r_[toll + g, toll - g]

    options = {"maxiter": 20_000, "maxfun": 50_000, "ftol": 1e-16, "gtol": 1e-10, "maxcor": 50}
    found = minimize(
        value, np.zeros(2 * d), jac=True, bounds=[(0, None)] * 2 * d, options=options
    ).x
    return scale * (found[:d] - found[d:])


@cache
def optimum(member):
    case = case_of(*member)
    loss, penalty = member[1], member[2]
    if loss in PIECES:
        return primal_value(case, conic(case))
    return primal_value(case, bounded(case) if penalty == "l1" else newton(case))


# The zoo


@every_member
def test_reaches_the_optimum_and_its_certificate_is_true(solver, member):
    case, solution, _ = solved(solver, member)
    said, best, tol = solution.certificate, optimum(member), tol_of(solver)
    assert said.status is Status.CERTIFIED, said
    assert said.primal == pytest.approx(best, rel=10 * tol)
    assert said.dual == pytest.approx(best, rel=10 * tol)
    primal = primal_value(case, solution.point.theta)
    dual = dual_value(case, solution.point.beta)
    assert said.primal == pytest.approx(primal, rel=1e-9)
    assert said.dual == pytest.approx(dual, rel=1e-7)
    assert -1e-8 * primal <= primal - dual <= 3 * tol * primal


@every_member
def test_every_line_of_the_trace_bounds_the_optimum_and_some_numbers_never_turn(solver, member):
    trace, best = solved(solver, member)[2], optimum(member)
    primal, dual, iterations = (
        np.array([getattr(line, name) for line in trace])
        for name in ("primal", "dual", "iterations")
    )
    assert (dual <= best * (1 + 1e-6)).all()
    assert (primal >= best * (1 - 1e-6)).all()
    rising = {"primal": [-primal], "dual": [dual], "both": [-primal, dual]}[MONOTONE[solver]]
    for values in rising:
        assert (np.diff(values) >= -1e-12 * np.abs(values[1:])).all()
    assert (np.diff(iterations) >= 0).all()


@pytest.mark.parametrize(("solver", "member"), MEMBERS[::3])
def test_sparse_rows_give_the_same(solver, member):
    dense, case = solved(solver, member)[1], case_of(*member, storage=sparse.csr_matrix)
    solution = solve(case, solver, Limits(tol_of(solver), 10**6))
    assert solution.certificate.status is Status.CERTIFIED
    said = pytest.approx(dense.certificate.primal, rel=3 * tol_of(solver))
    assert solution.certificate.primal == said


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "squared"])
@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_gradient_descent_finds_the_maximum_likelihood(loss, intercept):
    member = ("overlapping", loss, "none", intercept)
    case, solution, trace = solved("gradient_descent", member)
    assert solution.certificate.status is Status.CERTIFIED
    assert solution.certificate.primal == pytest.approx(optimum(member), rel=1e-6)
    assert all(line.dual <= optimum(member) * (1 + 1e-7) for line in trace)
    np.testing.assert_allclose(case.Z.T @ solution.point.beta, 0, atol=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "modified_huber"])
@pytest.mark.parametrize("name", ["separable", "more columns than rows"])
def test_without_a_penalty_a_separating_plane_costs_nothing(name, loss):
    solution = solve(case_of(name, loss, "none", "free"), "newton")
    assert solution.certificate.status is Status.CERTIFIED
    assert solution.certificate.primal == 0.0


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_separable_rows_have_no_maximum_likelihood(loss):
    """The loss falls to 0 for ever, and no step of it is called the least."""
    solution = solve(case_of("separable", loss, "none", "free"), "newton", Limits(1e-4, 100))
    assert solution.certificate.status is not Status.CERTIFIED
    assert solution.certificate.primal < 1e-6
    assert np.isfinite(solution.point.theta).all()


# Many columns: no square matrix, and conjugate gradients in the place of Cholesky


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_newton_by_conjugate_gradients(monkeypatch, loss, storage):
    monkeypatch.setattr("maxmargin.solvers.linear.small_newton._EXACT_WIDTH", 0)
    for name in ("overlapping", "more columns than rows", "rows of zeros", "imbalanced"):
        for intercept in INTERCEPTS:
            member = (name, loss, "l2", intercept)
            solution = solve(case_of(*member, storage=storage), "newton", Limits(TOL, 5000))
            assert solution.certificate.status is Status.CERTIFIED, (member, solution.certificate)
            assert solution.certificate.primal == pytest.approx(optimum(member), rel=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_newton_begins_with_a_sample_where_rows_are_plenty(loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15_000, 1))
    t = np.where(X[:, 0] + rng.normal(size=len(X)) > 0.5, 1.0, -1.0)
    case = Case(X, LinearProblem(losses.named(loss), t, np.ones(len(t)), free=True), 1.0)
    trace = Trace()
    solution = solve(case, "newton", Limits(1e-6, callback=trace))
    assert solution.certificate.status is Status.CERTIFIED
    theta = solution.point.theta
    assert primal_value(case, theta) == pytest.approx(solution.certificate.primal, rel=1e-12)
    assert dual_value(case, solution.point.beta) == pytest.approx(primal_value(case, theta), 2e-6)
    first, second = list(trace)[:2]
    assert second.primal < 0.999 * first.primal


# Weights, seeds, threads


@exact_solver
def test_a_row_given_twice_is_a_row_of_twice_the_cost(solver):
    case = typical(solver)
    rows = np.r_[np.arange(40), np.arange(8)]
    problem = case.problem
    twice = replace(
        case, X=case.X[rows], problem=replace(problem, t=problem.t[rows], cost=problem.cost[rows])
    )
    weighted = replace(case, problem=replace(problem, cost=1.0 + (np.arange(40) < 8)))
    one, two = (solve(c, solver, Limits(1e-10)) for c in (twice, weighted))
    assert one.certificate.primal == pytest.approx(two.certificate.primal, rel=1e-9)
    np.testing.assert_allclose(one.point.theta, two.point.theta, atol=1e-4)


@exact_solver
def test_flipped_labels_flip_the_coefficients(solver):
    case = typical(solver)
    flipped = replace(case, problem=replace(case.problem, t=-case.problem.t))
    one, two = (solve(c, solver, Limits(1e-10)).point.theta for c in (case, flipped))
    np.testing.assert_allclose(one, -two, atol=1e-5)


@every_solver
def test_the_seed_does_not_change_the_answer(solver):
    case = typical(solver)
    one, two, again = (solve(case, solver, seed=seed) for seed in (0, 1, 0))
    said = pytest.approx(two.certificate.primal, rel=2 * tol_of(solver))
    assert one.certificate.primal == said
    np.testing.assert_array_equal(one.point.theta, again.point.theta)


def large(solver, storage):
    """Rows enough for several blocks of dense rows and several parts of sparse ones."""
    rng = np.random.default_rng(2)
    n = 8_000 if solver == "working_set" else 20_000  # every row it looks at meets all others
    X = rng.normal(size=(n, 20)) * (rng.uniform(size=(n, 20)) < 0.5)
    t = np.where(X[:, 0] + X[:, 1] + rng.normal(size=len(X)) > 0, 1.0, -1.0)
    small = typical(solver)
    problem = replace(small.problem, t=t, cost=np.full(len(t), 1e-2))
    return Case(storage(X), problem, small.constant)


@every_solver
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_any_number_of_threads_gives_the_same_bits(solver, storage):
    case = large(solver, storage)
    one, two = (solve(case, solver, Limits(1e-3, 200), n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.point.theta, two.point.theta)
    np.testing.assert_array_equal(one.point.beta, two.point.beta)
    assert one.certificate == two.certificate
    assert one.certificate.status is Status.CERTIFIED or solver in SLOW


@every_solver
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_single_precision_rows_are_judged_in_their_precision(solver, storage):
    case = typical(solver)
    single = replace(case, X=storage(case.X.astype(np.float32)))
    solution = solve(single, solver)
    assert solution.certificate.status is Status.CERTIFIED
    assert solution.certificate.precision == "float32"
    value = primal_value(single, solution.point.theta)
    assert solution.certificate.primal == pytest.approx(value, rel=1e-6)
    wide = solve(replace(case, X=case.X.astype(np.float32).astype(np.float64)), solver)
    assert wide.certificate.primal == pytest.approx(value, rel=max(1e-5, tol_of(solver)))


# Limits


@several_steps
@pytest.mark.parametrize("most", [0, 1, 3])
def test_max_iter(solver, most):
    solution = solve(typical(solver), solver, Limits(1e-12, max_iter=most))
    assert solution.iterations == most
    assert solution.certificate.status is Status.ITERATION_LIMIT
    assert solution.certificate.gap > 0


@every_solver
def test_no_time_gives_the_starting_point(solver):
    case = typical(solver)
    solution = solve(case, solver, Limits(clock=Clock(0)))
    assert solution.certificate.status is Status.TIME_LIMIT
    assert not solution.point.theta.any()
    assert solution.certificate.primal == pytest.approx(primal_value(case, np.zeros(4)))


@every_solver
def test_a_time_limit_that_is_not_met_changes_nothing(solver):
    case = typical(solver)
    limits = (Limits(tol_of(solver), clock=Clock(seconds)) for seconds in (1e6, None))
    limited, free = (solve(case, solver, each) for each in limits)
    np.testing.assert_array_equal(limited.point.theta, free.point.theta)


@several_steps
def test_an_interrupted_clock_ends_with_the_best_point_so_far(solver):
    case, lines, clock = typical(solver), [], Clock()

    def interrupt(line):
        lines.append(line)
        if len(lines) == 2:
            clock.interrupt()

    solution = solve(case, solver, Limits(1e-13, clock=clock, callback=interrupt))
    assert solution.certificate.status is Status.INTERRUPTED
    assert len(lines) == 2  # it is looked at before every step
    assert solution.certificate.primal == pytest.approx(lines[-1].primal)
    assert solution.certificate.primal == pytest.approx(primal_value(case, solution.point.theta))
    assert solution.certificate.primal < lines[0].primal


@every_solver
def test_ctrl_c_is_passed_on(solver):
    with pytest.raises(KeyboardInterrupt):
        solve(
            typical(solver),
            solver,
            Limits(1e-13, callback=lambda _: signal.raise_signal(signal.SIGINT)),
        )


# A solver fed wrong products must never end as CERTIFIED with a wrong answer.


def honest(case, solution, best, tol):
    """Whatever was said must be true of the point, judged here from the rows."""
    said = solution.certificate
    primal = primal_value(case, solution.point.theta)
    assert said.primal == pytest.approx(primal, rel=1e-9)
    assert said.dual == pytest.approx(dual_value(case, solution.point.beta), rel=1e-7, abs=1e-9)
    assert said.dual <= best * (1 + 1e-6)
    if said.status is Status.CERTIFIED:
        assert primal <= best * (1 + 3 * tol)


def noisy(rng, product):
    return product + 0.05 * rng.normal(size=product.shape)


def shrunk(rng, product):
    return 0.9 * product


def flattered(rng, product):
    return np.sign(product)


def forgotten(rng, product):
    product = product.copy()
    product[rng.integers(0, len(product), 2)] = 0.0
    return product


CORRUPTIONS = [noisy, shrunk, flattered, forgotten]


@every_solver
@pytest.mark.parametrize("corrupt", CORRUPTIONS)
@pytest.mark.parametrize("verb", ["values", "back"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_wrong_products_within_a_step_are_never_certified(monkeypatch, solver, corrupt, verb):
    case, rng, kind = typical(solver), np.random.default_rng(7), LINEAR_SOLVERS[solver]
    best, step, right = solve(case, solver).certificate.primal, kind.step, getattr(Design, verb)

    def wrong_step(self, limits):
        with monkeypatch.context() as patch:
            patch.setattr(Design, verb, lambda design, x: corrupt(rng, right(design, x)))
            step(self, limits)

    monkeypatch.setattr(kind, "step", wrong_step)
    honest(case, solve(case, solver, Limits(1e-4, max_iter=200)), best, 1e-4)


RUNNING = {
    "dual_coordinate": ["_theta", "_best_values", "_alpha"],
    "newton": ["_values", "_theta"],
    "gradient_descent": ["_values"],
    "primal_coordinate": ["_values", "_back", "_slopes"],
    "projected_subgradient": ["_theta", "_values", "_beta"],
    "pegasos": ["_v", "_short"],
}


@pytest.mark.parametrize("corrupt", CORRUPTIONS)
@pytest.mark.parametrize(("solver", "field"), [(s, f) for s in RUNNING for f in RUNNING[s]])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_corrupted_running_numbers_are_never_certified(monkeypatch, solver, field, corrupt):
    case, rng, kind = typical(solver), np.random.default_rng(7), LINEAR_SOLVERS[solver]
    best, step = solve(case, solver).certificate.primal, kind.step

    def wrong_step(self, limits):
        step(self, limits)
        wrong = corrupt(rng, getattr(self, field))
        if field == "_alpha":  # duals out of bounds have no value at all
            wrong = np.clip(wrong, 0.0, case.problem.cost)
        setattr(self, field, wrong)

    monkeypatch.setattr(kind, "step", wrong_step)
    honest(case, solve(case, solver, Limits(1e-4, max_iter=200)), best, 1e-4)


@every_solver
def test_a_solver_that_thinks_it_is_done_is_not_believed(monkeypatch, solver):
    case = typical(solver)
    best = solve(case, solver).certificate.primal
    monkeypatch.setattr(LINEAR_SOLVERS[solver], "violation", lambda self: 0.0)
    honest(case, solve(case, solver, Limits(1e-6, max_iter=500)), best, 1e-6)


@every_solver
def test_a_solver_that_gets_nowhere_has_stalled(monkeypatch, solver):
    steps = []
    monkeypatch.setattr(LINEAR_SOLVERS[solver], "step", lambda self, limits: steps.append(1))
    assert solve(typical(solver), solver).certificate.status is Status.STALLED
    assert len(steps) < 100


# One way to start a solver


@every_solver
def test_a_problem_out_of_scope_is_refused(solver):
    kinds = [("hinge", "l2"), ("logistic", "l2"), ("squared_hinge", "l1"), ("hinge", "l1")]
    outside = [k for k in kinds if not in_scope(solver, *k, "free")]
    assert outside
    for loss, penalty in outside:
        with pytest.raises(ValueError, match=f"does not solve loss '{loss}', penalty '{penalty}'"):
            solve(case_of("overlapping", loss, penalty, "free"), solver)


@every_solver
def test_a_start_at_a_neighbouring_cost_saves_steps(solver):
    case = typical(solver)
    further = replace(case, problem=replace(case.problem, cost=1.001 * case.problem.cost))
    near = solve(case, solver).point
    with Workers(1) as workers:
        design = Design(further.X, further.constant, workers)
        begun = LinearStart(near.theta, 1.001 * near.beta)
        limits = Limits(tol_of(solver))
        warm = run(LINEAR_SOLVERS[solver](further.problem, design, begun), limits)
    cold = solve(further, solver)
    assert warm.certificate.status is Status.CERTIFIED
    # A step of working sets solves the whole small problem, from wherever it begins.
    assert warm.iterations < cold.iterations + (solver == "working_set")
    rtol = max(1e-5, tol_of(solver))
    np.testing.assert_allclose(warm.certificate.primal, cold.certificate.primal, rtol=rtol)
