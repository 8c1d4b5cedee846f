"""The compiled search of buckets and its NumPy twin find the same rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.ops.engine import Engine

GROUP = "hash_tables"
reference = getattr(Engine("reference"), GROUP)


def search(ops, seed, rows, tables, k, dtype):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(rows, 3)).astype(dtype)  # with many equal distances
    asked = rng.integers(0, 4, size=(5, 3)).astype(dtype)
    bucket = rng.integers(0, 8, size=(tables, rows))
    order = np.argsort(bucket, axis=1, kind="stable").astype(np.int32)
    counts = np.array([np.bincount(line, minlength=8) for line in bucket])
    starts = np.column_stack([np.zeros(tables, int), counts.cumsum(axis=1)])
    codes = rng.integers(0, 8, size=(5, tables, 2)).astype(np.int32)
    squares, indices = np.full((5, k), np.inf), np.full((5, k), -1)
    seen = np.full(rows, -1, np.int32)
    compared = ops.search_buckets(X, asked, order, starts, codes, seen, 1, 5, squares, indices)
    return compared, squares, indices


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 4), st.integers(1, 9))
def test_the_same_rows_are_found(tested, dtype, seed, rows, tables, k):
    fast, slow = (search(ops, seed, rows, tables, k, dtype) for ops in (tested, reference))
    assert fast[0] == slow[0]
    np.testing.assert_allclose(fast[1], slow[1], rtol=1e-12)
    np.testing.assert_array_equal(fast[2], slow[2])
    assert (fast[2][0] == -1).all()  # the question before the first is not looked at
