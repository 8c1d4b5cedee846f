"""Fits that go on, are limited, watched or interrupted."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import GlassBoxClassifier, GlassBoxRegressor, storage
from maxmargin.ensembles import Stop
from maxmargin.glass_box import rounds

RNG = np.random.default_rng(0)
X = np.round(RNG.uniform(-1, 1, size=(500, 4)), 2)
Y = X[:, 0] + np.sign(X[:, 1] * X[:, 2]) + 0.2 * RNG.normal(size=500)
QUICK = {"n_bags": 3, "max_pair_bins": 8}


def test_more_rounds_lead_where_one_fit_leads():
    whole = GlassBoxRegressor(n_estimators=32, **QUICK).fit(X, Y)
    model = GlassBoxRegressor(n_estimators=12, warm_start=True, **QUICK).fit(X, Y)
    assert model.stop_ is Stop.ROUNDS
    model.set_params(n_estimators=32).fit(X, Y)
    assert len(model.history_) == len(whole.history_)
    np.testing.assert_allclose(model.predict(X), whole.predict(X), atol=1e-9)


def test_a_fit_that_a_callback_ended_goes_on():
    stops = GlassBoxClassifier(warm_start=True, callback=lambda made: made.round == 6, **QUICK)
    model = stops.set_params(n_estimators=20).fit(X, Y > 0)
    assert model.stop_ is Stop.CALLBACK
    assert len(model.history_) == 6
    model.set_params(callback=None).fit(X, Y > 0)
    whole = GlassBoxClassifier(n_estimators=20, **QUICK).fit(X, Y > 0)
    assert model.term_names_ == whole.term_names_
    np.testing.assert_allclose(
        model.decision_function(X), whole.decision_function(X), atol=0.02
    )  # curvatures are summed every few rounds


def test_a_fit_that_ended_by_itself_stays():
    model = GlassBoxRegressor(warm_start=True, pairs="none", n_bags=3).fit(X, Y)
    assert model.stop_ is Stop.EARLY
    before = model.predict(X)
    np.testing.assert_allclose(model.fit(X, Y).predict(X), before, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda model: model.set_params(loss="huber").fit(X, Y), "goes on with loss="),
        (lambda model: model.fit(X, -Y), "goes on with the data of the fit before"),
        (lambda model: model.set_params(n_bags=2).fit(X, Y), "goes on with n_bags="),
    ],
    ids=["loss", "y", "bags"],
)
def test_what_is_another_problem_is_refused(change, sentence):
    model = GlassBoxRegressor(n_estimators=3, warm_start=True, pairs="none", n_bags=3).fit(X, Y)
    with pytest.raises(ValueError, match=sentence):
        change(model)


def test_a_stored_model_goes_on(tmp_path):
    model = GlassBoxRegressor(n_estimators=5, warm_start=True, **QUICK).fit(X, Y)
    storage.save_model(tmp_path / "model.maxmargin", model)
    read = (
        storage.load_model(tmp_path / "model.maxmargin").value.set_params(n_estimators=9).fit(X, Y)
    )
    again = model.set_params(n_estimators=9).fit(X, Y)
    np.testing.assert_array_equal(read.predict(X), again.predict(X))


def test_without_room_for_all_values_the_shapes_are_the_same(monkeypatch):
    """Memory does not grow with the bags: a bag's values are then added up anew."""
    options = {"n_estimators": 24, "n_iter_no_change": None, "n_jobs": 2, **QUICK}
    whole = GlassBoxRegressor(**options).fit(X, Y)
    monkeypatch.setattr(rounds, "_MOST_BYTES", 0)
    parts = GlassBoxRegressor(**options).fit(X, Y)
    np.testing.assert_allclose(parts.validation_loss_, whole.validation_loss_, rtol=1e-9)
    np.testing.assert_allclose(parts.predict(X), whole.predict(X), atol=1e-9)


def test_a_limit_before_the_optimum_is_told():
    model = GlassBoxRegressor(time_limit=1e-9, refit="optimal", n_bags=2)
    with pytest.warns(ConvergenceWarning, match="refit='optimal' was left out"):
        model.fit(X, Y)
    assert not hasattr(model, "certificate_")
    assert model.stop_ is Stop.TIME_LIMIT


def test_pairs_without_a_gain_are_left_out():
    noise = np.random.default_rng(1).normal(size=500)
    model = GlassBoxRegressor(n_estimators=40, **QUICK).fit(X, X[:, 0] + noise)
    assert all(term.kind != "pair" for term in model.terms_)
