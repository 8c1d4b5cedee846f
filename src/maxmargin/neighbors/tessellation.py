"""Voronoi cells and Delaunay edges: what the nearest neighbour rule makes of the plane.

The cell of x_i is {x : |x − x_i| ≤ |x − x_j| for all j}; rows whose cells share a border are joined
by an edge of the Delaunay triangulation, the straight-line dual. The rule of one neighbour changes
its mind only on borders between cells of two classes, so a row all of whose Delaunay neighbours
have its own class may go, and no prediction changes (Toussaint, Bhattacharya and Poulsen, "The
application of Voronoi diagrams to nonparametric decision rules", 1984).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay, QhullError, Voronoi

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

_FAR = 10.0  # half diagonals at which four more points close all cells, half of it beyond the box
_RANK = 1e-10  # of the largest singular value: less is no direction
_SIDES = ((0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0))


@dataclass(frozen=True)
class Tessellation:
    """The cells of points in the plane, within a box.

    Attributes
    ----------
    points : ndarray of shape (cells, 2)
        The distinct points.
    cell_of : ndarray of shape (rows,)
        Index of the distinct point of each row.
    cells : list of ndarray of shape (corners, 2)
        The cell of each point within the box, its corners in turn.
    edges : ndarray of shape (edges, 2)
        The Delaunay edges, as pairs of points.
    borders : dict
        The common border of two cells, by the pair of their points: an array of its two ends,
        which may lie outside the box.
    unbounded : ndarray of bool of shape (cells,)
        Which cells are unbounded.
    valences : ndarray of shape (vertices,)
        Number of borders that meet in each vertex of the diagram.
    box : tuple of ndarray of shape (2,)
        The lower and the upper corner.
    """

    points: Vector
    cell_of: Index
    cells: list[Vector] = field(repr=False)
    edges: Index = field(repr=False)
    borders: dict[tuple[int, int], Vector] = field(repr=False)
    unbounded: NDArray[np.bool_] = field(repr=False)
    valences: Index = field(repr=False)
    box: tuple[Vector, Vector]

    def class_borders(self, labels: Index) -> Vector:
        """Return the borders between cells of different classes, as pairs of ends.

        Parameters
        ----------
        labels : ndarray of shape (cells,)

        Returns
        -------
        segments : ndarray of shape (segments, 2, 2)
        """
        found = [ends for (i, j), ends in self.borders.items() if labels[i] != labels[j]]
        return np.array(found).reshape(-1, 2, 2)


def tessellate(X: Vector, box: tuple[Vector, Vector]) -> Tessellation:
    """Cut the plane into the Voronoi cells of points.

    Parameters
    ----------
    X : ndarray of shape (rows, 2)
        Equal rows share a cell; all may lie on a line.
    box : tuple of ndarray of shape (2,)
        The lower and the upper corner of what is of interest.

    Returns
    -------
    Tessellation

    Examples
    --------
    >>> import numpy as np
    >>> box = np.array([0.0, 0.0]), np.array([4.0, 2.0])
    >>> halves = tessellate(np.array([[1.0, 1.0], [3.0, 1.0], [3.0, 1.0]]), box)
    >>> halves.edges.tolist(), halves.cell_of.tolist()
    ([[0, 1]], [0, 1, 1])
    >>> sorted(set(halves.cells[0][:, 0].tolist()))
    [0.0, 2.0]
    """
    points, cell_of = distinct(X)
    diagram = Voronoi(np.vstack([points, _far_points(points, box)]))
    regions = (diagram.regions[diagram.point_region[i]] for i in range(len(points)))
    cells = [_clip(_in_turn(diagram.vertices[region]), box) for region in regions]
    own, valences = _bare_diagram(points)
    pairs = delaunay_pairs(points)
    return Tessellation(
        points, cell_of, cells, pairs, _borders(diagram, len(points)), own, valences, box
    )


def distinct(X: Vector) -> tuple[Vector, Index]:
    """Return the distinct rows, and for each row the index of its distinct row.

    Parameters
    ----------
    X : ndarray of shape (rows, columns)

    Returns
    -------
    points : ndarray of shape (points, columns)
    place : ndarray of shape (rows,)

    Examples
    --------
    >>> distinct(np.array([[2.0], [1.0], [2.0]]))[1].tolist()
    [1, 0, 1]
    """
    points, place = np.unique(X + 0.0, axis=0, return_inverse=True)  # -0.0 is 0.0
    return points, place.ravel().astype(np.intp)


def delaunay_pairs(points: Vector) -> Index:
    """Return the edges of the Delaunay triangulation of distinct points.

    Parameters
    ----------
    points : ndarray of shape (points, columns)
        In any dimension, though beyond five or six the edges become too many. Points that span
        less than all columns, such as a line, are taken as points of what they span.

    Returns
    -------
    edges : ndarray of shape (edges, 2)
        The smaller place first, in order.

    Examples
    --------
    >>> delaunay_pairs(np.array([[0.0, 0.0], [2.0, 2.0], [1.0, 1.0]])).tolist()
    [[0, 2], [1, 2]]
    """
    spanned = _spanned(points)
    if spanned.shape[1] < 2:
        along = np.argsort(spanned[:, 0]) if spanned.shape[1] else np.arange(len(points))
        pairs = np.column_stack([along[:-1], along[1:]])
    else:
        corners = Delaunay(spanned).simplices
        sides = combinations(range(corners.shape[1]), 2)
        pairs = np.vstack([corners[:, list(side)] for side in sides])
    return np.unique(np.sort(pairs, axis=1), axis=0).astype(np.intp)


def _spanned(points: Vector) -> Vector:
    """Return the coordinates of points in their span around their mean."""
    centred = points - points.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    rank = int((sizes > _RANK * max(sizes.max(initial=0.0), np.finfo(float).tiny)).sum())
    return np.asarray(centred if rank == points.shape[1] else left[:, :rank] * sizes[:rank])


def _far_points(points: Vector, box: tuple[Vector, Vector]) -> Vector:
    everything = np.vstack([points, *box])
    low, high = everything.min(axis=0), everything.max(axis=0)
    reach = _FAR * (float(np.hypot(*(high - low))) / 2.0 or 1.0)
    steps = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    return np.asarray((low + high) / 2.0 + reach * steps)


def _in_turn(corners: Vector) -> Vector:
    """Order the corners of a convex cell around its middle."""
    spokes = corners - corners.mean(axis=0)
    return np.asarray(corners[np.argsort(np.arctan2(spokes[:, 1], spokes[:, 0]))])


def _clip(corners: Vector, box: tuple[Vector, Vector]) -> Vector:
    """Cut a convex polygon at the sides of a box (Sutherland and Hodgman, 1974)."""
    for axis, sign in _SIDES:
        limit = (box[0] if sign > 0 else box[1])[axis]
        inside = sign * (corners[:, axis] - limit)
        corners = _cut(corners, inside)
    return corners


def _cut(corners: Vector, inside: Vector) -> Vector:
    kept = []
    for k in range(len(corners)):
        here, last = inside[k], inside[k - 1]
        if (here < 0.0) != (last < 0.0):
            share = last / (last - here)
            kept.append(corners[k - 1] + share * (corners[k] - corners[k - 1]))
        if here >= 0.0:
            kept.append(corners[k])
    return np.array(kept).reshape(-1, 2)


def _borders(diagram: Voronoi, n: int) -> dict[tuple[int, int], Vector]:
    """Return the borders between cells of points other than the auxiliary far ones."""
    pairs = zip(diagram.ridge_points.tolist(), diagram.ridge_vertices, strict=True)
    return {
        (min(i, j), max(i, j)): diagram.vertices[ends]
        for (i, j), ends in pairs
        if max(i, j) < n and -1 not in ends
    }


def _bare_diagram(points: Vector) -> tuple[NDArray[np.bool_], Index]:
    """Return which cells are unbounded, and the number of borders at each vertex."""
    everywhere = np.ones(len(points), dtype=bool), np.zeros(0, dtype=np.intp)
    if len(points) < 3 or _spanned(points).shape[1] < 2:
        return everywhere
    try:
        diagram = Voronoi(points)
    except QhullError:  # three points that rounding puts on a line
        return everywhere
    regions = (diagram.regions[k] for k in diagram.point_region)
    ends = np.array(diagram.ridge_vertices).ravel()
    return np.array([-1 in region for region in regions]), np.bincount(ends[ends >= 0])
