"""The probability that a classifier of two columns gives to its second class, as a field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.utils import check_consistent_length

from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.plane import Plane, frame, make_lattice, of_second
from maxmargin.plots.text import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.colorbar import Colorbar
    from matplotlib.contour import QuadContourSet

Array: TypeAlias = NDArray[Any]

_STEPS = np.linspace(0.0, 1.0, 21)
_LINES = (0.1, 0.25, 0.5, 0.75, 0.9)
_FIELD = LinearSegmentedColormap.from_list(  # those of the classes, light enough for points on them
    "probability", ["#73B2D8", "#FFFFFF", "#E9A373"]
)


class ProbabilityDisplay(Display):
    """P(second class | x) of a classifier of two columns and two classes, as a field of colour.

    For every classifier with ``predict_proba``, ours and scikit-learn's, and for pipelines and
    searches that end in one. Lines run where the probability is 0.1, 0.25, 0.5, 0.75 and 0.9; that
    of 0.5, the boundary, is the heaviest. Those of logistic regression are straight and parallel,
    and their distance shows how fast the probability changes.
    Build it with :meth:`from_estimator`, or draw in one call with :func:`probability_field`.

    Parameters
    ----------
    xx0, xx1 : ndarray of shape (rows, columns)
        The lattice on which the classifier was asked.
    probability : ndarray of shape (rows, columns)
        What it says there.
    X : ndarray of shape (n_samples, 2)
        The points to draw.
    y : ndarray of shape (n_samples,)
        Their class: 0 for the first, 1 for the second.
    class_names : pair of str
    axis_names : pair of str

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    field_, lines_ : QuadContourSet
        The colours, and the lines of equal probability; None where none crosses the picture.
    points_ : list of PathCollection
        The points, one collection a class.
    bar_ : Colorbar or None
        What the colours mean.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin import LinearClassifier
    >>> from maxmargin.datasets import load_mixture
    >>> from maxmargin.plots import ProbabilityDisplay
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = LinearClassifier().fit(X, y)
    >>> display = ProbabilityDisplay.from_estimator(model, X, y, ax=Figure().subplots())
    >>> display.lines_.levels.tolist()
    [0.1, 0.25, 0.5, 0.75, 0.9]
    """

    drawn_of: ClassVar[str] = "a classifier of two columns and two classes with predict_proba"

    field_: QuadContourSet
    lines_: QuadContourSet | None
    points_: list[PathCollection]
    bar_: Colorbar | None

    def __init__(
        self,
        *,
        xx0: Array,
        xx1: Array,
        probability: Array,
        X: Array,
        y: Array,
        class_names: tuple[str, str],
        axis_names: tuple[str, str] = ("x1", "x2"),
    ) -> None:
        self.xx0 = xx0
        self.xx1 = xx1
        self.probability = probability
        self.X = X
        self.y = y
        self.class_names = class_names
        self.axis_names = axis_names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        grid_resolution: int = 200,
        ax: Axes | None = None,
        bar: bool = True,
    ) -> Self:
        """Ask a fitted classifier on a lattice over some rows, and draw what it says.

        Parameters
        ----------
        estimator : classifier with predict_proba, or a Pipeline or search that ends in one
            Fitted to two columns and two classes.
        X : array-like or DataFrame of shape (n_samples, 2)
            The rows to draw.
        y : array-like of shape (n_samples,)
            Their labels.
        grid_resolution : int, default=200
            Lattice points an axis.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.
        bar : bool, default=True
            Whether to say beside the axes what the colours mean.

        Returns
        -------
        ProbabilityDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import LinearClassifier, plots
        >>> from maxmargin.datasets import load_mixture
        >>> X, y = load_mixture(return_X_y=True)
        >>> plots.probability_field(LinearClassifier().fit(X, y), X, y).class_names
        ('0', '1')
        """
        fitted = Fitted.of(estimator)
        second = _check(fitted, cls.drawn_of, y)
        plane = Plane.of(X, "probabilities", fitted.categorical)
        check_consistent_length(plane.points, second)
        xx0, xx1 = make_lattice(*plane.corners(0.06), grid_resolution)

        def ask(rows: Any) -> Array:
            return np.asarray(fitted.model.predict_proba(fitted.rows(rows)))[:, 1]

        first, other = fitted.model.classes_
        display = cls(
            xx0=xx0,
            xx1=xx1,
            probability=plane.ask(ask, xx0, xx1),
            X=plane.points,
            y=second.astype(np.intp),
            class_names=(str(first), str(other)),
            axis_names=plane.names,
        )
        return display.plot(ax=ax, bar=bar)

    def plot(self, ax: Axes | None = None, *, bar: bool = True) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        bar : bool, default=True
            Whether to say beside the axes what the colours mean.

        Returns
        -------
        ProbabilityDisplay
            Itself.
        """
        ax = self._place(ax, 6.4, 5.2)
        self._draw_field()
        self._draw_points()
        self.bar_ = self._add_bar() if bar else None
        frame(ax, self.xx0, self.xx1, self.axis_names)
        return self

    def _draw_field(self) -> None:
        grid = self.xx0, self.xx1, self.probability
        self.field_ = self.ax_.contourf(*grid, levels=_STEPS, cmap=_FIELD)
        low, high = float(self.probability.min()), float(self.probability.max())
        inside = [level for level in _LINES if low < level < high]
        self.lines_ = None
        if inside:
            widths = [1.8 if level == 0.5 else 0.8 for level in inside]
            self.lines_ = self.ax_.contour(
                *grid, levels=inside, colors=palette.INK, linewidths=widths, linestyles="solid"
            )
            self.ax_.clabel(self.lines_, fmt="%g", fontsize=8)

    def _draw_points(self) -> None:
        self.points_ = [
            self.ax_.scatter(
                self.X[self.y == label, 0],
                self.X[self.y == label, 1],
                s=26,
                marker=palette.MARKERS[label],
                color=palette.CLASSES[label],
                edgecolors="white",
                linewidths=0.5,
                zorder=3,
                clip_on=False,
                label=plain(f"class {self.class_names[label]}"),
            )
            for label in (0, 1)
        ]

    def _add_bar(self) -> Colorbar:
        said = plain(f"probability of class {self.class_names[1]}")
        return self.figure_.colorbar(self.field_, ax=self.ax_, label=said, ticks=_STEPS[::4])


probability_field = ProbabilityDisplay.from_estimator
"""The same as ``ProbabilityDisplay.from_estimator``."""


def _check(fitted: Fitted, drawn_of: str, y: ArrayLike) -> Array:
    """Return which rows are of the second class; raise for what cannot be drawn."""
    if not is_classifier(fitted.model) or not hasattr(fitted.model, "predict_proba"):
        raise fitted.refusal("probabilities", f"a field is drawn of {drawn_of}")
    classes = np.asarray(fitted.model.classes_)
    return of_second(y, classes, "a field of probabilities is")
