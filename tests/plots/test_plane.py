import numpy as np
import pytest

from maxmargin.plots.plane import make_lattice, number_labels, of_second

CLASSES = np.array(["a", "b", "c"])


def test_a_lattice_reaches_from_corner_to_corner():
    xx0, xx1 = make_lattice(np.array([0.0, 1.0]), np.array([2.0, 5.0]), 3)
    assert xx0.shape == xx1.shape == (3, 3)
    assert (xx0.min(), xx0.max(), xx1.min(), xx1.max()) == (0.0, 2.0, 1.0, 5.0)


def test_labels_are_numbers_of_the_sorted_classes():
    assert number_labels(["c", "a"], CLASSES).tolist() == [2, 0]
    with pytest.raises(ValueError, match="d"):
        number_labels(["d"], CLASSES)


def test_only_two_classes_have_a_second():
    assert of_second(["b", "a"], CLASSES[:2], "points").tolist() == [True, False]
    with pytest.raises(ValueError, match="3"):
        of_second(["a"], CLASSES, "points")
