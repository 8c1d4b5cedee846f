"""The compiled scans, sorts and sums of stumps and their NumPy twins give the same numbers."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maxmargin.boosting import Columns
from maxmargin.ops import kinds, split_score
from maxmargin.ops.cpu import (
    stump,
    stump_classes,
    stump_ensemble,
    stump_grid,
    stump_sort,
    stump_square,
)
from maxmargin.ops.kinds import PAIR, ROW, SIGNED, UNIT
from maxmargin.ops.reference import stump as reference
from maxmargin.ops.reference import stump_classes as reference_classes
from maxmargin.ops.reference import stump_ensemble as reference_ensemble
from maxmargin.ops.reference import stump_grid as reference_grid
from maxmargin.ops.reference import stump_sort as reference_sort
from maxmargin.ops.reference import stump_square as reference_square
from maxmargin.trees.criterion import on_grid

REFERENCE = {"sign": reference, "square": reference_square, "classes": reference_classes}
LAST = int(kinds.LAST)
KINDS = ["sign", "pair", "signed", "unit", "error", "gini"]
seeds = st.integers(0, 2**32 - 1)


def question(kind, rng, n):
    """The name of a scan, its first arguments, all on grids, and how many sums a side has."""
    weight, t = on_grid(rng.random(n) + 0.01)[0], rng.choice([-1.0, 1.0], size=n)
    if kind == "sign":
        return "sign", (weight * t, np.array([(weight * t).sum()])), 1
    if kind in ("error", "gini"):
        label = rng.integers(3, size=n).astype(np.uint32)
        total = np.bincount(label, weight, 3)
        return "classes", (label, weight, total, int(kind == "gini")), 3
    if kind == "unit":
        pull, _, _ = on_grid(rng.normal(size=n))
        return "square", (pull, UNIT, np.array([pull.sum(), n])), 2
    pull = weight * t
    total = np.array([pull.sum(), weight.sum()])
    if kind == "signed":
        return "square", (pull, SIGNED, total), 2
    both = np.stack([pull, weight], axis=1).ravel()
    return "square", (both, PAIR, total), 2


def scan(name):
    return {
        "sign": (stump.scan_sign, stump.place_sign),
        "square": (stump_square.scan_square, stump_square.place_square),
        "classes": (stump_classes.scan_classes, stump_classes.place_classes),
    }[name]


def runs(rng, n, count):
    """Runs of different rows with marks at random, some empty, some long."""
    parts = []
    for _ in range(count):
        length = rng.choice([0, n // 3, n - 1, rng.integers(n)])
        rows = rng.permutation(n)[:length].astype(np.uint32)
        rows[rng.random(length) < rng.choice([0.0, 0.5, 1.0])] |= LAST
        rows[-1:] |= LAST
        parts.append(rows)
    start = np.cumsum([0] + [len(part) for part in parts]).astype(np.uint64)
    return np.concatenate(parts), start


def shifts(rng, width, columns, some):
    """Sums of missing values, on a coarse grid and small enough for a side to keep some weight."""
    return rng.integers(0, 9, size=(columns, width)) * 2.0**-12 * some


def assert_same_gains(kind, fast, slow):
    """To the last bit, but for runs clearly worse than the best, which may be given as too bad."""
    if kind not in ("sign", "error"):
        worse = slow < (1 - 1e-6) * slow.max()
        assert (fast[worse] <= slow[worse]).all()
        fast, slow = np.where(worse, 0.0, fast), np.where(worse, 0.0, slow)
    if kind == "gini":  # the classes of a side are added up in another order
        np.testing.assert_allclose(fast, slow, rtol=1e-14)
    else:
        np.testing.assert_array_equal(fast, slow)


@given(seeds, st.integers(1, 60), st.integers(-1100, 900))
@example(seed=1, n=1, exponent=-983)  # smaller than the smallest normal number
def test_a_grid(seed, n, exponent):
    rng = np.random.default_rng(seed)
    values = np.ldexp(rng.normal(size=n) * rng.choice([1.0, 1e-5, 1e-12], size=n), exponent)
    fast, slow = np.empty(n), np.empty(n)
    for ops, rounded in ((stump_grid, fast), (reference_grid, slow)):
        sums = ops.put_on_grid(values, ops.size_of(values), rounded)
        assert sums == (math.fsum(rounded), math.fsum(np.abs(rounded)))
    np.testing.assert_array_equal(fast, slow)
    assert np.abs(fast - values).max() <= 4.5e-16 * np.abs(values).sum()
    assert np.cumsum(fast[rng.permutation(n)])[-1] == math.fsum(fast)


@pytest.mark.parametrize("kind", KINDS)
@given(seeds, st.integers(2, 200), st.integers(1, 6), st.booleans())
def test_scans(kind, seed, n, columns, some):
    rng = np.random.default_rng(seed)
    name, given_, width = question(kind, rng, n)
    rows, start = runs(rng, n, 2 * columns)
    order = rng.permutation(2 * columns).astype(np.uint64)
    shift = shifts(rng, width, columns, some)
    first, stop = sorted(rng.integers(0, 2 * columns + 1, size=2).tolist())
    fast = np.full(2 * columns, -7.0)
    slow = fast.copy()
    scan(name)[0](*given_, rows, start, order, first, stop, shift, fast)
    getattr(REFERENCE[name], f"scan_{name}")(*given_, rows, start, order, first, stop, shift, slow)
    assert_same_gains(kind, fast, slow)
    assert np.count_nonzero(fast != -7.0) == stop - first


def test_scans_of_more_than_a_buffer():
    rng = np.random.default_rng(0)
    for kind in KINDS:
        name, given_, width = question(kind, rng, 5_000)
        rows, start = runs(rng, 5_000, 10)
        order, shift = np.arange(10, dtype=np.uint64), shifts(rng, width, 5, True)
        fast, slow = np.zeros(10), np.zeros(10)
        scan(name)[0](*given_, rows, start, order, 0, 10, shift, fast)
        getattr(REFERENCE[name], f"scan_{name}")(*given_, rows, start, order, 0, 10, shift, slow)
        assert_same_gains(kind, fast, slow)


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@given(seeds, st.integers(2, 40), st.booleans(), st.floats(0.3, 1.1))
def test_places(kind, last, seed, n, some, share):
    rng = np.random.default_rng(seed)
    name, given_, width = question(kind, rng, n)
    rows, start = runs(rng, n, 1)
    shift = shifts(rng, width, 1, some)
    best = np.zeros(1)
    order = np.zeros(1, dtype=np.uint64)
    getattr(REFERENCE[name], f"scan_{name}")(*given_, rows, start, order, 0, 1, shift, best)
    target = float(share * best[0]) * (1 + 1e-9)
    fast, slow = np.zeros(width), np.zeros(width)
    run = rows, 0, len(rows), shift[0], target, last
    found = scan(name)[1](*given_, *run, fast)
    assert found == getattr(REFERENCE[name], f"place_{name}")(*given_, *run, slow)
    np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
@given(seeds, st.integers(2, 40))
def test_a_run_in_parts_is_the_run(kind, seed, n):
    """With the sums of what comes before, a part finds what one pass over all finds there."""
    rng = np.random.default_rng(seed)
    name, given_, width = question(kind, rng, n)
    rows, _ = runs(rng, n, 1)
    values = given_[:2] if name == "classes" else given_[: 1 + (name == "square")]
    verbs = {"sign": stump, "square": stump_square, "classes": stump_classes}[name]
    cut, shift, target = int(rng.integers(len(rows) + 1)), np.zeros(width), float("-inf")
    fast, slow, whole = np.zeros(width), np.ones(width), np.zeros(width)
    getattr(verbs, f"sum_{name}")(*values, rows, 0, cut, fast)
    getattr(REFERENCE[name], f"sum_{name}")(*values, rows, 0, cut, slow)
    np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=1e-14)
    place = scan(name)[1]
    all_of_it = place(*given_, rows, 0, len(rows), shift, target, True, whole)
    rest = place(*given_, rows, cut, len(rows), shift, target, True, fast)
    if rest:
        assert abs(rest) + cut == abs(all_of_it)
        np.testing.assert_array_equal(fast, whole)


@pytest.mark.parametrize("n", [10, 1_000, 100_000])
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_scan_finds_is_placed_to_the_last_bit(kind, n):
    """However blocks, single rows and missing values are added up, a split has one score."""
    rng = np.random.default_rng(n)
    name, given_, width = question(kind, rng, n)
    rows, start = runs(rng, n, 8)
    order, shift, gain = np.arange(8, dtype=np.uint64), shifts(rng, width, 4, True), np.zeros(8)
    scan(name)[0](*given_, rows, start, order, 0, 8, shift, gain)
    best = int(gain.argmax())
    side, ends, missing = np.zeros(width), start[best : best + 2].tolist(), shift[best // 2]
    place = scan(name)[1]
    assert place(*given_, rows, *ends, missing, np.nextafter(gain[best], 1e9), False, side) == 0
    assert not side.any()
    assert place(*given_, rows, *ends, missing, gain[best], False, side) != 0
    scores = {"sign": split_score.edge, "square": split_score.square, "classes": split_score.error}
    score = split_score.gini if kind == "gini" else scores[name]
    total = given_[1] if kind == "sign" else given_[2]
    assert score(side, total) == pytest.approx(gain[best], rel=1e-14)


@given(seeds, st.integers(2, 40), st.booleans())
def test_marking_a_side(seed, n, side):
    rng = np.random.default_rng(seed)
    rows, _ = runs(rng, n, 1)
    begin, end = sorted(rng.integers(0, len(rows) + 1, size=2).tolist())
    fast = rng.random(n) < 0.5
    slow = fast.copy()
    stump.mark_side(rows, begin, end, side, fast)
    reference.mark_side(rows, begin, end, side, slow)
    np.testing.assert_array_equal(fast, slow)


@pytest.mark.parametrize("kind", ["sign", "pair", "signed"])
def test_a_run_by_hand(kind):
    """Labels +, -, -, - of weight 1; the run holds the first row and then the second."""
    t, one = np.array([1.0, -1.0, -1.0, -1.0]), np.ones(4)
    name, given_, total = {
        "sign": ("sign", (t,), [-2.0]),
        "pair": ("square", (np.stack([t, one], axis=1).ravel(), PAIR), [-2.0, 4.0]),
        "signed": ("square", (t, SIGNED), [-2.0, 4.0]),
    }[kind]
    rows, start = np.array([0 | LAST, 1 | LAST], np.uint32), np.array([0, 2, 2], np.uint64)
    order, gain, shift = np.array([0, 1], np.uint64), np.zeros(2), np.zeros((1, len(total)))
    scan(name)[0](*given_, np.array(total), rows, start, order, 0, 2, shift, gain)
    want = 4.0 if kind == "sign" else 1.5**2 / (1 * 3)  # |T - 2|; A = 1 + 1/2 and h = 1
    assert gain[0] == pytest.approx(want)


# sorting


def awkward(rng, n, dtype):
    """Numbers with ties, both zeros, missing and tiny ones, and some that agree in most bits."""
    x = rng.choice(
        [rng.normal(size=n), np.round(rng.normal(size=n)), 1.0 + 1e-13 * rng.integers(9, size=n)]
    )
    x = np.where(rng.random(n) < 0.1, rng.choice([0.0, -0.0, 5e-324, -1e-300, 1e30], size=n), x)
    x = np.where(rng.random(n) < rng.choice([0.0, 0.2]), np.nan, x)
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(seeds, st.integers(1, 300), st.booleans())
def test_sorting(dtype, seed, n, as_sparse):
    rng = np.random.default_rng(seed)
    x = np.stack([awkward(rng, n, dtype) for _ in range(3)])
    x = x if rng.random() < 0.7 else np.where(rng.random((3, n)) < 0.8, 0.0, x).astype(dtype)
    unsigned = np.dtype(f"u{x.itemsize}")
    top = unsigned.type(1 << (8 * x.itemsize - 1))
    results = []
    for ops in (stump_sort, reference_sort):
        key, ascending = np.zeros((2, n), unsigned)
        missing, row = np.zeros((2, n), np.uint32)
        words, count = np.zeros((2, n), np.uint64), np.zeros((3, stump_sort.BUCKETS), np.uint32)
        room = key, missing, words, count, row, ascending
        runs, absent = np.zeros((2, x.size), np.uint32)
        lengths, frequent = np.zeros((len(x), 3), np.int64), np.zeros(len(x), unsigned)
        ops.sort_columns(
            x.view(unsigned), x, as_sparse, top, *room, runs, absent, lengths, frequent
        )
        results.append((runs, absent, lengths, frequent))
    for fast, slow in zip(*results, strict=True):
        np.testing.assert_array_equal(fast, slow)
    below, above, _ = results[0][2][0]
    run = results[0][0][: below + above] & ROW
    np.testing.assert_array_equal(x[0, run[:below]], np.sort(x[0, run[:below]]))
    np.testing.assert_array_equal(x[0, run[below:]], np.sort(x[0, run[below:]])[::-1])


def test_much_of_the_order_may_be_in_the_last_bits():
    x = 1.0 + 2.0**-52 * np.random.default_rng(0).permutation(4_000)
    x[0] = 1e9  # so that the leading bits of the others agree
    assert_sorted_by(Columns(x[:, None]), x)


def assert_sorted_by(columns, x):
    for row in np.argsort(x)[[5, 1999, 3990]]:
        signed = np.where(x > x[row], 1.0, -1.0) / len(x)
        split = columns.best_sign(signed)
        np.testing.assert_array_equal(columns.right_side(split), x > x[row])


# sums of stumps


def ensemble(rng, T, lines):
    line = rng.integers(-1, lines, size=T)
    sizes = rng.choice([0, 0, 3], size=T)
    end = np.cumsum(sizes)
    chosen = rng.random(end[-1]) < 0.5
    threshold = rng.choice([-1.0, 0.5, np.inf], size=T)
    return line, threshold, rng.random(T) < 0.5, end - sizes, end, chosen


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(seeds, st.integers(0, 20), st.integers(1, 8))
def test_sums_of_stumps(dtype, seed, n, T):
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 0.0, 1.0, 2.0, 4.0, np.nan], size=(n + 3, 4)).astype(dtype)
    columns, block, other = np.array([0, 2, 3]), np.zeros((3, n)), np.ones((3, n))
    stump_ensemble.take_columns(X, columns, 2, block)
    reference_ensemble.take_columns(X, columns, 2, other)
    np.testing.assert_array_equal(block, other)
    stumps, weight = ensemble(rng, T, 3), rng.random(T)
    left, right = rng.normal(size=T), rng.normal(size=T)
    fast = rng.normal(size=n)
    slow = fast.copy()
    stump_ensemble.add_stumps(block, *stumps, left, right, fast)
    reference_ensemble.add_stumps(block, *stumps, left, right, slow)
    np.testing.assert_array_equal(fast, slow)
    low, high = rng.integers(3, size=T), rng.integers(3, size=T)
    fast, slow = np.zeros((n, 3)), np.zeros((n, 3))
    stump_ensemble.add_votes(block, *stumps, low, high, weight, fast)
    reference_ensemble.add_votes(block, *stumps, low, high, weight, slow)
    np.testing.assert_array_equal(fast, slow)
    low, high = rng.random((2, T, 3))
    stump_ensemble.add_shares(block, *stumps, low, high, fast)
    reference_ensemble.add_shares(block, *stumps, low, high, slow)
    np.testing.assert_array_equal(fast, slow)
