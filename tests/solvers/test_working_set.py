"""The decomposition: the same optimum whatever is small, shared, limited or given at the start."""

import numpy as np
import pytest

from maxmargin.certify import Status
from maxmargin.kernels import FromFunction, Linear, Polynomial, Precomputed, Sigmoid
from maxmargin.kernels.gram import Gram
from maxmargin.solvers import Limits

TIGHT = Limits(tol=1e-6)
PLENTY = 2**26


def same_optimum(one, other, rel=1e-7, status=Status.CERTIFIED):
    assert one.certificate.status is other.certificate.status is status
    assert one.certificate.dual == pytest.approx(other.certificate.dual, rel=rel)
    np.testing.assert_allclose(one.point.product, other.point.product, atol=1e-4)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("size", [16, 32, 100])
def test_small_working_sets_reach_the_optimum_of_the_whole(case, size, C, bias):
    one = case(C=C, bias=bias)
    same_optimum(one.solve(TIGHT, size=size), one.solve(TIGHT))


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(2, gamma=0.5, coef0=1.0)], ids=repr)
def test_kernels_of_low_rank(case, kernel):
    one = case(kernel=kernel)
    same_optimum(one.solve(TIGHT, size=64), one.solve(TIGHT), rel=1e-7)


@pytest.mark.parametrize("size", [32, 2048])
def test_single_precision_rows_reach_the_double_optimum_within_rounding(case, size):
    single, double = case(dtype=np.float32), case()
    found, best = single.solve(size=size), double.solve(TIGHT)
    assert found.certificate.status is Status.CERTIFIED
    assert found.certificate.precision == "float32"
    assert found.certificate.dual == pytest.approx(best.certificate.dual, rel=1e-4)


@pytest.mark.parametrize("size", [32, 2048])
def test_without_a_bias_the_intercept_is_zero(case, size):
    one = case(bias=False)
    solution = one.solve(size=size)
    assert one.intercept(solution) == 0
    assert abs(solution.point.beta.sum()) > 1e-3


@pytest.mark.parametrize("lines", [1, 5, 40])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_cache_of_few_lines_gives_the_same_answer(case, lines, dtype):
    one = case(dtype=dtype)
    budget = lines * len(one.problem) * np.dtype(dtype).itemsize
    small, large = (one.solve(TIGHT, budget=b, size=32) for b in (budget, PLENTY))
    too_coarse = dtype is np.float32  # for so tight a tolerance
    same_optimum(small, large, status=Status.STALLED if too_coarse else Status.CERTIFIED)
    assert small.certificate.rounded is too_coarse
    np.testing.assert_allclose(one.K @ small.point.beta, small.point.product, atol=1e-5)


@pytest.mark.parametrize("size", [32, 2048])
def test_any_number_of_threads_gives_the_same_bits(case, size):
    one = case(2500, dtype=np.float32)
    alone, together = (one.solve(n_jobs=n_jobs, size=size) for n_jobs in (1, 2))
    np.testing.assert_array_equal(alone.point.beta, together.point.beta)
    np.testing.assert_array_equal(alone.point.product, together.point.product)
    assert alone.certificate == together.certificate


def test_every_run_gives_the_same_bits(case):
    one, two = (case().solve(size=32) for _ in range(2))
    np.testing.assert_array_equal(one.point.beta, two.point.beta)


@pytest.mark.parametrize("size", [32, 2048])
def test_segments_of_columns_change_nothing(case, size):
    """Nothing but last digits: BLAS adds up a single column in another order than several."""
    one, limits = case(), Limits(tol=1e-10)
    whole = one.solve(limits, size=size)
    cut = one.solve(limits, size=size, boundaries=[0, 70, 71, 200, 300])
    np.testing.assert_allclose(whole.point.beta, cut.point.beta, rtol=0, atol=1e-8)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("size", [32, 2048])
def test_a_warm_start_takes_fewer_steps_to_the_same_optimum(case, size, bias):
    one = case(bias=bias)
    cold = one.solve(TIGHT, size=size)
    warm = one.solve(TIGHT, size=size, start=cold.point.beta)
    assert warm.iterations == 0
    same_optimum(cold, warm)
    rough = one.solve(Limits(tol=1e-2), size=size)
    onward = one.solve(TIGHT, size=size, start=rough.point.beta)
    assert onward.iterations < cold.iterations
    same_optimum(cold, onward)


def test_a_warm_start_from_another_cost(case):
    gentle, firm = case(C=1.0), case(C=1.5)
    cold = firm.solve(TIGHT, size=32)
    warm = firm.solve(TIGHT, size=32, start=gentle.solve(TIGHT).point.beta)
    same_optimum(cold, warm)


@pytest.mark.parametrize("budget", [1, 2**24])
def test_a_warm_start_through_a_small_cache(case, budget):
    one = case()
    start = 0.5 * one.solve().point.beta
    same_optimum(one.solve(TIGHT, budget=budget, size=32, start=start), one.solve(TIGHT))


# Not positive semidefinite: it ends, and says so.


def negative(x, y):
    return -float(np.exp(-np.sum((x - y) ** 2)))


KERNELS = [
    Sigmoid(gamma=2.0, coef0=-1.0),
    FromFunction(negative),
    FromFunction(negative, psd=False),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=["sigmoid", "unknown", "known"])
@pytest.mark.parametrize("size", [16, 2048])
@pytest.mark.parametrize("bias", [True, False])
def test_a_kernel_that_is_not_one_ends_as_not_convex(case, kernel, size, bias):
    one = case(80, kernel=kernel, C=10.0, bias=bias)
    solution = one.solve(size=size)
    assert solution.certificate.status is Status.NOT_CONVEX
    assert one.problem.feasible(solution.point.beta)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [8, 2048])
def test_random_symmetric_matrices_end(case_of, seed, size):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(60, 60))
    gram = Gram.of(Precomputed(), A + A.T)
    solution = case_of(gram, np.where(np.arange(60) % 2, 1.0, -1.0)).solve(size=size)
    assert solution.certificate.status is Status.NOT_CONVEX


@pytest.mark.parametrize("size", [8, 2048])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_kernel_values_that_are_not_finite_are_a_numerical_error(case_of, size, value):
    X = np.random.default_rng(0).normal(size=(40, 2))

    class Unchecked(FromFunction):
        def _blame(self, found, x, y):
            pass

    def broken(x, y):
        return value if max(x[0], y[0]) > 1 else float(x @ y)

    gram = Gram.of(Unchecked(broken, psd=True), X)
    solution = case_of(gram, np.where(X[:, 1] > 0, 1.0, -1.0)).solve(size=size)
    assert solution.certificate.status is Status.NUMERICAL_ERROR
    assert "NUMERICAL_ERROR" in str(solution.certificate)


# One feature, polynomial kernel, values in the thousands: kernel values of 1e20 and curvatures that
# are nothing but rounding. LIBSVM without a limit on its steps does not come back; its own limit,
# outside scikit-learn, is ten million.

LIBSVMS_LIMIT = 10_000_000


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [20, 60])
@pytest.mark.parametrize("size", [16, 2048])
def test_large_values_in_a_polynomial_kernel_end(case_of, dtype, n, size):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5000, (n, 1)).astype(dtype)
    t = np.where(rng.integers(0, 2, n), 1.0, -1.0)
    one = case_of(Gram.of(Polynomial(3, gamma=1.0, coef0=0.0), X), t)
    solution = one.solve(size=size)
    assert solution.iterations < LIBSVMS_LIMIT
    assert one.problem.feasible(solution.point.beta)
    if solution.certificate.status is Status.CERTIFIED:
        assert solution.certificate.dual <= n  # the primal at w = 0
        assert solution.certificate.kkt_violation <= 1
