import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from maxmargin.losses import (
    Exponential,
    Hinge,
    Logistic,
    ModifiedHuber,
    Squared,
    SquaredHinge,
)
from maxmargin.problems import LinearProblem
from maxmargin.problems.linear import PENALTIES

LOSSES = [Hinge(), SquaredHinge(), Logistic(), Exponential(), Squared(), ModifiedHuber()]
SMOOTH = [loss for loss in LOSSES if loss.smooth]
seeds = st.integers(0, 2**32 - 1)
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
every_penalty = pytest.mark.parametrize("penalty", PENALTIES)
with_and_without = pytest.mark.parametrize("free", [False, True])


def case(seed, loss, penalty, free, n=12, d=3):
    """Random rows with a constant last column, a problem, and duals where the dual is finite."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, d)), np.ones(n)])
    t = np.where(np.arange(n) % 2, -1.0, 1.0)
    problem = LinearProblem(loss, t, rng.uniform(0.1, 3, n), penalty, free)
    beta = problem.clipped(3 * rng.normal(size=n) * (rng.random(n) < 0.8))
    if penalty == "none":  # v = 0: equal rows in both classes, with duals that cancel
        X[1::2] = X[::2]
        least = np.minimum(problem.cost[::2], problem.cost[1::2])
        beta = t * np.repeat(least * rng.random(n // 2), 2)
    return X, problem, problem.balanced(beta)


def shortfalls(X, problem, theta, beta):
    """Fenchel-Young's differences, of every row and of the penalty."""
    f, v = X @ theta, problem.penalised(X.T @ beta)
    w = problem.penalised(theta)
    loss, u = problem.loss, -beta / problem.cost
    rows = problem.cost * (loss.value(f, problem.t) + loss.conjugate(u, problem.t) - u * f)
    of_penalty = {"l2": (w - v) ** 2 / 2, "l1": np.abs(w) - w * v, "none": 0 * w}
    return np.concatenate([rows, of_penalty[problem.penalty]])


TWO = {
    "X": np.array([[1.0, 1.0], [-2.0, 1.0]]),
    "theta": np.array([0.5, -1.0]),  # so that f = (-1/2, -2), and the margins are -1/2 and 2
    "beta": np.array([0.5, -1.0]),  # so that v = (5/2, -1/2)
}


def two(loss, penalty, free=False):
    return LinearProblem(loss, np.array([1.0, -1.0]), np.array([1.0, 2.0]), penalty, free)


@pytest.mark.parametrize(
    ("loss", "losses", "conjugates"),
    [
        (Hinge(), 1.5, -1.5),  # v = -1/2 in both rows, with costs 1 and 2
        (SquaredHinge(), 2.25, 3 * (-0.5 + 1 / 16)),
        (Squared(), 2.25 + 2 * 1.0, 3 * (-0.5 + 1 / 16)),
        (ModifiedHuber(), 2.25, 3 * (-0.5 + 1 / 16)),
        (Logistic(), np.log1p(np.exp(0.5)) + 2 * np.log1p(np.exp(-2.0)), -3 * np.log(2)),
        (Exponential(), np.exp(0.5) + 2 * np.exp(-2.0), -1.5 * (1 + np.log(2))),
    ],
    ids=repr,
)
def test_two_rows_by_hand(loss, losses, conjugates):
    X, theta, beta = TWO.values()
    f, v = X @ theta, X.T @ beta
    assert f.tolist() == [-0.5, -2.0]
    assert v.tolist() == [2.5, -0.5]

    def primal_and_dual(penalty, free):
        problem = two(loss, penalty, free)
        return problem.primal(theta, f), problem.dual(beta, v)

    assert primal_and_dual("l2", False) == pytest.approx((0.625 + losses, -conjugates - 3.25))
    assert primal_and_dual("l2", True) == pytest.approx((0.125 + losses, -conjugates - 3.125))
    assert primal_and_dual("none", False) == pytest.approx((losses, -conjugates))
    assert two(loss, "l1").primal(theta, f) == pytest.approx(1.5 + losses)
    assert two(loss, "l1", free=True).primal(theta, f) == pytest.approx(0.5 + losses)


def test_the_dual_of_absolute_values_by_hand():
    """|v| is 5/2 at most, so 2/5 of beta is feasible; the hinge's dual is linear in beta."""
    X, _, beta = TWO.values()
    assert two(Hinge(), "l1").dual(beta, X.T @ beta) == pytest.approx(1.5 * 2 / 5)
    assert two(Hinge(), "l1").dual(beta / 5, X.T @ beta / 5) == pytest.approx(1.5 / 5)
    v = -0.5 * 2 / 5
    assert two(Squared(), "l1").dual(beta, X.T @ beta) == pytest.approx(-3 * (v + v**2 / 4))


@every_penalty
@with_and_without
def test_the_penalty_leaves_a_free_intercept_out(penalty, free):
    problem, theta = two(Hinge(), penalty, free), np.array([3.0, -4.0])
    expected = {"l2": (12.5, 4.5), "l1": (7.0, 3.0), "none": (0.0, 0.0)}[penalty][free]
    assert problem.penalty_value(theta) == expected
    curvature = problem.curvature_of_penalty(2)
    assert curvature.tolist() == [float(penalty == "l2"), float(penalty == "l2" and not free)]
    assert problem.penalised(theta).tolist() == ([3.0] if free else [3.0, -4.0])


@every_loss
@every_penalty
@with_and_without
@given(one=seeds, other=seeds)
def test_weak_duality_between_any_two_points(loss, penalty, free, one, other):
    X, problem, beta = case(one, loss, penalty, free)
    theta = 2 * np.random.default_rng(other).normal(size=4)
    assert problem.feasible(beta, X.T @ beta)
    primal, dual = problem.primal(theta, X @ theta), problem.dual(beta, X.T @ beta)
    assert np.isfinite(dual)
    assert dual <= primal + 1e-9 * (1 + abs(primal))


@every_loss
@every_penalty
@with_and_without
@given(one=seeds, other=seeds)
def test_the_gap_is_the_sum_of_all_shortfalls(loss, penalty, free, one, other):
    X, problem, beta = case(one, loss, penalty, free)
    if penalty == "l1":  # the dual does so by itself; here the point itself is to be feasible
        beta = beta / max(1.0, np.abs(problem.penalised(X.T @ beta)).max())
    theta = np.random.default_rng(other).normal(size=4)
    gap = problem.primal(theta, X @ theta) - problem.dual(beta, X.T @ beta)
    missing = shortfalls(X, problem, theta, beta)
    assert missing.min() >= -1e-12 * (1 + np.abs(missing).sum())
    assert gap == pytest.approx(missing.sum(), rel=1e-9, abs=1e-9)


@every_loss
@every_penalty
@with_and_without
@given(seed=seeds)
def test_violation_is_the_largest_shortfall(loss, penalty, free, seed):
    X, problem, beta = case(seed, loss, penalty, free)
    theta = np.random.default_rng(seed).normal(size=4)
    f, v = X @ theta, X.T @ beta
    rows = shortfalls(X, problem, theta, beta)[: len(problem)] / problem.cost
    w, back = problem.penalised(theta), problem.penalised(v)
    target = {"l2": w, "l1": np.sign(w), "none": 0 * w}[penalty]
    expected = max(rows.max(), np.abs(back - target).max())
    assert problem.violation(theta, f, beta, v) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_absolute_values_leave_room_to_weights_of_0():
    problem = two(Hinge(), "l1")
    beta, f = np.zeros(2), np.array([2.0, -2.0])  # no row has a loss
    assert problem.violation(np.zeros(2), f, beta, np.array([0.9, -1.0])) == 0.0
    assert problem.violation(np.zeros(2), f, beta, np.array([1.25, 0.0])) == 0.25
    assert problem.violation(np.array([1.0, 0.0]), f, beta, np.array([0.75, 0.0])) == 0.25
    assert problem.violation(np.array([-1.0, 0.0]), f, beta, np.array([0.75, 0.0])) == 1.75


@every_penalty
def test_a_violation_that_is_not_a_number_is_not_0(penalty):
    X, theta, beta = TWO.values()
    problem, nan = two(Hinge(), penalty), np.full(2, np.nan)
    assert np.isnan(problem.violation(theta, nan, beta, X.T @ beta))
    assert np.isnan(problem.violation(theta, X @ theta, beta, nan))
    assert np.isnan(problem.violation(theta, X @ theta, nan, X.T @ beta))


@pytest.mark.parametrize(
    ("loss", "low", "high"),  # of beta t / c
    [
        (Hinge(), 0.0, 1.0),
        (SquaredHinge(), 0.0, np.inf),
        (Logistic(), 0.0, 1.0),
        (Exponential(), 0.0, np.inf),
        (Squared(), -np.inf, np.inf),
        (ModifiedHuber(), 0.0, 4.0),
    ],
    ids=repr,
)
def test_duals_beyond_the_slopes_have_no_dual_value(loss, low, high):
    problem = two(loss, "l2")
    for share in (-9.0, -0.5, 0.0, 0.5, 1.0, 1.5, 4.0, 9.0):
        beta = share * np.array([1.0, -2.0])
        assert np.isfinite(problem.dual(beta, np.zeros(2))) == (low <= share <= high)
        expected = np.clip(share, low, high) * np.array([1.0, -2.0])
        np.testing.assert_array_equal(problem.clipped(beta), expected)


@every_loss
@given(seed=seeds, size=st.floats(1e-3, 1e3))
def test_clipped_duals_are_the_nearest_with_a_dual_value(loss, seed, size):
    rng = np.random.default_rng(seed)
    t, cost = rng.choice([-1.0, 1.0], 20), rng.uniform(0.01, 10, 20)
    problem = LinearProblem(loss, t, cost)
    beta = size * rng.normal(size=20)
    inside = problem.clipped(beta)
    assert np.isfinite(loss.conjugate(-inside / cost, t)).all()
    np.testing.assert_array_equal(problem.clipped(inside), inside)
    low, high = loss.slopes
    within = np.isfinite(loss.conjugate(-beta / cost, t))
    np.testing.assert_allclose(inside[within], beta[within], rtol=1e-15)
    ends = np.where(-beta * t > 0, high, low)[~within]
    np.testing.assert_allclose(-(inside * t / cost)[~within], ends, rtol=1e-15)


@every_loss
@every_penalty
@given(seed=seeds)
def test_balanced_duals_sum_to_0_and_stay_feasible(loss, penalty, seed):
    rng = np.random.default_rng(seed)
    t, cost = rng.choice([-1.0, 1.0], 15), rng.uniform(0.01, 10, 15)
    fixed = LinearProblem(loss, t, cost, penalty, free=False)
    free = LinearProblem(loss, t, cost, penalty, free=True)
    beta = free.clipped(5 * rng.normal(size=15))
    even = free.balanced(beta)
    assert abs(even.sum()) <= 1e-13 * np.abs(beta).sum()
    assert (even * beta >= 0).all()
    assert (np.abs(even) <= np.abs(beta)).all()
    assert np.isfinite(loss.conjugate(-even / cost, t)).all()
    if penalty != "none":
        assert free.feasible(even, np.array([1.0, even.sum()]))
    np.testing.assert_array_equal(fixed.balanced(beta), beta)
    lighter = beta > 0 if beta.sum() < 0 else beta < 0
    np.testing.assert_array_equal(even[lighter], beta[lighter])


@pytest.mark.parametrize("beta", [[0.0, 0.0], [1.0, 0.0], [0.0, -1.0], [1.0, -1.0]])
def test_balancing_one_side_or_none(beta):
    problem = two(Hinge(), "l2", free=True)
    expected = beta if sum(beta) == 0 else [0.0, 0.0]
    np.testing.assert_array_equal(problem.balanced(np.array(beta)), expected)


def test_feasible_means_the_equalities_of_what_is_not_penalised():
    beta = np.array([0.5, -0.5])
    askew, level, zero = np.array([3.0, 1e-6]), np.array([3.0, 1e-12]), np.array([1e-12, 0.0])
    for penalty in ("l2", "l1"):
        assert two(Hinge(), penalty).feasible(beta, askew)
        assert not two(Hinge(), penalty, free=True).feasible(beta, askew)
        assert two(Hinge(), penalty, free=True).feasible(beta, level)
    for free in (False, True):
        assert not two(Hinge(), "none", free).feasible(beta, level)
        assert two(Hinge(), "none", free).feasible(beta, zero)
        assert two(Hinge(), "none", free).feasible(0 * beta, 0 * zero)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("penalty", ["l2", "l1", "none"])
def test_what_is_feasible_does_not_depend_on_the_unit_of_cost(penalty, size):
    problem = two(Hinge(), penalty, free=True)
    beta = size * np.array([0.5, -0.5])
    assert not problem.feasible(beta, size * np.array([0.0, 1e-6]))
    assert problem.feasible(beta, size * np.array([0.0, 1e-12]))


@every_penalty
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_not_feasible(penalty, value):
    problem = two(Hinge(), penalty)
    assert not problem.feasible(np.array([value, 0.0]), np.zeros(2))
    assert not problem.feasible(np.zeros(2), np.array([value, 0.0]))


@every_loss
@given(seed=seeds)
def test_slopes_and_curvatures_are_the_derivatives_of_the_losses(loss, seed):
    _, problem, _ = case(seed, loss, "l2", free=False)
    rng = np.random.default_rng(seed)
    # At this distance from the kinks at whole margins differences are those of one piece.
    f = rng.integers(-3, 3, 12) + rng.uniform(0.1, 0.9, 12)
    h = 1e-5

    def price(z):
        return problem.cost * loss.value(z, problem.t)

    first = (price(f + h) - price(f - h)) / (2 * h)
    second = (problem.slopes(f - h) - problem.slopes(f + h)) / (2 * h)
    np.testing.assert_allclose(problem.slopes(f), -first, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(problem.curvatures(f), second, rtol=1e-6, atol=1e-6)
    for rows in (slice(2, 7), np.array([5, 1, 5])):
        np.testing.assert_array_equal(problem.slopes(f[rows], rows), problem.slopes(f)[rows])
        some = problem.curvatures(f[rows], rows)
        np.testing.assert_array_equal(some, problem.curvatures(f)[rows])


def newton(X, problem):
    """Minimise by Newton's method with a line search, to the last bits; for smooth losses."""
    theta, ridge = np.zeros(X.shape[1]), problem.curvature_of_penalty(X.shape[1])
    for _ in range(100):
        f = X @ theta
        gradient = ridge * theta - X.T @ problem.slopes(f)
        H = (X.T * problem.curvatures(f)) @ X + np.diag(ridge)
        step, length, now = np.linalg.lstsq(H, -gradient)[0], 1.0, problem.primal(theta, f)
        while problem.primal(theta + length * step, f + length * X @ step) > now and length > 1e-6:
            length /= 2
        theta = theta + length * step
        if np.abs(gradient).max() < 1e-14 * problem.cost.sum():
            break
    return theta


def noisy(seed, n=30):
    """Rows that no hyperplane separates, so that there is an optimum without a penalty too."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, 2)), np.ones(n)])
    t = np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)
    return X, t, rng.uniform(0.2, 2, n)


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@pytest.mark.parametrize("penalty", ["l2", "none"])
@with_and_without
@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_violated_at_the_optimum(loss, penalty, free, seed):
    X, t, cost = noisy(seed)
    problem = LinearProblem(loss, t, cost, penalty, free)
    theta = newton(X, problem)
    f = X @ theta
    beta = problem.slopes(f)
    back = X.T @ beta
    assert problem.feasible(beta, back)
    assert problem.violation(theta, f, beta, back) <= 1e-10
    assert problem.primal(theta, f) == pytest.approx(problem.dual(beta, back), rel=1e-10)
    elsewhere = theta + 0.1
    assert problem.violation(elsewhere, X @ elsewhere, beta, back) > 1e-4


@pytest.mark.parametrize("penalty", ["l1", "none"])
@with_and_without
@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_violated_at_the_optimum_of_a_linear_program(penalty, free, seed):
    """min sum |theta_j| + sum c_i e_i with e >= 1 - t f and e >= 0; its multipliers are alpha."""
    X, t, cost = noisy(seed)
    n, d = X.shape
    problem = LinearProblem(Hinge(), t, cost, penalty, free)
    price = np.full(d, float(penalty == "l1"))
    price[-1] *= not free
    A = np.hstack([-t[:, None] * X, t[:, None] * X, -np.eye(n)])
    found = linprog(np.concatenate([price, price, cost]), A_ub=A, b_ub=-np.ones(n))
    theta = found.x[:d] - found.x[d : 2 * d]
    beta = problem.clipped(-t * found.ineqlin.marginals)
    f, back = X @ theta, X.T @ beta
    assert problem.feasible(beta, back)
    assert problem.violation(theta, f, beta, back) <= 1e-9
    assert problem.primal(theta, f) == pytest.approx(found.fun, rel=1e-9)
    assert problem.dual(beta, back) == pytest.approx(found.fun, rel=1e-9)
    assert problem.violation(theta, f, 0.9 * beta, 0.9 * back) > 1e-4


def test_the_lasso_of_one_feature_is_a_soft_threshold():
    """min |w| + (1 - 2w)^2: w = (2 * 2 - 1) / 8, where the slope of the square is -1."""
    X, problem = np.array([[2.0]]), LinearProblem(Squared(), np.ones(1), np.ones(1), "l1")
    theta = np.array([3 / 8])
    beta = problem.slopes(X @ theta)
    assert beta.tolist() == [0.5]
    assert problem.violation(theta, X @ theta, beta, X.T @ beta) == 0.0
    assert problem.primal(theta, X @ theta) == problem.dual(beta, X.T @ beta) == 3 / 8 + 1 / 16
