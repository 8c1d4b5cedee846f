import matplotlib.pyplot as plt
import pytest

from maxmargin import plots
from maxmargin.neighbors import search_costs_by_dimension


def test_a_line_for_each_way_on_both_axes():
    costs = search_costs_by_dimension((2, 4), n_rows=100, n_queries=5, methods=["brute", "kd_tree"])
    for axes in (None, plt.subplots(1, 2)[1]):
        display = plots.searches(costs, axes=axes)
        for ax in display.axes_:
            assert [line.get_label() for line in ax.lines] == ["brute force", "kd-tree"]
        assert display.axes_[1].lines[0].get_ydata().tolist() == [100.0, 100.0]
        display.figure_.draw_without_rendering()


def test_other_things_get_a_sentence():
    with pytest.raises(TypeError, match="list holds no costs of searches; they are drawn of the S"):
        plots.searches([])
