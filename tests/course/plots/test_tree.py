import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn import ensemble
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier, DecisionStump
from maxmargin.datasets import load_going_to_class, load_ten_points

STUDENTS = load_going_to_class()
X, Y = STUDENTS.data, STUDENTS.target


def draw(*given, **options):
    display = plots.tree(*given, **options, ax=Figure().subplots())
    display.figure_.draw_without_rendering()
    return display


def texts(display):
    return [text.get_text() for text in display.ax_.texts]


def test_the_stump_of_the_lectures_asks_about_health_and_errs_on_one_of_eight():
    health = X[:, [1]]
    stump = DecisionStump(categorical_features=[0]).fit(health, Y)
    display = draw(stump, health, Y, feature_names=["health"])
    assert (display.question.left, display.question.right) == ("Sick", "Average, Good")
    assert display.counts.tolist() == [[2, 0], [1, 5]]
    np.testing.assert_allclose(display.weights, display.counts / 8)
    assert display.error == stump.error_ == 0.125
    written = texts(display)
    for said in ("health?", "says No", "says Yes", "Yes: 5 rows", "No: 1 row", "0.6250",
                 "weighted error 0.1250"):  # fmt: skip
        assert said in written


@pytest.mark.parametrize("given", [{}, {"class_weight": {"No": 3.0, "Yes": 1.0}}])
@pytest.mark.parametrize("weight", [None, np.arange(1.0, 9.0)])
def test_a_round_is_drawn_with_the_weights_it_saw(given, weight):
    model = AdaBoostClassifier(n_estimators=3, categorical_features=[0, 1, 2, 3], **given)
    model.fit(X, Y, sample_weight=weight)
    for number, error in enumerate(model.estimator_errors_, 1):
        display = draw(model, X, Y, round=number, sample_weight=weight)
        assert display.error == pytest.approx(error)
        assert display.weights.sum() == pytest.approx(1.0)
        assert display.title == f"round {number}    α = {model.alphas_[number - 1]:.4f}"


def test_several_classes_and_rows_that_were_put_aside():
    flowers, kinds = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=4).fit(flowers, kinds)
    assert draw(model, flowers, kinds, round=4).error == pytest.approx(model.estimator_errors_[3])
    watched = AdaBoostClassifier(n_iter_no_change=5, random_state=0).fit(flowers, kinds)
    last = len(watched.estimators_)
    display = draw(watched, flowers, kinds, round=last)
    assert display.counts.sum() == np.count_nonzero(watched.weights_)
    assert display.error == pytest.approx(watched.estimator_errors_[-1])


def test_numbers_missing_values_and_names_of_a_table():
    table = pd.DataFrame({"US$": [1.0, 2.0, np.nan, 4.0, 5.0], "flat": np.zeros(5)})[::-1]
    stump = DecisionStump().fit(table, [1, 1, 1, 0, 0])
    display = draw(stump, table, [1, 1, 1, 0, 0])
    assert display.question.feature == r"US\$"
    assert {display.question.left, display.question.right} == {"≤ 3", "> 3 or missing"}
    nothing = draw(
        DecisionStump().fit(np.zeros((4, 1)), [0, 1, 1, 1]), np.zeros((4, 1)), [0, 1, 1, 1]
    )
    assert nothing.question is None
    assert nothing.error == 0.25


def test_pipelines_ask_in_the_units_that_the_stump_sees():
    points, label = load_ten_points(return_X_y=True)
    plain = AdaBoostClassifier(n_estimators=3).fit(points, label)
    scaled = make_pipeline(StandardScaler(), clone(plain)).fit(points, label)
    display, other = (draw(model, points, label, round=2) for model in (scaled, plain))
    assert display.error == pytest.approx(other.error)
    assert display.question.left != other.question.left


def test_what_is_no_stump_is_refused_and_told_where_it_is_drawn():
    points, label = load_ten_points(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2).fit(points, label)
    with pytest.raises(TypeError, match=r"sklearn\.tree\.plot_tree draws trees\.$"):
        draw(tree, points, label)
    theirs = ensemble.AdaBoostClassifier(n_estimators=2).fit(points, label)
    with pytest.raises(TypeError, match="has a DecisionTreeClassifier in round 2"):
        draw(theirs, points, label, round=2)
    ours = AdaBoostClassifier(n_estimators=2).fit(points, label)
    with pytest.raises(ValueError, match=r"rounds must be some of 1, \.\.\., 2"):
        draw(ours, points, label, round=3)
    with pytest.raises(ValueError, match="has no rounds"):
        draw(DecisionStump().fit(points, label), points, label, round=1)
    with pytest.raises(ValueError, match="feature_names has 1 names, but X has 2 columns"):
        draw(ours, points, label, feature_names=["a"])
