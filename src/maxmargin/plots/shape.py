"""A stump ensemble as what it is: a sum of step functions, each of one feature.

f(x) = constant + sum over j of f_j(x_j), exactly, so the pictures of all f_j are the whole model
(Hastie and Tibshirani, Generalized Additive Models, 1990; of boosted stumps Lou, Caruana and
Gehrke, KDD 2012).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from maxmargin import losses
from maxmargin.plots import palette
from maxmargin.plots.text import head, plain, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array: TypeAlias = NDArray[Any]

_COLUMNS = 4  # panels in a line
_PANEL = 2.0  # inches across a panel, or somewhat more
_LONG = 12  # names of categories are cut to this many characters


class ShapeDisplay:
    """Shape functions of a stump ensemble, a panel a feature, the most important first.

    Of one among several classes those that vary most come first, since importances are of all
    classes together, and features that add a constant to it are left out.
    A numeric feature is drawn as steps, a categorical one as bars; where there were missing values
    in training, what they add is marked at the right edge. All panels share one vertical axis, so
    heights compare. Build it with :meth:`from_estimator`, or draw with :func:`shape_functions`.

    Parameters
    ----------
    shapes : sequence of ShapeFunction
        The functions, in the order of drawing.
    ranges : mapping of int to pair of float, optional
        Between which values numeric features are drawn; around their thresholds otherwise.
    target : str, default="the sum"
        What the functions are added to.
    facts : {"importance", "spread"}, default="importance"
        What stands above a panel.

    Attributes
    ----------
    axes_ : ndarray of Axes
        One a feature.
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> from maxmargin.boosting import BoostingClassifier
    >>> from maxmargin.datasets import load_ten_points
    >>> from maxmargin.plots import ShapeDisplay
    >>> X, y = load_ten_points(return_X_y=True)
    >>> display = ShapeDisplay.from_estimator(BoostingClassifier(n_estimators=9).fit(X, y))
    >>> len(display.axes_)
    2
    """

    axes_: NDArray[np.object_]
    figure_: Figure

    def __init__(
        self,
        *,
        shapes: Sequence[Any],
        ranges: Mapping[int, tuple[float, float]] | None = None,
        target: str = "the sum",
        facts: str = "importance",
    ) -> None:
        self.shapes = list(shapes)
        self.ranges = ranges or {}
        self.target = target
        self.facts = facts

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        label: Any = None,
        max_features: int = 12,
        axes: Any = None,
    ) -> Self:
        """Draw the shape functions of a fitted ensemble of stumps.

        Parameters
        ----------
        estimator : a boosted estimator of stumps
            Fitted.
        X : array-like or DataFrame of shape (n_samples, n_features), optional
            Rows over which each function is moved to a mean of 0 and drawn from end to end.
        label : object, optional
            With more than two classes, the one whose functions are drawn.
        max_features : int, default=12
            How many features to draw at most, the most important ones.
        axes : array of Axes, optional
            Where to draw, one a feature; a new figure otherwise.

        Returns
        -------
        ShapeDisplay
            The display, already plotted.
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "shape_functions"):
            raise TypeError(
                f"{type(estimator).__name__} has no shape_functions: they are drawn of boosted"
                " stumps."
            )
        shapes = estimator.shape_functions(*([] if label is None else [label]))
        shapes = [*(shapes if X is None else shapes.centred(X))]
        if label is not None:
            shapes = _by_spread(shapes)
        shapes = shapes[:max_features]
        ranges = {} if X is None else {shape.feature: _range(X, shape) for shape in shapes}
        return cls(
            shapes=shapes,
            ranges=ranges,
            target=_target(estimator, label),
            facts="importance" if label is None else "spread",
        ).plot(axes=axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on ``axes``, or on a new figure.

        Parameters
        ----------
        axes : array of Axes, optional
            One a feature.

        Returns
        -------
        ShapeDisplay
            Itself.
        """
        given = self._axes() if axes is None else np.atleast_1d(np.asarray(axes, object)).ravel()
        for spare in given[len(self.shapes) :]:
            spare.set_axis_off()
        self.axes_ = given[: len(self.shapes)]
        self.figure_ = given[0].get_figure(root=True)
        for ax, shape in zip(self.axes_, self.shapes, strict=True):
            if shape.categories is None:
                _draw_steps(ax, shape, self.ranges.get(shape.feature))
            else:
                _draw_bars(ax, shape)
            head(ax, plain(shape.name), self._facts(shape))
        self._finish_axes()
        return self

    def _facts(self, shape: Any) -> str:
        if self.facts == "importance":
            return f"importance {shape.importance:.1%}"
        low, high = _ends(shape)
        return f"from {low:.2f} to {high:.2f}".replace("-", "−")

    def _axes(self) -> Array:
        count = max(len(self.shapes), 1)
        lines, across = -(-count // _COLUMNS), min(count, _COLUMNS)
        size = (2.6 * across + 0.5, 2.35 * lines + 0.2)
        figure, axes = plt.subplots(lines, across, figsize=size, squeeze=False)
        # Unlike the constrained layout, the tight one has equal gaps, whatever the names below.
        figure.set_layout_engine("tight", pad=0.5, w_pad=1.1, h_pad=0.8)
        return np.asarray(axes.ravel())

    def _finish_axes(self) -> None:
        extent = max((np.abs(shape.values).max() for shape in self.shapes), default=1.0)
        for k, ax in enumerate(self.axes_):
            ax.set_ylim(-1.12 * extent, 1.12 * extent)
            ax.axhline(0.0, color=palette.CHANCE, linewidth=0.8, linestyle=":")
            ax.spines[["top", "right"]].set_visible(False)
            ax.tick_params(labelsize=8)
            if k % _COLUMNS == 0:
                ax.set_ylabel(f"what it adds to\n{plain(self.target)}", fontsize=9)
            else:
                ax.tick_params(labelleft=False)


def shape_functions(
    estimator: Any,
    X: Any = None,
    *,
    label: Any = None,
    max_features: int = 12,
    axes: Any = None,
) -> ShapeDisplay:
    """Draw an ensemble of stumps as the sum of one-feature functions that it is.

    Parameters
    ----------
    estimator : a boosted estimator of stumps
        Fitted.
    X : array-like or DataFrame of shape (n_samples, n_features), optional
        Rows over which each function is moved to a mean of 0 and drawn from end to end.
    label : object, optional
        With more than two classes, the one whose functions are drawn.
    max_features : int, default=12
        How many features to draw at most, the most important ones; with ``label`` those whose
        functions vary most.
    axes : array of Axes, optional
        Where to draw, one a feature; a new figure otherwise.

    Returns
    -------
    ShapeDisplay
        With ``axes_`` and ``figure_``.

    Examples
    --------
    >>> from maxmargin import plots
    >>> from maxmargin.boosting import BoostingClassifier
    >>> from maxmargin.datasets import load_heart
    >>> X, y = load_heart(return_X_y=True)
    >>> display = plots.shape_functions(BoostingClassifier().fit(X, y), X, max_features=4)
    >>> len(display.axes_)
    4
    """
    return ShapeDisplay.from_estimator(
        estimator, X, label=label, max_features=max_features, axes=axes
    )


def _target(estimator: Any, label: Any) -> str:
    """Name what a model's functions add up to."""
    if is_classifier(estimator):
        name = estimator.classes_[1] if label is None else label
        return f"the decision for {_cut(str(name))}"
    if not is_regressor(estimator):
        return "the score"
    logarithmic = isinstance(losses.named(estimator.loss), losses.Poisson)
    return "the log of the prediction" if logarithmic else "the prediction"


def _ends(shape: Any) -> tuple[float, float]:
    """Find the least and the greatest value that a function takes."""
    missing = [] if shape.missing is None else [shape.missing]
    values = np.r_[np.asarray(shape.values, dtype=np.float64), missing]
    return float(values.min()), float(values.max())


def _by_spread(shapes: Sequence[Any]) -> list[Any]:
    """Sort by how much functions vary, without those that do not, unless none does."""
    spread = {shape.feature: np.subtract(*_ends(shape)[::-1]) for shape in shapes}
    order = sorted(shapes, key=lambda shape: (-spread[shape.feature], shape.feature))
    least = 1e-9 * max(spread.values(), default=0.0)
    return [shape for shape in order if spread[shape.feature] > least] or order


def _draw_steps(ax: Axes, shape: Any, ends: tuple[float, float] | None) -> None:
    """Draw the steps between thresholds, beyond the first and the last up to the ends."""
    inner = np.asarray(shape.thresholds, dtype=np.float64)
    low, high = ends or _around(inner)
    edges = np.r_[min(low, inner[0]), inner, max(high, inner[-1])]
    values = np.asarray(shape.values, dtype=np.float64)
    for sign, colour in zip((-1.0, 1.0), palette.REGIONS, strict=True):
        ax.stairs(np.where(sign * values > 0, values, 0.0), edges, fill=True, color=colour)
    ax.stairs(values, edges, baseline=None, color=palette.INK, linewidth=1.5)
    ax.set_xlim(edges[0], edges[-1])
    if shape.missing is not None:
        _mark_missing(ax, shape.missing)


def _around(thresholds: Array) -> tuple[float, float]:
    span = float(np.ptp(thresholds)) or max(abs(float(thresholds[0])), 1.0)
    return float(thresholds[0]) - 0.15 * span, float(thresholds[-1]) + 0.15 * span


def _range(X: Any, shape: Any) -> tuple[float, float]:
    """Find the least and the greatest value of a numeric feature; a category has none."""
    if shape.categories is not None:
        return 0.0, 0.0
    column = _safe_indexing(X, shape.feature, axis=1)
    if sparse.issparse(column):
        column = column.toarray()
    values = np.asarray(column, dtype=np.float64)
    return float(np.nanmin(values)), float(np.nanmax(values))


def _mark_missing(ax: Axes, value: float) -> None:
    edge = ax.get_yaxis_transform()
    ax.plot([1.0], [value], "<", ms=6, color=palette.BAYES, clip_on=False, transform=edge)
    words: Any = {"ha": "right", "fontsize": 8, "color": palette.BAYES}
    ax.annotate(
        "missing", (1.0, value), xycoords=edge, xytext=(-6, 4), textcoords="offset points", **words
    )


def _draw_bars(ax: Axes, shape: Any) -> None:
    values, names = np.asarray(shape.values, dtype=np.float64), [*map(str, shape.categories)]
    edges = [palette.INK] * len(values)
    if shape.missing is not None:
        values, names = np.r_[values, shape.missing], [*names, "missing"]
        edges = [*edges, palette.BAYES]
    colours = [palette.REGIONS[int(value > 0)] for value in values]
    ax.bar(np.arange(len(values)), values, 0.7, color=colours, edgecolor=edges, lw=1.2)
    shown = [plain(_cut(name)) for name in names]
    room = _PANEL / len(values)
    crowded = any(width(name, 8) > room for name in shown)
    turn: Any = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
    ax.set_xticks(np.arange(len(values)), shown, fontsize=8, **turn)


def _cut(name: str) -> str:
    return name if len(name) <= _LONG else name[: _LONG - 1] + "…"
