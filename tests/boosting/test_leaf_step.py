import numpy as np

from maxmargin.boosting.leaf_step import newton_leaf_steps, newton_steps, step_by_leaf

LEAF = np.array([0, 1, 0, 1])


def test_a_newton_step_is_the_pull_over_the_curvature_of_a_leaf():
    pull, curvature = np.array([1.0, 2.0, 3.0, -2.0]), np.array([1.0, 1.0, 1.0, 3.0])
    np.testing.assert_allclose(newton_leaf_steps(pull, curvature, LEAF, 2), [2.0, 0.0])


def test_a_leaf_without_curvature_or_pull_goes_nowhere():
    np.testing.assert_array_equal(newton_steps([0.0], [0.0]), [0.0])


def test_each_leaf_gets_the_step_of_its_rows_and_an_empty_one_none():
    steps = step_by_leaf(lambda rows: float(rows.sum()), LEAF, 3)
    np.testing.assert_array_equal(steps, [2.0, 4.0, 0.0])
