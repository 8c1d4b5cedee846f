import numpy as np
import pytest

from maxmargin import plots
from maxmargin.datasets import load_mixture
from maxmargin.svm.path import svm_path


@pytest.fixture(scope="module")
def path():
    return svm_path(*load_mixture(return_X_y=True), kernel="linear", C_max=10.0)


def test_a_line_a_row_in_the_colour_of_its_class(path):
    display = plots.path(path)
    assert [len(lines.get_paths()) for lines in display.lines_] == [100, 100]
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_ylabel() == "α / C"
    heights = np.concatenate([line.vertices[:, 1] for line in display.lines_[0].get_paths()])
    assert heights.min() >= 0
    assert heights.max() <= 1
    named = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert named == [str(each) for each in path.classes]


def test_lines_go_through_the_solutions(path):
    display = plots.PathDisplay.from_path(path, scaled=False)
    rows = np.flatnonzero(path.labels == 1)
    line = display.lines_[1].get_paths()[3].vertices
    for C, height in line[::40]:
        assert height == pytest.approx(path.at(C).alpha[rows[3]])
    assert display.ax_.get_ylabel() == "α"
    assert display.ax_.get_xlim()[1] == 10.0


def test_it_draws_where_it_is_told(path):
    display = plots.PathDisplay(costs=[1.0, 2.0], alphas=[[0, 1], [1, 0]], labels=[0, 1]).plot()
    assert plots.path(path, ax=display.ax_).figure_ is display.figure_
