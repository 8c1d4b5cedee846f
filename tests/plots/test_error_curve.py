import matplotlib.pyplot as plt
import numpy as np
import polars as pl
import pytest
from sklearn import ensemble
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from maxmargin import plots
from maxmargin.boosting import (
    AdaBoostClassifier,
    BaggingClassifier,
    BoostingClassifier,
    BoostingRegressor,
    DecisionStump,
)
from maxmargin.datasets import load_going_to_class, load_mixture
from maxmargin.plots import ErrorCurveDisplay


@pytest.fixture(scope="module")
def fitted():
    X, y = load_mixture(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=40).fit(X[::2], y[::2])
    return model, X, y


def test_train_lies_below_the_bound_and_it_below_the_looser_one(fitted):
    curves = plots.error_curves(fitted[0]).curves
    assert (curves["train"] <= curves["bound"]).all()
    assert (curves["bound"] <= curves["edge bound"]).all()


def test_the_curves_are_the_errors_of_the_predictions(fitted):
    model, X, y = fitted
    sets = {"test": (X[1::2], y[1::2]), "again": (X[::2], y[::2])}
    display = plots.error_curves(model, sets)
    assert set(display.lines_) == {"edge bound", "bound", "train", "test", "again"}
    rounds, errors = display.lines_["test"].get_data()
    assert rounds.tolist() == list(range(1, 41))
    assert errors[-1] == np.mean(model.predict(X[1::2]) != y[1::2])
    np.testing.assert_allclose(display.curves["again"], display.curves["train"], atol=1e-12)
    looks = {(line.get_color(), line.get_linestyle()) for line in display.lines_.values()}
    assert len(looks) == 5
    assert len(display.legend_.get_texts()) == 5


def test_rounds_may_be_logarithmic_and_axes_given(fitted):
    _, ax = plt.subplots()
    display = ErrorCurveDisplay.from_estimator(fitted[0], log_rounds=True, ax=ax)
    assert display.ax_ is ax
    assert ax.get_xscale() == "log"
    display.figure_.draw_without_rendering()


def test_bounds_that_hold_no_more_are_left_out():
    X, y = load_mixture(return_X_y=True)
    slow = AdaBoostClassifier(n_estimators=5, learning_rate=0.5).fit(X, y)
    assert set(plots.error_curves(slow).lines_) == {"bound", "train"}


def test_other_boosted_classifiers_are_drawn_on_the_rows_given(fitted):
    _, X, y = fitted
    other = GradientBoostingClassifier(n_estimators=3).fit(X, y)
    assert list(plots.error_curves(other, {"train": (X, y)}).lines_) == ["train"]
    with pytest.raises(ValueError, match="does not know its training errors: give sets"):
        plots.error_curves(other)


def test_bad_input_is_refused_in_a_sentence(fitted):
    model, X, y = fitted
    with pytest.raises(TypeError, match="sets must be a mapping of names to rows"):
        plots.error_curves(model, (X, y))
    with pytest.raises(TypeError, match="SVC has no staged_predict"):
        plots.error_curves(SVC().fit(X, y), {"test": (X, y)})
    assert plt.get_fignums() == []


def test_a_model_of_any_loss_knows_its_training_errors(fitted):
    _, X, y = fitted
    model = BoostingClassifier(n_estimators=5, n_iter_no_change=9, random_state=0).fit(X, y)
    display = plots.error_curves(model, {"test": (X, y)})
    assert list(display.lines_) == ["train", "test"]  # what it validates by is no error
    np.testing.assert_array_equal(display.curves["train"], model.history_.column("train_error"))


def test_errors_of_rows_put_aside_and_out_of_bag_are_drawn(fitted):
    _, X, y = fitted
    early = AdaBoostClassifier(n_estimators=9, n_iter_no_change=9, random_state=0).fit(X, y)
    curve = plots.error_curves(early).lines_["validation"].get_ydata()
    np.testing.assert_array_equal(curve, early.history_.column("validation_error"))
    bags = BaggingClassifier(n_estimators=30, oob_score=True, random_state=0).fit(X, y)
    display = plots.error_curves(bags)
    assert list(display.lines_) == ["out-of-bag"]
    np.testing.assert_array_equal(display.lines_["out-of-bag"].get_ydata(), bags.oob_errors_)
    assert display.ax_.get_xlabel() == "members"
    with pytest.raises(ValueError, match=r"give sets of rows.*, or fit it with oob_score=True"):
        plots.error_curves(BaggingClassifier(n_estimators=2).fit(X, y))


@pytest.mark.parametrize(
    "model",
    [
        BaggingClassifier(n_estimators=8, random_state=0),
        BaggingClassifier(LogisticRegression(), 8, random_state=0),
        BaggingClassifier(LinearSVC(), 8, random_state=0),
        ensemble.BaggingClassifier(max_features=1, n_estimators=8, random_state=0),
        ensemble.RandomForestClassifier(n_estimators=8, random_state=0),
        make_pipeline(StandardScaler(), BaggingClassifier(n_estimators=8, random_state=0)),
    ],
    ids=repr,
)
def test_bags_are_drawn_on_the_rows_given(fitted, model):
    _, X, y = fitted
    rows, label = pl.DataFrame({"a": X[::2, 0], "b": X[::2, 1]}), np.where(y[::2], "up", "down")
    display = plots.error_curves(model.fit(rows, label), {"train": (rows, label)})
    assert display.ax_.get_xlabel() == "members"
    errors = display.curves["train"]
    assert errors[-1] == np.mean(model.predict(rows) != label)
    few = clone(model)
    few.set_params(**{name: 3 for name in few.get_params() if name.endswith("n_estimators")})
    assert errors[2] == np.mean(few.fit(rows, label).predict(rows) != label)


def test_bags_of_words_are_read_by_their_members():
    X, y = load_going_to_class(return_X_y=True)
    stump = DecisionStump(categorical_features=[0, 1, 2, 3])
    model = BaggingClassifier(stump, n_estimators=9, random_state=0).fit(X, y)
    errors = plots.error_curves(model, {"train": (X, y)}).curves["train"]
    assert errors[-1] == np.mean(model.predict(X) != y)


def test_ticks_have_no_idle_digits():
    display = ErrorCurveDisplay(curves={"test": np.array([0.4, 0.1])}).plot()
    display.figure_.draw_without_rendering()
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert "35%" in names
    assert not any(name.endswith(".0%") for name in names)


def test_a_regressor_is_sent_to_its_loss_curve():
    X, y = load_diabetes(return_X_y=True)
    model = BoostingRegressor(n_estimators=2).fit(X, y)
    with pytest.raises(TypeError, match=r"is no classifier.*plots\.loss_curves"):
        plots.error_curves(model, {"test": (X, y)})
