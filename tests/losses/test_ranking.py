import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.losses import PairwiseLogistic, Queries
from maxmargin.ops.threads import Workers

seeds = st.integers(0, 2**32 - 1)


def problem(seed, rows=15, n_queries=3):
    rng = np.random.default_rng(seed)
    y, query = rng.integers(0, 4, size=rows), rng.integers(0, n_queries, size=rows)
    return rng.normal(size=rows), y, query, rng.uniform(0.5, 2.0, size=rows)


def sum_over_pairs(z, y, query, weight):
    rows = range(len(z))
    return sum(
        weight[i] * weight[j] * np.log1p(np.exp(z[j] - z[i]))
        for i in rows
        for j in rows
        if query[i] == query[j] and y[i] > y[j]
    )


@given(seeds)
def test_the_sum_runs_over_pairs_of_a_query_that_differ(seed):
    z, y, query, weight = problem(seed)
    value, _, _ = PairwiseLogistic().calculus(z, Queries.of(y, query, weight))
    assert value == pytest.approx(sum_over_pairs(z, y, query, weight))


@given(seeds)
def test_pull_and_curvature_are_limits_of_differences(seed):
    z, y, query, weight = problem(seed)
    queries, h = Queries.of(y, query, weight), 1e-5
    _, pull, curvature = PairwiseLogistic().calculus(z, queries)
    for i in range(len(z)):
        up, down = (
            PairwiseLogistic().calculus(z + s * h * (np.arange(len(z)) == i), queries)
            for s in (1, -1)
        )
        assert pull[i] == pytest.approx((down[0] - up[0]) / (2 * h), abs=1e-7)
        assert curvature[i] == pytest.approx((down[1][i] - up[1][i]) / (2 * h), abs=1e-7)


@given(seeds)
def test_only_differences_within_a_query_count(seed):
    z, y, query, weight = problem(seed)
    queries = Queries.of(y, query, weight)
    value, pull, _ = PairwiseLogistic().calculus(z, queries)
    moved, same, _ = PairwiseLogistic().calculus(z + 3.0 * query, queries)
    assert moved == pytest.approx(value)
    np.testing.assert_allclose(same, pull, atol=1e-12)


@given(seeds)
def test_a_row_of_weight_two_stands_there_twice(seed):
    z, y, query, _ = problem(seed)
    twice = np.append(np.arange(len(z)), 0)
    weight = np.where(np.arange(len(z)) == 0, 2.0, 1.0)
    a, _, _ = PairwiseLogistic().calculus(z, Queries.of(y, query, weight))
    b, _, _ = PairwiseLogistic().calculus(z[twice], Queries.of(y[twice], query[twice]))
    assert a == pytest.approx(b)
    assert Queries.of(y, query, weight).pairs == Queries.of(y[twice], query[twice]).pairs


def test_the_order_of_the_rows_does_not_matter():
    z, y, query, weight = problem(0, rows=60, n_queries=7)
    shuffled = np.random.default_rng(1).permutation(60)
    _, pull, curvature = PairwiseLogistic().calculus(z, Queries.of(y, query, weight))
    moved = Queries.of(y[shuffled], query[shuffled], weight[shuffled])
    _, pull2, curvature2 = PairwiseLogistic().calculus(z[shuffled], moved)
    np.testing.assert_allclose(pull2, pull[shuffled], atol=1e-13)
    np.testing.assert_allclose(curvature2, curvature[shuffled], atol=1e-13)


def test_equal_for_any_number_of_threads():
    z, y, query, weight = problem(0, rows=2000, n_queries=100)
    queries = Queries.of(y, query, weight)
    alone = PairwiseLogistic().calculus(z, queries)
    with Workers(3) as workers:
        together = PairwiseLogistic().calculus(z, queries, workers)
    assert alone[0] == together[0]
    np.testing.assert_array_equal(alone[1], together[1])


def test_queries_without_a_pair_cost_nothing():
    queries = Queries.of([1, 1, 0], ["a", "a", "b"])
    value, pull, _ = PairwiseLogistic().calculus(np.array([1.0, 2.0, 3.0]), queries)
    assert (queries.pairs, value, pull.tolist()) == (0.0, 0.0, [0.0, 0.0, 0.0])
