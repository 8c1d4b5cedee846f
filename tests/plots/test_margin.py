import matplotlib.pyplot as plt
import numpy as np
import polars as pl
import pytest
from sklearn import svm
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from maxmargin import (
    SVC,
    AdaBoostClassifier,
    BaggingClassifier,
    HardMarginSVC,
    LinearClassifier,
    LinearSVC,
    OneVsOneClassifier,
    OneVsRestClassifier,
)
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
    display.figure_.draw_without_rendering()  # which is where mathematics would fail
    labels = display.ax_.get_xlabel(), display.ax_.get_ylabel()
    assert [label.replace("\\$", "$") for label in labels] == table.columns


@pytest.mark.parametrize(
    ("columns", "rows", "classes", "sentence"),
    [
        (3, 60, 2, "X has 3 columns, but a picture of margins needs 2"),
        (2, 60, 3, "The model knows 3 classes"),
        (2, 59, 2, "inconsistent numbers of samples"),
    ],
)
def test_what_cannot_be_drawn_is_refused(columns, rows, classes, sentence):
    X = np.random.default_rng(0).normal(size=(60, columns))
    y = np.arange(60) % classes
    with pytest.raises(ValueError, match=sentence):
        MarginDisplay.from_estimator(SVC().fit(X, y), X[:rows], y)


def test_labels_of_no_class_are_refused(points):
    X, y = points
    with pytest.raises(ValueError, match=r"y holds 7, which is no class of the model; it knows \["):
        MarginDisplay.from_estimator(SVC().fit(X, y), X[:2], [y[0], 7])


def test_an_unfitted_model_is_refused(points):
    with pytest.raises(NotFittedError):
        MarginDisplay.from_estimator(SVC(), *points)


def names_of(display):
    return [text.get_text() for text in display.legend_.get_texts()]


@pytest.mark.parametrize(
    ("model", "boundary", "margins"),
    [
        (LinearSVC(), "f = 0", True),
        (svm.LinearSVC(), "f = 0", True),
        (LinearClassifier("hinge"), "f = 0", True),
        (LinearClassifier("logistic"), "f = 0", False),
        (LogisticRegression(), "f = 0", False),
        (AdaBoostClassifier(n_estimators=5), "f = 0", False),
        (make_pipeline(StandardScaler(), BaggingClassifier(random_state=0)), "p = 1/2", False),
    ],
    ids=repr,
)
def test_a_model_without_support_vectors_is_drawn_as_what_it_is(points, model, boundary, margins):
    X, y = points
    display = MarginDisplay.from_estimator(model.fit(X, y), X, y, grid_resolution=20)
    assert names_of(display) == [
        "class -1",
        "class 1",
        f"boundary, {boundary}",
        *["margins, f = ±1"] * margins,
    ]
    assert display.on_margin_ is display.bounded_ is None
    assert display.note == ""
    grid = np.c_[display.xx0.ravel(), display.xx1.ravel()]
    np.testing.assert_array_equal(display.response.ravel() > 0, model.predict(grid) == 1)


@pytest.mark.parametrize(
    "wrap",
    [
        OneVsRestClassifier,
        OneVsOneClassifier,
        lambda model: GridSearchCV(model, {"C": [1.0]}),
        lambda model: make_pipeline(OneVsRestClassifier(make_pipeline(model))),
    ],
)
def test_the_model_inside_a_wrapper_of_two_classes_is_the_one_drawn(points, wrap):
    X, y = points
    alone = MarginDisplay.from_estimator(SVC().fit(X, y), X, y, grid_resolution=20)
    wrapped = MarginDisplay.from_estimator(wrap(SVC()).fit(X, y), X, y, grid_resolution=20)
    np.testing.assert_allclose(wrapped.response, alone.response, atol=1e-6)
    np.testing.assert_array_equal(wrapped.on_margin, alone.on_margin)
    assert wrapped.class_names == ("-1", "1")


@pytest.mark.parametrize("take", [slice(0, 30), slice(None, None, -1)])
@pytest.mark.parametrize("model", [SVC(), make_pipeline(StandardScaler(), SVC()), svm.SVC()])
def test_other_rows_are_drawn_and_what_they_cannot_show_is_said(points, model, take):
    X, y = points
    display = MarginDisplay.from_estimator(model.fit(X, y), X[take], y[take])
    assert sum(len(each.get_offsets()) for each in display.points_) == len(X[take])
    assert display.on_margin is display.bounded is None
    assert display.legend_.get_title().get_text() == (
        "support vectors not shown: these are not the rows of the fit"
    )
    assert display.margins_ is not None
    display.figure_.draw_without_rendering()
    assert display.legend_.get_window_extent().y1 <= display.ax_.get_window_extent().y0


def test_a_support_vector_of_dual_zero_is_on_the_margin():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [2.0, 0.0], [2.0, 1.0], [2.0, 2.0]])
    y = np.repeat([0, 1], 3)
    model = HardMarginSVC().fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y)
    assert len(display.on_margin) == len(model.support_)
    assert len(display.bounded) == 0


def test_words_have_places_on_an_axis():
    words = np.array(["low", "high", "middle"])[np.arange(60) % 3]
    table = pl.DataFrame({"word": words, "x": np.linspace(-1.0, 1.0, 60)})
    y = np.where(words == "high", "yes", "no")
    for model in (
        AdaBoostClassifier(n_estimators=3, categorical_features=["word"]),
        make_pipeline(OneHotEncoder(handle_unknown="ignore"), SVC(kernel="linear")),
    ):
        display = MarginDisplay.from_estimator(model.fit(table, y), table, y, grid_resolution=30)
        ticks = [text.get_text() for text in display.ax_.get_xticklabels()]
        assert ticks == ["high", "low", "middle"]
        assert display.ax_.get_xlim() == (-0.5, 2.5)
        place = {"high": 0, "low": 1, "middle": 2}
        where = np.array([place[word] for word in words])
        assert (np.abs(display.X[:, 0] - where) < 0.5).all()
        assert len(np.unique(display.X, axis=0)) == 60  # none hides another
        said = display.response[:, np.rint(display.xx0[0]).clip(0, 2) == 0]
        assert (said > 0).all()
