import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, HardMarginSVC, LinearSVC, SlackBudgetSVC, plots
from maxmargin.datasets import make_overlapping, make_separable

X, y = make_overlapping(30, separation=3.0, random_state=0)
LINEAR = SVC(kernel="linear")
T = np.where(y == 1, 1.0, -1.0)


@pytest.mark.parametrize(
    "model",
    [LINEAR, LinearSVC(loss="hinge"), make_pipeline(StandardScaler(), SVC(kernel="linear"))],
    ids=["SVC", "LinearSVC", "scaled"],
)
def test_slack_is_the_distance_to_the_margin_in_the_drawn_columns(model):
    model.fit(X, y)
    display = plots.MarginDisplay.from_estimator(model, X, y, slack=True)
    f = model.decision_function
    np.testing.assert_allclose(T * f(display.feet), np.maximum(1.0, T * f(X)), atol=1e-6)
    gradient = np.array([f(X[:1] + e)[0] - f(X[:1])[0] for e in np.eye(2)])
    lengths = np.linalg.norm(X - display.feet, axis=1)
    xi = np.maximum(0, 1 - T * f(X))
    np.testing.assert_allclose(lengths, xi / np.linalg.norm(gradient), atol=1e-6)
    assert (xi > 1e-3).sum() == display.slack_.arrows.N
    assert display.ax_.get_aspect() == 1.0
    named = [handle.get_label() for handle in display.legend_handles()]
    assert any(label.startswith("M = 1/‖w‖") for label in named)


def test_without_slack_there_are_no_arrows_and_only_linear_machines_have_distances():
    rows, labels = make_separable(20, random_state=0)
    hard = HardMarginSVC(tol=1e-8).fit(rows, labels)
    display = plots.MarginDisplay.from_estimator(hard, rows, labels, slack=True)
    assert display.slack_.arrows.N == 0
    assert not any("ξ" in handle.get_label() for handle in display.legend_handles())
    assert plots.MarginDisplay.from_estimator(hard, rows, labels).slack_ is None
    with pytest.raises(TypeError, match=r"^SVC has no weights on the columns: slack is drawn as"):
        plots.MarginDisplay.from_estimator(SVC().fit(X, y), X, y, slack=True)


def test_a_machine_without_weights_is_drawn_without_support_and_has_no_distances():
    model = SlackBudgetSVC(budget=30.0).fit(X, y)
    display = plots.MarginDisplay.from_estimator(model, X, y)
    assert len(display.on_margin) == len(display.bounded) == 0
    with pytest.raises(TypeError, match="SlackBudgetSVC has no weights on the columns"):
        plots.MarginDisplay.from_estimator(model, X, y, slack=True)
