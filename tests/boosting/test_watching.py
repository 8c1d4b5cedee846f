"""Rows that are watched, rounds that are kept, callbacks that stop: the same for all boosters."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from maxmargin.boosting import (
    AdaBoostClassifier,
    BaggingClassifier,
    BoostingClassifier,
    BoostingRanker,
    BoostingRegressor,
    Columns,
    History,
    Stop,
)
from maxmargin.losses import Huber
from maxmargin.ops.clock import Clock
from maxmargin.trees import presort as sorting

X, Y = make_classification(200, 5, n_informative=4, n_redundant=0, flip_y=0.2, random_state=0)
KINDS = np.digitize(X[:, 0] + X[:, 1], [-1.0, 1.0])
WEIGHT = np.random.default_rng(0).uniform(0.5, 2.0, size=200)
MODELS = [
    (AdaBoostClassifier(), Y),
    (AdaBoostClassifier(DecisionTreeClassifier(max_depth=2)), KINDS),
    (BoostingClassifier(), Y),
    (BoostingClassifier("hinge"), Y),
    (BoostingClassifier("huber"), KINDS),
    (BoostingRegressor(Huber(level=0.9)), 30.0 * X[:, 0] + 5.0 * Y),
    (BoostingRegressor("poisson", DecisionTreeRegressor(max_depth=2)), KINDS),
    (BoostingRanker(), KINDS),
]
every_model = pytest.mark.parametrize(("model", "y"), MODELS, ids=lambda each: repr(each)[:50])


def watched(model):
    """The two columns of a history that are to be equal where the same rows are in both parts."""
    name = "error" if isinstance(model, AdaBoostClassifier) else "loss"
    own = f"train_{name}" if name == "error" else name
    return model.history_.column(own), model.history_.column(f"validation_{name}")


@every_model
def test_watching_the_training_rows_gives_the_training_loss(model, y):
    model = clone(model).set_params(n_estimators=8, random_state=0)
    model.fit(X, y, sample_weight=WEIGHT, X_val=X, y_val=y, sample_weight_val=WEIGHT)
    own, other = watched(model)
    assert np.isfinite(other).all()
    np.testing.assert_allclose(other, own, rtol=1e-10, atol=1e-15)


@every_model
def test_rows_to_watch_are_not_learnt_from_and_end_the_rounds(model, y):
    model = clone(model).set_params(n_estimators=300, random_state=0)
    noise = np.random.default_rng(1).permutation(y[100:])
    history = History()
    model.set_params(n_iter_no_change=5, callback=history)
    model.fit(X[:100], y[:100], X_val=X[100:], y_val=noise)
    _, seen = watched(model)
    assert model.stop_ in (Stop.EARLY, Stop.PERFECT)
    assert len(seen) == len(model.estimators_) <= len(history)
    assert seen[-1] == seen.min()
    alone = clone(model).set_params(n_iter_no_change=None, n_estimators=len(seen), callback=None)
    alone.fit(X[:100], y[:100])
    np.testing.assert_array_equal(alone.predict(X), model.predict(X))


@every_model
def test_the_best_round_is_kept_though_patience_lasts(model, y):
    model = clone(model).set_params(n_estimators=40, random_state=0)
    noise = np.random.default_rng(1).permutation(y[100:])
    history = History()
    model.set_params(n_iter_no_change=1_000, callback=history)
    model.fit(X[:100], y[:100], X_val=X[100:], y_val=noise)
    _, seen = watched(model)
    name = "validation_error" if isinstance(model, AdaBoostClassifier) else "validation_loss"
    every = history.column(name)
    assert len(seen) == int(np.argmin(every)) + 1
    assert len(model.history_) == len(model.estimators_) == len(seen)


@every_model
def test_half_of_the_rows_to_watch_is_refused(model, y):
    model = clone(model).set_params(n_estimators=3)
    with pytest.raises(ValueError, match="X_val is provided, but y_val was not provided"):
        model.fit(X, y, X_val=X)
    with pytest.raises(ValueError, match="y_val is provided, but X_val was not provided"):
        model.fit(X, y, y_val=y)
    with pytest.raises(ValueError, match="4 features"):
        model.fit(X, y, X_val=X[:, :4], y_val=y)
    with pytest.raises(ValueError, match=r"sample_weight_val.shape == \(3,\)"):
        model.fit(X, y, X_val=X, y_val=y, sample_weight_val=[1, 2, 3])
    assert not hasattr(model, "stop_")


@pytest.mark.parametrize("model", [AdaBoostClassifier(), BoostingClassifier()], ids=repr)
def test_labels_that_y_lacks_are_not_watched(model):
    with pytest.raises(ValueError, match=r"y_val holds labels that y does not: .*7.* in row 3"):
        model.fit(X, Y, X_val=X, y_val=np.where(np.arange(200) == 3, 7, Y))


def test_counts_to_watch_are_not_negative():
    model = BoostingRegressor("poisson", n_estimators=2)
    with pytest.raises(ValueError, match=r"not negative: y\[3\] is -1"):
        model.fit(X, KINDS, X_val=X, y_val=np.where(np.arange(200) == 3, -1, KINDS))
    assert np.isfinite(model.fit(X, KINDS, X_val=X, y_val=np.zeros(200)).validation_loss_).all()


def test_watched_rows_may_end_a_later_fit():
    """Watched without patience at first: the best round may be one of an earlier fit."""
    noise = np.random.default_rng(1).permutation(Y)
    options = {"n_estimators": 20, "warm_start": True, "random_state": 0, "resample": True}
    model = AdaBoostClassifier(**options).fit(X, Y, X_val=X, y_val=noise)
    best = int(np.argmin(model.history_.column("validation_error"))) + 1
    model.set_params(n_estimators=25, n_iter_no_change=1).fit(X, Y, X_val=X, y_val=noise)
    assert len(model.estimators_) == best < 20


def test_a_ranker_watches_pairs():
    query = np.arange(200) % 20
    model = BoostingRanker(n_estimators=5)
    model.fit(X, KINDS, qid=query, X_val=X, y_val=KINDS, qid_val=query)
    np.testing.assert_allclose(model.validation_loss_, model.train_loss_)
    with pytest.raises(ValueError, match="There is no pair to watch"):
        model.fit(X, KINDS, qid=query, X_val=X, y_val=np.ones(200), qid_val=query)


def test_categories_to_watch_are_those_of_fit():
    words = pd.DataFrame({"animal": np.array(["ant", "bee", "cat", "dog"])[np.arange(200) % 4]})
    y = (words["animal"] == "bee").to_numpy()
    model = BoostingClassifier(n_estimators=3).fit(words, y, X_val=words[1::2], y_val=y[1::2])
    assert model.validation_loss_[-1] < model.validation_loss_[0]


# classes


@pytest.mark.parametrize("model", [AdaBoostClassifier(), BoostingClassifier()], ids=repr)
@pytest.mark.parametrize("y", [Y, KINDS])
def test_class_weights_are_weights_of_rows(model, y):
    classes, counts = np.unique(y, return_counts=True)
    model = clone(model).set_params(n_estimators=6)
    given = {int(label): 1.0 + 2.0 * label for label in classes}
    for class_weight, factor in (
        (given, 1.0 + 2.0 * y),
        ("balanced", (len(y) / (len(classes) * counts))[y]),
    ):
        a = clone(model).set_params(class_weight=class_weight).fit(X, y, sample_weight=WEIGHT)
        b = clone(model).fit(X, y, sample_weight=WEIGHT * factor)
        np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), rtol=1e-9)
    with pytest.raises(ValueError, match="class_weight"):
        clone(model).set_params(class_weight={int(classes[0]): -1.0}).fit(X, y)


# callbacks


@pytest.mark.parametrize(
    ("model", "y"), [*MODELS, (BaggingClassifier(random_state=0), Y)], ids=lambda e: repr(e)[:50]
)
def test_a_callback_can_stop_every_booster(model, y):
    model = clone(model).set_params(n_estimators=30, callback=lambda made: made.round == 4)
    model.fit(X, y)
    assert (model.stop_, len(model.estimators_)) == (Stop.CALLBACK, 4)
    assert "callback returned True" in model.stop_.sentence


# time


def test_sorting_counts(monkeypatch):
    """With no time at all one column is sorted, and the others are said to be left out."""
    monkeypatch.setattr(sorting, "_FEW", 0)
    model = BoostingClassifier(time_limit=0.0)
    with pytest.warns(ConvergenceWarning, match="time_limit=0.0 was reached .*: 4 of 5 are not"):
        model.fit(X, Y)
    assert model.stop_ is Stop.TIME_LIMIT
    assert model.estimators_[0, 0].feature_ == 0
    with pytest.warns(ConvergenceWarning, match="4 of 5 are not searched"):
        columns = Columns(X, clock=Clock(0.0))
    assert columns.best_sign(np.where(Y == 1, 1.0, -1.0)).feature == 0
