"""Jumps of the target along a column of numbers, and the stairs made of them."""

import numpy as np
import pytest

from maxmargin import TableSVR
from maxmargin.tabular.preparation import BLOCKS, Preparation
from maxmargin.tabular.steps import MOST_STEPS, find_steps

RNG = np.random.default_rng(0)
X = RNG.uniform(size=600)
NOISE = 0.2 * RNG.normal(size=600)
ONES = np.ones(600)


def scores_of(x):
    places = x.argsort(kind="stable").argsort().astype(float)
    return (places - places.mean()) / places.std()


def thresholds(x, target, weight=ONES):
    target = target[:, None] if target.ndim == 1 else target
    return find_steps(x, scores_of(x), target, weight)[:, 0]


def stairs_of(x, y):
    preparation, rows = Preparation.learn([x], ["x"], y[:, None])
    return preparation, rows.X[:, rows.block == BLOCKS.index("steps")]


@pytest.mark.parametrize(
    "smooth", [lambda x: 0 * x, lambda x: 3 * x, lambda x: (x - 0.5) ** 2, np.exp]
)
def test_a_trend_has_no_steps_and_a_jump_on_it_has_one(smooth):
    assert len(thresholds(X, smooth(X) + NOISE)) == 0
    found = thresholds(X, smooth(X) + (X > 0.62) + NOISE)
    assert found == pytest.approx([0.62], abs=0.01)


def test_chance_makes_no_steps():
    columns = np.random.default_rng(1).normal(size=(60, 400))
    y = np.random.default_rng(2).normal(size=(400, 3))
    found = [find_steps(x, scores_of(x), y, np.ones(400)) for x in columns]
    assert sum(map(len, found)) == 0


def test_steps_stand_in_order_and_are_few():
    y = (X > 0.8) - 2.0 * (X > 0.2) + 3.0 * (X > 0.5) + (X > 0.9)
    found = find_steps(X, scores_of(X), (y + NOISE)[:, None], ONES)
    assert len(found) == MOST_STEPS
    assert (np.diff(found[:, 0]) > 0).all()
    assert found[0] == pytest.approx([0.2, 2.0], rel=0.3)


def test_a_step_of_any_output_counts():
    both = np.column_stack([NOISE, (X > 0.4) + NOISE])
    assert thresholds(X, both) == pytest.approx([0.4], abs=0.01)


def test_a_weight_is_a_repeat():
    y = (X > 0.3) + NOISE
    weight = RNG.integers(1, 4, 600).astype(float)
    again = np.repeat(np.arange(600), weight.astype(int))
    a = find_steps(X, scores_of(X), y[:, None], weight)
    b = find_steps(X[again], scores_of(X)[again], y[again, None], np.ones(len(again)))
    np.testing.assert_allclose(a[:, 0], b[:, 0])


@pytest.mark.parametrize("x", [(X > 0.5).astype(float), np.round(2 * X), 1e308 * (X - 0.5)])
def test_few_values_and_huge_ones(x):
    found = find_steps(x, scores_of(x), (x > np.median(x)).astype(float)[:, None], ONES)
    assert np.isfinite(found).all()


def test_nothing_to_learn_has_no_steps():
    assert len(thresholds(X, np.zeros(600))) == 0
    assert find_steps(X, X, np.zeros((600, 0)), ONES).shape == (0, 2)


def test_stairs_are_standardised_and_new_rows_stand_on_them():
    preparation, stairs = stairs_of(X, (X > 0.62) + NOISE)
    assert len(np.unique(stairs)) == 2
    assert stairs.mean() == pytest.approx(0.0, abs=1e-9)
    assert stairs.std() == pytest.approx(1.0)
    assert "with steps at 0.61" in str(preparation)
    new = preparation.rows([np.array([0.1, 0.9, np.nan])])
    low, high, gone = new.X[:, new.block == BLOCKS.index("steps")][:, 0]
    assert low < gone == 0.0 < high


def test_a_machine_of_stairs_is_nearer_to_steps_than_one_without(monkeypatch):
    rng = np.random.default_rng(3)
    rows = rng.uniform(size=(900, 4))
    y = 2.0 * (rows[:, 0] > 0.55) * (rows[:, 1] < 0.4) + (rows[:, 2] > 0.3)
    seen = y + 0.3 * rng.normal(size=900)
    with_them = TableSVR().fit(rows[:400], seen[:400]).predict(rows[400:])
    monkeypatch.setattr("maxmargin.tabular.steps.MOST_STEPS", 0)
    without = TableSVR().fit(rows[:400], seen[:400]).predict(rows[400:])
    off, of_curves = (np.square(each - y[400:]).mean() for each in (with_them, without))
    assert off < 0.7 * of_curves
