import matplotlib as mpl
import pytest

from maxmargin.plots.display import Display

mpl.use("Agg")


def test_without_axes_there_is_a_new_figure_of_the_size():
    display = Display()
    ax = display._place(None, 3.0, 2.0)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.figure_.get_size_inches().tolist() == pytest.approx([3.0, 2.0])


def test_given_axes_are_drawn_on():
    figure = mpl.figure.Figure()
    ax = figure.subplots()
    display = Display()
    assert display._place(ax, 3.0, 2.0) is ax
    assert display.figure_ is figure
