from functools import partial

import numpy as np
import pytest

from maxmargin.kernels import RBF, Linear
from maxmargin.kernels.gram import Gram
from maxmargin.solvers import Limits, Shrinking, WorkingSet
from maxmargin.solvers.box_qp.hard_margin import HardMargin, MeansMeetError, mean_weights

T = np.array([1.0, -1.0, 1.0, -1.0])
SQUARE = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])  # crosswise labels


def test_a_dual_without_a_maximum_ends_with_the_weights_that_prove_it(case_of):
    case = case_of(Gram.of(Linear(), SQUARE), T, np.inf)
    with pytest.raises(MeansMeetError, match="coincide") as caught:
        case.solve(solver=HardMargin)
    assert caught.value.problem is case.problem
    assert caught.value.convex
    np.testing.assert_allclose(caught.value.weights, 0.5, atol=1e-5)


def test_somebody_else_is_asked_once(case_of):
    calls = []

    def ask(problem):
        calls.append(problem)
        raise KeyError

    case = case_of(Gram.of(Linear(), SQUARE), T, np.inf)
    with pytest.raises(KeyError):
        case.solve(solver=partial(HardMargin, ask=ask))
    assert calls == [case.problem]


def test_nobody_looks_again_after_a_yes(case_of):
    case = case_of(Gram.of(Linear(), SQUARE), T, np.inf)
    sure = partial(HardMargin, ask=lambda problem: True)
    solution = case.solve(Limits(max_iter=100_000), solver=sure)
    assert solution.certificate.primal == np.inf  # the judge is not to be persuaded


def test_separable_rows_end_as_with_any_solver(case):
    hard = case(C=np.inf, kernel=RBF(gamma=5.0))
    watched, plain = hard.solve(solver=HardMargin), hard.solve(solver=WorkingSet)
    assert watched.certificate.dual == pytest.approx(plain.certificate.dual, rel=1e-6)
    assert hard.true_violation(watched.point.beta) <= 1e-3


def test_infinite_costs_with_a_cache_too_small_for_a_working_set(case):
    hard = case(600, C=np.inf, kernel=RBF(gamma=5.0))
    small = hard.solve(solver=Shrinking, budget=20 * 600 * 8, size=64)
    large = hard.solve()
    assert small.certificate.relative_gap <= 1e-2
    assert small.certificate.dual == pytest.approx(large.certificate.dual, rel=1e-2)


def test_weights_sum_to_one_on_each_side():
    np.testing.assert_allclose(mean_weights(np.array([1.0, -3.0, 0.0, 2.0])), [1 / 3, 1, 0, 2 / 3])
