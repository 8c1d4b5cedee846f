"""A split sends every row to one of two sides."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from maxmargin.boosting import Split
from maxmargin.trees.split import floor_as, midpoint


def test_larger_values_go_right_and_missing_ones_where_they_are_told():
    X = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [0.0, np.nan]])
    assert Split(1, 2.0).right_side(X).tolist() == [False, False, True, False]
    assert Split(1, 2.0, missing_right=True).right_side(X).tolist() == [False, False, True, True]


def test_without_a_feature_all_rows_go_left():
    split = Split(left=3.0, right=-3.0)
    assert split.values(np.ones((2, 1))).tolist() == [3.0, 3.0]
    assert split.values(sparse.csr_array(np.ones((2, 1)))).tolist() == [3.0, 3.0]


@pytest.mark.parametrize("missing_right", [False, True])
def test_categories_that_were_not_seen_go_with_missing_ones(missing_right):
    split = Split(0, categories=np.array([True, False, True]), missing_right=missing_right)
    X = np.array([[0.0], [1.0], [2.0], [3.0], [-1.0], [np.nan]])
    assert split.right_side(X).tolist() == [True, False, True] + [missing_right] * 3


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_sparse_rows(form):
    X = np.array([[0.0, -1.0], [2.0, 0.0], [0.0, 0.0]])
    for split in (Split(0, 1.0), Split(1, -0.5), Split(1, 0.5)):
        matrix = sparse.csr_array(X).asformat(form)
        np.testing.assert_array_equal(split.right_side(matrix), split.right_side(X))


def test_a_double_threshold_is_compared_exactly_with_single_precision():
    x = np.array([[1.0], [1.0 + 2.0**-23]], dtype=np.float32)
    for threshold in (1.0 + 2.0**-24, 1.0 + 2.0**-23 - 2.0**-40):
        assert Split(0, threshold).right_side(x).tolist() == [False, True]
    assert Split(0, 1.0 + 2.0**-23).right_side(x).tolist() == [False, False]
    assert Split(0, 1e300).right_side(x).tolist() == [False, False]
    assert Split(0, -1e300).right_side(x).tolist() == [True, True]
    assert Split(0, np.inf).right_side(x).tolist() == [False, False]


def test_rounding_a_threshold_down():
    for threshold in (0.1, -0.1, 1e-50, -1e-50, 3.0, 1e39, -1e39):
        low = floor_as(threshold, np.dtype(np.float32))
        assert low.dtype == np.float32
        assert float(low) <= threshold
        with np.errstate(over="ignore"):
            assert float(np.nextafter(low, np.float32(np.inf))) > threshold or np.isinf(low)


def test_midpoints():
    assert midpoint(1.0, 2.0) == 1.5
    assert midpoint(-1e308, 1.5e308) == pytest.approx(2.5e307)
    assert midpoint(1.0, np.nextafter(1.0, 2.0)) == 1.0
    assert midpoint(0.0, 5e-324) == 0.0
    assert midpoint(-5e-324, 0.0) == -5e-324


def test_splits_are_values():
    chosen = np.array([True, False])
    split = Split(1, categories=chosen, left=-1.0, right=1.0, gain=0.5)
    assert split == Split(1, categories=chosen.copy(), left=-1.0, right=1.0, gain=0.5)
    assert split != Split(1, categories=~chosen, left=-1.0, right=1.0, gain=0.5)
    assert split != Split(1, 0.5, left=-1.0, right=1.0, gain=0.5)
    assert Split(0, 0.5) != Split(0, 0.25)
    assert (Split() == 1) is False
    assert len({split, pickle.loads(pickle.dumps(split))}) == 1
