import numpy as np
import pytest
from matplotlib.colors import to_rgb

from maxmargin.plots import first_features, palette, survival
from maxmargin.vision import Cascade, HaarFeatures, LBPFeatures, Stage, Tree

EDGE = HaarFeatures((8, 6), kinds="edge_x")
CASCADE = Cascade(EDGE, [Stage(0.5, [Tree.stump(k, k / 9, 0.0, 1.0)]) for k in (9, 3, 5)])
FACES = np.random.default_rng(0).integers(0, 256, size=(5, 6, 8)).astype(np.uint8)


def test_features_are_painted_where_they_look_in_the_order_they_are_asked():
    display = first_features(CASCADE, FACES, count=2)
    assert [ax.get_title() for ax in display.axes_] == ["feature 1", "feature 2"]
    np.testing.assert_allclose(display.axes_[0].images[0].get_array(), FACES.mean(axis=0))
    for ax, k in zip(display.axes_, (9, 3), strict=True):
        painted, template = ax.images[1].get_array(), EDGE.template(k)
        np.testing.assert_array_equal(painted[..., 3] > 0, template != 0)
        np.testing.assert_allclose(painted[template < 0][0, :3], to_rgb(palette.CLASSES[0]))
        np.testing.assert_allclose(painted[template > 0][0, :3], to_rgb(palette.CLASSES[1]))


def test_a_pattern_is_its_middle_and_what_is_around():
    features = LBPFeatures((8, 6))
    cascade = Cascade(features, [Stage(0.5, [Tree.of_codes(0, [1, 2], 0.0, 1.0)])])
    display = first_features(cascade)
    x, y, w, h = features.cells[0].tolist()
    template = display.templates[0]
    assert (template != 0).sum() == 9 * w * h
    assert (template[y + h : y + 2 * h, x + w : x + 2 * w] == 1).all()


def test_objects_of_another_size_are_refused():
    with pytest.raises(ValueError, match="Give objects of 8 x 6 pixels"):
        first_features(CASCADE, np.zeros((2, 9, 9)))


def test_bars_are_the_windows_left():
    scan = CASCADE.scan(np.random.default_rng(0).integers(0, 256, size=(40, 60)))
    display = survival(scan)
    heights = [bar.get_height() for bar in display.bars_]
    assert heights == np.maximum(scan.passed[1:], 0.5).tolist()
    assert display.ax_.texts[0].get_text() == f"{scan.windows:,} windows looked at"
