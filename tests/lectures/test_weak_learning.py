"""Weak learning: under every weights, and with probability from a sample of a distribution."""

import numpy as np
import pytest

from maxmargin.boosting import AdaBoostClassifier, DecisionStump

rng = np.random.default_rng(0)
X = rng.uniform(size=(2000, 5))
STUMPS = np.sign(X[:, :3] - 0.5)
T = np.sign(STUMPS.sum(axis=1))  # a vote of three stumps


def least_error(weight):
    """Of the three stumps, with weights that sum to 1."""
    return min(float(weight[STUMPS[:, j] != T].sum()) for j in range(3))


def test_a_vote_of_three_stumps_leaves_an_edge_of_a_sixth_under_any_weights():
    for seed in range(50):
        draw = np.random.default_rng(seed)
        weight = draw.exponential(size=len(X)) ** draw.integers(1, 8)
        weight /= weight.sum()
        stump = DecisionStump().fit(X, T, sample_weight=weight)
        assert stump.error_ <= least_error(weight) + 1e-12
        assert least_error(weight) <= 1 / 3 + 1e-12


def test_boosting_looks_for_the_worst_weights_and_the_edge_stays():
    model = AdaBoostClassifier(n_estimators=60).fit(X, T)
    assert (model.bounds_.edge >= 1 / 6 - 1e-12).all()
    assert model.bounds_.error[-1] == 0.0


def failures(weight, rows, gamma=0.1, draws=60):
    """The share of samples whose stump has no edge of gamma on the whole population."""
    draw, p, failed = np.random.default_rng(rows), weight / weight.sum(), 0
    for _ in range(draws):
        some = draw.choice(len(X), size=rows, p=p)
        if len(set(T[some])) < 2:
            failed += 1
            continue
        h = DecisionStump(n_jobs=1).fit(X[some], T[some])
        failed += p[h.predict(X) != T].sum() > 0.5 - gamma
    return failed / draws


@pytest.mark.parametrize("kind", ["uniform", "skewed"])
def test_from_a_sample_the_edge_holds_with_a_probability_that_rises_with_its_size(kind):
    weight = np.ones(len(X)) if kind == "uniform" else np.exp(3.0 * X[:, 3])
    few, some, many = (failures(weight, rows) for rows in (5, 30, 200))
    assert few > 0.1  # so the guarantee cannot be for certain
    assert few > some >= many
    assert many <= 0.02


def test_weights_on_rows_are_a_distribution_of_which_all_is_known():
    """A learner given the weights does what one does with endless rows drawn by them."""
    few = X[:40], T[:40]
    weight = np.random.default_rng(1).exponential(size=40)
    weight /= weight.sum()
    known = DecisionStump().fit(*few, sample_weight=weight)
    drawn = np.random.default_rng(2).choice(40, size=200_000, p=weight)
    sampled = DecisionStump().fit(few[0][drawn], few[1][drawn])
    assert sampled.feature_ == known.feature_
    assert sampled.error_ == pytest.approx(known.error_, abs=0.01)
