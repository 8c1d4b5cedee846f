import numpy as np
import pytest

from maxmargin.evaluation import wilson
from maxmargin.evaluation.reliability import Reliability
from maxmargin.plots import calibration


def test_rows_are_counted_in_bins_of_a_tenth():
    bins = Reliability.of([False, True, True, True], [0.0, 0.05, 0.95, 1.0])
    np.testing.assert_array_equal(bins.counts, [2, 2])
    np.testing.assert_allclose(bins.predicted, [0.025, 0.975])
    np.testing.assert_array_equal(bins.observed, [0.5, 1.0])
    assert bins.error == pytest.approx(0.25)


def test_points_carry_their_rows_and_wilsons_interval():
    hit, p = np.arange(40) % 4 == 0, np.full(40, 0.33)
    display = calibration({"test": (hit, p)})
    assert [text.get_text() for text in display.ax_.texts] == ["40"]
    (bar,) = display.ax_.collections[0].get_segments()
    interval = wilson(10, 40)
    np.testing.assert_allclose(bar[:, 1], [interval.low, interval.high])


def test_counts_of_several_curves_stand_above_each_other():
    said = {name: ([True, False], [0.2, 0.7]) for name in ("$a$", "b")}
    display = calibration(said)
    heights = {text.get_position()[1] for text in display.ax_.texts}
    assert len(heights) == 2
    assert max(heights) < display.ax_.get_ylim()[1] + 0.05
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["as was said", r"\$a\$", "b"]


@pytest.mark.parametrize("given", [None, {}, {"a": 3}])
def test_what_are_no_probabilities_is_refused_in_a_sentence(given):
    with pytest.raises(TypeError, match="holds no probabilities, and calibration is drawn of a"):
        calibration(given)


def test_rows_and_probabilities_must_agree():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        calibration({"a": ([True], [0.1, 0.2])})
