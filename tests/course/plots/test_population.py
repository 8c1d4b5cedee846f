import numpy as np
import pytest

from maxmargin import plots
from maxmargin.losses import MarginLoss, SquaredError


def test_curves_stay_in_the_quadrants_of_the_bayes_rule():
    display = plots.population_minimisers(["hinge", "squared", "logistic", "squared_hinge"])
    for name, line in display.lines_.items():
        eta, f = line.get_data()
        assert (np.sign(f) == np.sign(2 * eta - 1)).all(), name
    assert len(display.legend_.get_texts()) == 4


def test_a_loss_of_ones_own_is_searched_and_one_without_margin_refused():
    class Lopsided(MarginLoss):
        convex = smooth = True

        def _value(self, m):
            return (2.0 - m) ** 2

        def _derivative(self, m):
            return 2.0 * (m - 2.0)

    display = plots.population_minimisers([Lopsided()])
    np.testing.assert_allclose(display.values["lopsided"], 2 * (2 * display.eta - 1), atol=1e-9)
    with pytest.raises(TypeError, match="SquaredError has no probability to stand against"):
        plots.population_minimisers([SquaredError()])


@pytest.mark.parametrize("draw", [plots.population_minimisers, plots.losses])
def test_no_loss_at_all_is_refused(draw):
    with pytest.raises(ValueError, match="There is no loss to draw: give one at least"):
        draw([])
