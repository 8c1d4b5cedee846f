"""The judge of linear models attacked, with optima known from a conic solver."""

from dataclasses import dataclass, replace
from functools import cache

import clarabel
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from maxmargin.certify import Lengths, LinearPoint, Status, judge
from maxmargin.losses import (
    Exponential,
    Hinge,
    Logistic,
    Loss,
    ModifiedHuber,
    Squared,
    SquaredHinge,
)
from maxmargin.problems import LinearProblem
from maxmargin.problems.linear import PENALTIES

LOSSES = [Hinge(), SquaredHinge(), Logistic(), Exponential(), Squared(), ModifiedHuber()]
DOUBLE = np.dtype(np.float64)
STOPS = [Status.STALLED, Status.ITERATION_LIMIT, Status.TIME_LIMIT, Status.INTERRUPTED]
seeds = st.integers(0, 2**32 - 1)
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
every_penalty = pytest.mark.parametrize("penalty", PENALTIES)
with_and_without = pytest.mark.parametrize("free", [False, True])


def point(X, theta, beta):
    return LinearPoint(theta, X @ theta, beta, X.T @ beta, DOUBLE)


@dataclass(frozen=True)
class Epigraph:
    """phi(m) as the least cost of extra variables e: e'Qe/2 + q'e with Me + Gm + h in a cone."""

    quadratic: tuple[float, ...]
    linear: tuple[float, ...]
    extra: list[list[float]]
    margin: list[float]
    constant: list[float]
    cones: tuple[object, ...]


def positive(count):
    return clarabel.NonnegativeConeT(count)


EPIGRAPHS: dict[Loss, Epigraph] = {
    # e >= 1 - m and e >= 0
    Hinge(): Epigraph((0,), (1,), [[1], [1]], [1, 0], [-1, 0], (positive(2),)),
    SquaredHinge(): Epigraph((2,), (0,), [[1], [1]], [1, 0], [-1, 0], (positive(2),)),
    Squared(): Epigraph((2,), (0,), [[1]], [1], [-1], (clarabel.ZeroConeT(1),)),
    # e1 + e2 >= 1 - m, both positive, at e1^2 + 4 e2
    ModifiedHuber(): Epigraph(
        (2, 0), (0, 4), [[1, 1], [1, 0], [0, 1]], [1, 0, 0], [-1, 0, 0], (positive(3),)
    ),
    # exp(-m) <= e
    Exponential(): Epigraph(
        (0,), (1,), [[0], [0], [1]], [-1, 0, 0], [0, 1, 0], (clarabel.ExponentialConeT(),)
    ),
    # exp(-e1) <= e2, exp(-m - e1) <= e3 and e2 + e3 <= 1, so that e1 >= log(1 + exp(-m))
    Logistic(): Epigraph(
        (0, 0, 0),
        (1, 0, 0),
        [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [-1, 0, 0], [0, 0, 0], [0, 0, 1], [0, -1, -1]],
        [0, 0, 0, -1, 0, 0, 0],
        [0, 1, 0, 0, 1, 0, 1],
        (clarabel.ExponentialConeT(), clarabel.ExponentialConeT(), positive(1)),
    ),
}


def conic(X, problem):
    """The optimal coefficients by Clarabel, and the duals of the rows.

    The variables are theta, bounds on |theta|, and each row's extra ones. A row's multipliers z of
    Me + Gm + h say how its cost changes with m, so beta = t G'z.
    """
    n, d = X.shape
    shape = EPIGRAPHS[problem.loss]
    charged = problem.penalised(np.ones(d)).size  # coefficients that a penalty may count
    weight = np.where(np.arange(d) < charged, 1.0, 0.0)
    ridge, toll = weight * (problem.penalty == "l2"), weight * (problem.penalty == "l1")
    P = sparse.diags_array(
        np.concatenate([ridge, np.zeros(d), np.kron(problem.cost, shape.quadratic)])
    )
    q = np.concatenate([np.zeros(d), toll, np.kron(problem.cost, shape.linear)])
    margins = problem.t[:, None] * X
    rows = sparse.hstack(
        [
            sparse.csr_array(np.kron(margins, np.array(shape.margin)[:, None])),
            sparse.csr_array((n * len(shape.margin), d)),
            sparse.kron(sparse.eye_array(n), np.array(shape.extra)),
        ]
    )
    one, nothing = sparse.eye_array(d), sparse.csr_array((d, P.shape[0] - 2 * d))
    bounds = [sparse.hstack([sign * one, one, nothing]) for sign in (1, -1)]
    A = -sparse.csc_array(sparse.vstack([rows, *bounds]))
    b = np.concatenate([np.tile(shape.constant, n), np.zeros(2 * d)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cones = [*shape.cones * n, positive(2 * d)]
    found = clarabel.DefaultSolver(sparse.csc_array(P), q, A, b, cones, settings).solve()
    z = np.array(found.z)[: n * len(shape.margin)].reshape(n, -1)
    return np.array(found.x)[:d], problem.t * (z @ shape.margin)


def polished(X, problem, theta):
    """Newton's method on the weights that are not 0: smooth losses end exact to the last bits."""
    kept = (theta != 0) | (problem.penalty != "l1")
    kept[-1] |= problem.free
    theta, A = theta.copy(), X[:, kept]
    ridge = problem.curvature_of_penalty(len(theta))[kept]
    pull = np.sign(theta)[kept] * (problem.penalty == "l1")
    pull[-1] *= not problem.free
    for _ in range(5):
        f = X @ theta
        gradient = ridge * theta[kept] + pull - A.T @ problem.slopes(f)
        H = (A.T * problem.curvatures(f)) @ A + np.diag(ridge)
        theta[kept] -= np.linalg.solve(H, gradient)
    return theta


@cache
def known(loss, penalty, free, seed):
    """Rows that no hyperplane separates, a problem, and its optimal coefficients and duals."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(40, 3)), np.ones(40)])
    t = np.where(X[:, 0] + rng.normal(size=40) > 0.3, 1.0, -1.0)
    problem = LinearProblem(loss, t, rng.uniform(0.1, 2, 40), penalty, free)
    theta, beta = conic(X, problem)
    if penalty == "l1":  # an interior point stays a little away from 0
        theta[np.abs(theta) < 1e-7] = 0.0
    if loss.smooth:
        theta = polished(X, problem, theta)
        beta = problem.slopes(X @ theta)
    beta = problem.balanced(problem.clipped(beta))
    return X, problem, theta, beta


def feasible(X, problem, rng, best):
    """Random duals with a value; without a penalty, on the way from 0 to the best ones."""
    if problem.penalty == "none":
        return rng.uniform() * best
    beta = problem.clipped(rng.normal(size=len(X)) * problem.cost * rng.exponential())
    return problem.balanced(np.where(rng.random(len(X)) < 0.5, beta, rng.uniform() * best))


@every_loss
@every_penalty
@with_and_without
@pytest.mark.parametrize("seed", [0, 1])
def test_the_optimum_is_certified(loss, penalty, free, seed):
    X, problem, theta, beta = known(loss, penalty, free, seed)
    tol = 1e-10 if loss.smooth else 1e-7
    verdict = judge(problem, point(X, theta, beta), tol)
    assert verdict.status is Status.CERTIFIED
    assert verdict.kkt_violation <= (1e-7 if loss.smooth else 1e-5)
    assert abs(verdict.relative_gap) <= tol
    assert verdict.precision == "float64"


@every_loss
@every_penalty
@with_and_without
@given(seed=seeds, near=st.floats(0.0, 1.0))
def test_the_gap_bounds_the_suboptimality_of_any_point(loss, penalty, free, seed, near):
    X, problem, best, dual = known(loss, penalty, free, seed % 2)
    optimum = problem.primal(best, X @ best)
    rng = np.random.default_rng(seed)
    theta = best + (1 - near) * rng.normal(size=4)
    beta = feasible(X, problem, rng, dual)
    verdict = judge(problem, point(X, theta, beta), tol=1e-3)
    slack = 1e-7 * optimum + 10 * verdict.floor
    assert verdict.dual <= optimum + slack  # weak duality
    assert verdict.primal >= optimum - slack
    assert verdict.gap >= verdict.primal - optimum - slack
    assert verdict.gap >= optimum - verdict.dual - slack


@every_loss
@every_penalty
@with_and_without
@given(seed=seeds, size=st.floats(1e-9, 1.0), tol=st.floats(1e-6, 1.0))
def test_certified_means_that_the_objective_is_near_its_least(loss, penalty, free, seed, size, tol):
    X, problem, best, dual = known(loss, penalty, free, seed % 2)
    optimum = problem.primal(best, X @ best)
    rng = np.random.default_rng(seed)
    theta = best + size * rng.normal(size=4)
    beta = (1 - size * rng.uniform()) * dual
    verdict = judge(problem, point(X, theta, beta), tol)
    larger = max(abs(verdict.primal), abs(verdict.dual))
    if verdict.status is Status.CERTIFIED:
        assert verdict.gap <= tol * larger + min(tol * larger, verdict.floor)
        assert verdict.primal - optimum <= 2 * tol * larger + 1e-7 * optimum
    else:
        assert verdict.status is Status.STALLED
        assert verdict.gap > tol * larger


# min |w|^2 / 2 + max(0, 1 - w) over one row x = 1 of t = 1: w = beta = 1, and both values are 1/2.
ONE, X1 = LinearProblem(Hinge(), np.ones(1), np.ones(1)), np.ones((1, 1))
BEST, START = (np.ones(1), np.ones(1)), (np.zeros(1), np.zeros(1))


def test_one_row_by_hand():
    verdict = judge(ONE, point(X1, *BEST), 1e-3)
    assert verdict.primal == verdict.dual == 0.5
    assert verdict.kkt_violation == 0.0
    assert 0 < verdict.floor < 1e-15
    assert verdict.status is Status.CERTIFIED
    start = judge(ONE, point(X1, *START), 1e-3)
    assert (start.primal, start.dual, start.kkt_violation) == (1.0, 0.0, 1.0)


@pytest.mark.parametrize("stopped", [None, *STOPS])
def test_only_the_point_counts_whatever_stopped_the_solver(stopped):
    assert judge(ONE, point(X1, *BEST), 1e-3, stopped).status is Status.CERTIFIED


@pytest.mark.parametrize("stopped", STOPS)
def test_a_point_short_of_the_tolerance_keeps_the_reason(stopped):
    assert judge(ONE, point(X1, *START), 1e-3, stopped).status is stopped


def test_without_a_reason_a_point_short_of_the_tolerance_has_stalled():
    assert judge(ONE, point(X1, *START), 1e-3).status is Status.STALLED


@pytest.mark.parametrize("w", [0.9, 0.99, 0.999])
def test_the_tolerance_is_of_the_larger_value(w):
    """At w = beta the primal is w^2 / 2 + 1 - w and the dual w - w^2 / 2."""
    at = point(X1, np.array([w]), np.array([w]))
    gap = w**2 / 2 + (1 - w) - (w - w**2 / 2)
    share = gap / (w**2 / 2 + 1 - w)
    assert judge(ONE, at, 1.01 * share).status is Status.CERTIFIED
    assert judge(ONE, at, 0.99 * share).status is Status.STALLED
    assert judge(ONE, at, 0.99 * share).relative_gap == pytest.approx(share)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("stopped", [None, *STOPS])
def test_coefficients_that_are_not_finite_are_a_numerical_error(value, stopped):
    broken = np.array([value])
    with np.errstate(invalid="ignore"):
        verdict = judge(ONE, point(X1, broken, np.ones(1)), 1e6, stopped)
    assert verdict.status is Status.NUMERICAL_ERROR
    hidden = LinearPoint(broken, np.ones(1), np.ones(1), np.ones(1), DOUBLE)
    with np.errstate(invalid="ignore"):
        assert judge(ONE, hidden, 1e6, stopped).status is Status.NUMERICAL_ERROR


def test_values_that_are_not_finite_are_a_numerical_error():
    verdict = judge(ONE, replace(point(X1, *BEST), values=np.array([np.nan])), 1e6)
    assert verdict.status is Status.NUMERICAL_ERROR
    assert not verdict.kkt_violation <= 1e-3


@every_penalty
@pytest.mark.parametrize("field", ["beta", "back"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_duals_that_are_not_finite_prove_nothing(penalty, field, value):
    problem = replace(ONE, penalty=penalty)
    broken = replace(point(X1, *BEST), **{field: np.array([value])})
    with np.errstate(invalid="ignore"):
        verdict = judge(problem, broken, 1e6)
    assert verdict.status is Status.STALLED


@pytest.mark.parametrize("beta", [-0.1, 1.1])
@pytest.mark.parametrize("tol", [1e-3, 1.0, 10.0])
def test_duals_without_a_dual_value_prove_nothing(beta, tol):
    verdict = judge(ONE, point(X1, np.ones(1), np.array([beta])), tol)
    assert verdict.dual == -np.inf
    assert verdict.gap == verdict.relative_gap == np.inf
    assert verdict.status is Status.STALLED


@every_loss
@every_penalty
@pytest.mark.parametrize("size", [1e-12, 1.0, 1e6])
@pytest.mark.parametrize("tol", [1e-3, 1.0, 10.0])
def test_duals_that_do_not_balance_never_certify_a_free_intercept(loss, penalty, size, tol):
    """Ten equal rows against one: at theta = 0 all slopes together look like a proof."""
    X, t = np.column_stack([np.zeros(11), np.ones(11)]), np.where(np.arange(11) < 10, 1.0, -1.0)
    problem = LinearProblem(loss, t, np.full(11, size), penalty, free=True)
    theta = np.zeros(2)
    beta = problem.slopes(X @ theta)
    verdict = judge(problem, point(X, theta, beta), tol)
    assert verdict.gap <= 1e-9 * size  # so only the equality keeps it from being certified
    assert verdict.status is Status.STALLED


def test_separable_rows_certify_no_maximum_likelihood():
    """The losses fall to 0 as w grows and their slopes with them, so no w is the best."""
    X, t = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    problem = LinearProblem(Logistic(), t, np.ones(2), "none")
    for w in (1.0, 10.0, 30.0, 100.0):
        theta = np.array([w])
        beta = problem.slopes(X @ theta)
        assert judge(problem, point(X, theta, beta), 1e-3).status is Status.STALLED
        assert judge(problem, point(X, theta, 0 * beta), 1e-3).status is Status.STALLED


@pytest.mark.parametrize("back", [0.0, 0.5, 2.0])
def test_a_lie_about_the_sums_shows_in_the_numbers_the_judge_was_given(back):
    """The judge computes from the point's fields alone; a dual above the primal is no proof."""
    verdict = judge(ONE, replace(point(X1, *BEST), back=np.array([back])), 1e-3)
    assert verdict.dual == 1 - back**2 / 2
    assert verdict.kkt_violation == abs(1 - back)
    assert verdict.status is Status.STALLED


@pytest.mark.parametrize("penalty", ["l2", "none"])
def test_rounding_excuses_at_most_as_much_again_as_the_tolerance(penalty):
    """A missed equality enters the floor; gap and floor together may be 2 tol at the most."""
    X, t = np.column_stack([[1.0, -1.0, 0.5, -0.5], np.ones(4)]), np.array([1.0, -1.0, -1.0, 1.0])
    problem = LinearProblem(Squared(), t, np.ones(4), penalty, free=True)
    A = 2 * X.T @ X + np.diag(problem.curvature_of_penalty(2))
    theta = np.linalg.solve(A, 2 * X.T @ t)
    best = judge(problem, point(X, theta, problem.slopes(X @ theta)), 1e-9)
    assert best.status is Status.CERTIFIED
    away = theta + np.array([0.0, 0.1])
    exact = point(X, away, problem.slopes(X @ theta))
    gap = judge(problem, exact, 1e-9).gap
    assert gap == pytest.approx(4 * 0.1**2)
    # A large intercept times an equality missed by a hair makes a floor above the gap.
    shaky = replace(exact, back=np.array([exact.back[0], 1e-10]), theta=np.array([away[0], 1e12]))
    verdict = judge(problem, shaky, 1e-9)
    assert verdict.floor > verdict.gap
    assert verdict.status is Status.STALLED
    size = max(abs(verdict.primal), abs(verdict.dual))
    whole = (verdict.gap + verdict.floor) / size
    assert judge(problem, shaky, 0.51 * whole).status is Status.CERTIFIED
    assert judge(problem, shaky, 0.49 * whole).status is Status.STALLED
    assert judge(problem, shaky, 0.49 * whole).rounded
    assert judge(problem, exact, 0.99 * gap / size).status is Status.STALLED


def test_the_precision_of_the_data_is_passed_on():
    single = replace(point(X1, *BEST), precision=np.dtype(np.float32))
    assert judge(ONE, single, 1e-3).precision == "float32"


def test_the_floor_bounds_what_rounding_does_to_values_far_from_the_origin():
    """Rows at 1e8: a user's w'x + b is off by 1e-8, and a large cost makes that dear."""
    rng = np.random.default_rng(0)
    X, t = rng.normal(size=(20, 3)) + 1e8, np.where(np.arange(20) % 2, 1.0, -1.0)
    theta, lengths = np.array([1.1, -2.3, 1.2]), Lengths(np.linalg.norm(X, axis=1), 0.0, 3)
    exact = (X.astype(np.longdouble) @ theta).astype(np.float64)
    for cost in (1.0, 1e6):
        problem = LinearProblem(Hinge(), t, np.full(20, cost))
        unaware = point(X, theta, np.zeros(20))
        aware = judge(problem, replace(unaware, lengths=lengths), 1e-4)
        off = abs(problem.primal(theta, exact) - aware.primal)
        assert judge(problem, unaware, 1e-4).floor < off < aware.floor < 1e-4 * aware.primal


def test_no_model_is_certified_whose_rounding_is_more_than_the_tolerance():
    best = point(X1, *BEST)
    assert judge(ONE, best, 1e-3).status is Status.CERTIFIED
    rounded = judge(ONE, replace(best, lengths=Lengths(np.full(1, 1e14), 0.0, 1)), 1e-3)
    assert rounded.status is Status.STALLED
    assert rounded.rounded
