import numpy as np
import pytest

from maxmargin.evaluation import PrecisionRecallCurve, RocCurve, band_of
from maxmargin.plots import precision_recall, roc

RNG = np.random.default_rng(0)
Y = np.arange(100) % 2


def curve(kind=PrecisionRecallCurve, shift=1.0):
    return kind.from_scores(Y, RNG.normal(size=100) + shift * Y, [0, 1])


def test_curves_are_steps_and_chance_is_named_once():
    display = precision_recall({"a": curve(), "$b$": curve()})
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts[2:] == ["chance"]
    assert texts[1].startswith(r"\$b\$ (AP = 0.")
    assert {line.get_drawstyle() for line in display.lines_.values()} == {"steps-pre"}
    assert len(display.ax_.lines) == 3


@pytest.mark.parametrize("kind", [PrecisionRecallCurve, RocCurve])
def test_bands_are_filled_and_named_with_their_deviation(kind):
    draw = precision_recall if kind is PrecisionRecallCurve else roc
    band, single = band_of([curve(kind) for _ in range(4)]), curve(kind)
    display = draw({"folds": band, "test": single})
    assert len(display.ax_.collections) == 1
    text = display.ax_.get_legend().get_texts()[0].get_text()
    assert text.endswith(f"= {band.area:.2f} ± {band.deviation:.2f})")
    display.figure_.draw_without_rendering()


def test_many_curves_are_named_beside_the_axes():
    display = precision_recall({f"model {k}": curve() for k in range(7)})
    display.figure_.draw_without_rendering()
    box, axes = display.ax_.get_legend().get_window_extent(), display.ax_.get_window_extent()
    assert axes.x1 <= box.x0
    assert box.x1 <= display.figure_.bbox.width


def test_the_legend_leaves_high_and_low_curves_alone():
    high = precision_recall({"good": curve(shift=6.0)}).ax_.get_legend()
    low = precision_recall({"bad": curve(shift=-2.0)}).ax_.get_legend()
    assert high._loc == 3  # lower left
    assert low._loc == 1  # upper right


def test_a_band_of_the_other_kind_is_refused_in_a_sentence():
    band = band_of([curve(RocCurve)])
    with pytest.raises(TypeError, match="'a' is no PrecisionRecallCurve but a Band"):
        precision_recall({"a": band})
    with pytest.raises(TypeError, match="'a' is no RocCurve but"):
        roc({"a": curve()})
