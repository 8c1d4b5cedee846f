import matplotlib.pyplot as plt
import numpy as np
import pytest

from maxmargin.evaluation import DetectorEvaluation, clopper_pearson
from maxmargin.plots import detections, detector_roc

EVALUATION = DetectorEvaluation(
    objects=20,
    images=4,
    detected=np.array([8, 12, 11, 16]),
    false_positives=np.array([0, 2, 2, 8]),
    stages=np.array([3, 3, 2, 2]),
    thresholds=np.zeros(4),
    found=12,
    wrong=2,
    windows=1000,
    passed=np.array([900, 300, 90]),
    mean_features=2.0,
)


def test_a_pixel_of_the_photograph_is_one_of_the_picture():
    display = detections(np.zeros((60, 80)), [[10, 20, 24, 30]], [3.5], [[12, 22, 20, 20]])
    display.figure_.draw_without_rendering()
    assert display.figure_.bbox.size.tolist() == [80, 60]
    (box,), (truth,) = display.boxes_, display.truth_
    low, high = display.ax_.transData.transform([[9.5, 49.5], [33.5, 19.5]])
    np.testing.assert_allclose(box.get_window_extent().extents, [*low, *high], atol=1e-6)
    np.testing.assert_allclose(low, [10, 10], atol=0.1)
    assert truth.get_xy() == (11.5, 21.5)
    assert [text.get_text() for text in display.ax_.texts] == ["3.50"]


def test_colours_and_axes_of_ones_own_are_taken():
    _, ax = plt.subplots()
    assert detections(np.zeros((6, 8, 3), np.uint8), ax=ax).ax_ is ax
    assert ax.images[0].get_array().shape == (6, 8, 3)


def test_the_curve_is_the_best_up_to_each_number_of_false_positives():
    published = {"table": {0.5: 0.7, 1.0: 0.8}}
    display = detector_roc({"ours": EVALUATION}, published)
    line = display.lines_["ours"]
    np.testing.assert_allclose(line.get_xdata(), [0.0, 0.5, 2.0])
    np.testing.assert_allclose(line.get_ydata(), [0.4, 0.6, 0.8])
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["ours", "table"]
    band = display.ax_.collections[0].get_paths()[0].get_extents()
    low, high = clopper_pearson(8, 20).low, clopper_pearson(16, 20).high
    np.testing.assert_allclose([band.y0, band.y1], [low, high])


@pytest.mark.parametrize("given", [{}, None, {"ours": 3}])
def test_what_are_no_evaluations_is_refused_in_a_sentence(given):
    with pytest.raises(TypeError, match=r"^(evaluations must be a|'ours' is int).*\.$"):
        detector_roc(given)
