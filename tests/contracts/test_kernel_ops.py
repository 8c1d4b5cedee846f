"""The compiled loops behind the kernels and their NumPy twins give the same numbers."""

import numpy as np
import pytest
from scipy import sparse

from maxmargin.ops.cpu import kernel_epilogue, kernel_l1, kernel_sparse
from maxmargin.ops.engine import Engine

REFERENCE = Engine("reference")
DTYPES = [np.float32, np.float64]


def both(fast, slow, *arguments, dtype, shape=(5, 7), stride=9):
    """Run both on the same strided block; give the two blocks and check what lies between rows."""
    start = np.random.default_rng(0).normal(size=shape[0] * stride).astype(dtype)
    blocks = []
    for function in (fast, slow):
        out = start.copy()
        function(*arguments, out, stride)
        untouched = out.reshape(shape[0], stride)[:, shape[1] :]
        np.testing.assert_array_equal(untouched, start.reshape(shape[0], stride)[:, shape[1] :])
        blocks.append(out.reshape(shape[0], stride)[:, : shape[1]])
    return blocks


def close(pair, dtype):
    np.testing.assert_allclose(*pair, rtol=50 * np.finfo(dtype).eps, atol=50 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 4, 5])
def test_exp_of_distance(dtype, n):
    a, b = np.linspace(1, 4, n).astype(dtype), np.linspace(0, 3, 7).astype(dtype)
    pair = both(
        kernel_epilogue.exp_of_distance,
        REFERENCE.kernel_epilogue.exp_of_distance,
        *(dtype(0.7), a, b),
        dtype=dtype,
        shape=(n, 7),
    )
    close(pair, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("degree", [0, 1, 2, 3, 6])
def test_affine_power(dtype, degree):
    fast, slow = kernel_epilogue.affine_power, REFERENCE.kernel_epilogue.affine_power
    close(both(fast, slow, dtype(0.7), dtype(-0.2), degree, 5, 7, dtype=dtype), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("tile", [2, 8])
def test_sparse_dot(dtype, tile):
    A = sparse.random(5, 30, 0.3, format="csr", dtype=dtype, random_state=1)
    B = sparse.random(7, 30, 0.3, format="csr", dtype=dtype, random_state=2)
    arguments = (A.data, A.indices, A.indptr, B.data, B.indices, B.indptr, 30, tile, 30)
    close(
        both(kernel_sparse.sparse_dot, REFERENCE.kernel_sparse.sparse_dot, *arguments, dtype=dtype),
        dtype,
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_l1_product(dtype):
    rng = np.random.default_rng(3)
    A, B = rng.normal(size=(5, 3)).astype(dtype), rng.normal(size=(7, 3)).astype(dtype)
    close(both(kernel_l1.l1_product, REFERENCE.kernel_l1.l1_product, A, B, dtype=dtype), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_l1_by_column(dtype):
    rng = np.random.default_rng(4)
    A, weight = rng.normal(size=(9, 4)).astype(dtype), rng.normal(size=(9, 9)).astype(dtype)
    fast, slow = np.empty((2, 4))
    kernel_l1.l1_by_column(A, weight + weight.T, fast)
    REFERENCE.kernel_l1.l1_by_column(A, weight + weight.T, slow)
    np.testing.assert_allclose(fast, slow, rtol=1e-4 if dtype == np.float32 else 1e-12)


def exponential(x):
    """exp of each x <= 0, through the compiled epilogue."""
    out, zero = (x / 2).astype(x.dtype), np.zeros(x.size, x.dtype)
    kernel_epilogue.exp_of_distance(x.dtype.type(1), zero[:1], zero, out, x.size)
    return out


@pytest.mark.parametrize(
    ("dtype", "lowest", "bound"), [(np.float32, -87, 2e-7), (np.float64, -708, 4e-16)]
)
def test_the_exponential_is_accurate_over_its_whole_range(dtype, lowest, bound):
    x = np.linspace(lowest, 0, 200_001).astype(dtype)
    exact = np.exp(x.astype(np.longdouble))
    assert np.max(np.abs(exponential(x) - exact) / exact) < bound


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_exponential_has_no_surprises_at_its_ends(dtype):
    ends = np.array([0, -750, -1e30, -np.inf, np.nan, 1e-3], dtype)
    np.testing.assert_array_equal(exponential(ends), [1, 0, 0, 0, np.nan, 1])
