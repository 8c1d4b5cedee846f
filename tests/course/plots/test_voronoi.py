import numpy as np
import polars as pl
import pytest
from sklearn.neighbors import KNeighborsClassifier

from maxmargin import plots
from maxmargin.datasets import load_mixture

X, Y = load_mixture(return_X_y=True)


def test_cells_have_the_colours_of_their_classes_and_the_boundary_is_that_of_one_neighbour():
    display = plots.voronoi(X, Y, delaunay=True)
    assert len(display.cells_.get_paths()) == 200
    assert len(display.edges_.get_segments()) == len(display.tessellation.edges)
    ends = np.array(display.boundary_.get_segments())
    middle, across = ends.mean(axis=1), np.diff(ends, axis=1)[:, 0, ::-1] * [1, -1]
    across *= 1e-6 / np.linalg.norm(across, axis=1, keepdims=True)
    model = KNeighborsClassifier(1).fit(X, Y)
    assert (model.predict(middle + across) != model.predict(middle - across)).all()
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert texts == ["class 0", "class 1", "cells", "class boundary", "Delaunay edges"]


def test_equal_rows_share_a_cell_of_their_most_frequent_label():
    rows, labels = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]], ["a", "a", "b", "b"]
    display = plots.voronoi(rows, labels)
    assert display.labels.tolist() == [0, 1]
    tie = plots.voronoi(rows[:3], labels[:3])
    assert tie.labels.tolist() == [0, 0]
    assert tie.boundary_.get_segments() == []


def test_cells_without_classes_and_names_of_columns():
    table = pl.DataFrame({"height": X[:, 0], "weight": X[:, 1]})
    display = plots.voronoi(table, extent=(-4, 5, -3, 4))
    assert display.ax_.get_ylabel() == "weight"
    assert display.ax_.axis() == (-4, 5, -3, 4)
    display.figure_.draw_without_rendering()


def test_what_has_no_cells_gets_a_sentence():
    with pytest.raises(ValueError, match="X holds words, but cells are drawn"):
        plots.voronoi([["a", "b"], ["b", "a"]])
    with pytest.raises(ValueError, match=r"cells needs 2: give two of them\.$"):
        plots.voronoi(np.ones((4, 3)))
    with pytest.raises(ValueError, match="inconsistent numbers"):
        plots.voronoi(X, Y[:-1])
