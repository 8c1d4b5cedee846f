import numpy as np
import pytest
from scipy import sparse

from maxmargin.ops.clock import Clock
from maxmargin.ops.kinds import ROW
from maxmargin.ops.threads import Workers
from maxmargin.trees.presort import Runs, sort_columns
from maxmargin.trees.source import source_of

X = np.array([[3.0, 0.0], [1.0, 0.0], [np.nan, 5.0], [2.0, 0.0]])


@pytest.mark.parametrize("container", [np.asarray, sparse.csc_matrix])
def test_rows_lie_in_order_around_the_frequent_value(container):
    with Workers(1) as workers:
        runs, left = sort_columns(source_of(container(X)), np.arange(2), workers, Clock())
    assert left == 0
    below, above, missing = runs.lengths.T
    assert missing.tolist() == [1, 0]
    assert runs.missing.tolist() == [2]
    assert runs.middle[1] == 0.0
    assert (below[1], above[1]) == (0, 1)
    assert runs.rows[-1] & ROW == 2
    stored = runs.rows[: below[0]] & ROW
    assert sorted(X[stored, 0]) == X[stored, 0].tolist()


def test_columns_are_put_behind_each_other():
    one = Runs(np.array([1]), np.array([2]), np.array([[1, 0, 1]]), np.array([0.5]))
    both = Runs.join([one, one])
    assert both.rows.tolist() == [1, 1]
    assert both.lengths.shape == (2, 3)
