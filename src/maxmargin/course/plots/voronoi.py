"""The cells of the nearest neighbour rule: Voronoi diagram, Delaunay dual, class boundary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length

from maxmargin.neighbors.tessellation import Tessellation, tessellate
from maxmargin.plots import palette
from maxmargin.plots.boundary import (
    Extent,
    corners_of,
    draw_classes,
    name_classes,
    region_colours,
)
from maxmargin.plots.display import Display
from maxmargin.plots.plane import Plane
from maxmargin.plots.text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

Array: TypeAlias = NDArray[Any]

_SPARE = 0.12  # of the rows' extent around them
_SLIM = 4.0  # how many times as wide as high a picture may be, with one scale for both axes


class VoronoiDisplay(Display):
    """Voronoi cells of rows of two columns, coloured by class.

    For rows in the plane: each cell holds the points to which its row is nearest. Equal rows share
    a cell, which has the most frequent of their labels, the first class of several; rows may all
    lie on a line. Build it with :meth:`from_points`, or draw in one call with :func:`voronoi`.

    Parameters
    ----------
    tessellation : Tessellation
        The cells and their neighbours.
    labels : ndarray of shape (cells,)
        The number of each cell's class.
    X : ndarray of shape (rows, 2)
        Rows to draw.
    y : ndarray of shape (rows,)
        The numbers of their classes.
    class_names : sequence of str
        Empty if the rows have no classes.
    axis_names : tuple of two str, default=("x1", "x2")

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    cells_ : PolyCollection
    edges_ : LineCollection or None
        The Delaunay edges, if asked for.
    boundary_ : LineCollection
        The borders between classes.
    legend_ : Legend or None

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin.plots import VoronoiDisplay
    >>> X, y = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 3.0]], [0, 0, 1, 1]
    >>> display = VoronoiDisplay.from_points(X, y, ax=Figure().subplots())
    >>> len(display.tessellation.cells), len(display.tessellation.edges)
    (4, 5)
    """

    drawn_of: ClassVar[str] = "rows of two columns"

    cells_: PolyCollection
    edges_: LineCollection | None
    boundary_: LineCollection
    legend_: Legend | None

    def __init__(
        self,
        *,
        tessellation: Tessellation,
        labels: Array,
        X: Array,
        y: Array,
        class_names: Sequence[str] = (),
        axis_names: tuple[str, str] = ("x1", "x2"),
    ) -> None:
        self.tessellation = tessellation
        self.labels = labels
        self.X = X
        self.y = y
        self.class_names = class_names
        self.axis_names = axis_names

    @classmethod
    def from_points(
        cls,
        X: Any,
        y: ArrayLike | None = None,
        *,
        delaunay: bool = False,
        extent: Extent | None = None,
        ax: Axes | None = None,
        legend: bool = True,
    ) -> Self:
        """Draw the cells of rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (rows, 2)
            Numbers.
        y : array-like of shape (rows,), default=None
            Labels; None draws cells without classes.
        delaunay : bool, default=False
            Whether to draw the Delaunay triangulation too, the dual of the cells.
        extent : tuple of four float, optional
            Where the picture goes, (left, right, bottom, top); a little around the rows otherwise.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.
        legend : bool, default=True
            Whether to put a legend below the axes.

        Returns
        -------
        VoronoiDisplay
            The display, already plotted.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from maxmargin import plots
        >>> from maxmargin.datasets import load_ten_points
        >>> X, y = load_ten_points(return_X_y=True)
        >>> display = plots.voronoi(X, y, ax=Figure().subplots())
        >>> len(display.tessellation.cells)
        10
        """
        if not (hasattr(X, "shape") or isinstance(X, list | tuple)):
            raise TypeError(f"{type(X).__name__} holds no rows; cells are drawn of {cls.drawn_of}.")
        plane = Plane.of(X, "cells", way_out="give two of them.")
        if any(axis.words is not None for axis in plane.axes):
            raise ValueError("X holds words, but cells are drawn of rows of two numbers.")
        classes, numbers = _number(y, len(plane.points))
        check_consistent_length(plane.points, numbers)
        cells = tessellate(plane.points, corners_of(plane, extent, _SPARE))
        display = cls(
            tessellation=cells,
            labels=_most_frequent(cells.cell_of, numbers),
            X=plane.points,
            y=numbers,
            class_names=classes,
            axis_names=plane.names,
        )
        return display.plot(ax, delaunay=delaunay, legend=legend)

    def plot(self, ax: Axes | None = None, *, delaunay: bool = False, legend: bool = True) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        delaunay : bool, default=False
            Whether to draw the Delaunay triangulation too.
        legend : bool, default=True
            Whether to put a legend below the axes.

        Returns
        -------
        VoronoiDisplay
            Itself.
        """
        ax = self._place(ax, 5.6, 5.6)
        self._draw_cells()
        self.edges_ = self._draw_edges() if delaunay else None
        draw_classes(ax, self.X, self.y, max(1, len(self.class_names)))
        self._finish_axes()
        self.legend_ = self._add_legend(delaunay) if legend else None
        return self

    def _draw_cells(self) -> None:
        n = len(self.class_names)
        colours = np.array(region_colours(n), dtype=object)[self.labels] if n else "white"
        edge: Any = {"edgecolors": palette.CHANCE, "linewidths": 0.7}
        self.cells_ = PolyCollection(self.tessellation.cells, facecolors=colours, **edge)
        borders = list(self.tessellation.class_borders(self.labels))
        self.boundary_ = LineCollection(borders, colors=palette.INK, linewidths=1.8, zorder=2)
        for part in (self.cells_, self.boundary_):
            self.ax_.add_collection(part)

    def _draw_edges(self) -> LineCollection:
        ends = self.tessellation.points[self.tessellation.edges]
        style: Any = {"colors": palette.BAYES, "linewidths": 0.9, "linestyles": (0, (3, 2))}
        edges = LineCollection(list(ends), zorder=2.5, **style)
        self.ax_.add_collection(edges)
        return edges

    def _finish_axes(self) -> None:
        (left, bottom), (right, top) = self.tessellation.box
        first, second = (plain(name) for name in self.axis_names)
        self.ax_.set(xlim=(left, right), ylim=(bottom, top), xlabel=first, ylabel=second)
        if 1 / _SLIM < (right - left) / (top - bottom) < _SLIM:
            self.ax_.set_aspect("equal")  # so that a border appears halfway

    def _add_legend(self, delaunay: bool) -> Legend:
        lines = [Line2D([], [], color=palette.CHANCE, lw=0.9, label="cells")]
        if len(self.boundary_.get_segments()):
            lines.append(Line2D([], [], color=palette.INK, lw=1.8, label="class boundary"))
        if delaunay:
            style: Any = {"color": palette.BAYES, "ls": (0, (3, 2)), "lw": 0.9}
            lines.append(Line2D([], [], label="Delaunay edges", **style))
        return name_classes(self.ax_, self.class_names, lines)


voronoi = VoronoiDisplay.from_points
"""The same as ``VoronoiDisplay.from_points``."""


def _number(y: ArrayLike | None, n_rows: int) -> tuple[list[str], Array]:
    if y is None:
        return [], np.zeros(n_rows, dtype=np.intp)
    classes, numbers = np.unique(np.asarray(y), return_inverse=True)
    return [str(name) for name in classes], numbers.ravel()


def _most_frequent(cell_of: Array, numbers: Array) -> Array:
    """Label each cell by the most frequent label of its rows, ties by the first."""
    counts = np.zeros((cell_of.max() + 1, numbers.max() + 1), dtype=np.intp)
    np.add.at(counts, (cell_of, numbers), 1)
    return counts.argmax(axis=1)
