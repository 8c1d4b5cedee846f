"""Neighbours against loops over all pairs of rows, on random problems full of ties.

Rows are whole numbers, so that all distances are exact and what is equal is equal.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from maxmargin.neighbors import (
    CondensedNeighbors,
    EditedNeighbors,
    KNeighborsClassifierCV,
    KNeighborsRegressorCV,
    LSHNeighborsTransformer,
    MixedDistance,
    MixedNeighborsClassifier,
    MixedNeighborsRegressor,
)

seeds = st.integers(0, 2**32 - 1)
metrics = st.sampled_from(["euclidean", "manhattan", "chebyshev"])
algorithms = st.sampled_from(["brute", "kd_tree", "ball_tree"])
rules = st.sampled_from(["uniform", "distance"])


def problem(seed):
    """Rows of a lattice near to 0 or far from it, some of them repeated, with 1 to 4 labels."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 40)), int(rng.integers(1, 4))
    X = rng.integers(0, int(rng.integers(2, 7)), (n, d)).astype(float)
    X = X + rng.choice([0.0, 0.0, 2.0**20])
    y = rng.integers(0, int(rng.integers(1, 5)), n)
    y[0] = y[1] + 1
    return rng, X, np.unique(y, return_inverse=True)[1]


def taken(rng, X):
    """Put rows into a container that must not change anything."""
    return [X, X.astype(np.float32), sparse.csr_array(X)][int(rng.integers(3))]


def lengths(X, Y, metric):
    gaps = np.abs(X[:, None] - Y[None])
    if metric == "euclidean":
        return (gaps**2).sum(axis=2)  # exact; their order is that of the roots
    return gaps.sum(axis=2) if metric == "manhattan" else gaps.max(axis=2)


def of_others(X, metric):
    D = lengths(X, X, metric)
    np.fill_diagonal(D, np.inf)
    return D, np.argsort(D, axis=1, kind="stable")


def weights_of(distances, rule):
    if rule == "uniform":
        return np.ones(len(distances))
    touching = distances == 0
    return touching.astype(float) if touching.any() else 1.0 / distances


def vote(labels, weight, classes):
    return int(np.argmax(np.bincount(labels, weight, classes).round(12)))


@given(seeds, metrics, algorithms)
def test_the_condensed_store_is_that_of_a_loop_over_rows(seed, metric, algorithm):
    rng, X, y = problem(seed)
    D = lengths(X, X, metric)
    usual = [np.bincount(y[D[i] == 0]).argmax() for i in range(len(y))]
    right = np.flatnonzero(np.array(usual) == y)
    store, grew = [right[0]], True
    while grew:
        grew = False
        for i in right:
            nearest = y[store][D[i, store] == D[i, store].min()]
            if i not in store and (nearest != y[i]).any():
                store.append(i)
                grew = True
    rows = X if metric == "chebyshev" else taken(rng, X)
    usable = "brute" if sparse.issparse(rows) else algorithm
    model = CondensedNeighbors(metric=metric, algorithm=usable).fit(rows, y)
    assert model.condensed_indices_.tolist() == store
    assert sorted(model.contradicted_indices_) == sorted(set(range(len(y))) - set(right))
    assert (model.predict(rows)[right] == y[right]).all()


@given(seeds, metrics, algorithms, st.booleans())
def test_what_editing_leaves_is_what_loops_over_rows_leave(seed, metric, algorithm, repeat):
    _, X, y = problem(seed)
    k, kept, again = 1 + seed % 3, np.arange(len(y)), True
    while again:
        _, order = of_others(X[kept], metric)
        said = [vote(y[kept][line[:k]], np.ones(k), y.max() + 1) for line in order]
        agreed = np.array(said) == y[kept]
        kept = kept[agreed]
        again = repeat and not agreed.all() and len(kept) > k
    model = EditedNeighbors(k, repeat=repeat, metric=metric, algorithm=algorithm)
    if len(kept):
        assert model.fit(X, y).edited_indices_.tolist() == kept.tolist()
    else:
        with pytest.raises(ValueError, match="No row is left"):
            model.fit(X, y)


@given(seeds, metrics, algorithms, rules)
def test_k_is_that_of_a_loop_over_rows_left_out(seed, metric, algorithm, rule):
    rng, X, y = problem(seed)
    D, order = of_others(X, metric)
    D = np.sqrt(D) if metric == "euclidean" else D
    numbers = y + rng.integers(0, 3, len(y)).astype(float)
    ks = list(range(1, min(len(y), 12)))
    shares, squares = [], []
    for k in ks:
        lines = [(line[:k], weights_of(D[i, line[:k]], rule)) for i, line in enumerate(order)]
        said = [vote(y[others], weight, y.max() + 1) for others, weight in lines]
        shares.append(np.mean(np.array(said) == y))
        means = np.array([numbers[o] @ w / w.sum() for o, w in lines])
        squares.append(-np.mean((means - numbers) ** 2))
    given = {"weights": rule, "metric": metric, "algorithm": algorithm}
    model = KNeighborsClassifierCV(ks, **given).fit(X, y)
    found = model.cv_results_["mean_test_score"]
    if rule == "uniform":
        np.testing.assert_allclose(found, shares, atol=1e-12)
        assert model.best_params_["n_neighbors"] == ks[int(np.argmax(np.round(shares, 12)))]
    else:  # votes that are equal but for rounding go either way
        assert np.abs(found - shares).max() <= 0.2
    regressor = KNeighborsRegressorCV(ks, **given).fit(X, numbers)
    np.testing.assert_allclose(regressor.cv_results_["mean_test_score"], squares, atol=1e-12)


def table(rng):
    """A table of numbers and words with gaps, and other rows to ask with."""
    n, d = int(rng.integers(3, 25)), int(rng.integers(1, 5))
    columns = {}
    for j in range(d):
        words = rng.random() < 0.5
        column = rng.integers(0, 4, n + 6).astype(object if words else float)
        if words:
            column = np.array([f"w{v}" for v in column], object)
        column[rng.random(n + 6) < rng.choice([0.0, 0.3])] = None if words else np.nan
        if not words and np.isnan(column[:n].astype(float)).all():
            column[0] = 1.0
        columns[f"c{j}"] = column
    whole = pd.DataFrame(columns)
    return whole.iloc[:n], whole.iloc[n:]


def differences(known, asked, name, numbers):
    """What one column says of all pairs; NaN where a value is missing or was never seen."""
    left, right = asked[name].to_numpy(), known[name].to_numpy()
    if left.dtype == object:
        seen = set(known[name].dropna())
        return np.array(
            [[float(a != b) if {a, b} <= seen else np.nan for b in right] for a in left]
        )
    there = right[~np.isnan(right)]
    scale = {"raw": 1.0, "range": np.ptp(there), "deviation": there.std()}[numbers]
    scale = 1.0 if np.ptp(there) == 0 else scale
    return np.abs(left[:, None] - right[None]) / scale


def mixed(known, asked, distance, weights):
    """A mixed distance of every pair by its definition."""
    D = np.empty((len(asked), len(known)))
    parts = [differences(known, asked, name, distance.numbers) for name in known.columns]
    p = distance.p
    for i, j in np.ndindex(*D.shape):
        said = [(w, part[i, j]) for w, part in zip(weights, parts, strict=True) if w > 0]
        if distance.missing == "skip":
            there = [(w, v) for w, v in said if not np.isnan(v)]
            share = sum(w for w, _ in said) / (sum(w for w, _ in there) or 1.0)
            said = there or [(w, 1.0) for w, _ in said]
            share = share if there else 1.0
        else:
            said, share = [(w, 1.0 if np.isnan(v) else v) for w, v in said], 1.0
        if np.isinf(p):
            D[i, j] = max(v for _, v in said)
        else:
            D[i, j] = (share * sum(w * v**p for w, v in said)) ** (1 / p)
    return D


@given(
    seeds,
    st.sampled_from(["range", "deviation", "raw"]),
    st.sampled_from([1.0, 1.5, 2.0, 9.0, np.inf]),
    st.sampled_from(["far", "skip"]),
    rules,
)
def test_mixed_distances_votes_and_means_are_those_of_their_definition(
    seed, numbers, p, missing, rule
):
    rng = np.random.default_rng(seed)
    known, asked = table(rng)
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], known.shape[1])
    weights[0] = 1.0
    distance = MixedDistance(numbers, p=p, weights=weights, missing=missing)
    for rows in (known, asked):
        expected = mixed(known, rows, distance, weights)
        np.testing.assert_allclose(distance(known, rows), expected.T, rtol=1e-9, atol=1e-12)
    y = rng.integers(0, 3, len(known))
    k = int(rng.integers(1, len(known) + 1))
    model = MixedNeighborsClassifier(k, weights=rule, distance=distance).fit(known, y)
    distances, places = model.kneighbors(asked)
    in_order = np.sort(expected, axis=1)[:, :k]
    np.testing.assert_allclose(distances, in_order, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        np.take_along_axis(expected, places, axis=1), in_order, rtol=1e-9, atol=1e-12
    )
    weight = [weights_of(line, rule) for line in distances]
    shares = [
        np.bincount(np.searchsorted(model.classes_, y[line]), w, len(model.classes_)) / w.sum()
        for line, w in zip(places, weight, strict=True)
    ]
    np.testing.assert_allclose(model.predict_proba(asked), shares, atol=1e-9)
    means = [y[line] @ w / w.sum() for line, w in zip(places, weight, strict=True)]
    regressor = MixedNeighborsRegressor(k, weights=rule, distance=distance).fit(known, y)
    np.testing.assert_allclose(regressor.predict(asked), means, atol=1e-9)


@given(seeds, st.sampled_from([np.float32, np.float64]), st.integers(0, 4))
def test_hashing_finds_the_nearest_of_the_rows_in_the_buckets_it_looks_into(seed, dtype, flips):
    rng = np.random.default_rng(seed)
    n, d, bits, tables = (int(rng.integers(*each)) for each in ((5, 80), (1, 6), (1, 6), (1, 4)))
    X = rng.normal(size=(n, d)) if rng.random() < 0.5 else rng.integers(0, 3, (n, d))
    X = X.astype(dtype)
    asked = X[:5] + rng.normal(size=(5, d)).astype(dtype)
    model = LSHNeighborsTransformer(
        3, n_tables=tables, n_bits=bits, n_flips=flips, random_state=seed % 2**32
    ).fit(X)
    distances, indices = model.kneighbors(asked)
    W, c = model._directions, model._thresholds
    mine, theirs = asked @ W - c, X @ W - c
    for q in range(5):
        near = np.zeros(n, bool)
        for t in range(tables):
            part = slice(t * bits, (t + 1) * bits)
            sure = np.argsort(np.abs(mine[q, part]), kind="stable")[min(flips, bits) :]
            same = (theirs[:, part] > 0) == (mine[q, part] > 0)
            near |= same[:, sure].all(axis=1)
        D = np.sqrt(((X.astype(float) - asked[q].astype(float)) ** 2).sum(axis=1))
        D = np.where(near, D, np.inf) if near.sum() >= 3 else D
        np.testing.assert_allclose(distances[q], np.sort(D)[:3], rtol=1e-6)
        np.testing.assert_allclose(D[indices[q]], distances[q], rtol=1e-6)
        assert len(set(indices[q])) == 3
