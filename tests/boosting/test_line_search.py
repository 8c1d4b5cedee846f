import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.boosting.line_search import search_line
from maxmargin.boosting.objective import ObjectivePoint, PairObjective, RowObjective
from maxmargin.losses import (
    AbsoluteError,
    Exponential,
    Hinge,
    Logistic,
    Loss,
    PairwiseLogistic,
    Queries,
    SquaredError,
)
from maxmargin.ops.threads import Workers

seeds = st.integers(0, 2**32 - 1)


def at(objective, z):
    point = ObjectivePoint.empty(len(z))
    point.z[:] = z
    objective.evaluate(point)
    return point


def problem(seed, loss, rows=40):
    rng = np.random.default_rng(seed)
    t = np.append(rng.choice([-1.0, 1.0], size=rows - 2), [-1.0, 1.0])
    objective = RowObjective(loss, t, rng.uniform(0.5, 2.0, size=rows), Workers(1))
    point = at(objective, rng.normal(size=rows))
    h = rng.choice([-1.0, 1.0], size=rows)
    h[-2:] = [1.0, 1.0]  # one right and one wrong at least: then there is a minimum
    return objective, point, np.copysign(1.0, point.pull @ h) * h


@given(seeds)
def test_the_exponential_loss_has_adaboosts_coefficient(seed):
    objective, point, h = problem(seed, Exponential())
    error = np.abs(point.pull)[point.pull * h < 0].sum() / np.abs(point.pull).sum()
    found = search_line(objective, point, h, signs=True)
    assert found == pytest.approx(0.5 * np.log((1 - error) / error), abs=1e-12)
    assert search_line(objective, point, h) == pytest.approx(found, abs=1e-10)


@pytest.mark.parametrize("loss", [Logistic(), SquaredError(), Hinge(), AbsoluteError()], ids=repr)
@given(seed=seeds)
def test_no_other_step_is_better(loss, seed):
    objective, point, h = problem(seed, loss)
    found = search_line(objective, point, h)
    assert found >= 0
    lowest = objective.value(point.z + found * h)
    for a in np.concatenate([np.linspace(0, 5, 60), found + np.linspace(-0.01, 0.01, 21)]):
        assert lowest <= objective.value(point.z + a * h) + 1e-12


@given(seeds)
def test_real_valued_directions(seed):
    objective, point, _ = problem(seed, Logistic())
    h = 100.0 * point.pull
    found = search_line(objective, point, h)
    start = objective.slope(point.z, h)
    assert abs(objective.slope(point.z + found * h, h)) <= 1e-10 * abs(start)


def test_without_an_error_a_finite_step_leaves_next_to_nothing():
    objective = RowObjective(Exponential(), np.ones(3), np.ones(3), Workers(1))
    point = at(objective, np.zeros(3))
    found = search_line(objective, point, np.ones(3), signs=True)
    assert 10 < found < 50


def test_pairs():
    rng = np.random.default_rng(0)
    y, weight = rng.integers(0, 3, 30), np.ones(30)
    objective = PairObjective(PairwiseLogistic(), Queries.of(y), weight, Workers(1))
    point = at(objective, rng.normal(size=30))
    found = search_line(objective, point, point.pull)
    assert objective.slope(point.z + found * point.pull, point.pull) == pytest.approx(0, abs=1e-8)


class Valley(Loss):
    """Not convex, and without a curvature: saturates on both sides of its minimum."""

    def value(self, z, t):
        r = np.subtract(z, t)
        return r * r / (1 + r * r)

    def derivative(self, z, t):
        r = np.subtract(z, t)
        return 2 * r / (1 + r * r) ** 2


@given(seeds)
def test_a_loss_of_ones_own_need_not_be_convex(seed):
    objective, point, _ = problem(seed, Valley())
    h = point.pull
    found = search_line(objective, point, h)
    assert objective.value(point.z + found * h) <= point.value + 1e-15
