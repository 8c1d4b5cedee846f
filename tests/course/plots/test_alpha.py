import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn import ensemble
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier, BoostingClassifier
from maxmargin.datasets import load_mixture, load_ten_points


def test_the_rounds_lie_on_the_curve_and_are_named():
    model = AdaBoostClassifier(n_estimators=3).fit(*load_ten_points(return_X_y=True))
    display = plots.alphas(model)
    spots = display.rounds_.get_offsets()
    np.testing.assert_allclose(spots[:, 1], 0.5 * np.log((1 - spots[:, 0]) / spots[:, 0]))
    assert spots[:, 0].round(4).tolist() == [0.3, 0.2143, 0.1364]
    names = {text.get_text(): text.xy for text in display.ax_.texts[2:]}
    assert names == {f"round {k}": tuple(spot) for k, spot in enumerate(spots.tolist(), 1)}


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


@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_the_curve_is_that_of_the_classes_and_the_learning_rate(rate):
    model = AdaBoostClassifier(n_estimators=10, learning_rate=rate)
    display = plots.alphas(model.fit(*load_wine(return_X_y=True)))
    error, alpha = display.line_.get_data()
    spots = display.rounds_.get_offsets()
    np.testing.assert_allclose(np.interp(spots[:, 0], error, alpha), spots[:, 1], atol=1e-3)
    assert np.interp(2 / 3, error, alpha) == pytest.approx(0.0, abs=1e-5)
    chance = display.ax_.lines[1].get_xdata()
    assert chance == pytest.approx([2 / 3, 2 / 3])
    assert "log 2" in display.ax_.get_ylabel()
    assert ("0.5 ×" in display.ax_.get_ylabel()) == (rate == 0.5)


def test_names_of_near_rounds_do_not_cross():
    model = AdaBoostClassifier(n_estimators=6).fit(*load_breast_cancer(return_X_y=True))
    display = plots.alphas(model)
    display.figure_.draw_without_rendering()
    names = [text for text in display.ax_.texts if text.get_text().startswith("round")]
    boxes = [plt.Text.get_window_extent(text) for text in names]
    assert len(boxes) == 6
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_scikit_learns_rounds_and_pipelines_are_drawn_too():
    X, y = load_mixture(return_X_y=True)
    theirs = ensemble.AdaBoostClassifier(n_estimators=5).fit(X, y)
    spots = plots.alphas(make_pipeline(StandardScaler(), theirs).fit(X, y)).rounds_.get_offsets()
    np.testing.assert_allclose(spots[:, 1], 0.5 * np.log((1 - spots[:, 0]) / spots[:, 0]))
    assert len(spots) == 5


def test_a_model_without_such_coefficients_is_refused():
    model = BoostingClassifier(n_estimators=2).fit(*load_ten_points(return_X_y=True))
    with pytest.raises(TypeError, match="BoostingClassifier has no alphas_: coefficients are"):
        plots.alphas(model)
    assert plt.get_fignums() == []
