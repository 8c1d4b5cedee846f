"""A stump ensemble as what it is: a sum of step functions, each of one feature.

f(x) = constant + sum over j of f_j(x_j), exactly, so the pictures of all f_j are the whole model
(Hastie and Tibshirani, Generalized Additive Models, 1990; of boosted stumps Lou, Caruana and
Gehrke, KDD 2012).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import _safe_indexing

from maxmargin import losses
from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette
from maxmargin.plots.text import head, plain, turn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array: TypeAlias = NDArray[Any]

_COLUMNS = 4  # panels in a line
_PANEL = 2.0  # inches across a panel, or somewhat more
_TICKS = 400  # of a rug at most: more rows are drawn as this number of quantiles
_RUG = 0.045  # height of a rug, within the room that functions leave below them
_BESIDE = 0.025  # share of a panel left free on both sides of a rug, so that its ends are seen
_LONG = 12  # names of categories are cut to this many characters


class ShapeDisplay:
    """Shape functions of a stump ensemble, a panel a feature, the most important first.

    For boosted stumps: an AdaBoostClassifier, LPBoostClassifier, BoostingClassifier,
    BoostingRegressor or BoostingRanker whose members are stumps, and pipelines that end in one. Of
    one among several classes those that vary most come first, since importances are of all classes
    together, and features that add a constant to it are left out. A numeric feature is drawn as
    steps above a rug of the rows, a categorical one as bars; where there were missing values in
    training, what they add is marked at the right edge. All panels share one vertical axis, so
    heights compare. Build it with :meth:`from_estimator`, or draw with :func:`shape_functions`.

    Parameters
    ----------
    shapes : sequence of ShapeFunction
        The functions, in the order of drawing.
    ranges : mapping of int to pair of float, optional
        Between which values numeric features are drawn; around their thresholds otherwise.
    rugs : mapping of int to ndarray, optional
        For numeric features, the values of the rows.
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

    drawn_of: ClassVar[str] = (
        "boosted stumps, those of an AdaBoostClassifier, LPBoostClassifier, BoostingClassifier,"
        " BoostingRegressor or BoostingRanker"
    )

    axes_: NDArray[np.object_]
    figure_: Figure

    def __init__(
        self,
        *,
        shapes: Sequence[Any],
        ranges: Mapping[int, tuple[float, float]] | None = None,
        rugs: Mapping[int, Array] | None = None,
        target: str = "the sum",
        facts: str = "importance",
    ) -> None:
        self.shapes = list(shapes)
        self.ranges = ranges or {}
        self.rugs = rugs or {}
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
        estimator : a boosted estimator of stumps, or a Pipeline that ends in one
            Fitted.
        X : array-like or DataFrame of shape (n_samples, n_features), optional
            Rows over which each function is moved to a mean of 0 and drawn from end to end, above a
            rug of them.
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
        fitted = Fitted.of(estimator)
        shapes = _shapes(fitted, cls.drawn_of, label)
        rows = None if X is None else fitted.rows(X)
        shapes = [*(shapes if X is None else shapes.centred(rows))]
        if label is not None:
            shapes = _by_spread(shapes)
        shapes = shapes[:max_features]
        rugs = {} if X is None else _columns(rows, shapes)
        return cls(
            shapes=shapes,
            ranges={feature: (rug.min(), rug.max()) for feature, rug in rugs.items()},
            rugs=rugs,
            target=_target(fitted.model, label),
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
                _draw_rug(ax, self.rugs.get(shape.feature, np.empty(0)))
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


shape_functions = ShapeDisplay.from_estimator
"""The same as ``ShapeDisplay.from_estimator``."""


def _target(estimator: Any, label: Any) -> str:
    """Name what a model's functions add up to."""
    if is_classifier(estimator):
        name = estimator.classes_[1] if label is None else label
        return f"the decision for {_cut(str(name))}"
    if not is_regressor(estimator):
        return "the score"
    logarithmic = losses.named(estimator.loss).response(0.0) == 1.0
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


def _draw_rug(ax: Axes, values: Array) -> None:
    """Draw a tick for every row, or every quantile of many, along the lower edge.

    Ticks are nearly transparent, so that many in one place are darker than one.
    """
    if len(values) == 0:
        return
    ticks = values
    if len(values) > _TICKS:
        ticks = np.quantile(values, np.linspace(0.0, 1.0, _TICKS), method="nearest")
    edge, style = ax.get_xaxis_transform(), {"color": palette.TEST, "lw": 0.8, "alpha": 0.3}
    ax.vlines(ticks, 0.0, _RUG, transform=edge, **style)  # type: ignore[arg-type]
    low, high = ax.get_xlim()
    ax.set_xlim(low - _BESIDE * (high - low), high + _BESIDE * (high - low))


def _shapes(fitted: Fitted, drawn_of: str, label: Any) -> Any:
    refusal = fitted.refusal("shape_functions", f"they are drawn of {drawn_of}")
    if not hasattr(fitted.model, "shape_functions"):
        raise refusal
    try:
        return fitted.model.shape_functions(*([] if label is None else [label]))
    except AttributeError:  # its members are not stumps
        raise refusal from None


def _columns(rows: Any, shapes: Sequence[Any]) -> dict[int, Array]:
    """Take the values of numeric features, without those that are missing."""
    found = {}
    for shape in shapes:
        if shape.categories is None:
            column = _safe_indexing(rows, shape.feature, axis=1)
            dense = column.toarray() if sparse.issparse(column) else column
            values = np.asarray(dense, dtype=np.float64).ravel()
            found[shape.feature] = values[~np.isnan(values)]
    return found


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
    ax.set_xticks(np.arange(len(values)), shown, **turn(shown, _PANEL))


def _cut(name: str) -> str:
    return name if len(name) <= _LONG else name[: _LONG - 1] + "…"
