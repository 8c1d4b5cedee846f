import numpy as np
import pytest

from maxmargin.certify import Status
from maxmargin.kernels import Linear
from maxmargin.kernels.gram import Gram
from maxmargin.ops.threads import Workers
from maxmargin.problems import SlackBudget
from maxmargin.solvers import Limits, RowCache, Trace, run
from maxmargin.solvers.box_qp.budget_search import BudgetSearch
from maxmargin.solvers.box_qp.hard_margin import MeansMeetError
from maxmargin.solvers.kernel_values.iterate import Window


def search(X, t, budget, weight=None, limits=None, *, size=2048, ask=None):
    problem = SlackBudget(t, np.ones(len(t)) if weight is None else weight, budget)
    with Workers(1) as workers:
        cache = RowCache(Gram.of(Linear(), X), 2**26, workers)
        found = BudgetSearch(problem, Window(cache, (0,), size), ask=ask)
        return problem, run(found, limits or Limits(1e-6))


def overlapping(n=80, seed=0):
    rng = np.random.default_rng(seed)
    t = np.where(np.arange(n) % 2, 1.0, -1.0)
    return rng.normal(size=(n, 3)) + t[:, None], t


def test_two_points_by_hand():
    """x = -1 and 1 and one unit of slack: w = 1/2, C = 1/4, |w|^2 / 2 = 1/8."""
    X, t = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    problem, solution = search(X, t, 1.0)
    assert solution.certificate.status is Status.CERTIFIED
    assert problem.multiplier(solution.point.beta) == pytest.approx(0.25)
    assert solution.certificate.primal == pytest.approx(0.125)


@pytest.mark.parametrize("budget", [14.0, 30.0, 70.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_budget_is_used_up_and_kept(budget, weighted):
    X, t = overlapping()
    weight = np.random.default_rng(1).uniform(0.5, 1.5, len(t)) if weighted else np.ones(len(t))
    problem, solution = search(X, t, budget * weight.mean(), weight)
    point = solution.point
    values = point.product + problem.intercept(point.beta, t - point.product)
    assert problem.slack(values) == pytest.approx(problem.budget)
    assert solution.certificate.status is Status.CERTIFIED
    assert 0 <= solution.certificate.relative_gap + 1e-9 <= 1e-5


def test_steps_on_part_of_the_variables():
    X, t = overlapping(400)
    whole, parts = search(X, t, 150.0)[1], search(X, t, 150.0, size=64)[1]
    assert parts.certificate.primal == pytest.approx(whole.certificate.primal, rel=1e-4)
    assert parts.certificate.status is Status.CERTIFIED


def test_weak_duality_along_the_way():
    trace = Trace()
    X, t = overlapping()
    _, solution = search(X, t, 20.0, limits=Limits(1e-6, callback=trace))
    duals = [line.dual for line in trace]
    primals = [line.primal for line in trace]
    assert max(duals) <= min(primals) * (1 + 1e-9)
    assert primals[-1] == pytest.approx(solution.certificate.primal)


SQUARE = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]), np.array([1.0, -1.0, 1.0, -1.0])


def test_no_cost_is_large_enough():
    with pytest.raises(MeansMeetError) as caught:
        search(*SQUARE, 3.9)
    assert caught.value.problem.least_slack(caught.value.weights) == pytest.approx(4.0)


def test_somebody_else_is_asked_once_and_only_if_the_first_cost_is_too_small():
    calls = []

    def ask(problem):
        calls.append(problem.budget)
        return False

    X, t = overlapping()
    search(X, t, 70.0, ask=ask)
    assert calls == []
    search(X + t[:, None], t, 1e-3, ask=ask)
    assert calls == [1e-3]
