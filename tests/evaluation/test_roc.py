import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from maxmargin import plots
from maxmargin.evaluation import RocCurve


def test_two_classes_agree_with_scikit_learn():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    scores = rng.normal(size=200) + y
    curve = RocCurve.from_scores(y, scores, classes=[0, 1])
    assert curve.area == pytest.approx(roc_auc_score(y, scores))


@given(seed=st.integers(0, 2**32 - 1), ties=st.booleans())
def test_the_average_curve_has_the_average_area(seed, ties):
    rng = np.random.default_rng(seed)
    y = np.r_[0, 1, 2, rng.integers(0, 3, 40)]
    scores = rng.normal(size=(43, 3)) + np.eye(3)[y]
    scores = scores.round() if ties else scores
    curve = RocCurve.from_scores(y, scores, classes=[0, 1, 2])
    areas = [roc_auc_score(y == k, scores[:, k]) for k in range(3)]
    assert curve.area == pytest.approx(np.mean(areas))
    assert (np.diff(curve.fpr) >= 0).all()
    assert (np.diff(curve.tpr) >= -1e-12).all()


def test_one_class_alone_has_no_curve():
    assert RocCurve.from_scores([1, 1], [0.0, 1.0], classes=[0, 1]) is None


def test_an_absent_class_is_left_out_of_the_average():
    scores = np.array([[2.0, 0.0, 1.0], [0.0, 2.0, 1.0]])
    assert RocCurve.from_scores([0, 1], scores, classes=[0, 1, 2]).area == 1.0


def test_pictures_take_the_same_curves():
    assert plots.RocCurve is RocCurve
