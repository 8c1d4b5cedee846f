import matplotlib.pyplot as plt
import numpy as np
import pytest

from maxmargin import plots
from maxmargin.evaluation import BiasVariance, RoundErrors

# Of four models three are wrong about the only row: the one that is right is variance that helps.
HELPED = BiasVariance.of_labels([[0], [0], [0], [1]], [[0.2, 0.8]])
COIN = BiasVariance.of_labels([[0, 1], [0, 1], [1, 0]], [[0.5, 0.5], [0.0, 1.0]])


def tops(display):
    """Where the stacks end, up or down."""
    last = display.ax_.patches[-len(display.results) :]
    return [bar.get_y() + bar.get_height() for bar in last]


def test_stacks_end_at_the_error_and_say_it():
    display = plots.bias_variance({"helped": HELPED, "coin": COIN})
    assert HELPED.variance < 0.0
    assert tops(display) == pytest.approx([HELPED.error, COIN.error])
    assert [text.get_text() for text in display.ax_.texts] == ["65.0%", "41.7%"]
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == ["helped", "coin"]
    assert [each.get_text() for each in display.legend_.texts] == ["noise", "bias", "variance"]


def test_squared_errors_are_numbers_and_known_to_have_no_noise():
    found = BiasVariance.of_values([[1.0, 2.0], [3.0, 2.0]], [1.0, 1.0])
    display = plots.bias_variance({10: found}, ax=plt.subplots()[1])
    assert display.ax_.get_ylabel() == "expected squared error"
    assert display.ax_.texts[0].get_text() == f"{found.error:.3g}"
    assert [each.get_text() for each in display.legend_.texts] == ["bias", "variance"]


def test_errors_of_two_losses_are_not_drawn_together():
    values = BiasVariance.of_values([[1.0], [2.0]], [1.0])
    with pytest.raises(ValueError, match="Errors of one loss are drawn"):
        plots.bias_variance({"a": values, "b": COIN})
    with pytest.raises(TypeError, match="dict holds no biases and variances"):
        plots.bias_variance({})


def test_the_best_round_is_ringed_and_the_band_is_the_interval():
    errors = np.array([[0.4, 0.1, 0.3], [0.4, 0.2, 0.3], [0.5, 0.2, 0.2]])
    found = RoundErrors(errors, np.array([3, 3, 3]))
    display = plots.overfitting({"cost in $": found}, log_rounds=True)
    (line,) = display.lines_.values()
    np.testing.assert_allclose(line.get_ydata(), errors.mean(axis=0))
    assert line.get_label() == r"cost in \$"
    ring = display.ax_.lines[1]
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == pytest.approx((2, 0.5 / 3))
    edge = display.ax_.collections[0].get_paths()[0].vertices[:, 1]
    low, high = found.band()
    assert (edge.min(), edge.max()) == pytest.approx((low.min(), high.max()))
    assert display.ax_.get_xscale() == "log"
