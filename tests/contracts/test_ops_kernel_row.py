"""Kernel rows filled when wanted, compiled and in NumPy, and by the kernels they stand for."""

import numpy as np
import pytest

from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.ops.kinds import COPIED, GIVEN

GROUP = "kernel_row"

KERNELS = [Linear(), RBF(gamma=0.3), Polynomial(degree=3, gamma=0.5, coef0=1.0), Polynomial(0)]
dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def source(kernel, X):
    kind, params = kernel.formula
    nothing, norms = np.empty((0, 0), X.dtype), np.square(X).sum(axis=1)
    return kind, nothing, np.empty(0, np.intp), np.ascontiguousarray(X.T), norms, params


@dtypes
@pytest.mark.parametrize("columns", [1, 3, 4, 7, 64])
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_rows_are_those_of_the_kernel(ops, dtype, columns, kernel):
    X = np.random.default_rng(columns).normal(size=(37, columns)).astype(dtype)
    rows, whole = np.empty((37, 37), dtype), kernel(X)
    for i in range(37):
        ops.fill_row(i, *source(kernel, X), rows[i])
    size = np.abs(whole).max()
    np.testing.assert_allclose(rows, whole, atol=64 * np.finfo(dtype).eps * columns * size)


@dtypes
def test_rows_are_filled_once_and_into_the_next_line(ops, dtype):
    X = np.random.default_rng(0).normal(size=(9, 2)).astype(dtype)
    store, slots, taken = np.zeros((9, 9), dtype), np.full(9, -1), np.zeros(1, np.int64)
    rest = source(RBF(gamma=1.0), X)
    assert [ops.slot_of(i, store, slots, taken, *rest) for i in (5, 2, 5)] == [0, 1, 0]
    ops.bring_rows(np.array([2, 7]), store, slots, taken, *rest)
    assert (slots[[5, 2, 7]].tolist(), taken[0]) == ([0, 1, 2], 3)
    assert (slots < 0).sum() == 6
    np.testing.assert_allclose(store[:3], RBF(gamma=1.0)(X)[[5, 2, 7]], rtol=1e-5)


def test_only_the_caller_can_bring_what_has_no_source(ops):
    K, index = np.arange(16.0).reshape(4, 4), np.array([3, 1])
    store, slots, taken = np.zeros((2, 2)), np.full(2, -1), np.zeros(1, np.int64)
    rest = K, index, np.empty((0, 0)), np.empty(0), np.empty(0)
    assert ops.slot_of(1, store, slots, taken, GIVEN, *rest) == -1
    assert ops.slot_of(1, store, slots, taken, COPIED, *rest) == 0
    np.testing.assert_array_equal(store[0], K[1, [3, 1]])
