"""A classifier of two columns: its regions and, where it has them, margins and support vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing, check_consistent_length

from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.plane import Plane, frame, make_lattice, of_second
from maxmargin.plots.slack import ARROW, BOTH_WAYS, Affine, Slack, draw_slack
from maxmargin.plots.text import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.contour import QuadContourSet
    from matplotlib.legend import Legend

Array: TypeAlias = NDArray[Any]
ProbabilityGrid: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike]

# How far below 1 a support vector's y f(x) may lie and still count as on the margin: the fit
# places the free ones only up to its own tolerance, 1e-3 by default.
SLACK = 1e-2

_TIE = 1e-9  # values of this share of the largest may have either sign

_OTHER_ROWS = "support vectors not shown: these are not the rows of the fit"


class MarginDisplay(Display):
    """Decision regions of a classifier of two columns and two classes, with its margins.

    For every classifier, ours and scikit-learn's, and for pipelines and searches that end in one.
    The boundary, f(x) = 0 or a probability of 1/2, is solid. Where the loss is a hinge, the margins
    f(x) = -1 and f(x) = 1 are dashed. Where there are support vectors and the rows are those of the
    fit, one on its margin carries a solid dot; one inside or beyond it, whose dual variable is at
    its bound, carries a ring. Build it with :meth:`from_estimator`.

    Parameters
    ----------
    xx0, xx1 : ndarray of shape (rows, columns)
        The lattice on which the classifier was asked.
    response : ndarray of shape (rows, columns)
        What it says there, positive for the second class: its decision function, else the
        probability of that class less 1/2, else -1 or +1.
    X : ndarray of shape (n_samples, 2)
        The points to draw.
    y : ndarray of shape (n_samples,)
        Their class: 0 for the first, 1 for the second.
    class_names : pair of str
        How the legend calls the classes.
    on_margin, bounded : ndarray of shape (n, 2), optional
        The two kinds of support vectors.
    bayes : tuple of three ndarray, optional
        ``(xx0, xx1, probability)`` of the second class on a lattice; its level 1/2 is drawn.
    axis_names : pair of str
        Labels of the axes.
    axis_words : pair of list of str or None
        For an axis of words, what stands at 0, 1, ...
    margins : bool, default=True
        Whether to draw f = -1 and f = 1.
    boundary : str, default="f = 0"
        How the legend explains the boundary.
    note : str, default=""
        What the picture cannot show, and why; it stands above the legend.
    feet : ndarray of shape (n_samples, 2), optional
        Where the margin of each point's class is nearest to it, for those that fall short of it;
        the point itself for the others. Slack is then drawn as the distance between the two.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    regions_, boundary_, margins_, bayes_ : QuadContourSet or None
        The filled regions and the lines; None if no such line crosses the picture.
    points_ : list of PathCollection
        The points, one collection a class.
    on_margin_, bounded_ : PathCollection or None
        The marks of the support vectors.
    slack_ : Slack or None
        The arrows of the slack and the names that they have.
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

    drawn_of: ClassVar[str] = "a classifier of two columns and two classes"

    regions_: QuadContourSet
    boundary_: QuadContourSet | None
    margins_: QuadContourSet | None
    bayes_: QuadContourSet | None
    points_: list[PathCollection]
    on_margin_: PathCollection | None
    bounded_: PathCollection | None
    slack_: Slack | None
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
        on_margin: Array | None = None,
        bounded: Array | None = None,
        bayes: ProbabilityGrid | None = None,
        axis_names: tuple[str, str] = ("x1", "x2"),
        axis_words: tuple[list[str] | None, list[str] | None] = (None, None),
        margins: bool = True,
        boundary: str = "f = 0",
        note: str = "",
        feet: Array | None = None,
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
        self.axis_words = axis_words
        self.margins = margins
        self.boundary = boundary
        self.note = note
        self.feet = feet

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        bayes: ProbabilityGrid | None = None,
        grid_resolution: int = 200,
        slack: bool = False,
        ax: Axes | None = None,
        legend: bool = True,
    ) -> Self:
        """Draw a fitted classifier of two columns and two classes, with some rows.

        Parameters
        ----------
        estimator : classifier, or a Pipeline or search that ends in one
            Fitted to two columns, of numbers or of words, and to two classes; ours or
            scikit-learn's.
        X : array-like or DataFrame of shape (n_samples, 2)
            The rows to draw. Support vectors are marked if these are the rows of the fit.
        y : array-like of shape (n_samples,)
            Their labels.
        bayes : tuple of three array-like, optional
            ``(xx0, xx1, probability)`` of the second class on a lattice, for the Bayes boundary.
        grid_resolution : int, default=200
            Lattice points an axis.
        slack : bool, default=False
            Whether to draw the slack of rows as distances, of a classifier whose f is linear: an
            arrow of length xi* = M xi from its margin to each row that falls short of it, and the
            half width M = 1 / |w| of the margin. Distances are those of the drawn columns.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.
        legend : bool, default=True
            Whether to put a legend below the axes.

        Returns
        -------
        MarginDisplay
            The display, already plotted.
        """
        display = cls._of(estimator, X, y, bayes, grid_resolution, slack)
        return display.plot(ax=ax, legend=legend)

    @classmethod
    def _of(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        bayes: ProbabilityGrid | None = None,
        grid_resolution: int = 200,
        slack: bool = False,
    ) -> Self:
        """Ask a classifier for all that is drawn of it."""
        fitted = Fitted.of(estimator)
        t = _check(fitted, cls.drawn_of, y)
        plane = Plane.of(X, "margins", fitted.categorical)
        check_consistent_length(plane.points, t)
        classes = fitted.model.classes_
        xx0, xx1 = _lattice(plane, grid_resolution, bayes)
        decision, response = _decide(fitted, plane, xx0, xx1)
        support = _find_support(decision, plane, t)
        return cls(
            xx0=xx0,
            xx1=xx1,
            response=response,
            X=plane.points,
            y=(t > 0).astype(np.intp),
            class_names=(str(classes[0]), str(classes[1])),
            on_margin=None if support is None else plane.points[support[0]],
            bounded=None if support is None else plane.points[support[1]],
            bayes=bayes,
            axis_names=plane.names,
            axis_words=plane.words,
            margins=decision.has_margins,
            boundary=decision.boundary,
            note=_OTHER_ROWS if support is None and decision.has_support else "",
            feet=_find_feet(decision, Affine.on(xx0, xx1, response), plane, t) if slack else None,
        )

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
        ax = self._place(ax, 5.6, 5.6)
        self._draw_regions()
        self._draw_points()
        self._draw_support()
        frame(ax, self.xx0, self.xx1, self.axis_names, self.axis_words)
        self.slack_ = None if self.feet is None else self._draw_slack(self.feet)
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
        if self.on_margin is not None:
            handles += [
                _mark("o", "support vector on the margin", color=palette.INK, markersize=4.5),
                _mark("o", "support vector at its bound", color=palette.INK, mfc="none"),
            ]
        boundary = f"boundary, {self.boundary}"
        handles.append(Line2D([], [], color=palette.INK, linewidth=1.8, label=boundary))
        if self.margins:
            margins = "margins, f = ±1"
            handles.append(Line2D([], [], color=palette.INK, linewidth=1, ls="--", label=margins))
        if self.bayes is not None:
            handles.append(Line2D([], [], color=palette.BAYES, ls="-.", label="Bayes boundary"))
        if self.feet is not None:
            handles += self._slack_handles(self.feet)
        return handles

    def _draw_regions(self) -> None:
        low, high = min(self.response.min(), -1.0), max(self.response.max(), 1.0)
        self.regions_ = self.ax_.contourf(
            self.xx0, self.xx1, self.response, levels=[low, 0.0, high], colors=palette.REGIONS
        )
        grid = (self.xx0, self.xx1, self.response)
        self.boundary_ = self._draw_levels(grid, [0.0], colors=palette.INK, linewidths=1.8)
        self.margins_ = self._draw_levels(
            grid,
            [-1.0, 1.0] if self.margins else [],
            colors=palette.INK,
            linewidths=1.0,
            linestyles="dashed",
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
        self.bounded_ = self._mark_support(self.bounded, zorder=4, **ring)
        self.on_margin_ = self._mark_support(self.on_margin, zorder=5, **dot)

    def _mark_support(self, places: Array | None, **style: Any) -> PathCollection | None:
        return None if places is None else self.ax_.scatter(*places.T, clip_on=False, **style)

    def _affine(self) -> Affine:
        return Affine.on(self.xx0, self.xx1, self.response)

    def _draw_slack(self, feet: Array) -> Slack:
        self.ax_.set_aspect("equal")  # otherwise no arrow looks perpendicular
        return draw_slack(self.ax_, feet, self.X, self._affine())

    def _slack_handles(self, feet: Array) -> list[Line2D]:
        affine = self._affine()
        width = f"M = 1/‖w‖ = {affine.half_width:.3g}"
        handles = [_mark(BOTH_WAYS, width, color=palette.INK, markersize=9)]
        if len(affine.falls_short(feet, self.X)):
            handles.append(_mark(ARROW, "slack, ξ* = M ξ", color=palette.BAYES, markersize=9))
        return handles

    def _add_legend(self) -> Legend:
        return self.ax_.legend(
            handles=self.legend_handles(),
            loc="upper center",
            bbox_to_anchor=(0.5, -0.12),
            ncols=2,
            frameon=False,
            fontsize="small",
            title=self.note or None,
            title_fontsize="small",
        )


def _mark(marker: str, label: str, **style: Any) -> Line2D:
    return Line2D([], [], linestyle="none", marker=marker, label=label, **style)


@dataclass(frozen=True)
class _Decision:
    """What a model of two classes says of rows, as numbers that are positive for the second."""

    fitted: Fitted
    method: str

    def values(self, X: Any) -> Array:
        said = getattr(self.fitted.model, self.method)(self.fitted.rows(X))
        if self.method == "predict_proba":
            return np.asarray(said[:, 1] - 0.5, dtype=np.float64)
        if self.method == "predict":
            return np.where(said == self.fitted.model.classes_[1], 1.0, -1.0)
        return np.ravel(np.asarray(said, dtype=np.float64))

    @property
    def boundary(self) -> str:
        words = {"decision_function": "f = 0", "predict_proba": "p = 1/2"}
        return words.get(self.method, "where the prediction changes")

    @property
    def has_support(self) -> bool:
        return has_support(self.fitted.model)

    @property
    def has_margins(self) -> bool:
        by_value = self.method == "decision_function"
        return self.has_support or (by_value and has_margins(self.fitted.model))


def has_support(model: Any) -> bool:
    """Return whether a model is a sum over support vectors."""
    return hasattr(model, "support_") and hasattr(model, "dual_coef_")


def has_margins(model: Any) -> bool:
    """Return whether a loss is 0 from f = 1 on: a hinge, which support vectors stand for too."""
    loss = getattr(model, "loss", "")
    return has_support(model) or "hinge" in str(getattr(loss, "name", loss))


def _decide(fitted: Fitted, plane: Plane, xx0: Array, xx1: Array) -> tuple[_Decision, Array]:
    """Ask for values whose sign is the prediction, or for the prediction if there are none.

    A model may predict by another threshold than 0 or 1/2, and the regions are its predictions.
    """
    predicted = _Decision(fitted, "predict")
    said = plane.ask(predicted.values, xx0, xx1)
    inner = fitted.of_two_classes()
    for method in ("decision_function", "predict_proba"):
        if hasattr(inner.model, method):
            decision = _Decision(inner, method)
            values = plane.ask(decision.values, xx0, xx1)
            if (values * said > -_TIE * np.abs(values).max()).all():
                return decision, values
    return predicted, said


def _check(fitted: Fitted, drawn_of: str, y: ArrayLike) -> Array:
    """Return labels as -1 and +1; raise for what cannot be drawn."""
    classes = getattr(fitted.model, "classes_", None)
    if not is_classifier(fitted.model) or classes is None:
        raise fitted.refusal("classes", f"margins are drawn of {drawn_of}")
    return np.where(of_second(y, np.asarray(classes), "margins are"), 1.0, -1.0)


def _lattice(plane: Plane, resolution: int, bayes: ProbabilityGrid | None) -> tuple[Array, Array]:
    if bayes is None:
        return make_lattice(*plane.corners(0.06), resolution)
    # Where the truth is known, the picture shows all of it.
    low, high = plane.corners(0.0)
    xx0, xx1 = np.asarray(bayes[0]), np.asarray(bayes[1])
    low = np.minimum(low, [xx0.min(), xx1.min()])
    high = np.maximum(high, [xx0.max(), xx1.max()])
    return make_lattice(low, high, resolution)


def _find_support(decision: _Decision, plane: Plane, t: Array) -> tuple[Array, Array] | None:
    """Find the support vectors on the margin and the others; None for rows of another set."""
    model = decision.fitted.model
    if not decision.has_support or not are_fitted(model, decision.fitted.rows(plane.X), len(t)):
        return None
    support = np.asarray(model.support_)
    values = decision.values(plane.X)[support]  # there may be none, and no model takes no rows
    on_margin = t[support] * values >= 1.0 - SLACK
    return support[on_margin], support[~on_margin]


def _find_feet(decision: _Decision, affine: Affine, plane: Plane, t: Array) -> Array:
    """Find where the margin of each row's class is nearest; the row itself where it is met."""
    if not (decision.has_margins and affine.exact):
        raise decision.fitted.refusal(
            "weights on the columns", "slack is drawn as a distance of a linear machine of a hinge"
        )
    return affine.feet(plane.points, t)


def are_fitted(model: Any, rows: Any, n: int) -> bool:
    """Return whether the rows are those of the fit: by number and support vectors."""
    if n != model.shape_fit_[0]:
        return False
    kept = _values(model.support_vectors_)
    if kept.size == 0:  # a kernel matrix has no vectors to compare
        return True
    found = _values(_safe_indexing(rows, np.asarray(model.support_)))
    if found.dtype == kept.dtype == np.float64:
        return found.shape == kept.shape and np.allclose(found, kept, rtol=1e-5, atol=0.0)
    return np.array_equal(found, kept)


def _values(rows: Any) -> Array:
    """Return rows as numbers, or as objects if they are not numeric."""
    values = np.asarray(rows.toarray() if sparse.issparse(rows) else rows)
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        return values.astype(object)
