"""The compiled products with sparse rows and their NumPy twins give the same numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from maxmargin.ops.engine import Engine

GROUP = "features"
reference = getattr(Engine("reference"), GROUP)

DTYPES = [np.float32, np.float64]
INDICES = [(np.int32, np.int32), (np.int64, np.int64), (np.uint32, np.uint64)]  # columns, starts
SUMS = ["add_rows_back", "add_squares", "add_products"]
seeds = st.integers(0, 2**32 - 1)

every_dtype = pytest.mark.parametrize("dtype", DTYPES)
every_index = pytest.mark.parametrize("index", INDICES)


def rows(rng, dtype, index, n, d):
    """CSR arrays of random rows; some are empty, some full, some stored values are 0."""
    share = rng.choice([0.0, 0.4, 1.0], size=(n, 1))
    X = np.where(rng.random((n, d)) < share, rng.normal(size=(n, d)), 0.0)
    matrix = sparse.csr_matrix(X.astype(dtype))
    matrix.data[rng.random(matrix.nnz) < 0.1] = 0.0
    return matrix.data, matrix.indices.astype(index[0]), matrix.indptr.astype(index[1])


def some_range(data, n):
    first = data.draw(st.integers(0, n))
    return first, data.draw(st.integers(first, n))


@every_index
@every_dtype
@given(seeds, st.integers(0, 9), st.integers(1, 9), st.data())
def test_row_values(tested, dtype, index, seed, n, d, data):
    rng, part = np.random.default_rng(seed), some_range(data, n)
    arrays, theta = rows(rng, dtype, index, n, d), rng.normal(size=d)
    fast = rng.normal(size=n)
    slow = fast.copy()
    tested.row_values(*arrays, theta, *part, fast)
    reference.row_values(*arrays, theta, *part, slow)
    np.testing.assert_allclose(fast, slow, rtol=1e-13, atol=1e-13)


@every_index
@every_dtype
@given(seeds, st.integers(0, 9), st.integers(1, 9), st.data())
def test_row_squares(tested, dtype, index, seed, n, d, data):
    rng, part = np.random.default_rng(seed), some_range(data, n)
    values, _, starts = rows(rng, dtype, index, n, d)
    fast = rng.normal(size=n)
    slow = fast.copy()
    tested.row_squares(values, starts, *part, fast)
    reference.row_squares(values, starts, *part, slow)
    np.testing.assert_allclose(fast, slow, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", SUMS)
@every_index
@every_dtype
@given(seeds, st.integers(0, 9), st.integers(1, 9), st.data())
def test_sums_over_rows(tested, dtype, index, name, seed, n, d, data):
    rng, part = np.random.default_rng(seed), some_range(data, n)
    weight = rng.normal(size=n) * (rng.random(n) < 0.7)
    fast = rng.normal(size=(d, d) if name == "add_products" else d)
    slow = fast.copy()
    arrays = rows(rng, dtype, index, n, d)
    getattr(tested, name)(*arrays, weight, *part, fast)
    getattr(reference, name)(*arrays, weight, *part, slow)
    np.testing.assert_allclose(fast, slow, rtol=1e-13, atol=1e-13)


def test_two_rows_by_hand(ops):
    """The rows (1, 0, 2) and (0, 3, 0), with weights 2 and 5."""
    arrays = np.array([1.0, 2.0, 3.0]), np.array([0, 2, 1]), np.array([0, 2, 3])
    weight, values = np.array([2.0, 5.0]), np.zeros(2)
    ops.row_values(*arrays, np.array([1.0, 10.0, 100.0]), 0, 2, values)
    assert values.tolist() == [201, 30]
    back, squares, products = np.zeros(3), np.zeros(3), np.zeros((3, 3))
    ops.add_rows_back(*arrays, weight, 0, 2, back)
    ops.add_squares(*arrays, weight, 0, 2, squares)
    ops.add_products(*arrays, weight, 0, 2, products)
    assert back.tolist() == [2, 15, 4]
    assert squares.tolist() == [2, 45, 8]
    assert products.tolist() == [[2, 0, 0], [0, 45, 0], [4, 0, 8]]


def test_squares_of_single_precision_neither_round_nor_overflow(ops):
    data = np.array([np.float32(1 / 3), np.float32(1e30)])
    arrays = data, np.array([0, 1], np.int32), np.array([0, 2], np.int32)
    squares, products = np.zeros(2), np.zeros((2, 2))
    ops.add_squares(*arrays, np.ones(1), 0, 1, squares)
    ops.add_products(*arrays, np.ones(1), 0, 1, products)
    expected = data.astype(np.float64) ** 2
    np.testing.assert_allclose(squares, expected, rtol=1e-15)
    np.testing.assert_allclose(np.diag(products), expected, rtol=1e-15)


def test_the_parts_of_the_rows_add_up_to_the_whole(ops):
    rng = np.random.default_rng(0)
    arrays, weight = rows(rng, np.float64, INDICES[0], 20, 6), rng.random(20)
    for name in SUMS:
        shape = (6, 6) if name == "add_products" else 6
        whole, parts = np.zeros(shape), np.zeros(shape)
        getattr(ops, name)(*arrays, weight, 0, 20, whole)
        for part in [(0, 7), (7, 7), (7, 20)]:
            getattr(ops, name)(*arrays, weight, *part, parts)
        np.testing.assert_allclose(parts, whole, rtol=1e-13, atol=1e-14)
        assert whole.any()
