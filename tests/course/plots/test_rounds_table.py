import matplotlib.pyplot as plt
import numpy as np
import polars as pl
import pytest
from sklearn import ensemble
from sklearn.datasets import load_iris

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier
from maxmargin.datasets import load_going_to_class, load_ten_points
from maxmargin.plots import RoundsDisplay, RoundsTableDisplay

STUDENTS = load_going_to_class()
X, Y = STUDENTS.data, STUDENTS.target


@pytest.fixture(scope="module")
def model():
    return AdaBoostClassifier(n_estimators=3, categorical_features=[0, 1, 2, 3]).fit(X, Y)


def written(display):
    return [text.get_text() for text in display.ax_.texts]


def test_the_table_of_the_lectures_has_its_weights_errors_and_questions(model):
    display = plots.rounds(model, X, Y, feature_names=STUDENTS.feature_names)
    assert isinstance(display, RoundsTableDisplay)
    for k, (stump, error) in enumerate(
        zip(model.estimators_, model.estimator_errors_, strict=True)
    ):
        wrong = stump.predict(X) != Y
        np.testing.assert_array_equal(display.said[k] != display.labels, wrong)
        assert display.weights[k][wrong].sum() == pytest.approx(error)
    # One of eight is wrong: half of the weight is its, and 1/14 each of the others', 0.07.
    np.testing.assert_allclose(np.sort(display.weights[1]), [1 / 14] * 7 + [1 / 2])
    assert display.heads[0] == ("weather: Rainy", "→ No, else Yes", "error 0.1250   α = 0.9730")
    assert display.error == 0.0
    assert {"topic_importance", "Boring", "round 3", "0.0714", "H after 3"} <= set(written(display))
    frames = [patch for patch in display.ax_.patches if type(patch).__name__ == "FancyBboxPatch"]
    assert len(frames) == np.sum(display.said != display.labels)


def test_nothing_in_the_table_touches_what_stands_beside_it(model):
    display = plots.rounds(model, X, Y, feature_names=STUDENTS.feature_names)
    renderer = display.figure_.canvas.get_renderer()
    display.figure_.draw(renderer)
    boxes = [text.get_window_extent(renderer) for text in display.ax_.texts]
    overlaps = [(a, b) for a in range(len(boxes)) for b in range(a) if boxes[a].overlaps(boxes[b])]
    assert [(written(display)[a], written(display)[b]) for a, b in overlaps] == []


def test_two_columns_stay_a_plane_and_numbers_can_be_a_table():
    points, label = load_ten_points(return_X_y=True)
    three = AdaBoostClassifier(n_estimators=3).fit(points, label)
    assert isinstance(plots.rounds(three, points, label), RoundsDisplay)
    plane, table = (plots.rounds(three, points, label, kind=kind) for kind in ("plane", "table"))
    np.testing.assert_allclose(table.weights, plane.weights)
    assert table.heads[2][0] == "x2 ≤ 4.5"
    with pytest.raises(ValueError, match="'kind' parameter of rounds must be one of"):
        plots.rounds(three, points, label, kind="cube")


def test_class_weights_are_where_both_pictures_start():
    points, label = load_ten_points(return_X_y=True)
    dear = AdaBoostClassifier(n_estimators=3, class_weight={-1: 1.0, 1: 4.0}).fit(points, label)
    for kind in ("plane", "table"):
        display = plots.rounds(dear, points, label, kind=kind)
        assert display.weights[0][label == 1].sum() == pytest.approx(0.8)
        wrong = dear.estimators_[2].predict(points) != label
        assert display.weights[2][wrong].sum() == pytest.approx(dear.estimator_errors_[2])


def test_tables_of_polars_chosen_rows_several_classes_and_others_axes(model):
    table = pl.DataFrame(X, schema=STUDENTS.feature_names, orient="row")
    named = AdaBoostClassifier(n_estimators=2).fit(table, Y)
    _, ax = plt.subplots()
    display = plots.rounds(named, table, Y, axes=ax)
    assert display.ax_ is ax
    assert display.axis_names == STUDENTS.feature_names
    chosen = RoundsTableDisplay.from_estimator(model, X, Y, rows=[7, 2], rounds=[3])
    assert chosen.rows.tolist() == [7, 2]
    assert chosen.cells[0].tolist() == X[7].tolist()
    flowers, kinds = load_iris(return_X_y=True)
    theirs = ensemble.AdaBoostClassifier(n_estimators=4).fit(flowers, kinds)
    some = RoundsTableDisplay.from_estimator(
        theirs, flowers, kinds, rows=range(48, 54), rounds=[1, 4]
    )
    assert some.error == np.mean(theirs.predict(flowers) != kinds)
    assert [len(head) for head in some.heads] == [1, 1]  # their trees are not put in words
    with pytest.raises(ValueError, match=r"rows must be some of 0, \.\.\., 7"):
        RoundsTableDisplay.from_estimator(model, X, Y, rows=[8])
