import matplotlib.pyplot as plt
import numpy as np
import pytest

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier, BoostingClassifier
from maxmargin.datasets import load_mixture, load_ten_points
from maxmargin.plots import MarginDistributionDisplay


def test_margins_of_the_ten_points():
    X, y = load_ten_points(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    display = plots.margin_distribution(model, X, y, rounds=[3, 1])
    assert list(display.lines_) == [1, 3]
    assert sorted(set(display.margins[1])) == [-1.0, 1.0]
    a, b, c = 0.5 * np.log([7 / 3, 11 / 3, 19 / 3])
    # Each stump errs on three rows, no two on the same one, and one row is right in all rounds.
    expected = {x / (a + b + c) for x in (a + b - c, a - b + c, -a + b + c, a + b + c)}
    np.testing.assert_allclose(sorted(set(display.margins[3].round(12))), sorted(expected))


def test_the_curve_at_zero_is_the_training_error():
    X, y = load_mixture(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    display = plots.margin_distribution(model, X, y)
    assert list(display.lines_) == [5, 20]
    margin, share = display.lines_[20].get_data()
    assert share[margin <= 0].max() == pytest.approx(np.mean(model.predict(X) != y))
    assert share[-1] == 1.0
    names = [text.get_text() for text in display.legend_.get_texts()]
    assert names == ["after 5 rounds", "after 20 rounds"]


def test_it_draws_plain_margins_on_given_axes():
    _, ax = plt.subplots()
    display = MarginDistributionDisplay(margins={1: np.array([0.1, -0.5])}).plot(ax=ax)
    assert display.ax_ is ax
    assert display.legend_.get_texts()[0].get_text() == "after 1 round"


def test_rounds_that_were_not_made_are_refused():
    X, y = load_ten_points(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match=r"rounds must be some of 1, \.\.\., 3"):
        plots.margin_distribution(model, X, y, rounds=[100])
    other = BoostingClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(TypeError, match="BoostingClassifier has no margins: they are drawn of a"):
        plots.margin_distribution(other, X, y)
