"""The compiled sum over pairs of rows and its NumPy twin give the same numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.losses import Queries
from maxmargin.ops.cpu import pairs as cpu
from maxmargin.ops.reference import pairs as reference

seeds = st.integers(0, 2**32 - 1)


def evaluate(ops, z, queries, first, stop):
    out = np.zeros(len(queries.starts) - 1), np.zeros(len(z)), np.zeros(len(z))
    place = queries.weight, queries.starts, queries.lower
    ops.pairwise_logistic(z, *place, first, stop, *out)
    return out


@given(seeds, st.integers(1, 20), st.integers(1, 4), st.data())
def test_pairwise_logistic(seed, rows, n_queries, data):
    rng = np.random.default_rng(seed)
    y, query = rng.integers(0, 3, size=rows), rng.integers(0, n_queries, size=rows)
    queries = Queries.of(y, query, rng.integers(0, 3, size=rows))
    z = rng.normal(size=rows) * rng.choice([1.0, 30.0, 900.0])
    first = data.draw(st.integers(0, len(queries.starts) - 1))
    stop = data.draw(st.integers(first, len(queries.starts) - 1))
    fast, slow = (evaluate(ops, z, queries, first, stop) for ops in (cpu, reference))
    for one, other in zip(fast, slow, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


@given(seeds, st.integers(1, 20), st.integers(1, 4))
def test_ordered_pairs(seed, rows, n_queries):
    rng = np.random.default_rng(seed)
    y, query = rng.integers(0, 3, size=rows), rng.integers(0, n_queries, size=rows)
    queries = Queries.of(y, query, rng.integers(0, 3, size=rows))
    z = rng.integers(0, 4, size=rows).astype(float)
    fast, slow = np.zeros((2, len(queries.starts) - 1))
    for ops, out in ((cpu, fast), (reference, slow)):
        place = queries.weight, queries.starts, queries.lower
        ops.ordered_pairs(z, *place, 0, len(out), out)
    np.testing.assert_allclose(fast, slow)


@pytest.mark.parametrize("ops", [cpu, reference])
def test_three_rows_by_hand(ops):
    """Relevances 2, 1, 0 at equal scores: three pairs, each log 2, force 1/2 and bend 1/4."""
    loss, pull, curvature = evaluate(ops, np.zeros(3), Queries.of([2, 1, 0]), 0, 1)
    np.testing.assert_allclose(loss, [3 * np.log(2)])
    np.testing.assert_allclose(pull, [1.0, 0.0, -1.0])
    np.testing.assert_allclose(curvature, [0.5, 0.5, 0.5])
