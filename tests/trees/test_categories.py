import numpy as np
import pytest

from maxmargin.trees.categories import CategoryCodes, CategoryRules, best_group
from maxmargin.trees.criterion import SignCriterion

CODES = np.array([0.0, 0.0, 1.0, 2.0, 2.0])
SIGNED = np.array([1.0, 1.0, -1.0, 1.0, -0.5])


@pytest.mark.parametrize(
    ("split", "best", "right"),
    [("subset", 3.5, {0, 2}), ("one_vs_rest", 3.5, {1})],
)
def test_the_best_group_has_the_largest_edge(split, best, right):
    criterion = SignCriterion(SIGNED)
    codes = CategoryCodes.of(CODES, np.ones(5), 0.0)
    sums = criterion.sums(codes.codes, slice(None), codes.n_groups)
    score, chosen = best_group(criterion, codes, sums, CategoryRules(split, 0.0, False))
    assert score == best
    groups = {k for k in range(3) if chosen[k]}
    assert groups in (right, {0, 1, 2} - right)


def test_missing_values_are_a_group_of_their_own():
    codes = CategoryCodes.of(np.array([0.0, np.nan, 1.0]), np.ones(3), 0.0)
    assert not codes.complete
    assert codes.n_groups == 3
