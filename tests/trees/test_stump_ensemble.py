"""The stored form of ensembles of splits, and that all ensembles predict through it."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from maxmargin.boosting import (
    AdaBoostClassifier,
    BaggingClassifier,
    BoostingClassifier,
    BoostingRanker,
    BoostingRegressor,
    Split,
    StumpEnsemble,
)
from maxmargin.trees.stump import StumpMaker

seeds = st.integers(0, 2**32 - 1)
ENSEMBLES = [
    AdaBoostClassifier,
    BaggingClassifier,
    BoostingClassifier,
    BoostingRanker,
    BoostingRegressor,
]


def splits(rng, d, count):
    found = []
    for _ in range(count):
        chosen = rng.random(3) < 0.5 if rng.random() < 0.3 else None
        feature, threshold = int(rng.integers(-1, d)), float(rng.choice([-0.5, 0.5, 1.5, np.inf]))
        missing = bool(rng.random() < 0.5)
        found.append(Split(feature, threshold, chosen, missing, *rng.normal(size=3).tolist()))
    return found


@pytest.mark.parametrize(
    "form", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array]
)
@given(seeds, st.integers(1, 20), st.integers(1, 10))
def test_the_sum_of_stumps_is_the_sum_of_their_values(form, seed, n, count):
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 0.0, 0.0, 1.0, 2.0, 3.0, np.nan], size=(n, 3))
    members, coefficients = splits(rng, 3, count), rng.random(count)
    want, stages = np.full(n, 0.5), []
    for split, coefficient in zip(members, coefficients, strict=True):
        want = want + coefficient * split.values(X)
        stages.append(want)
    ensemble = StumpEnsemble(members)
    np.testing.assert_array_equal(ensemble.sum(form(X), coefficients, start=0.5), want)
    staged = [total.copy() for total in ensemble.staged_sum(form(X), coefficients, start=0.5)]
    np.testing.assert_array_equal(staged, stages)
    low, high = rng.integers(3, size=count), rng.integers(3, size=count)
    votes = np.zeros((n, 3))
    for t, split in enumerate(members):
        votes[np.arange(n), np.where(split.right_side(X), high[t], low[t])] += coefficients[t]
    np.testing.assert_array_equal(ensemble.votes(form(X), low, high, coefficients, 3), votes)


def test_sums_do_not_depend_on_threads_or_blocks():
    rng = np.random.default_rng(0)
    X, members = rng.normal(size=(20_001, 3)).astype(np.float32), splits(rng, 3, 60)
    sums = [StumpEnsemble(members, n_jobs=n_jobs).sum(X) for n_jobs in (1, 3)]
    np.testing.assert_array_equal(sums[0], sums[1])
    one_by_one = np.zeros(len(X))
    for split in members:
        one_by_one += split.values(X)
    np.testing.assert_array_equal(sums[0], one_by_one)


def test_a_sum_of_nothing():
    assert StumpEnsemble([]).sum(np.ones((2, 1)), start=1.5).tolist() == [1.5, 1.5]


@given(seeds, st.integers(0, 10))
def test_splits_come_back_as_they_were(seed, count):
    members = splits(np.random.default_rng(seed), 3, count)
    ensemble = StumpEnsemble(members)
    assert list(ensemble) == members
    assert ensemble[:2] == members[:2]
    assert list(ensemble.first(2)) == members[:2]
    assert list(pickle.loads(pickle.dumps(ensemble))) == members
    with pytest.raises(IndexError):
        ensemble[count]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@given(seeds, st.integers(1, 20), st.integers(1, 6), st.sampled_from([2, 3]))
def test_shares_of_classes_are_added_up(form, seed, n, count, n_classes):
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 0.0, 1.0, 2.0, np.nan], size=(n, 3))
    members = [replace(split, left=1.0, right=0.0) for split in splits(rng, 3, count)]
    weight = rng.integers(0, 2, size=(count, 2, n_classes)) * 1.0
    want = np.zeros((n, n_classes))
    for split, leaves in zip(members, weight, strict=True):
        sure = np.eye(n_classes)[[1, 0]]
        total = leaves.sum(axis=1, keepdims=True)
        shares = np.where(total > 0, leaves / np.where(total > 0, total, 1.0), sure)
        want += shares[split.right_side(X).astype(int)]
    ensemble = StumpEnsemble(members, leaf_weight=weight)
    np.testing.assert_array_equal(ensemble.shares(form(X)), want)


def test_bags_of_stumps_do_not_depend_on_threads():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9_000, 3)), rng.integers(3, size=9_000)
    model = BaggingClassifier(n_estimators=40, random_state=0).fit(X[:300], y[:300])
    several = [model.set_params(n_jobs=n_jobs).predict_proba(X) for n_jobs in (1, 3)]
    np.testing.assert_array_equal(*several)


@pytest.mark.parametrize("ensemble", ENSEMBLES)
def test_predictions_make_no_members(ensemble, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    model = ensemble(n_estimators=4, random_state=0).fit(X, y)
    model = pickle.loads(pickle.dumps(model))
    monkeypatch.setattr(StumpMaker, "__call__", None)
    assert len(model.predict(X)) == 60
    monkeypatch.undo()
    assert len(model.estimators_) == 4
    assert all(len(member.predict(X)) == 60 for member in np.ravel(model.estimators_))
