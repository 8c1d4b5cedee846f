import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, HardMarginSVC, SlackBudgetSVC, plots
from maxmargin.datasets import make_overlapping, make_separable

X, y = make_overlapping(30, separation=3.0, random_state=0)
LINEAR = SVC(kernel="linear")


@pytest.mark.parametrize("model", [LINEAR, make_pipeline(StandardScaler(), SVC(kernel="linear"))])
def test_forces_and_torques_cancel_and_make_up_the_weights(model):
    display = plots.forces(model.fit(X, y), X, y)
    machine = model[-1] if hasattr(model, "steps") else model
    np.testing.assert_allclose(display.weights, machine.coef_[0], atol=1e-9)
    np.testing.assert_allclose([*display.force, display.torque], 0, atol=1e-9)
    behind, before = display.means
    w = display.weights
    assert abs(w[0] * (before - behind)[1] - w[1] * (before - behind)[0]) < 1e-9
    np.testing.assert_allclose(display.alpha.sum() / 2 * (before - behind), w, atol=1e-9)
    assert len(machine.support_) == display.arrows_.N
    assert "forces sum to (0, 0), torques to 0" in display.ax_.texts[0].get_text()


def test_a_penalised_bias_leaves_a_force_over():
    """Without sum alpha t = 0 nothing balances: the sum is the bias itself."""
    model = SVC(kernel="linear", solver="coordinate_ascent", tol=1e-8).fit(X + 1.0, y)
    display = plots.forces(model, X + 1.0, y)
    unit = display.weights / np.linalg.norm(display.weights)
    np.testing.assert_allclose(display.force, model.intercept_[0] * unit, atol=1e-6)
    assert np.linalg.norm(display.force) > 0.1


def test_the_means_of_the_hard_margin_are_as_far_apart_as_its_planes():
    rows, labels = make_separable(30, margin=0.7, random_state=1)
    display = plots.forces(HardMarginSVC().fit(rows, labels), rows, labels)
    assert np.linalg.norm(np.diff(display.means, axis=0)) == pytest.approx(1.4, rel=1e-5)


def test_where_no_row_pulls_there_is_nothing_to_draw():
    with pytest.raises(ValueError, match="no force acts"):
        plots.forces(SlackBudgetSVC(budget=30.0).fit(X, y), X, y)
