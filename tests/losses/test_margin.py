import math
from dataclasses import dataclass

import numpy as np
import pytest

from maxmargin import losses
from maxmargin.losses import (
    Exponential,
    Hinge,
    Logistic,
    Loss,
    MarginLoss,
    ModifiedHuber,
    Squared,
    SquaredHinge,
    ZeroOne,
)

M = [-2.0, -1.0, 0.0, 1.0, 2.0]
E = math.e


@pytest.mark.parametrize(
    ("loss", "values"),
    [
        (ZeroOne(), [1, 1, 1, 0, 0]),
        (Hinge(), [3, 2, 1, 0, 0]),
        (SquaredHinge(), [9, 4, 1, 0, 0]),
        (Logistic(), [2.126928, 1.313262, 0.693147, 0.313262, 0.126928]),
        (Exponential(), [E**2, E, 1, 1 / E, 1 / E**2]),
        (Squared(), [9, 4, 1, 0, 1]),
        (ModifiedHuber(), [8, 4, 1, 0, 0]),
    ],
)
def test_values_by_hand(loss, values):
    np.testing.assert_allclose(loss.value(M, 1), values, atol=1e-6)
    np.testing.assert_allclose(loss.value(np.negative(M), -1), values, atol=1e-6)


@pytest.mark.parametrize(
    ("loss", "conjugates"),
    [
        (Hinge(), [np.inf, -1, -0.5, 0, np.inf]),
        (SquaredHinge(), [0, -0.75, -0.4375, 0, np.inf]),
        (Logistic(), [np.inf, 0, -math.log(2), 0, np.inf]),
        (Exponential(), [4 * math.log(4) - 4, -1, -0.5 * math.log(2) - 0.5, 0, np.inf]),
        (Squared(), [0, -0.75, -0.4375, 0, 0.5625]),
        (ModifiedHuber(), [0, -0.75, -0.4375, 0, np.inf]),
    ],
)
def test_conjugates_by_hand(loss, conjugates):
    u = np.array([-4.0, -1.0, -0.5, 0.0, 0.5])
    np.testing.assert_allclose(loss.conjugate(u, 1), conjugates, atol=1e-15)
    np.testing.assert_allclose(loss.conjugate(-u, -1), conjugates, atol=1e-15)


def test_modified_huber_ends_where_its_slope_does():
    assert ModifiedHuber().conjugate(np.nextafter(-4, -5), 1) == np.inf


def test_at_the_kink_the_hinge_gives_a_subgradient():
    assert Hinge().derivative(1.0, 1) == 0
    assert Hinge().derivative(np.nextafter(1.0, 0), 1) == -1


def test_squared_is_least_squares_on_the_labels():
    z, t = np.array([0.3, -2.0, 5.0]), np.array([-1, 1, 1])
    np.testing.assert_allclose(Squared().value(z, t), (t - z) ** 2, rtol=1e-15)


@pytest.mark.parametrize("m", [-1e3, -700.0, -30.0, -1.0, 0.0, 1.0, 30.0, 700.0, 1e3])
def test_logistic_keeps_its_digits_at_both_ends(m):
    tail = math.exp(-abs(m))
    loss = Logistic()
    assert loss.value(m, 1) == pytest.approx(max(0.0, -m) + math.log1p(tail), rel=1e-14)
    expected = -1 / (1 + tail) if m < 0 else -tail / (1 + tail)
    assert loss.derivative(m, 1) == pytest.approx(expected, rel=1e-13, abs=0)
    assert loss.curvature(m, 1) == pytest.approx(tail / (1 + tail) ** 2, rel=1e-13, abs=0)


def test_logistic_is_minus_a_log_likelihood():
    z = np.linspace(-5, 5, 11)
    both = np.exp(-Logistic().value(z, 1)) + np.exp(-Logistic().value(z, -1))
    np.testing.assert_allclose(both, 1, rtol=1e-14)


def test_a_price_beyond_a_double_is_infinite():
    assert Exponential().value(-1e3, 1) == np.inf
    assert Exponential().derivative([-1e3, 1e3], 1).tolist() == [-np.inf, 0.0]


def test_a_prediction_that_is_not_a_number_is_an_error():
    assert ZeroOne().value([np.nan, 1.0], 1).tolist() == [1.0, 0.0]
    assert np.isnan(Hinge().value(np.nan, 1))
    assert np.isnan(Hinge().conjugate(np.nan, 1))


@pytest.mark.parametrize("method", ["derivative", "curvature", "conjugate"])
def test_zero_one_only_evaluates(method):
    with pytest.raises(NotImplementedError, match=r"ZeroOne only evaluates.* such as Hinge\(\)"):
        getattr(ZeroOne(), method)(0.5, 1)
    assert (ZeroOne().convex, ZeroOne().smooth) == (False, False)


def test_names():
    known = [ZeroOne, Hinge, SquaredHinge, Logistic, Exponential, Squared, ModifiedHuber]
    names = ["zero_one", "hinge", "squared_hinge", "logistic", "exponential", "squared"]
    assert [losses.named(name) for name in [*names, "modified_huber"]] == [cls() for cls in known]
    assert losses.named(Hinge()) == Hinge()


@pytest.mark.parametrize(
    ("wrong", "error", "sentence"),
    [
        ("Hinge", ValueError, "There is no loss named 'Hinge': choose one of 'zero_one', 'hinge'"),
        (Hinge, TypeError, r"A loss is a value, not a class: give Hinge\(\) instead\."),
        (None, TypeError, r"A loss is a name or a Loss such as Hinge\(\)\. Got None instead\."),
        ([1], TypeError, r"Got \[1\] instead\."),
    ],
)
def test_what_is_no_loss_is_refused_in_a_sentence(wrong, error, sentence):
    with pytest.raises(error, match=sentence):
        losses.named(wrong)


@dataclass(frozen=True)
class Quantile(Loss):
    """A loss of the residual, with a parameter: what a user writes needs value and derivative."""

    level: float = 0.5
    convex = True

    def value(self, z, t):
        residual = np.subtract(t, z)
        return np.maximum(self.level * residual, (self.level - 1) * residual)

    def derivative(self, z, t):
        return np.where(np.less(z, t), -self.level, 1 - self.level)


class Ramp(MarginLoss):
    name = "truncated_hinge"

    def _value(self, m):
        return np.clip(1 - m, 0, 1)

    def _derivative(self, m):
        return np.where((m > 0) & (m < 1), -1, 0)  # whole numbers: ours to turn into floats


def test_a_users_loss_needs_value_and_derivative_only():
    loss = losses.named(Quantile(0.9))
    assert (loss.name, loss.convex, loss.smooth) == ("quantile", True, False)
    assert loss == Quantile(0.9) != Quantile(0.8)
    assert loss.value([0.0, 2.0], 1.0) == pytest.approx([0.9, 0.1])


@pytest.mark.parametrize("loss", [Quantile(), Ramp()])
@pytest.mark.parametrize("method", ["curvature", "conjugate"])
def test_what_a_users_loss_lacks_is_said(loss, method):
    sentence = f"{type(loss).__name__} has no {method}: define it, or choose a solver"
    with pytest.raises(NotImplementedError, match=sentence):
        getattr(loss, method)(0.0, 1.0)


def test_a_users_loss_of_the_margin():
    assert Ramp().name == "truncated_hinge"
    assert Ramp().value([-3.0, 0.5], [1, -1]).tolist() == [1.0, 1.0]
    assert Ramp().derivative([0.5, -0.5], [1, -1]).tolist() == [-1.0, 1.0]


def test_a_loss_without_a_derivative_cannot_be_made():
    class Half(Loss):
        def value(self, z, t):
            return np.multiply(z, t)

    with pytest.raises(TypeError, match="derivative"):
        Half()
