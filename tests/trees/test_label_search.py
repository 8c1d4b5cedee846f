import numpy as np

from maxmargin.boosting import Columns, Split
from maxmargin.trees.label_search import LabelSearch, leaf_classes

X = np.array([[0.0], [1.0], [2.0]])


def test_the_stump_of_three_classes_has_the_least_weighted_error():
    weight = np.array([0.5, 0.2, 0.3])
    with Columns(X, n_jobs=1) as columns:
        split = LabelSearch(columns, np.array([0, 1, 2]), 3, "error").best(weight)
    assert split.threshold == 0.5
    assert leaf_classes(split, 3) == (0, 2)


def test_signs_are_the_classes_of_two():
    assert leaf_classes(Split(0, 0.5, left=-1.0, right=1.0), 2) == (0, 1)
