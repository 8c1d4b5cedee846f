"""Products of packed rows: what NumPy gives, in an order that no block, edge or thread changes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.kernels import RBF, Linear
from maxmargin.kernels.gram import Formula
from maxmargin.ops.engine import Engine
from maxmargin.ops.kinds import PANEL, SLIVER

GROUP = "product"
reference = getattr(Engine("reference"), GROUP)
every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def packed(ops, X, width):
    """Pack into memory that holds something else, as scratch memory does."""
    out = np.full((-(-len(X) // width), X.shape[1], width), np.nan, X.dtype)
    ops.pack(X, np.arange(len(X)), out)
    return out


def products(ops, A, B):
    left, right = packed(ops, A, SLIVER), packed(ops, B, PANEL // B.itemsize)
    tile = np.full((len(left) * SLIVER, len(right) * right.shape[2]), np.nan, A.dtype)
    ops.multiply(left, right, tile)
    return tile


def some(dtype, rows, columns, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, columns)).astype(dtype)


@every_dtype
@given(st.integers(0, 2**32 - 1), st.integers(0, 70), st.integers(1, 5), st.integers(1, 40))
def test_packed_rows_lie_side_by_side(tested, dtype, seed, rows, columns, width):
    X = some(dtype, rows, columns, seed)
    fast, slow = packed(tested, X, width), packed(reference, X, width)
    np.testing.assert_array_equal(fast, slow)
    back = reference.unpack(fast)
    np.testing.assert_array_equal(back[:rows], X)
    assert not back[rows:].any()


@every_dtype
def test_some_rows_are_packed_in_their_order(tested, dtype):
    X, chosen = some(dtype, 40, 7), np.array([31, 2, 2, 39, 0])
    out = np.full((1, 7, 12), np.nan, dtype)
    tested.pack(X, chosen, out)
    np.testing.assert_array_equal(reference.unpack(out)[:5], X[chosen])


@every_dtype
@pytest.mark.parametrize("columns", [0, 1, 2, 255, 256, 257, 700, 10_000])
@pytest.mark.parametrize("rows", [(1, 1), (12, 16), (13, 33), (25, 100)])
def test_products_are_those_of_numpy(tested, dtype, columns, rows):
    A, B = some(dtype, rows[0], columns), some(dtype, rows[1], columns, 1)
    found, exact = products(tested, A, B), A.astype(np.longdouble) @ B.T.astype(np.longdouble)
    near = 4 * (np.sqrt(columns / 3) + 1) * np.finfo(dtype).eps / 2
    lengths = np.linalg.norm(A, axis=1)[:, None] * np.linalg.norm(B, axis=1)
    assert (np.abs(found[: rows[0], : rows[1]] - exact) <= near * lengths).all()
    assert not found[rows[0] :].any()
    assert not found[:, rows[1] :].any()


@every_dtype
@pytest.mark.parametrize("columns", [1, 37, 300])
def test_a_value_does_not_depend_on_where_it_stands(tested, dtype, columns):
    A = some(dtype, 70, columns)
    whole, order = products(tested, A, A)[:70, :70], np.random.default_rng(2).permutation(70)
    np.testing.assert_array_equal(whole, whole.T)
    np.testing.assert_array_equal(products(tested, A[order], A)[:70, :70], whole[order])
    for i in (0, 11, 12, 69):
        np.testing.assert_array_equal(products(tested, A[i : i + 1], A)[0, :70], whole[i])


@every_dtype
def test_whole_numbers_are_exact(tested, dtype):
    numbers = np.random.default_rng(0).integers(-8, 9, size=(40, 300))
    A = numbers.astype(dtype)
    np.testing.assert_array_equal(products(tested, A, A)[:40, :40], numbers @ numbers.T)


def test_tiny_and_huge_numbers_keep_their_exponents(tested):
    A = np.array([[1e300, 1e-300, 1.0]])
    B = np.array([[1e-300, 1e300, 2.0**-60]])
    exact = sum(Fraction(a) * Fraction(b) for a, b in zip(A[0], B[0], strict=True))
    assert abs(products(tested, A, B)[0, 0] - float(exact)) <= 4e-16 * float(exact)


def test_not_a_number_spoils_its_own_row_only(tested):
    A, B = some(np.float64, 20, 5), some(np.float64, 20, 5, 1)
    A[7, 2] = np.nan
    lost = np.isnan(products(tested, A, B)[:20, :20])
    assert lost[7].all()
    assert lost.sum() == 20


@pytest.mark.parametrize("kernel", [RBF(gamma=0.1), Linear()], ids=str)
@every_dtype
def test_a_row_is_packed_once(kernel, dtype):
    formula = Formula.of(kernel, kernel.prepare(some(dtype, 50, 4)))
    assert formula.as_columns is formula.as_columns
    assert formula.as_rows is formula.as_rows
    assert formula.as_columns[0].dtype == dtype


@every_dtype
def test_some_of_some_rows(dtype):
    X, kernel = some(dtype, 50, 4), RBF(gamma=0.1)
    formula = Formula.of(kernel, kernel.prepare(X))
    twice = formula.take(slice(10, 40)).take([3, 29, 0])
    assert len(twice) == 3
    np.testing.assert_array_equal(reference.unpack(twice.as_rows[2])[:3], X[[13, 39, 10]])
    np.testing.assert_array_equal(twice.lengths, formula.lengths[[13, 39, 10]])
