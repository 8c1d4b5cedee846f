import matplotlib.pyplot as plt
import numpy as np
import pytest

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier
from maxmargin.datasets import load_mixture, load_ten_points


def test_the_rounds_lie_on_the_curve_and_are_named():
    model = AdaBoostClassifier(n_estimators=3).fit(*load_ten_points(return_X_y=True))
    display = plots.alphas(model)
    spots = display.rounds_.get_offsets()
    np.testing.assert_allclose(spots[:, 1], 0.5 * np.log((1 - spots[:, 0]) / spots[:, 0]))
    assert spots[:, 0].round(4).tolist() == [0.3, 0.2143, 0.1364]
    assert [text.get_text() for text in display.ax_.texts[:3]] == ["round 1", "round 2", "round 3"]


def test_the_curve_is_odd_about_one_half():
    error, alpha = plots.alphas().line_.get_data()
    np.testing.assert_allclose(alpha, -alpha[::-1], atol=1e-12)
    assert np.interp(0.5, error, alpha) == pytest.approx(0.0, abs=1e-12)
    assert np.interp(0.3, error, alpha) == pytest.approx(0.4236, abs=1e-4)


def test_many_rounds_have_no_names_and_axes_may_be_given():
    model = AdaBoostClassifier(n_estimators=30).fit(*load_mixture(return_X_y=True))
    _, ax = plt.subplots()
    display = plots.alphas(model, ax=ax)
    assert display.ax_ is ax
    assert not any(text.get_text().startswith("round") for text in ax.texts)
