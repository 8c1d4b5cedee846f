"""Tiles evaluated and used in one compiled call, and their NumPy twins, give the same numbers."""

import numpy as np
import pytest

from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.kernels.gram import Formula
from maxmargin.ops.engine import Engine
from maxmargin.ops.kinds import SLIVER, TILE_COLUMNS, TILE_ROWS

GROUP = "kernel_tile"
reference = getattr(Engine("reference"), GROUP)
KERNELS = [RBF(gamma=0.3), Polynomial(degree=3, gamma=0.2), Linear()]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=str)
every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def seen(kernel, dtype, n):
    X = np.random.default_rng(0).normal(size=(n, 3)).astype(dtype)
    return Formula.of(kernel, kernel.prepare(X))


def both(tested, verb, *arguments, outputs):
    """Run both on copies of the outputs; give the two lists of what they wrote."""
    found = []
    for verbs in (tested, reference):
        copies = {id(out): out.copy() for out in outputs}
        getattr(verbs, verb)(*(copies.get(id(a), a) for a in arguments))
        found.append([copies[id(out)] for out in outputs])
    return zip(*found, strict=True)


def close(pairs, dtype):
    for fast, slow in pairs:
        np.testing.assert_allclose(
            fast, slow, rtol=200 * np.finfo(dtype).eps, atol=1e-4 if dtype is np.float32 else 1e-11
        )


@every_kernel
@every_dtype
@pytest.mark.parametrize("new", [0, 1, 6, TILE_ROWS + 3])
def test_a_move_books_evaluates_and_adds(tested, kernel, dtype, new):
    rng, n = np.random.default_rng(1), TILE_COLUMNS + 5
    formula, rows = seen(kernel, dtype, n), seen(kernel, dtype, max(new, 1)).take(slice(new))
    store = rng.normal(size=(new + 7, n + 4)).astype(dtype)
    lines = rng.permutation(new + 7)
    settled, running = rng.normal(size=(2, n))
    columns = *formula.as_columns, 4
    scratch, counter = np.empty(TILE_ROWS * TILE_COLUMNS, dtype), np.zeros(1, np.int64)
    pairs = both(
        tested,
        "add_rows_and_fill",
        *(settled, lines[:3], rng.normal(size=3)),
        *(running, lines[new : new + 5], rng.normal(size=5)),
        *(*rows.as_rows, lines[:new], rng.normal(size=new), *columns, store, scratch),
        *(counter, 1, 100),
        outputs=[settled, running, store, counter],
    )
    close(list(pairs)[:3], dtype)


@pytest.mark.parametrize("zones", [1, 2, 4, 16])
def test_ranges_are_taken_once_however_many_at_a_time(ops, zones):
    n = 5 * TILE_COLUMNS + 1
    formula = seen(RBF(0.5), np.float64, n)
    nobody, nothing = np.empty(0, np.intp), np.empty(0)
    for at_once in (1, 2, 100):
        running, counter, calls = np.zeros(n), np.zeros(1, np.int64), 0
        scratch, store = np.empty(TILE_ROWS * TILE_COLUMNS), np.zeros((1, n))
        given = np.zeros(n), nobody, nothing, running, nobody, nothing, *formula.take([3]).as_rows
        given = *given, np.zeros(1, np.intp), np.ones(1), *formula.as_columns, 0, store
        while ops.add_rows_and_fill(*given, scratch, counter, zones, at_once):
            calls += 1
        assert calls in (0, 6 // at_once)
        np.testing.assert_allclose(running, RBF(0.5)(formula.X[3:4], formula.X)[0], rtol=1e-9)
        np.testing.assert_array_equal(running, store[0])


@every_kernel
@every_dtype
@pytest.mark.parametrize("known", [0, 1, 31])
def test_strips_make_a_symmetric_matrix(tested, kernel, dtype, known):
    formula, n, high = seen(kernel, dtype, 70), 70, 2 * SLIVER
    values, scratch = (
        np.zeros((n, n), dtype),
        np.empty(high * (n + formula.as_columns[0].shape[-1]), dtype),
    )
    values[:known, :known] = kernel(formula.X)[:known, :known]
    parts = *formula.take(slice(known, n)).as_rows, *formula.as_columns
    for first in reversed(range(known, n, high)):
        tested.fill_strip(*parts, first, min(first + high, n), values, scratch)
    np.testing.assert_array_equal(values[known:], values.T[known:])
    close([(values, kernel(formula.X))], dtype)


@every_kernel
@every_dtype
def test_decisions_add_up_class_by_class(tested, kernel, dtype):
    rows, support = seen(kernel, dtype, 9), seen(kernel, dtype, TILE_COLUMNS + 40)
    edges, weights = np.array([0, TILE_COLUMNS + 1, len(support)]), np.ones(len(support))
    sums, scratch = np.zeros((2, 9)), np.empty(TILE_ROWS * TILE_COLUMNS, dtype)
    panel = rows.as_columns[0].shape[-1]
    panels = np.empty((TILE_COLUMNS // panel, 3, panel), dtype)
    given = *rows.as_rows, support.X, support.lengths, edges, weights, sums, panels, scratch
    close(both(tested, "add_decisions", *given, outputs=[sums]), dtype)


def test_rows_that_may_not_be_written_to_need_no_other_loops():
    X = np.ones((4, 2))
    X.flags.writeable = False
    formula = Formula.of(RBF(1.0), RBF(1.0).prepare(X))
    assert formula.X.flags.writeable


def test_a_rate_beyond_single_precision_is_the_largest_there_is():
    formula = Formula.of(RBF(1e300), RBF(1e300).prepare(np.ones((2, 2), np.float32)))
    assert np.isfinite(formula.params.astype(np.float32)).all()
