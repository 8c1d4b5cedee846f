"""The compiled sum over pairs of rows and its NumPy twin give the same numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.losses import PairwiseLogistic, Queries
from maxmargin.losses.ranking import _powers
from maxmargin.ops.engine import Engine
from maxmargin.ops.threads import Workers

GROUP = "pairs"
reference = getattr(Engine("reference"), GROUP)

seeds = st.integers(0, 2**32 - 1)


def evaluate(ops, z, queries):
    """All pairs in two calls, which add to the same sums."""
    sums, half, total = np.zeros((2, len(z))), len(z) // 2, 0.0
    powers, near = _powers(z, queries.starts)
    equal = len(set(queries.weight.tolist())) == 1
    for first, stop in ((0, half), (half, len(z))):
        rows = [each[first:].copy() for each in (z, powers, near, queries.weight)]
        pairs = queries.lower[first:stop] - first, queries.ends[first:stop] - first
        total += ops.pairwise_logistic(*rows, equal, *pairs, *sums[:, first:])
    return total, sums


@pytest.mark.parametrize("weighted", [False, True])
@given(seeds, st.integers(1, 60), st.integers(1, 4))
def test_pairwise_logistic(tested, weighted, seed, rows, n_queries):
    rng = np.random.default_rng(seed)
    y, query = rng.integers(0, 3, size=rows), rng.integers(0, n_queries, size=rows)
    queries = Queries.of(y, query, rng.integers(0, 3, size=rows) if weighted else None)
    z = rng.normal(size=rows) * rng.choice([1.0, 30.0, 900.0])
    (fast, these), (slow, those) = (evaluate(ops, z, queries) for ops in (tested, reference))
    assert fast == pytest.approx(slow, rel=1e-12, abs=1e-13)
    np.testing.assert_allclose(these, those, rtol=1e-12, atol=1e-13)


@given(seeds, st.integers(1, 20), st.integers(1, 4))
def test_ordered_pairs(tested, seed, rows, n_queries):
    rng = np.random.default_rng(seed)
    y, query = rng.integers(0, 3, size=rows), rng.integers(0, n_queries, size=rows)
    queries = Queries.of(y, query, rng.integers(0, 3, size=rows))
    z = rng.integers(0, 4, size=rows).astype(float)
    place = queries.weight, queries.lower, queries.ends
    assert tested.ordered_pairs(z, *place) == pytest.approx(reference.ordered_pairs(z, *place))


def test_three_rows_by_hand(ops):
    """Relevances 2, 1, 0 at equal scores: three pairs, each log 2, force 1/2 and bend 1/4."""
    loss, (pull, curvature) = evaluate(ops, np.zeros(3), Queries.of([2, 1, 0]))
    assert loss == pytest.approx(3 * np.log(2))
    np.testing.assert_allclose(pull, [1.0, 0.0, -1.0])
    np.testing.assert_allclose(curvature, [0.5, 0.5, 0.5])


def test_a_long_query_is_cut_into_pieces(tested):
    rng = np.random.default_rng(0)
    y, z = rng.normal(size=6_000), rng.normal(size=6_000)
    queries = Queries.of(y)
    assert len(queries.pieces()) > 10
    value, pull, curvature = PairwiseLogistic().calculus(z, queries)
    whole, sums = evaluate(tested, z[queries.order], queries)
    assert value == pytest.approx(whole, rel=1e-12)
    np.testing.assert_allclose(pull[queries.order], sums[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(curvature[queries.order], sums[1], rtol=1e-9)
    with Workers(3) as workers:
        again = PairwiseLogistic().calculus(z, queries, workers)
    assert again[0] == value
    np.testing.assert_array_equal(again[1], pull)
