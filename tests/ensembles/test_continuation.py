"""Warm starts: what goes on to the same bits, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeRegressor

from maxmargin.boosting import (
    AdaBoostClassifier,
    BaggingClassifier,
    BoostingClassifier,
    BoostingRanker,
    BoostingRegressor,
    DecisionStump,
    Stop,
)
from maxmargin.ensembles.continuation import fingerprint
from maxmargin.losses import Huber

X, Y = make_classification(200, 5, n_informative=4, n_redundant=0, flip_y=0.2, random_state=0)
NOISE = np.random.default_rng(0).choice([0, 1], size=200)
MODELS = [
    AdaBoostClassifier(n_estimators=4),
    BaggingClassifier(n_estimators=4, random_state=0),
    BoostingClassifier(n_estimators=4),
    BoostingRanker(n_estimators=4),
    BoostingRegressor(n_estimators=4),
]
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


def begun(model, **changes):
    return clone(model).set_params(warm_start=True, **changes).fit(X, Y)


@every_model
def test_other_data_are_refused_and_leave_the_model_as_it_was(model):
    model = begun(model)
    before = model.predict(X)
    other = X.copy()
    other[0, 0] += 1.0
    weight = np.where(np.arange(200) < 100, 1.0, 2.0)
    for rows, y, w in ((other, Y, None), (X, np.roll(Y, 1), None), (X[:150], Y[:150], None)):
        with pytest.raises(ValueError, match="goes on with the data of the fit before"):
            model.set_params(n_estimators=9).fit(rows, y, sample_weight=w)
    with pytest.raises(ValueError, match="goes on with the data of the fit before"):
        model.fit(X, Y, sample_weight=weight)
    np.testing.assert_array_equal(model.predict(X), before)
    assert len(model.fit(pd.DataFrame(X), Y.tolist()).estimators_) == 9


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"loss": "exponential"}, "goes on with loss='logistic' of the fit before. Got 'exponen"),
        ({"init": "zero"}, "goes on with init='constant' of the fit before. Got 'zero'"),
        ({"n_iter_no_change": 3}, "goes on with validation_fraction=None of the fit before"),
        ({"categorical_features": [0]}, "goes on with categorical_features='from_dtype'"),
    ],
)
def test_another_problem_is_refused(changes, sentence):
    model = begun(BoostingClassifier(n_estimators=4)).set_params(n_estimators=9, **changes)
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, Y)
    assert len(model.estimators_) == 4


def test_adaboost_refuses_other_categories_and_a_part_put_aside_later():
    for changes in ({"categorical_features": [0]}, {"n_iter_no_change": 3}):
        model = begun(AdaBoostClassifier(n_estimators=4)).set_params(n_estimators=9, **changes)
        with pytest.raises(ValueError, match=r"goes on with (categorical|validation)_f"):
            model.fit(X, Y)


def test_what_later_rounds_are_made_of_may_change():
    model = begun(BoostingClassifier(n_estimators=4))
    model.set_params(n_estimators=8, learning_rate=0.5, step="line_search", time_limit=99.0)
    assert model.fit(X, Y).n_estimators_ == 8
    assert model.coefficients_[3, 0] == 0.1
    assert model.coefficients_[4, 0] != 0.1


def test_categories_keep_their_codes():
    """A beginning that does not know all categories would give those it knows other codes."""
    words = np.array(["dog", "cat", "bee", "ant"])[np.arange(200) % 4]
    table = pd.DataFrame({"animal": words, "size": X[:, 0]})
    y = np.isin(words, ["ant", "cat"]).astype(int)
    for each in MODELS:
        model = begun_on(each, table, y)
        score = np.mean((model.predict(table) > 0.5) == y)
        model.set_params(n_estimators=6).fit(table, y)
        assert np.mean((model.predict(table) > 0.5) == y) >= score
        with pytest.raises(ValueError, match="data of the fit before"):
            model.set_params(n_estimators=9).fit(table.assign(animal=np.sort(words)), y)


def begun_on(model, table, y):
    return clone(model).set_params(warm_start=True).fit(table, y)


@pytest.mark.parametrize(
    "model",
    [
        BoostingClassifier(learning_rate=1.0),
        BoostingRegressor(Huber(level=0.9), DecisionTreeRegressor(max_features=1, max_depth=2)),
        AdaBoostClassifier(),
        AdaBoostClassifier(resample=True),
    ],
    ids=repr,
)
def test_after_early_stopping_more_patience_goes_on_to_the_same_bits(model):
    options = {"n_estimators": 60, "validation_fraction": 0.3, "random_state": 1}
    whole = clone(model).set_params(n_iter_no_change=30, **options).fit(X, NOISE)
    parts = clone(model).set_params(n_iter_no_change=2, warm_start=True, **options).fit(X, NOISE)
    assert parts.stop_ is Stop.EARLY
    early = len(parts.estimators_)
    parts.fit(X, NOISE)
    assert (parts.stop_, len(parts.estimators_)) == (Stop.EARLY, early)
    parts.set_params(n_iter_no_change=30).fit(X, NOISE)
    assert len(parts.estimators_) == len(whole.estimators_)
    np.testing.assert_array_equal(parts.predict(X), whole.predict(X))


def test_after_the_last_weak_learner_a_stronger_one_goes_on():
    x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 5)
    y = x[:, 0] + 3.0 * x[:, 0] * x[:, 1]
    options = {"learning_rate": 1.0, "warm_start": True, "n_estimators": 50}
    model = BoostingRegressor(estimator=DecisionTreeRegressor(max_depth=1), **options).fit(x, y)
    assert model.stop_ is Stop.TOO_WEAK
    model.set_params(estimator=DecisionTreeRegressor(max_depth=2)).fit(x, y)
    np.testing.assert_allclose(model.predict(x), y)


def test_after_a_perfect_member_there_is_nothing_to_add():
    x = np.arange(10.0)[:, None]
    model = AdaBoostClassifier(warm_start=True).fit(x, x[:, 0] > 4)
    model.set_params(n_estimators=99).fit(x, x[:, 0] > 4)
    assert (model.stop_, len(model.estimators_)) == (Stop.PERFECT, 1)
    with pytest.raises(ValueError, match="data of the fit before"):
        model.fit(x, x[:, 0] > 5)


def test_warm_starts_of_stumps_and_their_subsets():
    model = begun(AdaBoostClassifier(DecisionStump("gini"), n_estimators=4))
    whole = clone(model).set_params(n_estimators=7, warm_start=False).fit(X, Y)
    np.testing.assert_array_equal(
        model.set_params(n_estimators=7).fit(X, Y).weights_, whole.weights_
    )


def test_fingerprints():
    rows = np.arange(8_000.0).reshape(-1, 2)
    assert fingerprint(rows, None) == fingerprint(np.asfortranarray(rows), None)
    assert fingerprint(rows) == fingerprint(rows.astype(np.float32))
    assert len({fingerprint(a) for a in (rows, rows[::-1], rows[:, :1], rows[:-1], rows + 1)}) == 5
    assert fingerprint(rows, rows[:, 0]) != fingerprint(rows, rows[:, 1])
