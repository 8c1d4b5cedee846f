import numpy as np
import pytest
from scipy.spatial.distance import cdist

from maxmargin.neighbors import tessellate
from maxmargin.neighbors.tessellation import delaunay_pairs

BOX = np.array([-1.0, -1.0]), np.array([4.0, 3.0])
RNG = np.random.default_rng(0)
SETS = {
    "random": RNG.uniform(0.0, 3.0, size=(40, 2)),
    "one": np.array([[1.0, 1.0]]),
    "two": np.array([[0.0, 1.0], [2.0, 1.0]]),
    "equal": np.repeat(RNG.uniform(0.0, 3.0, size=(12, 2)), 3, axis=0),
    "a line": np.outer(np.arange(6.0), [0.5, 0.25]),
    "a lattice": np.array([[i, j] for i in range(4) for j in range(3)], dtype=float),
}


def area(corners):
    x, y = corners.T
    return 0.5 * abs(x @ np.roll(y, 1) - y @ np.roll(x, 1))


@pytest.mark.parametrize("name", SETS)
def test_cells_fill_the_box_and_hold_the_places_nearest_to_their_points(name):
    cells = tessellate(SETS[name], BOX)
    np.testing.assert_array_equal(cells.points[cells.cell_of], SETS[name])
    assert sum(map(area, cells.cells)) == pytest.approx(20.0)
    for k, corners in enumerate(cells.cells):
        to_own, to_all = cdist(corners, cells.points[[k]])[:, 0], cdist(corners, cells.points)
        np.testing.assert_allclose(to_own, to_all.min(axis=1), atol=1e-9)


@pytest.mark.parametrize("name", SETS)
def test_borders_are_halfway_between_two_points(name):
    cells = tessellate(SETS[name], BOX)
    for (i, j), ends in cells.borders.items():
        distances = cdist(ends, cells.points)
        np.testing.assert_allclose(distances[:, i], distances[:, j], rtol=1e-9)
    assert set(cells.borders) <= set(map(tuple, cells.edges.tolist()))


def test_the_plane_obeys_euler_and_most_vertices_have_valence_three():
    cells = tessellate(SETS["random"], BOX)
    n, hull = len(cells.points), int(cells.unbounded.sum())
    assert len(cells.edges) == 3 * n - 3 - hull
    assert cells.valences.tolist() == [3] * (2 * n - 2 - hull)
    lattice = tessellate(SETS["a lattice"], BOX)
    assert set(lattice.valences.tolist()) == {4}
    assert tessellate(SETS["a line"], BOX).unbounded.all()


def test_neighbours_in_three_dimensions_and_on_a_plane_in_them():
    corners = np.vstack([np.eye(3), np.zeros(3)])
    assert len(delaunay_pairs(corners)) == 6
    flat = np.column_stack([SETS["random"], SETS["random"].sum(axis=1)])
    spread = flat @ np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    np.testing.assert_array_equal(delaunay_pairs(spread), delaunay_pairs(flat))
    assert delaunay_pairs(np.zeros((1, 2))).shape == (0, 2)


def test_borders_between_classes():
    cells = tessellate(SETS["two"], BOX)
    np.testing.assert_allclose(cells.class_borders(np.array([0, 1]))[0, :, 0], 1.0)
    assert cells.class_borders(np.array([0, 0])).shape == (0, 2, 2)
