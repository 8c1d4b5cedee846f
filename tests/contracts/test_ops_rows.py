"""The compiled loops over kernel rows and their NumPy twins give the same numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.ops.engine import Engine

GROUP = "rows"
reference = getattr(Engine("reference"), GROUP)

DTYPES = [np.float32, np.float64]
seeds = st.integers(0, 2**32 - 1)


def store_and_slots(rng, dtype, lines, columns, chosen):
    store = rng.normal(size=(lines, columns)).astype(dtype)
    return store, rng.permutation(lines)[:chosen].astype(np.intp)


@pytest.mark.parametrize("dtype", DTYPES)
@given(seeds, st.integers(0, 9), st.integers(0, 20), st.integers(0, 5), st.integers(0, 5))
def test_add_rows(tested, dtype, seed, chosen, width, start, rest):
    rng = np.random.default_rng(seed)
    store, slots = store_and_slots(rng, dtype, 9, start + width + rest, chosen)
    weights, total = rng.normal(size=chosen), rng.normal(size=width)
    fast, slow = total.copy(), total.copy()
    tested.add_rows(fast, store, slots, weights, start)
    reference.add_rows(slow, store, slots, weights, start)
    np.testing.assert_allclose(fast, slow, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("dtype", DTYPES)
@given(seeds, st.integers(0, 9), st.integers(0, 20), st.integers(0, 5), st.integers(0, 5))
def test_put_rows(tested, dtype, seed, chosen, width, start, rest):
    rng = np.random.default_rng(seed)
    store, slots = store_and_slots(rng, dtype, 9, start + width + rest, chosen)
    block, twin = rng.normal(size=(chosen + 1, width + 2)).astype(dtype), store.copy()
    tested.put_rows(block, store, slots, start, width)
    reference.put_rows(block, twin, slots, start, width)
    np.testing.assert_array_equal(store, twin)
    np.testing.assert_array_equal(store[slots, start : start + width], block[:chosen, :width])


@pytest.mark.parametrize("dtype", DTYPES)
@given(seeds, st.integers(0, 9), st.integers(0, 40), st.integers(0, 5))
def test_row_dots(tested, dtype, seed, rows, width, start):
    rng = np.random.default_rng(seed)
    block = rng.normal(size=(rows + 1, start + width + 2)).astype(dtype)
    weights, total = rng.normal(size=width), rng.normal(size=rows)
    fast, slow = total.copy(), total.copy()
    tested.row_dots(block, start, weights, fast)
    reference.row_dots(block, start, weights, slow)
    np.testing.assert_allclose(fast, slow, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("dtype", DTYPES)
@given(seeds, st.integers(1, 9), st.data())
def test_gather_square(tested, dtype, seed, kept, data):
    first = data.draw(st.integers(0, kept))
    stop = data.draw(st.integers(first, kept))
    rng = np.random.default_rng(seed)
    old, place = store_and_slots(rng, dtype, 9, 9, kept)
    new = rng.normal(size=(kept + 2, kept + 2)).astype(dtype)
    twin = new.copy()
    tested.gather_square(old, place, first, stop, new)
    reference.gather_square(old, place, first, stop, twin)
    np.testing.assert_array_equal(new, twin)


@pytest.mark.parametrize("dtype", DTYPES)
@given(seeds, st.integers(1, 80), st.data())
def test_mirror(tested, dtype, seed, size, data):
    first = data.draw(st.integers(0, size))
    stop = data.draw(st.integers(first, size))
    values = np.random.default_rng(seed).normal(size=(size, size)).astype(dtype)
    twin = values.copy()
    tested.mirror(values, first, stop, 0, first)
    reference.mirror(twin, first, stop, 0, first)
    np.testing.assert_array_equal(values, twin)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_are_float64_whatever_the_rows_are(tested, dtype):
    store = np.full((5, 2), 1 / 3, dtype)
    total = np.zeros(2)
    tested.add_rows(total, store, np.arange(5), np.full(5, 1e-9), 0)
    assert total.dtype == np.float64
    np.testing.assert_allclose(total, 5e-9 * float(dtype(1 / 3)), rtol=1e-15)
