import matplotlib.pyplot as plt
import numpy as np
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.datasets import load_mixture, make_overlapping, make_separable
from maxmargin.plots import MarginDisplay


@pytest.fixture
def points():
    return make_overlapping(60, random_state=0)


def test_everything_is_drawn(points):
    X, y = points
    display = MarginDisplay.from_estimator(SVC().fit(X, y), X, y)
    assert display.figure_ is display.ax_.figure
    assert sum(len(each.get_offsets()) for each in display.points_) == len(X)
    assert display.boundary_.levels.tolist() == [0.0]
    assert display.margins_.levels.tolist() == [-1.0, 1.0]
    assert display.bayes_ is None
    assert len(display.legend_.get_texts()) == 6


def test_every_support_vector_is_marked_once(points):
    X, y = points
    model = SVC(kernel="linear").fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y)
    assert len(display.on_margin) + len(display.bounded) == len(model.support_)
    assert len(display.on_margin_.get_offsets()) == len(display.on_margin)
    assert len(display.bounded_.get_offsets()) == len(display.bounded)


def test_separable_points_have_all_support_vectors_on_the_margin():
    X, y = make_separable(40, margin=1.0, random_state=0)
    model = SVC(kernel="linear", C=1e4).fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y)
    assert len(display.bounded) == 0
    np.testing.assert_allclose(np.abs(model.decision_function(display.on_margin)), 1.0, atol=0.01)


def test_bounded_ones_lie_inside_their_margin(points):
    X, y = points
    model = SVC(kernel="linear", C=0.1).fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y)
    truth = {tuple(point): label for point, label in zip(X, y, strict=True)}
    signs = np.array([truth[tuple(point)] for point in display.bounded])
    assert (signs * model.decision_function(display.bounded) < 1.0).all()


def test_the_bayes_boundary_is_drawn():
    mixture = load_mixture()
    X, y = mixture.data, mixture.target
    grid = (*mixture.grid.T, mixture.grid_probability)
    bayes = tuple(column.reshape(mixture.grid_shape) for column in grid)
    display = MarginDisplay.from_estimator(SVC().fit(X, y), X, y, bayes=bayes)
    assert display.bayes_.levels.tolist() == [0.5]
    assert display.ax_.get_xlim() == pytest.approx((bayes[0].min(), bayes[0].max()))
    assert "Bayes boundary" in [text.get_text() for text in display.legend_.get_texts()]


def test_it_draws_on_given_axes_without_a_legend(points):
    X, y = points
    _, ax = plt.subplots()
    display = MarginDisplay.from_estimator(SVC().fit(X, y), X, y, ax=ax, legend=False)
    assert display.ax_ is ax
    assert display.legend_ is None


def test_the_legend_stays_below_the_axes(points):
    X, y = points
    display = MarginDisplay.from_estimator(SVC().fit(X, y), X, y)
    display.figure_.draw_without_rendering()
    assert display.legend_.get_window_extent().y1 <= display.ax_.get_window_extent().y0


def test_a_pipeline_is_drawn_in_the_units_of_its_input(points):
    X, y = points
    X = 1000.0 * X
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y)
    rows = {tuple(row) for row in X}
    assert all(tuple(point) in rows for point in np.r_[display.on_margin, display.bounded])


def test_columns_of_a_table_name_the_axes(points):
    X, y = points
    table = pl.DataFrame({"height": X[:, 0], "weight": X[:, 1]})
    display = MarginDisplay.from_estimator(SVC().fit(table, y), table, y)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("height", "weight")


def test_a_picture_without_margins_in_sight_is_still_drawn(points):
    X, y = points
    display = MarginDisplay.from_estimator(SVC(kernel="linear", C=1e-6).fit(X, y), X, y)
    assert display.margins_ is None


def test_dollars_in_names_are_not_mathematics(points):
    X, y = points
    table = pl.DataFrame({"$\\frac$": X[:, 0], "US$": X[:, 1]})
    y = np.where(y > 0, "$^$", "$_$")
    display = MarginDisplay.from_estimator(SVC().fit(table, y), table, y)
    display.figure_.draw_without_rendering()


@pytest.mark.parametrize(
    ("columns", "rows", "classes", "sentence"),
    [
        (3, 60, 2, "X has 3 columns, but a picture of margins needs 2"),
        (2, 60, 3, "The model knows 3 classes"),
        (2, 30, 2, "X has 30 rows, but the model was fitted to 60"),
    ],
)
def test_what_cannot_be_drawn_is_refused(columns, rows, classes, sentence):
    X = np.random.default_rng(0).normal(size=(60, columns))
    y = np.arange(60) % classes
    with pytest.raises(ValueError, match=sentence):
        MarginDisplay.from_estimator(SVC().fit(X, y), X[:rows], y[:rows])


def test_an_unfitted_model_is_refused(points):
    with pytest.raises(NotFittedError):
        MarginDisplay.from_estimator(SVC(), *points)
