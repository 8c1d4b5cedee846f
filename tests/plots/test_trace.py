import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC, plots
from maxmargin.datasets import load_mixture
from maxmargin.plots import ConvergenceDisplay, palette
from maxmargin.solvers import Progress, Trace


def trace(seconds, gaps, optimum=100.0):
    """Lines whose primal errs by 3/4 of the gap and whose dual by the rest."""
    return [
        Progress(s, i, optimum + 0.75 * gap, optimum - 0.25 * gap, 0.1 * gap)
        for i, (s, gap) in enumerate(zip(seconds, gaps, strict=True))
    ]


FAST = trace([0.0, 1.0, 2.0], [4.0, 0.4, 0.04])
SLOW = trace([0.0, 2.0, 5.0], [4.0, 2.0, 1.0])


def drawn(display, name):
    return display.lines_[name].get_ydata()


def test_relative_gap_is_the_certificates():
    model_trace = Trace()
    X, y = load_mixture(return_X_y=True)
    model = SVC(callback=model_trace, max_iter=50)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    display = plots.convergence({"SVC": model_trace})
    assert len(drawn(display, "SVC")) == len(model_trace)
    assert drawn(display, "SVC")[-1] == pytest.approx(model.certificate_.relative_gap, rel=1e-6)


def test_a_gap_closed_to_rounding_is_drawn_there():
    lines = [Progress(0.0, 0, 2.0, 1.0, 1.0), Progress(1.0, 1, 1.5, 1.5 + 1e-15, 0.0)]
    assert drawn(plots.convergence({"a": lines}), "a").tolist() == [0.5, np.finfo(float).eps]


@pytest.mark.parametrize(
    ("quantity", "expected", "label"),
    [
        ("gap", [4 / 103, 0.4 / 100.3, 0.04 / 100.03], "relative gap"),
        ("error", [0.03, 0.003, 0.0003], "relative error of the objective"),
        ("dual_error", [0.01, 0.001, 0.0001], "relative error of the dual objective"),
        ("violation", [0.4, 0.04, 0.004], "violation of the optimality conditions"),
    ],
)
def test_quantities_by_hand(quantity, expected, label):
    display = plots.convergence({"fast": FAST, "slow": SLOW}, quantity=quantity, optimum=100.0)
    np.testing.assert_allclose(drawn(display, "fast"), expected, rtol=1e-9)
    assert display.ax_.get_ylabel() == label
    assert display.ax_.get_xlabel() == "seconds"
    assert display.ax_.get_yscale() == "log"


@pytest.mark.parametrize(("quantity", "best"), [("error", 100.03), ("dual_error", 99.99)])
def test_without_an_optimum_the_best_value_of_all_traces_stands_in(quantity, best):
    display = plots.convergence({"fast": FAST, "slow": SLOW}, quantity=quantity)
    found = [line.primal if quantity == "error" else line.dual for line in SLOW]
    np.testing.assert_allclose(drawn(display, "slow"), np.abs(np.array(found) - best) / best)
    assert np.isnan(drawn(display, "fast")[-1])


def test_what_is_not_known_is_not_drawn():
    lines = [Progress(0.0, 0, 5.0, -np.inf, 1.0), Progress(1.0, 1, 4.0, 3.0, 0.0)]
    display = plots.convergence({"primal only": lines})
    np.testing.assert_array_equal(drawn(display, "primal only"), [np.nan, 0.25])
    assert np.isnan(drawn(plots.convergence({"a": lines}, quantity="violation"), "a")[1])


def test_a_trace_with_nothing_to_draw_has_no_label():
    lines = [Progress(0.0, 0, 5.0, -np.inf, 1.0)]
    display = plots.convergence({"unknown": lines, "fast": FAST})
    assert list(display.labels_) == ["fast"]
    display.figure_.canvas.draw()


def test_seconds_over_decades_are_logarithmic_and_keep_their_first_line():
    near = plots.convergence({"fast": FAST, "slow": SLOW})
    assert near.ax_.get_xscale() == "linear"
    far = plots.convergence({"quick": trace([1e-6, 0.01, 0.02], [4, 1, 0.1]), "slow": SLOW})
    assert far.ax_.get_xscale() == "log"
    assert far.lines_["quick"].get_xdata().tolist() == [0.01, 0.01, 0.02]
    assert far.lines_["slow"].get_xdata().tolist() == [0.01, 2.0, 5.0]
    assert far.ax_.get_xlim()[0] == 0.01


def test_each_curve_is_named_at_its_end_in_its_colour():
    display = plots.convergence({"fast": FAST, "slow": SLOW})
    for name, label in display.labels_.items():
        line = display.lines_[name]
        assert label.get_text() == name
        assert label.get_color() == line.get_color()
        assert label.xy == (line.get_xdata()[-1], line.get_ydata()[-1])
    assert display.ax_.get_legend() is None


def test_labels_of_curves_that_end_together_do_not_cover_each_other():
    display = plots.convergence({f"number {k}": FAST for k in range(5)})
    display.figure_.canvas.draw()
    boxes = [label.get_window_extent() for label in display.labels_.values()]
    bottoms, tops = sorted(box.y0 for box in boxes), sorted(box.y1 for box in boxes)
    assert all(top <= bottom + 1 for top, bottom in zip(tops[:-1], bottoms[1:], strict=True))


def test_curves_that_end_apart_keep_their_labels_level():
    display = plots.convergence({"fast": FAST, "slow": trace([0.0, 50.0], [4.0, 0.04])})
    assert [label.xyann[1] for label in display.labels_.values()] == [0.0, 0.0]


def test_many_curves_differ_in_colour_or_dash():
    display = plots.convergence({f"{k}": FAST for k in range(12)}, legend=True)
    styles = [(c, d) for c, d in zip(palette.CURVES * 2, palette.DASHES * 3, strict=False)]
    assert len(set(styles[:12])) == 12
    colours = [line.get_color() for line in display.lines_.values()]
    assert colours == [colour for colour, _ in styles[:12]]
    assert len(display.ax_.get_legend().get_texts()) == 12
    assert display.labels_ == {}


def test_dollars_in_a_label_are_not_mathematics():
    display = plots.convergence({"$x_$": FAST})
    display.figure_.canvas.draw()
    assert display.labels_["$x_$"].get_text() == r"\$x_\$"


def test_it_draws_on_given_axes():
    _, (left, right) = plt.subplots(1, 2)
    assert plots.convergence({"fast": FAST}, ax=left).ax_ is left
    assert ConvergenceDisplay.from_traces({"fast": FAST}, quantity="error", ax=right).ax_ is right


@pytest.mark.parametrize(
    ("traces", "quantity", "error", "sentence"),
    [
        ({"a": FAST}, "speed", ValueError, "quantity must be one of 'gap', 'error'.* Got 'speed'"),
        ({}, "gap", ValueError, "There is no trace to draw"),
        ({"a": FAST, "b": Trace()}, "gap", ValueError, "The trace 'b' is empty"),
        (FAST, "gap", TypeError, "traces must be a mapping of labels to traces"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(traces, quantity, error, sentence):
    with pytest.raises(error, match=sentence):
        plots.convergence(traces, quantity=quantity)
    assert plt.get_fignums() == []
