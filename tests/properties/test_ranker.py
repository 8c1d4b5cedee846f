"""Rounds of a ranking against loops over all pairs of rows and all splits, on random problems."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.boosting import BoostingRanker

seeds = st.integers(0, 2**32 - 1)


def problem(seed):
    """Few rows of several queries, with ties of values, of relevances and missing values."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 25)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, d)) if rng.random() < 0.5 else rng.integers(0, 4, (n, d)).astype(float)
    if rng.random() < 0.3:
        X[rng.random(X.shape) < 0.2] = np.nan
    query = rng.integers(0, int(rng.integers(1, 5)), n)
    y = rng.integers(0, 4, n).astype(float)
    y[query == query[0]] = np.arange((query == query[0]).sum())  # in one of them there is an order
    weight = None if rng.random() < 0.5 else rng.choice([0.0, 0.5, 1.0, 3.0], n)
    return X, y, query, weight


def pairs_of(y, query, weight):
    w = np.ones(len(y)) if weight is None else weight
    for i in range(len(y)):
        for j in range(len(y)):
            if query[i] == query[j] and y[i] > y[j] and w[i] * w[j] > 0:
                yield i, j, w[i] * w[j]


def calculus(z, pairs):
    """Sum the loss of all pairs, its pulls and its curvatures, one after the other."""
    value, pull, curvature = 0.0, np.zeros(len(z)), np.zeros(len(z))
    for i, j, w in pairs:
        value += w * np.logaddexp(0.0, z[j] - z[i])
        wrong = np.exp(-np.logaddexp(0.0, z[i] - z[j]))
        pull[i] += w * wrong
        pull[j] -= w * wrong
        curvature[i] += w * wrong * (1.0 - wrong)
        curvature[j] += w * wrong * (1.0 - wrong)
    return value, pull, curvature


def sides(X):
    """Every way in which a question about one column parts the rows."""
    for column in X.T:
        gone = np.isnan(column)
        for threshold in [-np.inf, *np.unique(column[~gone])]:
            yield (column > threshold) & ~gone
            yield (column > threshold) | gone


def explained(right, pull, weight):
    """By how much less the weighted squares of pull / weight are with a mean on each side."""
    sums = [(pull[side].sum(), weight[side].sum()) for side in (right, ~right)]
    return sum(p**2 / w for p, w in sums if w > 0)


def quotient(pull, curvature):
    return pull.sum() / curvature.sum() if curvature.sum() > 0 else 0.0


@given(seeds, st.sampled_from([0.1, 0.3, 1.0]))
def test_rounds_are_those_of_loops_over_all_pairs_and_splits(seed, rate):
    X, y, query, weight = problem(seed)
    pairs = list(pairs_of(y, query, weight))
    if not pairs:
        return
    model = BoostingRanker(n_estimators=6, learning_rate=rate)
    if no_way(X, pairs, weight):
        with pytest.raises(ValueError, match="no way downhill"):
            model.fit(X, y, qid=query, sample_weight=weight)
        return
    model.fit(X, y, qid=query, sample_weight=weight)
    counted = np.ones(len(y), bool) if weight is None else weight > 0
    w = np.ones(len(y)) if weight is None else weight
    z, total = np.zeros(len(y)), sum(each for *_, each in pairs)
    for k, (stump,) in enumerate(model.estimators_):
        _, pull, curvature = calculus(z, pairs)
        right = stump.split_.right_side(X)
        found = explained(right[counted], pull[counted], w[counted])
        most = max(explained(s, pull[counted], w[counted]) for s in sides(X[counted]))
        assert found >= most - 1e-9 * (1.0 + most)
        steps = [quotient(pull[s & counted], curvature[s & counted]) for s in (~right, right)]
        step = np.where(right, steps[1], steps[0])
        before, half = calculus(z, pairs)[0], 1.0
        while calculus(z + rate * half * step, pairs)[0] > before * (1 + 1e-12):
            half /= 2
        z = z + rate * half * step
        np.testing.assert_allclose(stump.predict(X), half * step, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(model.train_loss_[k], calculus(z, pairs)[0] / total, rtol=1e-9)
    np.testing.assert_allclose(model.predict(X), z, rtol=1e-6, atol=1e-8)


def no_way(X, pairs, weight):
    """Whether no question about one column parts rows that pull apart."""
    _, pull, _ = calculus(np.zeros(len(X)), pairs)
    w = np.ones(len(X)) if weight is None else weight
    counted = w > 0
    return max(explained(s, pull[counted], w[counted]) for s in sides(X[counted])) < 1e-9


@given(seeds)
def test_scores_are_shares_of_all_pairs(seed):
    X, y, query, weight = problem(seed)
    pairs = list(pairs_of(y, query, weight))
    if not pairs:
        return
    z = np.random.default_rng(seed).integers(0, 4, len(y)) / 4.0  # scores that tie
    model = BoostingRanker(n_estimators=1).fit([[0.0], [1.0]], [0, 1])
    model.predict = lambda _: z
    share = sum(w * (0.5 + 0.5 * np.sign(z[i] - z[j])) for i, j, w in pairs)
    expected = share / sum(w for *_, w in pairs)
    assert abs(model.score(X, y, qid=query, sample_weight=weight) - expected) < 1e-12
