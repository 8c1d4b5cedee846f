import numpy as np
import pytest

from maxmargin import SVC, FeatureWeights, plots
from maxmargin.kernels import Spectrum
from maxmargin.plots import palette

WEIGHTS = FeatureWeights(
    np.array(["a b", "c$", "d", "e"]), np.array([-2.0, 0.5, 0.0, 1.0]), "ham", "spam"
)


def test_bars_are_the_largest_weights_in_their_order():
    display = plots.TellingDisplay.from_weights(WEIGHTS)
    assert [bar.get_width() for bar in display.bars_] == [-2.0, 0.5, 1.0]
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == ["a␣b", r"c\$", "e"]
    colours = [bar.get_facecolor() for bar in display.bars_]
    assert colours[0] != colours[1] == colours[2]
    assert "for ham" in display.ax_.texts[0].get_text()
    assert len(palette.CLASSES) == 2


def test_a_few_are_half_of_each_side_and_drawn_into_given_axes():
    first = plots.TellingDisplay.from_weights(WEIGHTS)
    display = plots.TellingDisplay.from_weights(WEIGHTS, count=2, ax=first.ax_)
    assert display.ax_ is first.ax_
    assert [bar.get_width() for bar in display.bars_] == [-2.0, 1.0]


def test_of_a_model_in_one_call():
    model = SVC(kernel=Spectrum(1)).fit(["aab", "ab", "cb", "cc"], [0, 0, 1, 1])
    display = plots.telling_substrings(model)
    assert display.ax_.get_yticklabels()[-1].get_text() == "c"
    with pytest.raises(TypeError, match="int is no FeatureWeights: telling features are drawn of"):
        plots.TellingDisplay.from_weights(3)
