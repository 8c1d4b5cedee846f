import numpy as np
import pytest

from maxmargin import plots
from maxmargin.kernels import RBF, Spectrum


def test_items_are_drawn_class_by_class():
    strings, labels = ["ab", "zz", "abb", "zzz"], ["x", "y", "x", "y"]
    display = plots.gram(Spectrum(2), strings, labels)
    order = [0, 2, 1, 3]
    np.testing.assert_array_equal(display.image_.get_array(), Spectrum(2)(strings)[order][:, order])
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["x", "y"]
    assert len(display.ax_.lines) == 2
    assert display.image_.get_clim()[0] == 0.0


def test_without_classes_they_stay_as_given():
    display = plots.gram(RBF(1.0), np.arange(4.0)[:, None])
    assert display.ax_.get_xlabel() == "item"
    assert len(display.ax_.lines) == 0


def test_of_many_items_some_are_drawn():
    X = np.linspace(0.0, 1.0, 1500)[:, None]
    display = plots.gram("rbf", X, X[:, 0] > 0.5)
    assert display.matrix.shape == (600, 600)
    assert display.labels.sum() == 300


@pytest.mark.parametrize(
    ("matrix", "labels", "sentence"),
    [
        (np.ones((2, 3)), None, "An array of shape \\(2, 3\\) is none: a Gram matrix is drawn of"),
        ("rbf", None, "str is none: a Gram matrix is drawn of a square matrix"),
        (np.eye(2), [1, 2, 3], "The matrix has 2 items, and labels have shape"),
    ],
)
def test_what_is_no_matrix_is_refused(matrix, labels, sentence):
    with pytest.raises(ValueError, match=sentence):
        plots.GramDisplay.from_matrix(matrix, labels)
