"""Compiled rounds of AdaBoost: the splits of the slow twin, whatever the columns and threads."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from maxmargin import AdaBoostClassifier, DecisionStump
from maxmargin.boosting import History, Stop
from maxmargin.boosting import adaboost as module
from maxmargin.boosting.stump_rounds import StumpRounds
from maxmargin.boosting.training_set import RowVotes
from maxmargin.ops import clock as clocks
from maxmargin.ops.engine import Engine, serving
from maxmargin.ops.round_state import GAIN, LINE, LOG_Z, TRAIN_ERROR
from maxmargin.trees.bucketed import BucketedColumns
from maxmargin.trees.columns import Columns

CRITERIA = ("error", "gini")
KINDS = ("continuous", "few", "mixed", "missing", "few missing", "float32")
WHOLE = [k for k in range(LINE) if k not in (GAIN, LOG_Z, TRAIN_ERROR)]


def table(seed, n, p, kind):
    """Columns of some kind, and labels that depend on a few of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    label = (X[:, 0] + X[:, p // 2] + rng.normal(size=n) > 0).astype(np.int32)
    label[:2] = 0, 1
    if kind == "few":
        X = np.round(X)
    elif kind == "mixed":
        X[:, ::3] = np.round(X[:, ::3])
        X[:, 1::4] = rng.random((n, len(range(1, p, 4)))) < 0.1  # indicators
        X[:, -1], X[:, p // 2] = 1.0, X[:, 0]  # constant, a duplicate
    elif kind in ("missing", "few missing"):
        X = np.round(X) if kind == "few missing" else X
        X[rng.random((n, p)) < 0.2] = np.nan
        X[:, -1] = np.nan
    elif kind == "float32":
        X = X.astype(np.float32)
    return X, label


def weights(seed, n, kind):
    rng = np.random.default_rng(seed)
    return np.ones(n) if kind == "equal" else 10.0 ** rng.uniform(-12, 12, size=n)


def log_of(X, label, weight, criterion, rounds, n_jobs=1, engine="cpu"):
    with serving(Engine(engine)), Columns(X, n_jobs=n_jobs) as columns:
        booster = StumpRounds(
            BucketedColumns.of(columns), RowVotes(label, weight, 2), criterion, 1.0
        )
        log = np.zeros((rounds, LINE))
        made = booster._make(log, False)
        return log[:made], booster.weight


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weighing", ["equal", "wild"])
@pytest.mark.parametrize("kind", KINDS)
def test_rounds_are_those_of_the_slow_twin(criterion, weighing, kind):
    for n, p in ((10, 1), (33, 4), (400, 7), (3000, 5)):
        X, label = table(n + p, n, p, kind)
        data = X, label, weights(n, n, weighing), criterion, 12
        fast, weight = log_of(*data)
        slow, twin = log_of(*data, engine="reference")
        assert len(fast) == len(slow)
        np.testing.assert_array_equal(fast[:, WHOLE], slow[:, WHOLE])
        np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(weight, twin)


@pytest.mark.parametrize(("n", "p"), [(60, 1000), (1_000_000, 2)])
def test_rounds_of_wide_and_of_long_tables(n, p):
    X, label = table(0, n, p, "mixed" if n == 60 else "few")
    data = X, label, np.ones(n), "gini", 3
    np.testing.assert_array_equal(
        log_of(*data)[0][:, WHOLE], log_of(*data, engine="reference")[0][:, WHOLE]
    )


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", ["missing", "few missing"])
def test_threads_change_no_bit(criterion, kind, monkeypatch):
    monkeypatch.setattr("maxmargin.boosting.stump_rounds._WORTH_A_WORKER", 1)
    X, label = table(1, 20_000, 6, kind)
    one, weight = log_of(X, label, np.ones(len(X)), criterion, 12)
    for n_jobs in (2, 3, 16):
        some, same = log_of(X, label, np.ones(len(X)), criterion, 12, n_jobs)
        np.testing.assert_array_equal(one, some)
        np.testing.assert_array_equal(weight, same)


@pytest.mark.parametrize("rate", [1.0, 5.0])
def test_threads_change_no_bit_where_weights_are_divided_by_their_sum(rate, monkeypatch):
    monkeypatch.setattr("maxmargin.boosting.stump_rounds._WORTH_A_WORKER", 1)
    X, label = table(1, 9_000, 3, "mixed")
    model = AdaBoostClassifier(n_estimators=150, learning_rate=rate, n_jobs=1).fit(X, label)
    for n_jobs in (2, 3, 5) * 2:
        other = clone(model).set_params(n_jobs=n_jobs).fit(X, label)
        np.testing.assert_array_equal(other.estimator_weights_, model.estimator_weights_)
        np.testing.assert_array_equal(other.weights_, model.weights_)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", ["continuous", "mixed", "missing", "few missing"])
def test_members_are_those_of_single_searches(criterion, kind, monkeypatch):
    X, label = table(2, 500, 6, kind)
    weak = DecisionStump(criterion=criterion)
    fast = AdaBoostClassifier(weak, n_estimators=40).fit(X, label)
    monkeypatch.setattr(BucketedColumns, "of", lambda columns: None)
    slow = AdaBoostClassifier(weak, n_estimators=40).fit(X, label)
    fast_splits, slow_splits = (
        [replace(m.split_, gain=0.0) for m in model] for model in (fast, slow)
    )
    assert fast_splits == slow_splits
    np.testing.assert_allclose(fast._stumps.gain, slow._stumps.gain, rtol=0, atol=2e-10)
    np.testing.assert_array_equal(fast.estimator_weights_, slow.estimator_weights_)
    np.testing.assert_array_equal(fast.weights_, slow.weights_)


def same_model(one, other):
    assert [m.split_ for m in one] == [m.split_ for m in other]
    np.testing.assert_array_equal(one.estimator_weights_, other.estimator_weights_)
    np.testing.assert_array_equal(one.bounds_.error, other.bounds_.error)
    np.testing.assert_array_equal(one.weights_, other.weights_)


def test_whoever_looks_at_rounds_gets_the_same_model():
    X, label = table(3, 300, 5, "missing")
    model = AdaBoostClassifier(n_estimators=60).fit(X, label)
    history = History()
    same_model(model, AdaBoostClassifier(n_estimators=60, callback=history).fit(X, label))
    assert len(history) == 60
    watched = AdaBoostClassifier(n_estimators=60).fit(X, label, X_val=X, y_val=label)
    same_model(model, watched)
    warm = AdaBoostClassifier(n_estimators=7, warm_start=True).fit(X, label)
    same_model(model, warm.set_params(n_estimators=60).fit(X, label))


def test_sparse_columns_give_the_same_model():
    X, label = table(4, 300, 8, "mixed")
    X[np.abs(X) < 0.8] = 0.0
    dense = AdaBoostClassifier(n_estimators=30).fit(X, label)
    same_model(dense, AdaBoostClassifier(n_estimators=30).fit(csr_array(X), label))


@pytest.mark.parametrize("stop", [Stop.TIME_LIMIT, Stop.INTERRUPTED])
def test_what_ends_the_rounds_leaves_a_whole_model(stop, monkeypatch):
    X, label = table(5, 400, 5, "continuous")
    looks = iter([False] * 3)

    def over(self):
        done = next(looks, True)
        if done and stop is Stop.INTERRUPTED:
            self.interrupt()
        return done

    monkeypatch.setattr(clocks.Clock, "left", property(lambda self: 1.0))
    monkeypatch.setattr(clocks.Clock, "over", over)
    with pytest.warns() if stop is Stop.INTERRUPTED else nullcontext():
        model = AdaBoostClassifier(n_estimators=10**6).fit(X, label)
    monkeypatch.undo()
    assert model.stop_ is stop
    same_model(model, AdaBoostClassifier(n_estimators=len(model)).fit(X, label))


def test_categories_and_least_sides_are_searched_one_round_at_a_time():
    X, label = table(6, 200, 4, "few")
    codes = np.abs(X)
    for model in (
        AdaBoostClassifier(DecisionStump(categorical_features=[1])),
        AdaBoostClassifier(min_weight_fraction_leaf=0.1),
    ):
        model.set_params(n_estimators=5).fit(codes, label)
        assert len(model) == 5


def test_two_classes_of_stumps_take_compiled_rounds(monkeypatch):
    made = []
    monkeypatch.setattr(module, "StumpRounds", lambda *rest: made.append(1) or StumpRounds(*rest))
    X, label = table(7, 50, 3, "continuous")
    AdaBoostClassifier(n_estimators=3).fit(X, label)
    assert made == [1]
