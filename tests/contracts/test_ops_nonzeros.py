import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.ops.engine import Engine

GROUP = "kernel_sparse"
reference = getattr(Engine("reference"), GROUP)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(seed=st.integers(0, 10**6), rows=st.integers(1, 9), columns=st.integers(1, 9))
def test_nonzeros_are_those_of_scipy(tested, dtype, seed, rows, columns):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((rows, columns)) < 0.4, rng.normal(size=(rows, columns)), 0.0)
    X, expected = X.astype(dtype), sparse.csr_matrix(X.astype(dtype))
    for ops in (tested, reference):
        indptr = np.empty(rows + 1, np.int64)
        ops.count_nonzeros(X, indptr)
        indices, data = np.empty(indptr[-1] + 1, np.int32), np.empty(indptr[-1] + 1, dtype)
        ops.collect_nonzeros(X, indptr, indices, data)
        np.testing.assert_array_equal(indptr, expected.indptr)
        np.testing.assert_array_equal(indices[:-1], expected.indices)
        np.testing.assert_array_equal(data[:-1], expected.data)


@pytest.mark.parametrize("kernel", [Linear(), RBF(gamma=0.1), Polynomial(degree=2)])
def test_large_data_of_mostly_zeros_give_the_values_of_small_ones(kernel):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((2100, 500)) < 0.1, rng.normal(size=(2100, 500)), 0.0)
    large, small = kernel.prepare(X), kernel.prepare(X[:50])
    assert sparse.issparse(large.X)
    assert not sparse.issparse(small.X)
    np.testing.assert_allclose(
        kernel.block(large[:50], large[:50]), kernel.block(small, small), rtol=1e-12, atol=1e-12
    )
