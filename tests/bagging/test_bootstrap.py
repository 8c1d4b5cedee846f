"""Bags depend on what the rows hold, and on the weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from maxmargin.bagging.bootstrap import fill_urn, order_by_content

VALUES = st.sampled_from([0.0, -0.0, 1.0, 2.5])
SMALL = arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=VALUES)


@given(SMALL)
def test_equal_rows_lie_side_by_side(X):
    label = np.zeros(len(X), dtype=np.intp)
    sorted_rows = X[order_by_content(X, label)]
    changes = (sorted_rows[1:] != sorted_rows[:-1]).any(axis=1).sum()
    assert changes + 1 == len({tuple(row) for row in (X + 0.0).tolist()})


@given(SMALL)
def test_storage_and_precision_do_not_change_the_order(X):
    label = np.arange(len(X)) % 2
    expected = order_by_content(X, label)
    for other in (sparse.csr_matrix(X), sparse.csc_array(X), X.astype(np.float32)):
        np.testing.assert_array_equal(order_by_content(other, label), expected)


def test_rows_are_drawn_as_often_as_their_weights_say():
    X, label = np.arange(4.0)[:, None], np.zeros(4, dtype=np.intp)
    weight = np.array([0.0, 1.0, 2.0, 5.0])
    urn = fill_urn(X, label, weight, 80_000, True, "Test")
    share = urn.counts(0) / 80_000
    assert share[0] == 0.0
    np.testing.assert_allclose(share, weight / 8, atol=0.006)  # three standard deviations


def test_without_replacement_no_row_comes_twice_and_none_without_weight():
    X, label = np.arange(50.0)[:, None], np.zeros(50, dtype=np.intp)
    weight = np.r_[np.zeros(10), np.ones(40)]
    urn = fill_urn(X, label, weight, 30, False, "Test")
    assert set(urn.counts(1)) == {0.0, 1.0}
    assert not urn.counts(1)[:10].any()
    with pytest.raises(ValueError, match="cannot be drawn without replacement from 40"):
        fill_urn(X, label, weight, 41, False, "Test")


def test_even_weights_draw_as_no_weights_do():
    X, label = np.arange(50.0)[:, None], np.zeros(50, dtype=np.intp)
    even, ones = (fill_urn(X, label, w, 1.0, True, "Test") for w in (None, np.ones(50)))
    for seed in range(20):
        np.testing.assert_array_equal(even.draw(seed), ones.draw(seed))


def test_one_seed_is_one_bag():
    X, label = np.arange(50.0)[:, None], np.zeros(50, dtype=np.intp)
    urn = fill_urn(X, label, None, 1.0, True, "Test")
    np.testing.assert_array_equal(urn.draw(5), urn.draw(5))
    assert not np.array_equal(urn.draw(5), urn.draw(6))
    assert len(urn.draw(5)) == 50


def test_strings_stay_in_their_order():
    X = np.array([["b"], ["a"]], dtype=object)
    np.testing.assert_array_equal(order_by_content(X, np.zeros(2, dtype=np.intp)), [0, 1])


def test_entries_that_are_added_up_are_one_entry():
    value, column = np.arange(1.0, 33.0), np.tile([0, 0, 1, 2], 8)
    twice = sparse.csr_matrix((value, column, np.arange(0, 33, 4)), shape=(8, 3))
    label = np.zeros(8, dtype=int)
    order = order_by_content(twice, label)
    np.testing.assert_array_equal(order, order_by_content(twice.toarray(), label))
    assert twice.nnz == 32
