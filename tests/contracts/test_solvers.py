"""Every solver of the box QP, on a zoo of problems: the optimum a conic solver finds, certified.

Solvers are found in ``solvers.BOX_QP_SOLVERS``; each gets the problems it takes, with or without a
bias. The reference is Clarabel, an interior-point method that shares nothing with them.
"""

from dataclasses import dataclass, replace
from functools import cache

import clarabel
import numpy as np
import pytest
from scipy import sparse

from maxmargin.certify import Status
from maxmargin.kernels import RBF, FromFunction, Linear, Polynomial
from maxmargin.kernels.gram import Gram
from maxmargin.ops.clock import Clock
from maxmargin.ops.threads import Workers
from maxmargin.problems import c_svc
from maxmargin.solvers import BOX_QP_SOLVERS, Limits, RowCache, Trace, run
from maxmargin.solvers.box_qp.dual_ascent import SIZE, DualAscent
from maxmargin.solvers.kernel_values.iterate import Window
from maxmargin.solvers.kernel_values.memory import Rows, arrange

TOL = 1e-7
PLENTY = 2**24


@dataclass(frozen=True)
class Case:
    """Rows, labels, the cost of each row, a kernel."""

    X: np.ndarray
    t: np.ndarray
    cost: np.ndarray
    kernel: object
    bias: bool = True

    @property
    def problem(self):
        return c_svc(self.t, self.cost, bias=self.bias)

    @property
    def gram(self):
        """Without a bias the kernel is k + 1."""
        return Gram.of(self.kernel, self.X, offset=0.0 if self.bias else 1.0)

    @property
    def K(self):  # noqa: N802
        return self.kernel(self.X).astype(np.float64) + (0.0 if self.bias else 1.0)

    def of(self, rows, cost=None):
        cost = self.cost[rows] if cost is None else cost
        return replace(self, X=self.X[rows], t=self.t[rows], cost=cost)

    def decide(self, beta, new):
        """Values at new rows, by the support vectors alone."""
        support = beta != 0
        offset = 0.0 if self.bias else 1.0
        return (self.kernel(new, self.X[support]) + offset) @ beta[support]


def labelled(X, noise, seed):
    rng = np.random.default_rng(seed)
    t = np.where(
        X[:, 0] + 0.5 * np.sin(3 * X[:, -1]) + noise * rng.normal(size=len(X)) > 0, 1.0, -1
    )
    t[:2] = 1, -1
    return t


def make_zoo():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    overlapping, separable = labelled(X, 0.7, 1), np.where(X[:, 0] > 0, 1.0, -1)
    apart = X + np.outer(separable, [1.0, 0, 0])
    twice = np.concatenate([X[:20], X[:20], X[:5]])
    twice_t = np.concatenate([overlapping[:20], overlapping[:20], -overlapping[:5]])
    rare = np.where(np.arange(50) < 4, 1.0, -1)
    few = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [2.0, 1.0]])
    few_t = np.array([1.0, -1, 1, -1, 1])
    flat = np.outer(rng.normal(size=40), [1.0, 2.0, -1.0])  # all rows on one line
    rbf, cubic = RBF(gamma=0.5), Polynomial(3, gamma=0.3, coef0=1.0)
    cases = {
        "separable linear": (apart, separable, 1e4, Linear()),
        "separable rbf": (apart, separable, 1e4, rbf),
        "overlapping linear": (X, overlapping, 1.0, Linear()),
        "overlapping rbf": (X, overlapping, 1.0, rbf),
        "overlapping rbf, hard": (X, overlapping, 1e3, rbf),
        "overlapping rbf, soft": (X, overlapping, 1e-2, rbf),
        "overlapping poly": (X, overlapping, 10.0, cubic),
        "duplicates": (twice, twice_t, 2.0, rbf),
        "imbalanced": (X, rare, 1.0, rbf),
        "a cost for each row": (X, overlapping, rng.uniform(1e-2, 10, 50), rbf),
        "on a line": (flat, labelled(flat, 1.0, 2), 1.0, Linear()),
        "two": (few[:2], few_t[:2], 1.0, Linear()),
        "three": (few[:3], few_t[:3], 1e4, Linear()),
        "five": (few, few_t, 1.0, rbf),
    }
    return {
        name: Case(X, t, np.broadcast_to(C, t.shape).astype(float), kernel)
        for name, (X, t, C, kernel) in cases.items()
    }


ZOO = make_zoo()
PAIRS = [
    (name, solver, bias)
    for solver in BOX_QP_SOLVERS
    for bias in BOX_QP_SOLVERS[solver].biases
    for name in ZOO
]
every_pair = pytest.mark.parametrize(("name", "solver", "bias"), PAIRS)
every_solver = pytest.mark.parametrize("solver", BOX_QP_SOLVERS)


def solve(case, solver, limits=None, *, budget=PLENTY, n_jobs=1, size=SIZE, **options):
    """By way of the memory a fit would arrange, or with squares of a smaller size."""
    method, gram = BOX_QP_SOLVERS[solver], case.gram
    with Workers(n_jobs) as workers:
        rows = Rows(gram, np.array([0, len(gram)]), [(0,)])
        view = arrange(rows, budget, workers, method).view((0,))
        if size < SIZE:
            view = Window(RowCache(gram, budget, workers), (0,), size)
        return run(method(case.problem, view, **options), limits or Limits(TOL))


@cache
def solved(name, solver, bias):
    trace = Trace()
    case = replace(ZOO[name], bias=bias)
    return case, solve(case, solver, Limits(TOL, callback=trace)), trace


def case_for(solver, name="overlapping rbf"):
    """A problem that the solver takes."""
    return replace(ZOO[name], bias=BOX_QP_SOLVERS[solver].biases[0])


@cache
def conic(name, bias):
    """Maximise the dual by an interior-point method."""
    case = replace(ZOO[name], bias=bias)
    problem, n = case.problem, len(case.t)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    equality = np.ones((int(bias), n))
    A = sparse.csc_matrix(np.vstack([equality, np.eye(n), -np.eye(n)]))
    b = np.concatenate([np.zeros(int(bias)), problem.upper, -problem.lower])
    cones = [clarabel.ZeroConeT(1)] * int(bias) + [clarabel.NonnegativeConeT(2 * n)]
    P = sparse.csc_matrix(np.triu(case.K))
    answer = clarabel.DefaultSolver(P, -problem.p, A, b, cones, settings).solve()
    assert str(answer.status) == "Solved"
    return -answer.obj_val


def true_violation(case, beta):
    return case.problem.violation(beta, case.problem.p - case.K @ beta)


def true_dual(case, beta):
    return case.problem.dual(beta, case.K @ beta)


@every_pair
def test_reaches_the_optimum_of_a_conic_solver(name, solver, bias):
    case, solution, _ = solved(name, solver, bias)
    assert solution.certificate.status is Status.CERTIFIED
    assert solution.certificate.dual == pytest.approx(conic(name, bias), rel=1e-6)
    assert true_dual(case, solution.point.beta) == pytest.approx(conic(name, bias), rel=1e-6)


@every_pair
def test_the_optimality_conditions_hold_at_the_point(name, solver, bias):
    case, solution, _ = solved(name, solver, bias)
    beta, problem = solution.point.beta, case.problem
    assert ((beta >= problem.lower) & (beta <= problem.upper)).all()
    if bias:
        np.testing.assert_allclose(beta.sum(), 0, atol=1e-9 * (1 + np.abs(beta).sum()))
    assert true_violation(case, beta) <= 2 * TOL
    b = problem.intercept(beta, problem.p - case.K @ beta)
    alpha, margins = beta * case.t, case.t * (case.K @ beta + b)
    assert (margins[alpha == 0] >= 1 - 1e-6).all()
    assert (margins[alpha == case.cost] <= 1 + 1e-6).all()
    free = (alpha > 0) & (alpha < case.cost)
    np.testing.assert_allclose(margins[free], 1, atol=1e-6)


@every_pair
def test_the_gap_closes(name, solver, bias):
    case, solution, _ = solved(name, solver, bias)
    beta, problem = solution.point.beta, case.problem
    primal, dual = problem.objectives(beta, case.K @ beta)
    assert -1e-12 * abs(primal) <= primal - dual <= 1e-5 * abs(primal)
    best = conic(name, bias)
    assert dual <= best * (1 + 1e-7)
    assert primal >= best * (1 - 1e-7)


@every_pair
def test_the_support_vectors_alone_give_the_decision_values(name, solver, bias):
    case, solution, _ = solved(name, solver, bias)
    beta = solution.point.beta
    values = case.decide(beta, case.X)
    scale = np.abs(case.K).max() * (1 + np.abs(beta).sum())
    np.testing.assert_allclose(values, solution.point.product, rtol=1e-9, atol=1e-12 * scale)


@every_pair
def test_weak_duality_at_every_line_of_the_trace(name, solver, bias):
    _, _, trace = solved(name, solver, bias)
    best = conic(name, bias)
    for line in trace:
        slack = 1e-9 * max(abs(line.primal), abs(line.dual))
        assert line.gap >= -slack
        assert line.dual <= best + slack + 1e-7 * best
        assert line.primal >= best - slack - 1e-7 * best


@every_pair
def test_the_dual_never_falls(name, solver, bias):
    duals = np.array([line.dual for line in solved(name, solver, bias)[2]])
    assert duals[0] == 0
    assert (np.diff(duals) >= -1e-11 * duals.max()).all()


@every_solver
def test_removing_what_is_no_support_vector_changes_nothing(solver):
    case = case_for(solver)
    beta = solve(case, solver).point.beta
    support = np.flatnonzero(beta)
    assert len(support) < len(beta)
    alone = case.of(support)
    np.testing.assert_allclose(solve(alone, solver).point.beta, beta[support], atol=1e-5)


@every_solver
def test_a_row_given_twice_is_a_row_of_twice_the_cost(solver):
    case = case_for(solver)
    rows = np.r_[np.arange(len(case.t)), np.arange(8)]
    doubled = case.cost.copy()
    doubled[:8] *= 2
    weighted = replace(case, cost=doubled)
    one, two = solve(weighted, solver), solve(case.of(rows), solver)
    assert two.certificate.dual == pytest.approx(one.certificate.dual, rel=1e-9)
    new = np.random.default_rng(5).normal(size=(20, 3))
    first, second = weighted.decide(one.point.beta, new), case.of(rows).decide(two.point.beta, new)
    np.testing.assert_allclose(first, second, atol=1e-5)


# Memory, limits, threads


@every_solver
@pytest.mark.parametrize("lines", [2, 5, 30])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_cache_of_few_lines_gives_the_same_answer(solver, lines, dtype):
    case = case_for(solver)
    case = replace(case, X=case.X.astype(dtype))
    budget = lines * len(case.t) * np.dtype(dtype).itemsize
    small, large = (solve(case, solver, Limits(1e-4), budget=b) for b in (budget, PLENTY))
    assert small.certificate.status is large.certificate.status is Status.CERTIFIED
    assert small.certificate.dual == pytest.approx(large.certificate.dual, rel=1e-5)
    np.testing.assert_allclose(case.K @ small.point.beta, small.point.product, atol=1e-4)


@every_solver
@pytest.mark.parametrize("size", [4, 10, 25])
def test_small_square_matrices_give_the_same_answer(solver, size):
    case = case_for(solver)
    small, large = solve(case, solver, size=size), solve(case, solver)
    assert small.certificate.status is Status.CERTIFIED
    assert small.certificate.dual == pytest.approx(large.certificate.dual, rel=1e-8)


@every_solver
def test_any_number_of_threads_and_every_run_gives_the_same_bits(solver):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1500, 3)).astype(np.float32)  # two pieces of columns, many of rows
    bias = BOX_QP_SOLVERS[solver].biases[0]
    case = Case(X, labelled(X, 0.5, 3), np.full(1500, 0.5), RBF(gamma=0.5), bias)
    one, two, again = (solve(case, solver, Limits(1e-2), n_jobs=n) for n in (1, 2, 2))
    np.testing.assert_array_equal(one.point.beta, two.point.beta)
    np.testing.assert_array_equal(one.point.product, two.point.product)
    assert one.certificate == two.certificate == again.certificate


@every_solver
@pytest.mark.parametrize("most", [0, 1, 17])
def test_max_iter_counts_the_smallest_steps(solver, most):
    case = case_for(solver)
    solution = solve(case, solver, Limits(TOL, max_iter=most))
    assert solution.iterations <= most
    assert solution.certificate.status is Status.ITERATION_LIMIT
    assert case.problem.feasible(solution.point.beta)


@every_solver
def test_no_time_gives_the_starting_point(solver):
    solution = solve(case_for(solver), solver, Limits(clock=Clock(0)))
    assert solution.certificate.status is Status.TIME_LIMIT
    assert not solution.point.beta.any()


@every_solver
def test_a_time_limit_that_is_not_met_changes_nothing(solver):
    case = case_for(solver)
    limited, free = (solve(case, solver, Limits(TOL, clock=Clock(s))) for s in (1e6, None))
    assert limited.certificate.status is Status.CERTIFIED
    assert limited.certificate.dual == pytest.approx(free.certificate.dual, rel=1e-9)


@every_solver
def test_an_interrupted_clock_ends_with_the_best_point_so_far(solver):
    case, lines, clock = case_for(solver, "overlapping poly"), [], Clock()

    def interrupt(line):
        lines.append(line)
        if len(lines) == 2:
            clock.interrupt()

    solution = solve(case, solver, Limits(1e-12, clock=clock, callback=interrupt))
    assert solution.certificate.status in (Status.INTERRUPTED, Status.CERTIFIED)
    assert len(lines) <= 3  # it is looked at before every step
    assert solution.certificate.dual == pytest.approx(lines[-1].dual)
    assert solution.certificate.dual > 0


@every_solver
def test_problems_it_does_not_take_are_refused(solver):
    kind = BOX_QP_SOLVERS[solver]
    for bias in {True, False} - set(kind.biases):
        with pytest.raises(ValueError, match="does not solve problems with"):
            solve(replace(ZOO["two"], bias=bias), solver)
    cache = RowCache(ZOO["five"].gram, 1, Workers(1), [0, 2, 5])
    if kind.fewest_lines > 1:
        with pytest.raises(ValueError, match="needs 2 lines of cache"):
            kind(case_for(solver, "five").problem, Window(cache, (0, 1), 5))
    if kind.whole_rows:
        part = case_for(solver, "five").of(np.arange(2)).problem
        with pytest.raises(ValueError, match="a cache of its problem's rows alone"):
            kind(part, Window(cache, (0,), 5))


@pytest.mark.parametrize("sampling", ["epochs", "uniform"])
def test_the_seed_decides_the_order_and_not_the_answer(sampling):
    case = case_for("coordinate_ascent")
    runs = ({"seed": seed, "sampling": sampling} for seed in (0, 1))
    one, two = (solve(case, "coordinate_ascent", **options) for options in runs)
    assert one.iterations != two.iterations
    assert one.certificate.dual == pytest.approx(two.certificate.dual, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "budget"),
    [
        ("overlapping linear", PLENTY),
        ("overlapping rbf", 5 * 50 * 8),  # five rows of fifty
        ("duplicates", PLENTY),
        ("a cost for each row", PLENTY),
        ("two", PLENTY),
    ],
)
def test_uniform_draws_reach_the_same_optimum(name, budget):
    """Whatever the memory: a row that comes twice in a pass is fetched once."""
    case = replace(ZOO[name], bias=False)
    one, two = (
        solve(case, "coordinate_ascent", Limits(1e-4), sampling="uniform", budget=budget)
        for _ in range(2)
    )
    assert one.certificate.status is Status.CERTIFIED
    assert one.certificate.dual == pytest.approx(conic(name, False), rel=1e-3)
    np.testing.assert_array_equal(one.point.beta, two.point.beta)


# A solver fed a wrong gradient must never end as CERTIFIED with a wrong answer.


def noise(rng, running):
    running += 0.05 * rng.normal(size=len(running))


def shrink(rng, running):
    running *= 0.9


def flatter(rng, running):
    running[:] = np.sign(running)


def forget(rng, running):
    running[rng.integers(0, len(running), 5)] = 0.0


def honest(case, solution, best):
    """Whatever was said must be true of the point, judged here on the whole matrix."""
    beta, said = solution.point.beta, solution.certificate
    assert said.dual == pytest.approx(true_dual(case, beta), rel=1e-9, abs=1e-9)
    assert said.kkt_violation == pytest.approx(max(0, true_violation(case, beta)), abs=1e-9)
    assert said.gap >= best - said.dual - 1e-6
    if said.status is Status.CERTIFIED:
        assert true_violation(case, beta) <= 1e-3 + 1e-9
        assert said.dual == pytest.approx(best, rel=1e-2)


@every_solver
@pytest.mark.parametrize("corrupt", [noise, shrink, flatter, forget])
@pytest.mark.parametrize("lines", [4, 50])
def test_a_corrupted_running_product_is_never_certified_wrongly(
    monkeypatch, solver, corrupt, lines
):
    case, rng, kind = case_for(solver), np.random.default_rng(7), BOX_QP_SOLVERS[solver]
    best, right = solve(case, solver).certificate.dual, kind.step

    def wrong(self, limits):
        right(self, limits)
        corrupt(rng, self.running)

    monkeypatch.setattr(kind, "step", wrong)
    budget = lines * len(case.t) * 8
    honest(case, solve(case, solver, Limits(max_iter=1000), budget=budget, size=20), best)


@every_solver
def test_a_wrong_gradient_is_never_certified_wrongly(monkeypatch, solver):
    case, rng, right = case_for(solver), np.random.default_rng(1), DualAscent.gradient
    best = solve(case, solver).certificate.dual
    monkeypatch.setattr(
        DualAscent, "gradient", lambda s: right(s) + 0.05 * rng.normal(size=len(case.t))
    )
    honest(case, solve(case, solver, Limits(max_iter=1000), size=20), best)


@every_solver
def test_a_solver_that_thinks_it_is_done_is_not_believed(monkeypatch, solver):
    case = case_for(solver)
    best = solve(case, solver).certificate.dual
    monkeypatch.setattr(BOX_QP_SOLVERS[solver], "violation", lambda self: 0.0)
    honest(case, solve(case, solver, Limits()), best)


def negative(x, y):
    return -3.0 - float(np.exp(-np.sum((x - y) ** 2)))


@every_solver
def test_a_kernel_that_is_not_one_ends_as_not_convex(solver):
    case = replace(case_for(solver), kernel=FromFunction(negative))
    solution = solve(case, solver, Limits())
    assert solution.certificate.status is Status.NOT_CONVEX
    assert case.problem.feasible(solution.point.beta)


@every_solver
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_kernel_values_that_are_not_finite_are_a_numerical_error(solver, value):
    class Unchecked(FromFunction):
        def _blame(self, found, x, y):
            pass

    def broken(x, y):
        return value if max(x[0], y[0]) > 0.5 else float(x @ y)

    case = replace(case_for(solver), kernel=Unchecked(broken, psd=True))
    solution = solve(case, solver, Limits())
    assert solution.certificate.status is Status.NUMERICAL_ERROR
