"""The walk along all C, wherever it is told to begin."""

import numpy as np
import pytest

from maxmargin.solvers.box_qp.cost_path import follow, solve_bordered

rng = np.random.default_rng(2)
X = rng.normal(size=(24, 2))
K = np.exp(-0.5 * np.square(X[:, None] - X[None]).sum(axis=2))
T = np.where(np.arange(24) < 7, -1.0, 1.0)


@pytest.mark.parametrize("start", [np.zeros(24), np.ones(24), np.full(24, 0.4), rng.random(24)])
def test_the_path_does_not_depend_on_where_it_is_said_to_begin(start):
    corners = list(follow(K, T, 20.0, start))
    usual = list(follow(K, T, 20.0, np.full(24, 7 / 17)))
    assert len(corners) == len(usual)
    for one, other in zip(corners, usual, strict=True):
        np.testing.assert_allclose(one.C, other.C)
        np.testing.assert_allclose(one.alpha, other.alpha, atol=1e-9)


def test_corners_meet_the_conditions_of_optimality():
    for corner in follow(K, T, 20.0, np.zeros(24)):
        margin = T * (corner.product + corner.b)
        assert abs(corner.alpha @ T) < 1e-12
        assert (margin[corner.alpha == 0] >= 1 - 1e-9).all() or corner.C == 0
        assert (margin[corner.alpha == corner.C] <= 1 + 1e-9).all() or corner.C == 0
        inside = (corner.alpha > 0) & (corner.alpha < corner.C)
        np.testing.assert_allclose(margin[inside], 1.0, atol=1e-9)


def test_a_singular_system_has_its_shortest_solution():
    Q, t = np.ones((2, 2)), np.ones(2)
    x, y = solve_bordered(Q, t, np.array([3.0, 3.0]), 1.0)
    np.testing.assert_allclose(x, [0.5, 0.5])
    assert y == pytest.approx(2.0)
