import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from maxmargin import plots
from maxmargin.plots import BoundaryDisplay

X, Y = load_iris(return_X_y=True)
X, NAMES = X[:, 2:], np.array(["setosa", "versicolor", "virginica"])


def test_regions_are_predictions_for_any_number_of_classes():
    for labels in (NAMES[Y], Y == 0, np.zeros(150)):
        model = KNeighborsClassifier().fit(X, labels)
        display = plots.boundary(model, X, labels, grid_resolution=30)
        rows = np.c_[display.xx0.ravel(), display.xx1.ravel()]
        np.testing.assert_array_equal(model.classes_[display.regions.ravel()], model.predict(rows))
        drawn = [len(points.get_offsets()) for points in display.points_]
        assert drawn == np.unique(labels, return_counts=True)[1].tolist()
        assert len(display.legend_.get_texts()) == len(model.classes_)
        display.figure_.draw_without_rendering()


def test_pipelines_tables_and_words():
    model = make_pipeline(StandardScaler(), KNeighborsClassifier())
    for frame in (pd.DataFrame, pl.DataFrame):
        table = frame({"length": X[:, 0], "width": X[:, 1]})
        display = plots.boundary(model.fit(table, Y), table, Y, grid_resolution=9)
        assert display.ax_.get_xlabel() == "length"
    words = pd.DataFrame({"a": list("xyxyxz"), "b": list("uuvvwu")})
    labels = [0, 1, 0, 2, 1, 1]
    steps = make_pipeline(OneHotEncoder(), KNeighborsClassifier(1)).fit(words, labels)
    display = plots.boundary(steps, words, labels, grid_resolution=9)
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["x", "y", "z"]


def test_the_extent_may_be_given():
    model = KNeighborsClassifier().fit(X, Y)
    display = plots.boundary(model, X, Y, extent=(0, 9, -1, 4), grid_resolution=9)
    assert display.ax_.axis() == (0, 9, -1, 4)
    with pytest.raises(ValueError, match=r"extent=\(9, 0, -1, 4\) must be \(left, right"):
        plots.boundary(model, X, Y, extent=(9, 0, -1, 4))


def test_what_cannot_be_drawn_gets_a_sentence():
    model = KNeighborsClassifier().fit(X, Y)
    with pytest.raises(ValueError, match=r"y holds 5, which is no class .* knows \[0, 1, 2\]"):
        plots.boundary(model, X, Y + 5)
    with pytest.raises(ValueError, match="needs 2"):
        plots.boundary(KNeighborsClassifier().fit(X[:, :1], Y), X[:, :1], Y)
    with pytest.raises(TypeError, match="LinearRegression has no classes: regions are drawn of a"):
        BoundaryDisplay.from_estimator(LinearRegression().fit(X, Y), X, Y)


@pytest.mark.parametrize("points", [0, 1, -3, 2.5])
def test_a_lattice_has_two_points_an_axis_at_least(points):
    model = KNeighborsClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="'grid_resolution' parameter of a picture must be"):
        plots.boundary(model, X, Y, grid_resolution=points)
