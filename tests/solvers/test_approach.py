"""The share of a run that is done, by violations of the optimality conditions."""

import math

import numpy as np
import pytest

from maxmargin.progress import Work
from maxmargin.solvers import Limits
from maxmargin.solvers.run import Approach


def shares(violations, **limits):
    work, found = Work(), []
    with work.at_work():
        approach = Approach(Limits(**limits))
    for number, violation in enumerate(violations):
        approach.report(np.float64(violation), number)
        found.append(work.share)
    return found


def test_a_run_is_half_done_when_half_of_the_digits_are_there():
    assert shares([1.0, 1e-1, 1e-2, 1e-1, 1e-4], tol=1e-4) == pytest.approx(
        [0.0, 0.25, 0.5, 0.5, 0.99]
    )


def test_steps_count_where_they_are_limited():
    assert shares([1.0] * 5, tol=1e-4, max_iter=8) == pytest.approx([0, 1 / 8, 1 / 4, 3 / 8, 1 / 2])


@pytest.mark.parametrize("violation", [math.inf, math.nan, -1.0, 0.0, 1e308, 5e-324])
def test_any_violation_will_do(violation):
    first, second = shares([violation, 1e-5], tol=5e-324)
    assert 0.0 <= first <= second <= 0.99


def test_nobody_is_told_where_nobody_watches():
    Approach(Limits()).report(1.0, 1)
