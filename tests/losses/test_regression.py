import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mean_pinball_loss, mean_poisson_deviance

from maxmargin import losses
from maxmargin.losses import Huber, Poisson, Quantile, SquaredError
from maxmargin.losses.regression import weighted_quantile


def test_names_are_those_of_scikit_learn():
    for name in ("squared_error", "absolute_error", "huber", "quantile", "poisson"):
        assert losses.named(name).name == name


def test_values_by_hand():
    z, t = np.array([0.0, 3.0]), np.array([1.0, 1.0])
    np.testing.assert_allclose(SquaredError().value(z, t), [0.5, 2.0])
    np.testing.assert_allclose(losses.AbsoluteError().value(z, t), [1.0, 2.0])
    np.testing.assert_allclose(Huber(1.5).value(z, t), [0.5, 1.5 * 2 - 1.5**2 / 2])
    np.testing.assert_allclose(Quantile(0.8).value(z, t), [0.8, 0.4])


def test_against_the_metrics_of_scikit_learn():
    rng = np.random.default_rng(0)
    z, t = rng.normal(size=50), rng.poisson(2.0, size=50).astype(float)
    assert Poisson().value(z, t).mean() == pytest.approx(mean_poisson_deviance(t, np.exp(z)) / 2)
    assert Quantile(0.3).value(z, t).mean() == pytest.approx(mean_pinball_loss(t, z, alpha=0.3))


def test_huber_is_squares_for_a_large_delta_and_continuous_at_it():
    r = np.linspace(-5, 5, 101)
    np.testing.assert_allclose(Huber(10.0).value(r, 0.0), SquaredError().value(r, 0.0))
    a, b = Huber(2.0).value([2.0 - 1e-9, 2.0 + 1e-9], 0.0)
    assert a == pytest.approx(b, abs=1e-8)


def test_a_level_lets_delta_follow_the_residuals():
    t = np.arange(1.0, 11.0)
    fitted = Huber(level=0.9).fitted_to(np.zeros(10), t, np.ones(10))
    assert fitted.delta == 9.0
    assert Huber(3.0).fitted_to(np.zeros(10), t, np.ones(10)) == Huber(3.0)


def test_steps_of_poisson_never_overshoot():
    z, t, weight = np.full(3, -5.0), np.array([0.0, 90.0, 10.0]), np.ones(3)
    assert Poisson().newton_shift(z, t, weight) == pytest.approx(Poisson().best_shift(z, t, weight))
    assert Poisson().newton_shift(z, np.zeros(3), weight) == pytest.approx(-1.0)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Huber(0.0), "delta of Huber must be a number above 0. Got 0.0."),
        (lambda: Huber(level=1.0), "level of Huber must lie between 0 and 1. Got 1.0."),
        (lambda: Quantile(1.5), "level of Quantile must lie between 0 and 1. Got 1.5."),
        (lambda: Poisson().check_targets(np.array([1.0, -2.0])), r"not negative: y\[1\] is -2;"),
        (lambda: Poisson().check_targets(np.zeros(2)), "needs a target above 0; all of y is 0."),
    ],
)
def test_refused_in_a_sentence(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.floats(0.05, 0.95), st.data())
def test_weights_of_a_quantile_are_repetitions(weight, level, data):
    if sum(weight) == 0:
        weight[0] = 1
    values = np.array([data.draw(st.integers(-5, 5)) for _ in weight], dtype=float)
    repeated = np.repeat(values, weight)
    expected = np.quantile(repeated, level, method="inverted_cdf")
    assert weighted_quantile(values, np.array(weight, dtype=float), level) == expected
