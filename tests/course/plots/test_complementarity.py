import numpy as np

from maxmargin import SVC, explain_dual, plots
from maxmargin.datasets import make_overlapping

X, y = make_overlapping(30, separation=3.0, random_state=0)
LINEAR = SVC(kernel="linear")


def offsets(display):
    return {kind: drawn.get_offsets() for kind, drawn in display.points_.items()}


def test_every_row_lies_on_the_bent_line_and_once():
    display = plots.slackness(LINEAR.fit(X, y), X, y)
    drawn = np.concatenate(list(offsets(display).values()))
    assert len(drawn) == len(y)
    short, alpha = drawn.T
    assert (np.abs(np.clip(short, 0, None) * (1 - alpha)) < 1e-6).all()
    assert (np.abs(np.clip(short, None, 0) * alpha) < 1e-6).all()
    corners = display.line_.get_xydata()
    np.testing.assert_allclose(corners[1:3], [[0, 0], [0, 1]])


def test_several_costs_are_drawn_as_shares():
    weight = np.linspace(0.5, 2.0, len(y))
    model = SVC(kernel="linear").fit(X, y, weight)
    display = plots.slackness(model, X, y, sample_weight=weight)
    assert display.bound == 1.0
    assert display.ax_.get_ylabel() == "dual α / C"
    assert offsets(display)["inside or wrong"][:, 1].min() > 1 - 1e-9


def test_an_explanation_is_drawn_where_it_is_told(monkeypatch):
    told = explain_dual(LINEAR.fit(X, y), X, y)
    first = plots.SlacknessDisplay.from_explanation(told)
    monkeypatch.setattr(LINEAR, "_evaluate_duals", None)  # nothing is evaluated again
    assert plots.SlacknessDisplay.from_explanation(told, ax=first.ax_).figure_ is first.figure_
