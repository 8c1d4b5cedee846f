import numpy as np
import pytest

from maxmargin.trees.criterion import (
    GiniCriterion,
    SignCriterion,
    SquareCriterion,
    on_grid,
    signal_share,
)


def test_values_on_the_grid_are_near_and_their_sum_is_exact():
    values = np.random.default_rng(0).normal(size=100)
    rounded, total, size = on_grid(values)
    np.testing.assert_allclose(rounded, values, atol=1e-12)
    assert total == rounded[::-1].sum() == rounded.sum()
    assert size == pytest.approx(np.abs(values).sum())


def test_the_edge_is_that_of_the_better_labels():
    criterion = SignCriterion(np.array([1.0, -2.0, 3.0]))
    assert criterion.baseline == 2.0
    side = criterion.sums(np.array([0, 1, 0]), slice(None), 2)[1]
    assert criterion.score(side) == 6.0
    assert criterion.leaves(side) == (-1.0, 1.0)


def test_leaves_of_least_squares_are_the_means():
    values = np.array([1.0, 2.0, 6.0])
    criterion = SquareCriterion(values, None)
    side = criterion.sums(np.array([0, 0, 1]), slice(None), 2)[0]
    np.testing.assert_allclose(criterion.leaves(side), [1.5, 6.0])
    assert criterion.constant() == pytest.approx(3.0)


def test_a_side_of_one_class_is_pure():
    criterion = GiniCriterion(np.array([1.0, -1.0]))
    side = criterion.sums(np.array([0, 1]), slice(None), 2)[0]
    assert criterion.score(side) > criterion.baseline


def test_groups_that_differ_by_chance_alone_explain_nothing():
    group, pull = np.array([0, 0, 1, 1]), np.array([1.0, -1.0, 1.0, -1.0])
    assert signal_share(pull, np.ones(4), group, 2) == 0.0
    assert signal_share(np.array([9.0, 9.1, -9.0, -9.1]), np.ones(4), group, 2) > 0.4
