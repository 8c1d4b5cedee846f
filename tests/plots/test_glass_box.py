"""What cannot be drawn of a glass box is refused in a sentence."""

import numpy as np
import pytest

from maxmargin import GlassBoxClassifier, plots

X = np.linspace(-1, 1, 40)[:, None]


@pytest.fixture(scope="module")
def model():
    y = np.where(X[:, 0] > 0, "yes", "no")
    return GlassBoxClassifier(n_estimators=2, n_bags=2).fit(X, y)


@pytest.mark.parametrize("row", [40, -41, "x", 1.0])
def test_a_row_that_is_not_there_is_named(model, row):
    with pytest.raises(ValueError, match="row must be a whole number below 40"):
        plots.explanation(model, X, row=row)


def test_a_row_counts_from_the_end_where_it_is_negative(model):
    last, same = plots.explanation(model, X, row=-1), plots.explanation(model, X, row=39)
    np.testing.assert_array_equal(last.contributions, same.contributions)


def test_a_class_that_is_not_there_is_named_beside_those_that_are(model):
    with pytest.raises(ValueError, match=r"no class 'maybe'; the model has \['no', 'yes'\]"):
        plots.explanation(model, X, label="maybe")
