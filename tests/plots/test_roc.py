import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from maxmargin import SVC, SVR, KernelLogisticRegression
from maxmargin.datasets import load_mixture
from maxmargin.plots import RocCurve, roc


def test_both_curves_and_chance_are_drawn_and_named():
    curve = RocCurve.from_scores([0, 0, 1, 1], [-2.0, 0.3, 0.1, 1.5], classes=[0, 1])
    display = roc({"test": curve, "training": curve})
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["test (AUC = 0.75)", "training (AUC = 0.75)", "chance"]


@pytest.mark.parametrize(
    ("count", "name"), [(3, "model"), (5, "a"), (6, "model"), (12, "$x$"), (2, "a long name " * 4)]
)
def test_any_number_of_curves_differ_and_the_legend_covers_none(count, name):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    scores = rng.normal(size=(count, 100)) + 2 * y
    curves = {
        f"{name} {k}": RocCurve.from_scores(y, each, classes=[0, 1])
        for k, each in enumerate(scores)
    }
    display = roc(curves)
    assert len({(line.get_color(), str(line._dash_pattern)) for line in display.line_}) == count
    display.figure_.draw_without_rendering()
    box, axes = display.ax_.get_legend().get_window_extent(), display.ax_.get_window_extent()
    assert box.x1 <= display.figure_.bbox.width
    if box.x0 < axes.x1:  # inside, then in the corner below the line of chance
        assert (box.y1 - axes.y0) / axes.height <= (box.x0 - axes.x0) / axes.width
    assert (box.x0 >= axes.x1) == (count > 5 or len(name) > 30)


@pytest.mark.parametrize("curves", [{}, None, {"test": None}, [1]])
def test_what_are_no_curves_is_refused_in_a_sentence(curves):
    with pytest.raises(TypeError, match=r"^(curves must be a mapping|'test' is no RocCurve).*\.$"):
        roc(curves)


def test_it_draws_on_given_axes():
    import matplotlib.pyplot as plt  # noqa: PLC0415 - after the backend is chosen

    _, ax = plt.subplots()
    curve = RocCurve.from_scores([0, 1], [-1.0, 1.0], classes=[0, 1])
    assert roc({"test": curve}, ax=ax).ax_ is ax


def test_fitted_models_are_drawn_by_their_rows():
    X, y = load_mixture(return_X_y=True)
    model = SVC(gamma=1.0).fit(X[::2], y[::2])
    drawn = roc(model, X[1::2], y[1::2])
    values = model.decision_function(X[1::2])
    assert drawn.ax_.lines[0].get_label() == f"SVC (AUC = {roc_auc_score(y[1::2], values):.2f})"
    two = {"radial": model, "likely": KernelLogisticRegression().fit(X[::2], y[::2])}
    assert len(roc(two, X[1::2], y[1::2]).ax_.lines) == 3
    with pytest.raises(TypeError, match="is drawn of fitted classifiers with X and y"):
        roc(SVR().fit(X, y), X, y)
    with pytest.raises(ValueError, match="All rows are of one class"):
        roc(model, X[:3], np.zeros(3))
    with pytest.raises(TypeError, match="give its rows and their labels too"):
        roc(model)
