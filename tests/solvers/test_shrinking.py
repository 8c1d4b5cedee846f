"""Setting settled variables aside changes the way, never the answer."""

import numpy as np
import pytest

from maxmargin.certify import Status
from maxmargin.solvers import Limits
from maxmargin.solvers.box_qp.shrinking import Shrinking
from maxmargin.solvers.box_qp.working_set import WorkingSet

TIGHT = Limits(tol=1e-6)


def few_lines(one, lines):
    return lines * len(one.problem) * one.gram.dtype.itemsize


@pytest.fixture
def parts(monkeypatch):
    """How often a part was cut out."""
    cut, shrink = [], Shrinking._increment

    def count(self, active):
        cut.append(len(active))
        return shrink(self, active)

    monkeypatch.setattr(Shrinking, "_increment", count)
    return cut


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("C", [0.1, 1.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_same_optimum_as_without(case, parts, bias, C, dtype):
    one = case(400, C=C, bias=bias, dtype=dtype)
    whole = one.solve(TIGHT)
    shrunk = one.solve(TIGHT, solver=Shrinking, budget=few_lines(one, 10), size=32)
    assert parts
    sure = Status.CERTIFIED if dtype is np.float64 else Status.STALLED  # float32 is too coarse
    assert whole.certificate.status is shrunk.certificate.status is sure
    assert whole.certificate.rounded is shrunk.certificate.rounded is (dtype is np.float32)
    assert shrunk.certificate.dual == pytest.approx(whole.certificate.dual, rel=1e-7)
    assert one.problem.feasible(shrunk.point.beta)
    assert one.true_violation(shrunk.point.beta) <= 1e-5


def test_nothing_is_set_aside_while_the_cache_is_large(case, parts):
    case(400).solve(TIGHT, solver=Shrinking, size=32)
    assert not parts


@pytest.mark.parametrize("most", [0, 10, 150, 250])
def test_max_iter_counts_over_all_parts(case, most):
    one = case(400, C=0.1)
    limits = Limits(tol=1e-6, max_iter=most)
    solution = one.solve(limits, solver=Shrinking, budget=few_lines(one, 10), size=32)
    assert solution.iterations <= most
    assert solution.certificate.status is Status.ITERATION_LIMIT
    assert one.problem.feasible(solution.point.beta)


def test_the_trace_rises_over_the_parts(case, parts):
    one, trace = case(400, C=0.1), []
    limits = Limits(tol=1e-6, callback=trace.append)
    one.solve(limits, solver=Shrinking, budget=few_lines(one, 10), size=32)
    duals = np.array([line.dual for line in trace])
    assert parts
    assert (np.diff(duals) >= -1e-9 * duals.max()).all()


def test_any_number_of_threads_gives_the_same_bits(case):
    one = case(1500, C=0.1, dtype=np.float32)
    budget = few_lines(one, 30)
    alone, together = (
        one.solve(solver=Shrinking, budget=budget, size=64, n_jobs=n_jobs) for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(alone.point.beta, together.point.beta)
    assert alone.certificate == together.certificate


def test_a_wrong_gradient_is_never_certified_wrongly(case, monkeypatch):
    one, rng, right = case(400, C=0.1), np.random.default_rng(1), WorkingSet.gradient
    best = one.solve().certificate.dual

    def wrong(self):
        return right(self) + 0.05 * rng.normal(size=len(self.problem))

    monkeypatch.setattr(WorkingSet, "gradient", wrong)
    limits = Limits(max_iter=20_000)
    solution = one.solve(limits, solver=Shrinking, budget=few_lines(one, 10), size=32)
    said, beta = solution.certificate, solution.point.beta
    assert said.dual == pytest.approx(one.true_dual(beta))
    assert said.gap >= best - said.dual - 1e-6
    assert said.status is not Status.CERTIFIED or one.true_violation(beta) <= 1e-3 + 1e-9


def test_a_warm_start(case):
    one = case(400, C=0.1)
    budget = few_lines(one, 10)
    cold = one.solve(TIGHT, solver=Shrinking, budget=budget, size=32)
    start = cold.point.beta
    warm = one.solve(TIGHT, solver=Shrinking, budget=budget, size=32, start=start)
    assert warm.iterations == 0
    np.testing.assert_array_equal(warm.point.beta, start)
