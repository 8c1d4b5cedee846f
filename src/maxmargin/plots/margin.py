"""A two-dimensional classifier drawn with its margins and its support vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import check_is_fitted

from maxmargin.plots import palette
from maxmargin.plots.plane import axis_names, frame, like, make_lattice
from maxmargin.plots.text import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.contour import QuadContourSet
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

Array: TypeAlias = NDArray[Any]
ProbabilityGrid: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike]

# How far below 1 a support vector's y f(x) may lie and still count as on the margin: the fit
# places the free ones only up to its own tolerance, 1e-3 by default.
SLACK = 1e-2


class MarginDisplay:
    """Decision regions, boundary, margins and support vectors of a binary classifier.

    The boundary f(x) = 0 is solid, the margins f(x) = -1 and f(x) = 1 are dashed. A support vector
    on its margin carries a solid dot; one inside or beyond it, whose dual variable is at its bound,
    carries a ring. Build it with :meth:`from_estimator`.

    Parameters
    ----------
    xx0, xx1 : ndarray of shape (rows, columns)
        The lattice on which the decision function was evaluated.
    response : ndarray of shape (rows, columns)
        The decision function there.
    X : ndarray of shape (n_samples, 2)
        The points to draw.
    y : ndarray of shape (n_samples,)
        Their class: 0 for the first, 1 for the second.
    class_names : pair of str
        How the legend calls the classes.
    on_margin, bounded : ndarray of shape (n, 2)
        The two kinds of support vectors.
    bayes : tuple of three ndarray, optional
        ``(xx0, xx1, probability)`` of the second class on a lattice; its level 1/2 is drawn.
    axis_names : pair of str
        Labels of the axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    regions_, boundary_, margins_, bayes_ : QuadContourSet or None
        The filled regions and the lines; None where no such line crosses the picture.
    points_ : list of PathCollection
        The points, one collection a class.
    on_margin_, bounded_ : PathCollection
        The marks of the support vectors.
    legend_ : Legend or None
        The legend, below the axes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from maxmargin.plots import MarginDisplay
    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [3.0, 2.0], [3.0, 4.0]]), [0, 0, 1, 1]
    >>> display = MarginDisplay.from_estimator(SVC(kernel="linear").fit(X, y), X, y)
    >>> display.on_margin.tolist()
    [[1.0, 1.0], [3.0, 2.0]]
    """

    ax_: Axes
    figure_: Figure
    regions_: QuadContourSet
    boundary_: QuadContourSet | None
    margins_: QuadContourSet | None
    bayes_: QuadContourSet | None
    points_: list[PathCollection]
    on_margin_: PathCollection
    bounded_: PathCollection
    legend_: Legend | None

    def __init__(
        self,
        *,
        xx0: Array,
        xx1: Array,
        response: Array,
        X: Array,
        y: Array,
        class_names: tuple[str, str],
        on_margin: Array,
        bounded: Array,
        bayes: ProbabilityGrid | None = None,
        axis_names: tuple[str, str] = ("x1", "x2"),
    ) -> None:
        self.xx0 = xx0
        self.xx1 = xx1
        self.response = response
        self.X = X
        self.y = y
        self.class_names = class_names
        self.on_margin = on_margin
        self.bounded = bounded
        self.bayes = bayes
        self.axis_names = axis_names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        bayes: ProbabilityGrid | None = None,
        grid_resolution: int = 200,
        ax: Axes | None = None,
        legend: bool = True,
    ) -> Self:
        """Draw a fitted binary support vector classifier on the points it was fitted to.

        Parameters
        ----------
        estimator : SVC or Pipeline ending in one
            Fitted to ``X`` and ``y``.
        X : array-like of shape (n_samples, 2)
            The training points.
        y : array-like of shape (n_samples,)
            Their labels.
        bayes : tuple of three array-like, optional
            ``(xx0, xx1, probability)`` of the second class on a lattice, for the Bayes boundary.
        grid_resolution : int, default=200
            Lattice points an axis.
        ax : matplotlib Axes, optional
            Where to draw; a new figure otherwise.
        legend : bool, default=True
            Whether to put a legend below the axes.

        Returns
        -------
        MarginDisplay
            The display, already plotted.
        """
        points = _check_points(estimator, X, y)
        svc = _final_step(estimator)
        xx0, xx1 = _lattice(points, grid_resolution, bayes)
        on_margin, bounded = _split_support(estimator, svc, X, points)
        display = cls(
            xx0=xx0,
            xx1=xx1,
            response=_respond(estimator, X, np.c_[xx0.ravel(), xx1.ravel()]).reshape(xx0.shape),
            X=points,
            y=np.asarray(np.asarray(y) == svc.classes_[1], dtype=np.intp),
            class_names=(str(svc.classes_[0]), str(svc.classes_[1])),
            on_margin=on_margin,
            bounded=bounded,
            bayes=bayes,
            axis_names=axis_names(X),
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
        MarginDisplay
            Itself.
        """
        if ax is None:
            _, ax = plt.subplots(figsize=(5.6, 5.6), layout="constrained")
        self.ax_ = ax
        self.figure_ = ax.get_figure(root=True)  # type: ignore[assignment]
        self._draw_regions()
        self._draw_points()
        self._draw_support()
        self._finish_axes()
        self.legend_ = self._add_legend() if legend else None
        return self

    def legend_handles(self) -> list[Line2D]:
        """Return what a legend needs: one mark for each kind of thing drawn.

        Returns
        -------
        list of Line2D
            With their labels; useful for one legend shared by several panels.
        """
        handles = [
            _mark(marker, plain(f"class {name}"), markerfacecolor=colour, markeredgecolor="white")
            for marker, name, colour in zip(
                palette.MARKERS, self.class_names, palette.CLASSES, strict=True
            )
        ]
        handles += [
            _mark("o", "support vector on the margin", color=palette.INK, markersize=4.5),
            _mark("o", "support vector at its bound", color=palette.INK, mfc="none"),
            Line2D([], [], color=palette.INK, linewidth=1.8, label="boundary, f = 0"),
            Line2D([], [], color=palette.INK, linewidth=1, ls="--", label="margins, f = ±1"),
        ]
        if self.bayes is not None:
            handles.append(Line2D([], [], color=palette.BAYES, ls="-.", label="Bayes boundary"))
        return handles

    def _draw_regions(self) -> None:
        low, high = min(self.response.min(), -1.0), max(self.response.max(), 1.0)
        self.regions_ = self.ax_.contourf(
            self.xx0, self.xx1, self.response, levels=[low, 0.0, high], colors=palette.REGIONS
        )
        grid = (self.xx0, self.xx1, self.response)
        self.boundary_ = self._draw_levels(grid, [0.0], colors=palette.INK, linewidths=1.8)
        self.margins_ = self._draw_levels(
            grid, [-1.0, 1.0], colors=palette.INK, linewidths=1.0, linestyles="dashed"
        )
        self.bayes_ = None
        if self.bayes is not None:
            self.bayes_ = self._draw_levels(
                self.bayes, [0.5], colors=palette.BAYES, linewidths=1.6, linestyles="dashdot"
            )

    def _draw_levels(
        self, grid: ProbabilityGrid, levels: list[float], **style: Any
    ) -> QuadContourSet | None:
        xx0, xx1, values = (np.asarray(part) for part in grid)
        # matplotlib warns about levels outside the data; they are simply not in the picture.
        inside = [level for level in levels if values.min() < level < values.max()]
        return self.ax_.contour(xx0, xx1, values, levels=inside, **style) if inside else None

    def _draw_points(self) -> None:
        style: Any = {"s": 34, "edgecolors": "white", "linewidths": 0.5, "zorder": 3}
        self.points_ = [
            self.ax_.scatter(
                self.X[self.y == label, 0],
                self.X[self.y == label, 1],
                marker=palette.MARKERS[label],
                color=palette.CLASSES[label],
                clip_on=False,  # a point on the edge shows whole
                **style,
            )
            for label in (0, 1)
        ]

    def _draw_support(self) -> None:
        dot: Any = {"s": 26, "color": palette.INK, "edgecolors": "white", "linewidths": 0.6}
        ring: Any = {"s": 54, "color": "none", "edgecolors": palette.INK, "linewidths": 0.7}
        self.bounded_ = self.ax_.scatter(*self.bounded.T, clip_on=False, zorder=4, **ring)
        self.on_margin_ = self.ax_.scatter(*self.on_margin.T, clip_on=False, zorder=5, **dot)

    def _finish_axes(self) -> None:
        self.ax_.set(
            xlabel=plain(self.axis_names[0]),
            ylabel=plain(self.axis_names[1]),
            xlim=(self.xx0.min(), self.xx0.max()),
            ylim=(self.xx1.min(), self.xx1.max()),
        )

    def _add_legend(self) -> Legend:
        return self.ax_.legend(
            handles=self.legend_handles(),
            loc="upper center",
            bbox_to_anchor=(0.5, -0.12),
            ncols=2,
            frameon=False,
            fontsize="small",
        )


def _mark(marker: str, label: str, **style: Any) -> Line2D:
    return Line2D([], [], linestyle="none", marker=marker, label=label, **style)


def _check_points(estimator: Any, X: Any, y: ArrayLike) -> Array:
    svc = _final_step(estimator)
    check_is_fitted(svc)
    points: Array = check_array(X, dtype=np.float64)
    check_consistent_length(points, y)
    if points.shape[1] != 2:
        raise ValueError(
            f"X has {points.shape[1]} columns, but a picture of margins needs 2:"
            " fit the model to two of them."
        )
    if len(svc.classes_) != 2:
        raise ValueError(
            f"The model knows {len(svc.classes_)} classes, but margins are drawn for 2:"
            " fit it to two of them."
        )
    if svc.shape_fit_[0] != len(points):
        raise ValueError(
            f"X has {len(points)} rows, but the model was fitted to {svc.shape_fit_[0]}:"
            " pass the rows it was fitted to, so that its support vectors can be marked."
        )
    return points


def _final_step(estimator: Any) -> Any:
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def _lattice(points: Array, resolution: int, bayes: ProbabilityGrid | None) -> tuple[Array, Array]:
    if bayes is None:
        return make_lattice(*frame(points, 0.06), resolution)
    # Where the truth is known, the picture shows all of it.
    xx0, xx1 = np.asarray(bayes[0]), np.asarray(bayes[1])
    low = np.minimum(points.min(axis=0), [xx0.min(), xx1.min()])
    high = np.maximum(points.max(axis=0), [xx0.max(), xx1.max()])
    return make_lattice(low, high, resolution)


def _respond(estimator: Any, X: Any, points: Array) -> Array:
    return np.asarray(estimator.decision_function(like(X, points)), dtype=np.float64)


def _split_support(estimator: Any, svc: Any, X: Any, points: Array) -> tuple[Array, Array]:
    support = points[svc.support_]
    coefficients = svc.dual_coef_
    signs = np.sign(coefficients.toarray() if hasattr(coefficients, "toarray") else coefficients)
    on_margin = signs.ravel() * _respond(estimator, X, support) >= 1.0 - SLACK
    return support[on_margin], support[~on_margin]
