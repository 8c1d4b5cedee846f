import matplotlib.pyplot as plt
import numpy as np
import pytest

from maxmargin import plots
from maxmargin.losses import Hinge, Loss, MarginLoss
from maxmargin.plots import LossDisplay


class Ramp(MarginLoss):
    def _value(self, m):
        return np.clip(1 - m, 0, 1)

    def _derivative(self, m):
        return -1.0 * ((m > 0) & (m < 1))


class Absolute(Loss):
    def value(self, z, t):
        return np.abs(np.subtract(z, t))

    def derivative(self, z, t):
        return np.sign(np.subtract(z, t))


def at(display, name, m):
    x, y = display.lines_[name].get_data()
    return np.interp(m, x, y)


def test_all_losses_of_the_lectures_are_drawn_and_named():
    display = plots.losses()
    names = {"zero_one", "hinge", "squared_hinge", "logistic", "exponential", "squared"}
    assert set(display.lines_) == names | {"modified_huber"}
    assert display.figure_ is display.ax_.figure
    shown = [text.get_text() for text in display.legend_.get_texts()]
    assert len(shown) == 7
    assert any(text.startswith("modified Huber") for text in shown)


def test_every_curve_passes_through_one_and_lies_above_the_zero_one_loss():
    display = plots.losses(margin=(-3, 3))
    for name, values in display.values.items():
        assert at(display, name, 0.0) == pytest.approx(1.0)
        assert (values >= display.values["zero_one"]).all()


def test_the_step_is_upright():
    for margin in [(-2, 2), (-1, 2.7)]:
        display = plots.losses(["zero_one"], margin=margin)
        x, y = display.lines_["zero_one"].get_data()
        assert np.ptp(x[np.flatnonzero(np.diff(y))[0] + np.array([0, 1])]) < 1e-300
        assert (x[0], x[-1]) == margin


def test_curves_differ_in_colour_or_dash():
    lines = plots.losses(["hinge", "logistic", "squared", Ramp()]).lines_.values()
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 4
    lines = plots.losses().lines_.values()
    looks = {(line.get_color(), line.get_linestyle(), line.get_linewidth()) for line in lines}
    assert len(looks) == 7


def test_the_exponential_does_not_flatten_the_others():
    assert plots.losses(margin=(-6, 1)).ax_.get_ylim()[1] < 60


def test_a_loss_of_the_users_is_drawn_too():
    display = plots.losses([Ramp(), "hinge"])
    assert list(display.lines_) == ["ramp", "hinge"]
    assert at(display, "ramp", -2.0) == 1.0
    assert list(plots.losses("hinge").lines_) == list(plots.losses(Hinge()).lines_) == ["hinge"]


def test_it_draws_on_given_axes():
    _, ax = plt.subplots()
    assert plots.losses(ax=ax).ax_ is ax
    assert LossDisplay.from_losses(["hinge"], ax=ax).ax_ is ax


@pytest.mark.parametrize(
    ("chosen", "margin", "sentence"),
    [
        (["hing"], (-2, 2), "There is no loss named 'hing': choose one of"),
        (["hinge"], (2, -2), r"margin must be an interval \(low, high\) with low < high"),
        (["hinge"], (-np.inf, 2), "margin must be an interval"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(chosen, margin, sentence):
    with pytest.raises(ValueError, match=sentence):
        plots.losses(chosen, margin=margin)
    assert plt.get_fignums() == []


def test_a_loss_of_residuals_has_no_margin():
    with pytest.raises(TypeError, match="Absolute is not drawn against the margin"):
        plots.losses([Absolute()])
