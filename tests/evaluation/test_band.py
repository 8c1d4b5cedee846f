import numpy as np
import pytest

from maxmargin.evaluation.band import band_of
from maxmargin.evaluation.roc import RocCurve

PERFECT = RocCurve.from_scores([0, 0, 1, 1], [0.0, 0.1, 0.8, 0.9], classes=[0, 1])
WORST = RocCurve.from_scores([0, 0, 1, 1], [0.9, 0.8, 0.1, 0.0], classes=[0, 1])


def test_the_mean_lies_between_the_curves():
    band = band_of([PERFECT, WORST])
    assert band.area == pytest.approx(0.5)
    assert (band.low <= band.mean).all()
    assert (band.mean <= band.high).all()


def test_equal_curves_have_a_band_without_width():
    band = band_of([PERFECT, PERFECT])
    assert band.deviation == 0.0
    np.testing.assert_array_equal(band.low, band.high)
