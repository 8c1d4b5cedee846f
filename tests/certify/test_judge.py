"""The judge attacked: what it says of a point must be true of the point."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC
from maxmargin.certify import Point, Status, judge
from maxmargin.kernels.rounding import Rounding
from maxmargin.ops.kinds import GIVEN
from maxmargin.ops.reference.smo import smo_pairs, smo_single
from maxmargin.problems import SlackBudget, c_svc

seeds = st.integers(0, 2**32 - 1)
with_fixture = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@with_fixture
@given(seed=seeds, bias=st.booleans(), precision=st.sampled_from([np.float32, np.float64]))
def test_the_gap_bounds_the_suboptimality_of_any_feasible_point(known, seed, bias, precision):
    case = known(seed, bias)
    beta = case.feasible(np.random.default_rng(seed))
    verdict = judge(case.problem, case.point(beta, precision), tol=1e-3)
    slack = 1e-6 * max(1.0, case.optimum) + 10 * verdict.floor
    assert verdict.dual <= case.optimum + slack  # weak duality
    assert verdict.primal >= case.optimum - slack
    assert verdict.gap >= case.optimum - verdict.dual - slack
    assert verdict.gap >= verdict.primal - case.optimum - slack
    assert verdict.precision == np.dtype(precision).name


@with_fixture
@given(seed=seeds, bias=st.booleans(), tol=st.floats(1e-6, 1.0))
def test_certified_means_that_the_optimality_conditions_hold(known, seed, bias, tol):
    """To the tolerance, so the dual is short of the optimum by at most tol times the room left."""
    case = known(seed, bias)
    beta = case.feasible(np.random.default_rng(seed))
    verdict = judge(case.problem, case.point(beta), tol)
    room = (case.problem.upper - case.problem.lower).sum()
    short = case.optimum - verdict.dual
    assert short <= max(verdict.kkt_violation, 0.0) * room + 1e-6
    if verdict.status is Status.CERTIFIED:
        assert verdict.kkt_violation <= tol + 1e-12
        assert verdict.relative_gap <= 10 * tol
    else:
        assert verdict.status is Status.STALLED


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_is_certified(known, seed, bias):
    case = known(seed, bias)
    beta = reference_optimum(case)
    verdict = judge(case.problem, case.point(beta), tol=1e-6)
    assert verdict.status is Status.CERTIFIED
    np.testing.assert_allclose([verdict.primal, verdict.dual], case.optimum, rtol=1e-6)
    assert verdict.gap >= -10 * verdict.floor


def reference_optimum(case):
    beta, F, K = np.zeros(len(case.problem)), case.problem.p.copy(), case.K
    rows = K, np.arange(len(K)), np.zeros(1, int), GIVEN, K, beta, K, beta, beta
    point = np.diag(K), beta, F, case.problem.lower, case.problem.upper, 1e-9, 100_000
    if case.problem.bias:
        smo_pairs(*rows, *point, True, np.zeros(len(K), dtype=bool), None, 1)
    else:
        smo_single(*rows, *point)
    return beta


PROBLEM = c_svc(np.array([1, -1]), 1.0)
K = np.array([[1.0, -1.0], [-1.0, 1.0]])
BEST, START = np.array([0.5, -0.5]), np.zeros(2)
STOPS = [Status.STALLED, Status.ITERATION_LIMIT, Status.TIME_LIMIT, Status.INTERRUPTED]


ONES = np.ones(2)
EXACT = Rounding(np.dtype(np.float64), ONES, ONES)


def point(beta, **facts):
    return Point(np.asarray(beta), K @ beta, EXACT, **facts)


@pytest.mark.parametrize("stopped", [None, *STOPS])
def test_only_the_point_counts_whatever_stopped_the_solver(stopped):
    assert judge(PROBLEM, point(BEST), 1e-3, stopped).status is Status.CERTIFIED


@pytest.mark.parametrize("stopped", STOPS)
def test_a_point_short_of_the_tolerance_keeps_the_reason(stopped):
    assert judge(PROBLEM, point(START), 1e-3, stopped).status is stopped


def test_without_a_reason_a_point_short_of_the_tolerance_has_stalled():
    assert judge(PROBLEM, point(START), 1e-3).status is Status.STALLED


def test_without_convexity_nothing_is_certified():
    for stopped in (None, Status.STALLED):
        verdict = judge(PROBLEM, point(BEST, convex=False), 1e-3, stopped)
        assert verdict.status is Status.NOT_CONVEX
    for stopped in STOPS[1:]:
        assert judge(PROBLEM, point(BEST, convex=False), 1e-3, stopped).status is stopped


@pytest.mark.parametrize(
    "beta",
    [[0.6, -0.5], [1.5, -1.5], [-0.5, 0.5], [np.nan, np.nan]],
    ids=["unbalanced", "above", "below", "nan"],
)
def test_an_infeasible_point_proves_nothing(beta):
    verdict = judge(PROBLEM, point(np.array(beta)), 10.0)
    assert verdict.status is Status.NUMERICAL_ERROR


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_products_that_are_not_finite_prove_nothing(value):
    broken = Point(BEST, np.array([value, 0.0]), EXACT)
    with np.errstate(invalid="ignore"):
        verdict = judge(PROBLEM, broken, 1e-3)
    assert verdict.status is Status.NUMERICAL_ERROR
    assert not verdict.kkt_violation <= 1e-3
    assert not verdict.relative_gap <= 1e-3


def test_a_lie_about_the_product_shows_in_the_numbers_the_judge_was_given():
    """The judge computes from beta and the product alone."""
    honest = judge(PROBLEM, point(BEST), 1e-3)
    wrong = judge(PROBLEM, Point(BEST, 2 * K @ BEST, EXACT), 1e-3)
    assert honest.kkt_violation == 0
    assert wrong.kkt_violation == 2
    assert wrong.status is Status.STALLED


def test_the_floor_follows_precision_errors_and_size():
    def floor(precision, error, beta):
        rounding = Rounding(np.dtype(precision), np.sqrt(error) * ONES, 0 * ONES)
        return judge(PROBLEM, Point(beta, K @ beta, rounding), 1e-3).floor

    adding_up = floor(np.float64, 0.0, BEST)
    base = floor(np.float64, 1.0, BEST) - adding_up
    assert 0 < base < 1e-14
    assert floor(np.float64, 1e3, BEST) - adding_up == pytest.approx(1e3 * base)
    ratio = np.finfo(np.float32).eps / np.finfo(np.float64).eps
    assert floor(np.float32, 1.0, BEST) - adding_up == pytest.approx(float(ratio) * base)
    assert floor(np.float64, 1.0, BEST / 2) < adding_up + base
    assert floor(np.float64, 1.0, START) == 0


def test_nothing_is_certified_that_rounding_could_undo():
    """The gap is 0, and the values behind it are good to 1e-4 each: so is the objective."""
    fine, coarse = (Rounding(np.dtype(np.float32), np.sqrt(e) * ONES, ONES) for e in (1.0, 1e3))
    certified = judge(PROBLEM, Point(BEST, K @ BEST, fine), 1e-4)
    assert (certified.status, certified.rounded) == (Status.CERTIFIED, False)
    unsure = judge(PROBLEM, Point(BEST, K @ BEST, coarse), 1e-4)
    assert (unsure.status, unsure.rounded) == (Status.STALLED, True)
    assert certified.gap == unsure.gap == 0
    assert unsure.floor > unsure.allowed > certified.floor


@pytest.mark.parametrize("seed", range(10))
def test_the_floor_explains_what_single_precision_does_to_the_gap(known, seed):
    case = known(seed)
    beta = reference_optimum(case)
    single = judge(case.problem, case.point(beta, np.float32), 1e-3)
    double = judge(case.problem, case.point(beta), 1e-3)
    assert abs(single.gap - double.gap) <= 10 * single.floor


def test_rounding_never_certifies_a_point_that_breaks_a_margin():
    """Where rounding is larger than the margin itself, the tolerance cannot be said to hold."""
    alike = 1e12 * np.ones((2, 2))  # two equal rows of opposite labels: both belong at their bound
    shaky = Point(BEST, alike @ BEST, Rounding(np.dtype(np.float32), 1e6 * ONES, 1e6 * ONES))
    verdict = judge(PROBLEM, shaky, 1e-3)
    assert verdict.kkt_violation > 1
    assert verdict.status is not Status.CERTIFIED


def test_more_than_the_primal_at_zero_is_no_dual_value():
    """w = 0 costs sum C, so a dual value above that proves that K was not positive semidefinite."""
    beta, product = np.array([1.0, -1.0]), np.array([-1e6, 1e6])
    verdict = judge(PROBLEM, Point(beta, product, EXACT), 1e-3)
    assert verdict.dual > 2.0
    assert verdict.status is not Status.CERTIFIED


HARD = c_svc(np.array([1, -1]), np.inf)


def test_a_hard_margin_is_certified_with_a_true_gap():
    verdict = judge(HARD, point(BEST), 1e-3)
    assert verdict.status is Status.CERTIFIED
    assert verdict.primal == verdict.dual == 0.5
    short = judge(HARD, point(0.9 * BEST), 1e-3)
    assert short.primal == pytest.approx(0.5)  # stretched to meet the constraints
    assert short.dual == pytest.approx(0.9 - 0.81 / 2)
    assert short.status is Status.STALLED


def test_a_hard_margin_whose_rows_do_not_part_is_not_certified():
    verdict = judge(HARD, point(START), 1e6)
    assert verdict.primal == verdict.gap == verdict.relative_gap == np.inf
    assert verdict.status is Status.STALLED


BUDGET = SlackBudget(np.array([1.0, -1.0]), np.ones(2), 1.0)


def test_a_budget_is_certified_with_a_true_gap():
    """x = -1 and 1 with half a unit of slack each: w = 1/2, so |w|^2 / 2 = 1/8, and C = 1/4."""
    verdict = judge(BUDGET, point(0.5 * BEST), 1e-3)
    assert verdict.status is Status.CERTIFIED
    assert verdict.primal == verdict.dual == 0.125
    assert judge(BUDGET, point(0.4 * BEST), 1e-3).primal == np.inf  # more slack than there is
    generous = judge(BUDGET, point(BEST), 1e-3)
    assert generous.primal == 0.5
    assert generous.dual < 0.125
    assert generous.status is Status.STALLED


def test_an_objective_above_that_of_no_weights_is_not_certified():
    # Kernel values of 1e17 are rounded so much that the rounded problem is another one.
    X, y = np.random.default_rng(0).normal(size=(10, 60)), np.arange(10) % 2
    with pytest.warns(ConvergenceWarning):
        model = SVC(kernel="linear").fit(csr_matrix(X + 1e8), y)  # dense rows would be centred
    assert model.certificate_.primal > 10  # that of w = 0
    assert model.certificate_.status is not Status.CERTIFIED
