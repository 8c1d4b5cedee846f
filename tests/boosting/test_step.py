import numpy as np
import pytest

from maxmargin.boosting.direction import ModelDirection
from maxmargin.boosting.objective import ObjectivePoint, sum_over_rows
from maxmargin.boosting.step import StepRule
from maxmargin.losses import SquaredError
from maxmargin.ops.threads import Workers

TARGETS = np.array([1.0, 3.0, 5.0])


def gone(step, h, rate=1.0):
    """Where a step along h leads from 0."""
    with Workers(1) as workers:
        objective = sum_over_rows(SquaredError(), TARGETS, np.ones(3), workers)
        start, end = ObjectivePoint.empty(3), ObjectivePoint.empty(3)
        start.z.fill(0.0)
        objective.evaluate(start)
        taken = StepRule(step, rate).go(objective, ModelDirection(None, h), start, end, False)
    return taken, end.z


def test_a_constant_step_is_shrunk_by_the_learning_rate():
    (_, coefficient), z = gone(2.0, TARGETS, rate=0.25)
    assert coefficient == 0.5
    np.testing.assert_array_equal(z, 0.5 * TARGETS)


def test_a_line_search_finds_the_least_loss():
    (_, coefficient), z = gone("line_search", 0.1 * TARGETS)
    assert coefficient == pytest.approx(10.0)
    np.testing.assert_allclose(z, TARGETS)


def test_uphill_there_is_no_step():
    assert gone("line_search", -TARGETS)[0] is None
