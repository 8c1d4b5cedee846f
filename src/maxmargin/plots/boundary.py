"""The regions that a classifier cuts the plane into, for any number of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.utils import check_consistent_length

from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.plane import Plane, frame, make_lattice, number_labels
from maxmargin.plots.text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.legend import Legend

Array: TypeAlias = NDArray[Any]
Extent: TypeAlias = tuple[float, float, float, float]

_MARKERS = (*palette.MARKERS, "s", "D", "v", "P", "X")
_BELOW = 4.0  # heights of a letter from the axes to a legend: ticks and a label are between
_PALE = 0.84  # how much white is in the colour of a region


class BoundaryDisplay(Display):
    """Decision regions of a classifier of two columns, with rows on top.

    For any classifier fitted to two columns, numeric or categorical, and any number of classes:
    ours, scikit-learn's, and pipelines and searches that end in one. Regions are predictions on a
    lattice; where a classifier of two classes has decision values, ``MarginDisplay`` draws these.
    Build it with :meth:`from_estimator`, or draw in one call with :func:`boundary`.

    Parameters
    ----------
    xx0, xx1 : ndarray of shape (resolution, resolution)
        The lattice.
    regions : ndarray of shape (resolution, resolution)
        The number of the class predicted at each of its points.
    X : ndarray of shape (rows, 2)
        Rows to draw.
    y : ndarray of shape (rows,)
        The numbers of their classes.
    class_names : sequence of str
    axis_names : tuple of two str, default=("x1", "x2")
    axis_words : tuple of two lists of str or None, default=(None, None)
        What to write at the places of words.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    points_ : list of PathCollection
        The rows, one collection a class.
    legend_ : Legend or None

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from maxmargin.plots import BoundaryDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNeighborsClassifier().fit(X[:, 2:], y)
    >>> display = BoundaryDisplay.from_estimator(model, X[:, 2:], y, ax=Figure().subplots())
    >>> sorted(set(display.regions.ravel().tolist()))
    [0, 1, 2]
    """

    drawn_of: ClassVar[str] = "a classifier of two columns"

    points_: list[PathCollection]
    legend_: Legend | None

    def __init__(
        self,
        *,
        xx0: Array,
        xx1: Array,
        regions: Array,
        X: Array,
        y: Array,
        class_names: Sequence[str],
        axis_names: tuple[str, str] = ("x1", "x2"),
        axis_words: tuple[list[str] | None, list[str] | None] = (None, None),
    ) -> None:
        self.xx0 = xx0
        self.xx1 = xx1
        self.regions = regions
        self.X = X
        self.y = y
        self.class_names = class_names
        self.axis_names = axis_names
        self.axis_words = axis_words

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        grid_resolution: int = 300,
        extent: Extent | None = None,
        ax: Axes | None = None,
        legend: bool = True,
    ) -> Self:
        """Draw the regions of a fitted classifier, and some rows.

        Parameters
        ----------
        estimator : classifier, or a Pipeline or search that ends in one
            Fitted to two columns.
        X : array-like or DataFrame of shape (rows, 2)
            The rows to draw.
        y : array-like of shape (rows,)
            Their labels.
        grid_resolution : int, default=300
            Lattice points an axis.
        extent : tuple of four float, optional
            Where the picture goes, (left, right, bottom, top); a little around the rows otherwise.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.
        legend : bool, default=True
            Whether to put a legend below the axes.

        Returns
        -------
        BoundaryDisplay
            The display, already plotted.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from maxmargin import plots
        >>> from maxmargin.datasets import load_mixture
        >>> from maxmargin.neighbors import KNeighborsClassifierCV
        >>> X, y = load_mixture(return_X_y=True)
        >>> model = KNeighborsClassifierCV().fit(X, y)
        >>> display = plots.boundary(model, X, y, ax=Figure().subplots())
        >>> display.regions.shape
        (300, 300)
        """
        fitted = Fitted.of(estimator)
        classes = _classes(fitted, cls.drawn_of)
        numbers = number_labels(y, classes)
        plane = Plane.of(X, "regions", fitted.categorical)
        check_consistent_length(plane.points, numbers)
        xx0, xx1 = make_lattice(*corners_of(plane, extent, 0.06), grid_resolution)

        def predict(rows: Any) -> Array:
            return number_labels(fitted.model.predict(fitted.rows(rows)), classes)

        display = cls(
            xx0=xx0,
            xx1=xx1,
            regions=plane.ask(predict, xx0, xx1),
            X=plane.points,
            y=numbers,
            class_names=[str(name) for name in classes],
            axis_names=plane.names,
            axis_words=plane.words,
        )
        return display.plot(ax=ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        legend : bool, default=True
            Whether to put a legend below the axes.

        Returns
        -------
        BoundaryDisplay
            Itself.
        """
        ax = self._place(ax, 5.6, 5.6)
        self._draw_regions()
        self.points_ = draw_classes(ax, self.X, self.y, len(self.class_names))
        frame(ax, self.xx0, self.xx1, self.axis_names, self.axis_words)
        self.legend_ = name_classes(ax, self.class_names) if legend else None
        return self

    def _draw_regions(self) -> None:
        n = len(self.class_names)
        paint = ListedColormap(region_colours(n))
        self.ax_.pcolormesh(
            self.xx0, self.xx1, self.regions, cmap=paint, vmin=-0.5, vmax=n - 0.5, shading="nearest"
        )
        for number in np.unique(self.regions)[1:]:
            # One line a class would be drawn twice between two of them; below it, once.
            self.ax_.contour(
                self.xx0, self.xx1, self.regions >= number, levels=[0.5], colors=palette.INK,
                linewidths=1.0,
            )  # fmt: skip


boundary = BoundaryDisplay.from_estimator
"""The same as ``BoundaryDisplay.from_estimator``."""


# classes in the plane, as other pictures draw them too


def corners_of(plane: Plane, extent: Extent | None, share: float) -> tuple[Array, Array]:
    """Return the lower and the upper corner of a picture.

    Parameters
    ----------
    plane : Plane
        The rows.
    extent : tuple of four float or None
        Left, right, bottom and top, if given.
    share : float
        How much of the rows' extent to leave around them otherwise.

    Returns
    -------
    low, high : ndarray of shape (2,)
    """
    if extent is None:
        return plane.corners(share)
    left, right, bottom, top = extent
    if not (left < right and bottom < top):
        raise ValueError(
            f"extent={extent} must be (left, right, bottom, top), each second number the larger."
        )
    return np.array([left, bottom], float), np.array([right, top], float)


def class_colours(n: int) -> list[str]:
    """List the colours of n classes; beyond seven they come again, with other marks.

    Parameters
    ----------
    n : int

    Returns
    -------
    list of str
    """
    colours = palette.CLASSES if n <= 2 else palette.CURVES
    return [colours[k % len(colours)] for k in range(n)]


def region_colours(n: int) -> list[Any]:
    """List the colours of the regions of n classes, paler than those of their rows.

    Parameters
    ----------
    n : int

    Returns
    -------
    list of colours
    """
    if n <= 2:
        return list(palette.REGIONS[:n])
    return [tuple(_PALE + (1 - _PALE) * np.array(to_rgb(c))) for c in class_colours(n)]


def draw_classes(ax: Axes, X: Array, y: Array, n: int) -> list[PathCollection]:
    """Draw rows, a collection a class.

    Parameters
    ----------
    ax : matplotlib Axes
    X : ndarray of shape (rows, 2)
    y : ndarray of shape (rows,)
        Numbers of classes.
    n : int
        Of classes.

    Returns
    -------
    list of PathCollection
    """
    style: Any = {"s": 30, "edgecolors": "white", "linewidths": 0.5, "zorder": 3, "clip_on": False}
    return [
        ax.scatter(*X[y == k].T, marker=_MARKERS[k % len(_MARKERS)], color=colour, **style)
        for k, colour in enumerate(class_colours(n))
    ]


def name_classes(ax: Axes, names: Sequence[str], extra: Sequence[Line2D] = ()) -> Legend:
    """Put a legend of classes below the axes.

    Parameters
    ----------
    ax : matplotlib Axes
    names : sequence of str
    extra : sequence of Line2D, default=()
        Further entries, with labels.

    Returns
    -------
    Legend
    """
    colours = class_colours(len(names))
    marks = [
        Line2D([], [], ls="", marker=_MARKERS[k % len(_MARKERS)], color=colours[k],
               markeredgecolor="white", label=plain(f"class {name}"))
        for k, name in enumerate(names)
    ]  # fmt: skip
    return ax.legend(
        handles=[*marks, *extra], loc="upper center", bbox_to_anchor=(0.5, 0.0),
        borderaxespad=_BELOW,
        ncols=min(4, len(marks) + len(extra)), frameon=False, fontsize="small",
    )  # fmt: skip


def _classes(fitted: Fitted, drawn_of: str) -> Array:
    classes = getattr(fitted.model, "classes_", None)
    if not is_classifier(fitted.model) or classes is None:
        raise fitted.refusal("classes", f"regions are drawn of {drawn_of}")
    return np.asarray(classes)
