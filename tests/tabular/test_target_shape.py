"""The shape in which a quantity is learned, and predictions in its own unit."""

import numpy as np
import pytest

from maxmargin import TableSVR
from maxmargin.storage import load_model, save_model
from maxmargin.tabular.target_shape import SHAPES, TargetShape, choose_shape, smear

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
VALUE = X[:, 0] + np.sin(2 * X[:, 1]) + 0.2 * RNG.normal(size=300)
ONES = np.ones(300)


def chosen(y, weight=ONES):
    return choose_shape(list(X.T), y, weight, 0).name


@pytest.mark.parametrize("unit", [1.0, 1e-150, 1e150])
def test_prices_are_learned_by_their_logarithm(unit):
    assert chosen(unit * np.exp(1.5 * VALUE)) == "logarithm"


def test_a_sum_is_learned_as_it_is():
    assert chosen(VALUE) == "as it is"
    assert chosen(VALUE + 100.0) == "as it is"


def test_heavy_tails_of_both_signs_are_learned_by_ranks():
    assert chosen(np.sinh(3.0 * VALUE)) == "ranks"


@pytest.mark.parametrize("y", [np.full(300, 2.0), np.where(np.arange(300) == 299, 1.0, 0.0)])
def test_nothing_to_choose_by(y):
    assert chosen(y) == "as it is"


@pytest.mark.parametrize("name", SHAPES)
def test_inverses(name):
    y = np.sort(np.exp(VALUE))
    scores = np.linspace(-2.0, 2.0, 300)
    ranks = {"knots": y, "scores": scores} if name == "ranks" else {}
    shape = TargetShape(name, **ranks)
    np.testing.assert_allclose(shape.inverse(shape.of(y)), y)
    np.testing.assert_allclose(shape.mean(shape.of(y), np.zeros(3)), y)


def test_the_mean_of_prices_is_not_the_price_of_the_mean():
    errors = 0.8 * RNG.normal(size=20_000)
    mean = TargetShape("logarithm").mean(np.zeros(1), smear(errors))
    assert mean == pytest.approx(np.exp(0.32), rel=0.03)


def test_predictions_intervals_and_explanations_of_prices(tmp_path):
    y = np.exp(1.5 * VALUE)
    model = TableSVR().fit(X[:200], y[:200])
    assert model.shape_.name == "logarithm"
    assert model.score(X[200:], y[200:]) > 0.75
    low, high = model.predict_interval(X[200:], 0.9)
    assert (low > 0).all()
    assert 0.8 <= np.mean((y[200:] >= low) & (y[200:] <= high)) <= 0.98
    save_model(tmp_path / "m", model)
    np.testing.assert_array_equal(load_model(tmp_path / "m").value.predict(X), model.predict(X))
    why = model.explain(X[250])
    assert why.predicted == pytest.approx(model.predict(X[250:251])[0])
    assert "its logarithm is" in str(why)
    assert why.offset + why.contributions.sum() == pytest.approx(why.decision)


def test_a_stored_shape_fits_together():
    with pytest.raises(ValueError, match="none that there is"):
        TargetShape("square").__restored__()
    with pytest.raises(ValueError, match="does not fit together"):
        TargetShape("ranks", np.array([1.0, 0.0]), np.array([0.0, 1.0])).__restored__()
