from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from maxmargin import plots
from maxmargin.boosting import (
    AdaBoostClassifier,
    BoostingClassifier,
    BoostingRanker,
    BoostingRegressor,
)
from maxmargin.datasets import load_heart, load_ten_points
from maxmargin.plots import ShapeDisplay


@pytest.fixture(scope="module")
def heart():
    table = pl.DataFrame(load_heart(complete=False, as_table=True), strict=False)
    X, y = table.drop("AHD"), table["AHD"].to_numpy()
    model = BoostingClassifier(categorical_features=["ChestPain", "Thal"]).fit(X, y)
    return model, X, y


def title(ax):
    return ax.get_title(loc="left")


def test_the_most_important_features_come_first(heart):
    display = plots.shape_functions(heart[0], max_features=5)
    assert len(display.axes_) == 5
    importance = [shape.importance for shape in display.shapes]
    assert importance == sorted(importance, reverse=True)
    assert [title(ax) for ax in display.axes_] == [shape.name for shape in display.shapes]
    assert len({ax.get_ylim() for ax in display.axes_}) == 1


def test_categories_are_bars_with_a_bar_for_missing_values(heart):
    display = plots.shape_functions(heart[0])
    panels = {title(ax): ax for ax in display.axes_}
    names = [text.get_text() for text in panels["Thal"].get_xticklabels()]
    assert names == ["fixed", "normal", "reversable", "missing"]
    thal = heart[0].shape_functions()["Thal"]
    heights = [bar.get_height() for bar in panels["Thal"].patches]
    assert heights == pytest.approx([*thal.values, thal.missing])
    assert "missing" not in [text.get_text() for text in panels["ChestPain"].get_xticklabels()]


def test_numbers_are_steps_from_end_to_end(heart):
    model, X, _ = heart
    display = plots.shape_functions(model, X)
    ax = {title(ax): ax for ax in display.axes_}["Ca"]
    assert ax.get_xlim() == pytest.approx((-0.075, 3.075))  # room for the ends of the rug
    line = ax.patches[-1].get_data()
    np.testing.assert_allclose(line.edges, [0.0, 0.5, 3.0])
    centred = model.shape_functions().centred(X)["Ca"]
    np.testing.assert_allclose(line.values, centred.values)
    assert "missing" in [text.get_text() for text in ax.texts]
    narrow = {title(ax): ax for ax in plots.shape_functions(model).axes_}["Ca"]
    assert narrow.get_xlim()[1] < 3.0


def rug(ax):
    (ticks,) = ax.collections
    return np.array([path.vertices for path in ticks.get_paths()])


def test_a_rug_shows_where_rows_lie(heart):
    model, X, _ = heart
    panels = {title(ax): ax for ax in plots.shape_functions(model, X).axes_}
    ca = rug(panels["Ca"])
    np.testing.assert_array_equal(ca[:, 0, 0], X["Ca"].drop_nans())
    lowest = min(shape.values.min() for shape in plots.shape_functions(model, X).shapes)
    bottom, top = panels["Ca"].get_ylim()
    assert ca[:, 1, 1].max() < (lowest - bottom) / (top - bottom)  # below every function
    assert len(panels["Thal"].collections) == 0
    assert all(len(ax.collections) == 0 for ax in plots.shape_functions(model).axes_)


def test_many_rows_have_a_rug_of_their_quantiles():
    X = np.random.default_rng(0).normal(size=(5000, 1))
    model = BoostingRegressor(n_estimators=3).fit(X, X[:, 0])
    ticks = rug(plots.shape_functions(model, X).axes_[0])[:, 0, 0]
    assert len(ticks) == 400
    np.testing.assert_allclose(np.mean(ticks < 0.5), np.mean(X < 0.5), atol=0.01)


def test_functions_of_the_last_step_of_a_pipeline(heart):
    X, y = load_ten_points(return_X_y=True)
    model = make_pipeline(StandardScaler(), AdaBoostClassifier(n_estimators=3)).fit(X, y)
    display = plots.shape_functions(model, X)
    assert display.ranges[0] == pytest.approx(tuple(StandardScaler().fit_transform(X)[[0, -1], 0]))


def test_members_that_are_no_stumps_have_no_functions():
    X, y = load_ten_points(return_X_y=True)
    tree = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2)).fit(X, y)
    with pytest.raises(TypeError, match="AdaBoostClassifier has no shape_functions: they"):
        plots.shape_functions(tree, X)


def test_a_vote_of_stumps_is_drawn_too():
    X, y = load_ten_points(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    display = plots.shape_functions(model)
    steps = {shape.name: shape.thresholds.tolist() for shape in display.shapes}
    assert steps == {"x0": [2.5, 8.5], "x1": [4.5]}


def test_one_function_for_each_of_several_classes():
    X, y = load_iris(return_X_y=True)
    model = BoostingClassifier(n_estimators=5).fit(X, y)
    display = plots.shape_functions(model, X, label=2)
    assert "decision for 2" in display.axes_[0].get_ylabel()
    with pytest.raises(ValueError, match="each has its own functions"):
        plots.shape_functions(model, X)


def test_sparse_rows_and_given_axes():
    X = sparse.random_array((50, 3), density=0.5, rng=np.random.default_rng(0), format="csr")
    y = X.toarray() @ [1.0, -2.0, 0.0]
    model = BoostingRegressor(n_estimators=10).fit(X, y)
    _, axes = plt.subplots(1, 3)
    display = ShapeDisplay.from_estimator(model, X, axes=axes)
    assert display.axes_[0] is axes[0]
    assert not axes[2].axison  # the third feature is not used
    step = display.axes_[0].patches[-1].get_data()
    assert step.edges[0] == 0.0


def test_names_with_dollars_and_long_names_are_shown():
    X = pl.DataFrame({"US$": ["a$b$", "a category of many letters"] * 10})
    model = BoostingClassifier(n_estimators=2, categorical_features=[0]).fit(X, [0, 1] * 10)
    display = plots.shape_functions(model, X)
    names = [text.get_text() for text in display.axes_[0].get_xticklabels()]
    assert names == ["a category …", r"a\$b\$"]
    display.figure_.draw_without_rendering()


def test_what_has_no_shape_functions_is_refused(heart):
    with pytest.raises(TypeError, match="SVC has no shape_functions"):
        plots.shape_functions(SVC().fit([[0.0], [1.0]], [0, 1]))
    with pytest.raises(NotFittedError):
        plots.shape_functions(BoostingClassifier())
    assert plt.get_fignums() == []


def test_of_one_class_those_that_vary_most_come_first_and_flat_ones_not_at_all():
    X, y = load_wine(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=50).fit(X, y)
    display = plots.shape_functions(model, X, label=2)
    spread = [np.ptp(shape.values) for shape in display.shapes]
    assert spread == sorted(spread, reverse=True)
    assert spread[-1] > 1e-9
    assert len(spread) < len(model.shape_functions(2))
    first = display.shapes[0].values
    facts = f"from {first.min():.2f} to {first.max():.2f}".replace("-", "−")
    assert display.axes_[0].texts[0].get_text() == facts


def test_the_axis_says_what_is_added_to():
    X, y = load_ten_points(return_X_y=True)
    counts = np.arange(10) % 3
    models = {
        "the decision for yes": BoostingClassifier(n_estimators=2).fit(
            X, np.where(y > 0, "yes", "no")
        ),
        "the prediction": BoostingRegressor(n_estimators=2).fit(X, counts),
        "the log of the prediction": BoostingRegressor("poisson", n_estimators=2).fit(X, counts),
        "the score": BoostingRanker(n_estimators=2).fit(X, counts, qid=np.arange(10) // 5),
    }
    for name, model in models.items():
        label = plots.shape_functions(model).axes_[0].get_ylabel()
        assert label == f"what it adds to\n{name}"


def test_gaps_between_panels_are_equal_beside_turned_names(heart):
    display = plots.shape_functions(heart[0], max_features=4)
    display.figure_.draw_without_rendering()
    boxes = [ax.get_position() for ax in display.axes_]
    gaps = [right.x0 - left.x1 for left, right in pairwise(boxes)]
    assert gaps == pytest.approx([gaps[0]] * 3)


def test_short_names_are_not_turned():
    X = pl.DataFrame({"sex": ["female", "male"] * 10})
    model = BoostingClassifier(n_estimators=2, categorical_features=[0]).fit(X, [0, 1] * 10)
    names = plots.shape_functions(model, X).axes_[0].get_xticklabels()
    assert [text.get_rotation() for text in names] == [0.0, 0.0]


def test_shape_functions_are_drawn_without_their_model():
    model = BoostingClassifier(n_estimators=9).fit(*load_ten_points(return_X_y=True))
    shapes = model.shape_functions()
    display = ShapeDisplay(shapes=shapes).plot()
    assert [shape.feature for shape in display.shapes] == [shape.feature for shape in shapes]
    assert len(display.axes_) == len(shapes) == 2
