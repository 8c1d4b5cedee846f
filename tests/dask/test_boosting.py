import dask.array as da
import numpy as np
import pytest

import maxmargin
from maxmargin import datasets
from maxmargin.boosting import Stop
from maxmargin.dask import AdaBoostClassifier, BoostingClassifier, BoostingRegressor

rng = np.random.default_rng(5)
HEART = datasets.load_heart(return_X_y=True)
MIXTURE = datasets.load_mixture(return_X_y=True)
WAVES = rng.normal(size=(1500, 5))
WAVES[:, 3] = WAVES[:, 3].round(1)
WAVES[:, 4] = WAVES[:, 2]  # a column that repeats another
height = np.sin(2 * WAVES[:, 0]) + WAVES[:, 1] * WAVES[:, 2] + 0.3 * rng.normal(size=1500)
SIGN, THIRDS = (height > 0).astype(int), np.digitize(height, [-0.7, 0.7])

CASES = {
    "ada-heart": (AdaBoostClassifier, *HEART, {"n_estimators": 12}),
    "ada-mixture": (AdaBoostClassifier, *MIXTURE, {"n_estimators": 12}),
    "ada-waves": (AdaBoostClassifier, WAVES, SIGN, {"n_estimators": 12, "learning_rate": 0.5}),
    "loss-heart": (BoostingClassifier, *HEART, {"n_estimators": 8}),
    "loss-texts": (BoostingClassifier, WAVES, SIGN.astype(str), {"loss": "exponential"}),
    "loss-several": (BoostingClassifier, WAVES, THIRDS, {"n_estimators": 4}),
    "loss-number": (BoostingRegressor, WAVES, height, {"n_estimators": 8}),
    "loss-single": (BoostingRegressor, WAVES.astype(np.float32), height, {"init": "zero"}),
}


def stumps(model):
    return model._functions if hasattr(model, "_functions") else [model._stumps]


def numbers(model):
    leaves = [np.concatenate([each.left, each.right]) for each in stumps(model)]
    return np.concatenate([*leaves, np.ravel(getattr(model, "estimator_weights_", 0.0))])


@pytest.mark.parametrize("pieces", [7, pytest.param(100, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("name", CASES)
def test_splits_are_the_local_ones_and_bits_those_of_any_partitioning(
    client, cut_up, nothing_left, name, pieces
):
    kind, X, y, params = CASES[name]
    params = {"n_estimators": 6} | params
    order = np.random.default_rng(pieces).permutation(len(X))
    model = kind(**params).fit(*cut_up(X[order], y[order], pieces=pieces))
    other = kind(**params).fit(*cut_up(X, y, pieces=2, seed=1))
    local = kind.local(**params).fit(X, y)
    for ours, same, its in zip(stumps(model), stumps(other), stumps(local), strict=True):
        assert ours.feature.tolist() == its.feature.tolist()
        assert ours.threshold.tolist() == its.threshold.tolist()
        assert ours.missing_right.tolist() == its.missing_right.tolist()
        assert ours.left.tobytes() == same.left.tobytes()
    assert numbers(model).tobytes() == numbers(other).tobytes()
    assert numbers(model) == pytest.approx(numbers(local), rel=1e-9, abs=1e-11)
    assert np.array_equal(model.predict(X), local.predict(X)) or y.dtype.kind == "f"


@pytest.mark.parametrize("name", ["ada-waves", "loss-heart", "loss-number"])
def test_histories_and_weights_are_those_of_the_local_fit(client, cut_up, name):
    kind, X, y, params = CASES[name]
    weight = np.random.default_rng(2).integers(0, 4, len(X)).astype(float)
    model = kind(**params).fit(*cut_up(X, y, weight, pieces=5))
    local = kind.local(**params).fit(X, y, weight)
    for column in ("loss", "train_error", "slope", "before", "cosine", "error"):
        ours, its = (each.history_.column(column) for each in (model, local))
        assert ours == pytest.approx(its, rel=1e-8, nan_ok=True), column
    assert model.feature_importances_ == pytest.approx(local.feature_importances_)


@pytest.mark.parametrize("kind", [AdaBoostClassifier, BoostingClassifier])
def test_early_stopping_by_rows_that_lie_on_one_worker(client, cut_up, kind):
    X, y, val, label = WAVES[:1000], SIGN[:1000], WAVES[1000:], SIGN[1000:]
    params = {"n_estimators": 40, "n_iter_no_change": 3, "learning_rate": 1.0}
    watched = da.from_array(val, chunks=-1), da.from_array(label, chunks=-1)
    model = kind(**params).fit(*cut_up(X, y, pieces=4), X_val=watched[0], y_val=watched[1])
    local = kind.local(**params).fit(X, y, X_val=val, y_val=label)
    assert (model.stop_, len(model.history_)) == (local.stop_, len(local.history_))
    assert model.stop_ is Stop.EARLY
    assert np.array_equal(model.predict(val), local.predict(val))


def test_without_validation_rows_some_of_every_partition_are_held_out(client, cut_up):
    params = {"n_estimators": 30, "n_iter_no_change": 2, "random_state": 0}
    arrays = cut_up(WAVES, height, pieces=3)
    first, second = (BoostingRegressor(learning_rate=1.0, **params).fit(*arrays) for _ in range(2))
    assert np.isfinite(first.validation_loss_).all()
    assert np.array_equal(first.train_loss_, second.train_loss_)


def test_a_perfect_stump_ends_the_fit_and_one_no_better_than_chance_is_refused(client):
    X = np.arange(20.0)[:, None]
    rows, label = (
        da.from_array(X, chunks=(6, 1)),
        da.from_array((X[:, 0] > 9).astype(int), chunks=6),
    )
    model = AdaBoostClassifier().fit(rows, label)
    assert (model.stop_, model.estimators_[0].threshold_) == (Stop.PERFECT, 9.5)
    with pytest.raises(ValueError, match="as bad as or worse than random guessing"):
        AdaBoostClassifier().fit(da.zeros_like(rows), da.arange(20, chunks=6) % 2)
    with pytest.raises(ValueError, match="no way downhill"):
        BoostingRegressor().fit(da.zeros_like(rows), da.arange(20, chunks=6) % 2)


def test_lazy_answers_and_the_local_model(client, cut_up):
    rows, label = cut_up(WAVES, SIGN, pieces=4)
    model = BoostingClassifier(n_estimators=5).fit(rows, label)
    local = model.to_local()
    assert type(local) is maxmargin.BoostingClassifier
    assert np.array_equal(model.predict_proba(rows).compute(), local.predict_proba(WAVES))
    assert np.array_equal(
        local.shape_functions().sum(WAVES[:9]), model.shape_functions().sum(WAVES[:9])
    )


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (AdaBoostClassifier(resample=True), "boosts stumps of numbers; resample=True is for"),
        (BoostingClassifier(corrective=True), "corrective=True is for maxmargin.Boosting"),
        (BoostingRegressor(loss="absolute_error"), "needs a loss whose leaves take Newton steps"),
        (BoostingClassifier(step="line_search"), "takes one step a leaf"),
    ],
)
def test_what_is_for_one_machine_is_refused(client, cut_up, model, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.fit(*cut_up(WAVES, SIGN, pieces=2))


def test_validation_rows_must_match(client, cut_up):
    rows, label = cut_up(WAVES, SIGN, pieces=2)
    with pytest.raises(ValueError, match="the columns of X"):
        AdaBoostClassifier().fit(rows, label, X_val=rows[:, :2], y_val=label)
    with pytest.raises(ValueError, match="labels that y does not"):
        AdaBoostClassifier().fit(rows, label, X_val=rows, y_val=label + 5)
