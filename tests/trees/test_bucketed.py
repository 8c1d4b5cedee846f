"""Columns in buckets, and neighbours of few values in cells: as the slow twin cuts them."""

import numpy as np
import pytest

from maxmargin.ops.engine import Engine, serving
from maxmargin.trees import bucketed
from maxmargin.trees.bucketed import BucketedColumns
from maxmargin.trees.columns import Columns


def table(n, p, missing=0.0):
    """Columns of three values and more, in turn, and every fifth one of as many as rows."""
    rng = np.random.default_rng(n + p)
    X = np.floor(rng.random((n, p)) * (3 + np.arange(p) % 8))
    X[:, 4::5] = rng.normal(size=(n, len(range(4, p, 5))))
    X[rng.random((n, p)) < missing] = np.nan
    return X


def buckets_of(X, n_jobs=1, engine="cpu"):
    with serving(Engine(engine)), Columns(X, n_jobs=n_jobs) as columns:
        return BucketedColumns.of(columns).buckets


def assert_same(one, other):
    for name, mine, theirs in zip(one._fields, one, other, strict=True):
        np.testing.assert_array_equal(mine, theirs, err_msg=name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize(("n", "p"), [(10, 1), (400, 7), (3_000, 9), (60, 1_000), (100_000, 4)])
def test_buckets_are_those_of_the_slow_twin(n, p, missing, dtype):
    X = table(n, p, missing).astype(dtype)
    assert_same(buckets_of(X), buckets_of(X, engine="reference"))


def test_threads_list_the_same_entries(monkeypatch):
    X = table(5_000, 40, 0.05)
    one = buckets_of(X)
    monkeypatch.setattr(bucketed, "_WORTH_THREADS", 1)
    for n_jobs in (1, 2, 3):
        assert_same(one, buckets_of(X, n_jobs))


def test_neighbours_of_few_values_share_cells():
    X = table(20_000, 4)  # 3, 4, 5 and 6 values
    found = buckets_of(X)
    assert found.bundle.tolist() == [0, 4]
    assert found.cell[-1] - found.cell[0] == 3 * 4 * 5 * 6
    assert len(found.entries) == len(X)


def test_cells_tell_the_rows_of_every_bucket():
    X = table(40_000, 4, 0.1)
    found = buckets_of(X)
    codes = np.unravel_index(found.entries - found.cell[0], found.width)
    for x, code in zip(X.T, codes, strict=True):
        for value in np.unique(x):
            assert len(np.unique(code[np.isnan(x) if np.isnan(value) else x == value])) == 1
        assert len(np.unique(code)) == len(np.unique(x))


def test_rare_values_keep_entries_of_their_own():
    rng = np.random.default_rng(0)
    X = (rng.random((20_000, 3)) < 0.05).astype(float)
    found = buckets_of(X)
    assert found.cell[0] == found.cell[-1]
    assert len(found.entries) == np.count_nonzero(X)


def test_cells_that_two_bytes_cannot_number_are_left_out():
    found = buckets_of(table(20_000, 300))
    assert found.cell[-1] <= 65_535
    X = np.random.default_rng(0).integers(0, 200, size=(20_000, 320)).astype(float)
    assert_same(buckets_of(X), buckets_of(X, engine="reference"))
    assert buckets_of(X).cell[0] == buckets_of(X).cell[-1]
