"""Glass boxes as what they are: a sum of shapes of columns and tables of pairs.

F(x) = c + sum_j f_j(x_j) + sum_jk f_jk(x_j, x_k), so that the pictures of all terms are the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from numpy.typing import NDArray
from sklearn.base import is_classifier

from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette
from maxmargin.plots.text import head, plain, turn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array: TypeAlias = NDArray[Any]

_COLUMNS = 4  # panels in a line
_PANEL = 2.0  # inches across a panel
_LONG = 14  # names of categories are cut to this many characters
_DENSITY = 0.12  # height of the rows' density below a shape
_DRAWN_OF = "a GlassBoxClassifier or a GlassBoxRegressor"


class TermsDisplay:
    """The shapes of a glass box, a panel a column, the most important first.

    For a GlassBoxClassifier or a GlassBoxRegressor, and pipelines that end in one. A shape is drawn
    as steps, or as points for categories, with a band of one standard error to both sides; below it
    lies how the training rows are spread. All panels share one vertical axis, so heights compare.
    Build it with :meth:`from_estimator`, or draw with :func:`terms`.

    Parameters
    ----------
    shapes : sequence of TermView
        Of single columns, in the order of drawing.
    function : int, default=0
        Of several classes, which one's values are drawn.
    target : str, default="the sum"
        What the shapes are added to.

    Attributes
    ----------
    axes_ : ndarray of Axes
        One a column.
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> from maxmargin import GlassBoxClassifier
    >>> from maxmargin.datasets import load_heart
    >>> from maxmargin.plots import TermsDisplay
    >>> X, y = load_heart(return_X_y=True)
    >>> display = TermsDisplay.from_estimator(GlassBoxClassifier().fit(X, y), max_terms=3)
    >>> len(display.axes_)
    3
    """

    drawn_of: ClassVar[str] = _DRAWN_OF

    axes_: NDArray[np.object_]
    figure_: Figure

    def __init__(
        self, *, shapes: Sequence[Any], function: int = 0, target: str = "the sum"
    ) -> None:
        self.shapes, self.function, self.target = list(shapes), function, target

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, label: Any = None, max_terms: int = 12, axes: Any = None
    ) -> Self:
        """Draw the shapes of a fitted glass box.

        Parameters
        ----------
        estimator : a GlassBoxClassifier, a GlassBoxRegressor, or a Pipeline that ends in one
            Fitted.
        label : object, optional
            With more than two classes, the one whose shapes are drawn; the last one otherwise.
        max_terms : int, default=12
            How many columns to draw at most.
        axes : array of Axes, optional
            Where to draw, one a column; a new figure otherwise.

        Returns
        -------
        TermsDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import GlassBoxClassifier, plots
        >>> from maxmargin.datasets import load_heart
        >>> X, y = load_heart(return_X_y=True)
        >>> len(plots.terms(GlassBoxClassifier().fit(X, y), max_terms=4).axes_)
        4
        """
        model = _glass_box(estimator, cls.drawn_of)
        shapes = [term for term in model.terms_ if term.kind != "pair"][:max_terms]
        function, target = _function(model, label)
        return cls(shapes=shapes, function=function, target=target).plot(axes=axes)

    @classmethod
    def of_term(cls, estimator: Any, term: Any, *, label: Any = None, ax: Axes) -> Self:
        """Draw one of the terms of a fitted glass box.

        Parameters
        ----------
        estimator : a GlassBoxClassifier, a GlassBoxRegressor, or a Pipeline that ends in one
            Fitted.
        term : TermView
            Of a single column.
        label : object, optional
            With more than two classes, the one whose shape is drawn.
        ax : Axes
            Where to draw.

        Returns
        -------
        TermsDisplay
            The display, already plotted.
        """
        function, target = _function(_glass_box(estimator, cls.drawn_of), label)
        return cls(shapes=[term], function=function, target=target).plot(axes=[ax])

    def plot(self, axes: Any = None) -> Self:
        """Draw on ``axes``, or on a new figure.

        Parameters
        ----------
        axes : array of Axes, optional
            One a column.

        Returns
        -------
        TermsDisplay
            Itself.
        """
        given = _panels(len(self.shapes)) if axes is None else np.atleast_1d(axes).ravel()
        for spare in given[len(self.shapes) :]:
            spare.set_axis_off()
        self.axes_, self.figure_ = given[: len(self.shapes)], given[0].get_figure(root=True)
        spans = [np.abs(t.values[self.function]) + t.errors[self.function] for t in self.shapes]
        extent = max((float(span.max()) for span in spans), default=1.0) or 1.0
        for k, (ax, term) in enumerate(zip(self.axes_, self.shapes, strict=True)):
            (_draw_points if term.kind == "categorical" else _draw_steps)(ax, term, self.function)
            head(ax, plain(term.name), f"importance {term.importance:.3g}")
            ax.set_ylim(-1.35 * extent, 1.12 * extent)
            ax.axhline(0.0, color=palette.CHANCE, linewidth=0.8, linestyle=":")
            ax.spines[["top", "right"]].set_visible(False)
            ax.tick_params(labelsize=8)
            if k % _COLUMNS == 0:
                ax.set_ylabel(f"what it adds to\n{plain(self.target)}", fontsize=9)
            else:
                ax.tick_params(labelleft=False)
        return self


class PairDisplay:
    """The table of a pair of columns as a map of colours.

    For a GlassBoxClassifier or a GlassBoxRegressor, and pipelines that end in one. What is drawn is
    the interaction alone: the shapes of both columns are taken out of it. Cells without training
    rows are hatched. Build it with :meth:`from_estimator`, or draw with :func:`pair`.

    Parameters
    ----------
    term : TermView
        Of two columns.
    names : tuple of str
        Of these columns.
    function : int, default=0
        Of several classes, which one's values are drawn.
    target : str, default="the sum"
        What the table is added to.

    Attributes
    ----------
    ax_ : Axes
        With the map.
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> from maxmargin import GlassBoxClassifier
    >>> from maxmargin.datasets import load_heart
    >>> from maxmargin.plots import PairDisplay
    >>> X, y = load_heart(return_X_y=True)
    >>> model = GlassBoxClassifier(pairs=[(0, 7)], n_iter_no_change=None, n_estimators=20)
    >>> PairDisplay.from_estimator(model.fit(X, y)).term.kind
    'pair'
    """

    drawn_of: ClassVar[str] = _DRAWN_OF

    ax_: Axes
    figure_: Figure

    def __init__(
        self, *, term: Any, names: tuple[str, str], function: int = 0, target: str = "the sum"
    ) -> None:
        self.term, self.names, self.function, self.target = term, names, function, target

    @classmethod
    def from_estimator(
        cls, estimator: Any, name: str | None = None, *, label: Any = None, ax: Axes | None = None
    ) -> Self:
        """Draw a pair of a fitted glass box.

        Parameters
        ----------
        estimator : a GlassBoxClassifier, a GlassBoxRegressor, or a Pipeline that ends in one
            Fitted.
        name : str, optional
            Of the pair, such as ``"age x income"``; the most important one otherwise.
        label : object, optional
            With more than two classes, the one whose table is drawn; the last one otherwise.
        ax : Axes, optional
            Where to draw; a new figure otherwise.

        Returns
        -------
        PairDisplay
            The display, already plotted.
        """
        model = _glass_box(estimator, cls.drawn_of)
        found = [term for term in model.terms_ if term.kind == "pair"]
        found = [term for term in found if name in (None, term.name)]
        if not found:
            asked = "a pair of columns" if name is None else f"the pair {name!r}"
            raise ValueError(f"The model has no term of {asked}; term_names_ lists what it has.")
        names = [model.column_name(j) for j in found[0].columns]
        function, target = _function(model, label)
        both = (names[0], names[1])
        return cls(term=found[0], names=both, function=function, target=target).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : Axes, optional

        Returns
        -------
        PairDisplay
            Itself.
        """
        if ax is None:
            _, ax = plt.subplots(figsize=(5.2, 4.2), layout="constrained")
        figure: Any = ax.get_figure(root=True)
        self.ax_, self.figure_ = ax, figure
        table, weight = self.term.values[self.function], self.term.weight
        shown = [np.flatnonzero(weight.sum(axis=1 - side) > 0) for side in (0, 1)]
        part = table[np.ix_(*shown)].T
        most = float(np.abs(part).max(initial=0.0)) or 1.0
        mesh = ax.pcolormesh(part, cmap="RdBu_r", vmin=-most, vmax=most)
        _hatch(ax, weight[np.ix_(*shown)].T == 0)
        for side, (axis, places) in enumerate(zip((ax.xaxis, ax.yaxis), shown, strict=True)):
            _name_bins(axis, self.term.bins[side], places)
        ax.set_xlabel(plain(self.names[0]), fontsize=9)
        ax.set_ylabel(plain(self.names[1]), fontsize=9)
        bar = figure.colorbar(mesh, ax=ax)
        bar.solids.set_rasterized(False)  # pages of reports show no images
        bar.set_label(f"what the pair adds to {plain(self.target)}", fontsize=9)
        head(ax, plain(self.term.name), f"importance {self.term.importance:.3g}")
        return self


class ExplanationDisplay:
    """What every term adds to the decision of one row, as a waterfall.

    For a GlassBoxClassifier or a GlassBoxRegressor, and pipelines that end in one. Bars begin at
    the constant and end at the decision; small ones are drawn as one. Build it with
    :meth:`from_estimator`, or draw with :func:`explanation`.

    Parameters
    ----------
    names : sequence of str
        Of the terms.
    contributions : ndarray of shape (terms,)
        What they add.
    constant : float
        What the sum begins with.
    target : str, default="the sum"
        What they add up to.
    max_terms : int, default=12
        How many bars to draw at most.

    Attributes
    ----------
    ax_ : Axes
        With the bars.
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> from maxmargin.plots import ExplanationDisplay
    >>> bars = ExplanationDisplay(names=["age", "sex"], contributions=[0.5, -0.2], constant=0.1)
    >>> len(bars.plot().ax_.patches)
    2
    """

    drawn_of: ClassVar[str] = _DRAWN_OF

    ax_: Axes
    figure_: Figure

    def __init__(
        self,
        *,
        names: Sequence[str],
        contributions: Any,
        constant: float,
        target: str = "the sum",
        max_terms: int = 12,
    ) -> None:
        self.names, self.constant = list(names), float(constant)
        self.contributions = np.asarray(contributions, dtype=np.float64)
        self.target, self.max_terms = target, max_terms

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        row: int = 0,
        *,
        label: Any = None,
        max_terms: int = 12,
        ax: Axes | None = None,
    ) -> Self:
        """Draw what decides about a row.

        Parameters
        ----------
        estimator : a GlassBoxClassifier, a GlassBoxRegressor, or a Pipeline that ends in one
            Fitted.
        X : array-like or DataFrame of shape (rows, columns)
        row : int, default=0
            Which of them, by position.
        label : object, optional
            With more than two classes, the one that is explained; the last one otherwise.
        max_terms : int, default=12
            How many bars to draw at most.
        ax : Axes, optional
            Where to draw; a new figure otherwise.

        Returns
        -------
        ExplanationDisplay
            The display, already plotted.
        """
        model = _glass_box(estimator, cls.drawn_of)
        found = model.explain(Fitted.of(estimator).rows(X))
        function, target = _function(model, label)
        count = len(found.contributions)
        if not isinstance(row, Integral) or not -count <= row < count:
            raise ValueError(f"row must be a whole number below {count}, that of X; got {row!r}.")
        line = found.contributions[row]
        return cls(
            names=found.names,
            contributions=line if line.ndim == 1 else line[:, function],
            constant=found.constants[function],
            target=target,
            max_terms=max_terms,
        ).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : Axes, optional

        Returns
        -------
        ExplanationDisplay
            Itself.
        """
        names, sizes = self._bars()
        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 0.32 * len(names) + 1.2), layout="constrained")
        figure: Any = ax.get_figure(root=True)
        self.ax_, self.figure_ = ax, figure
        ends = self.constant + np.cumsum(sizes)
        colours = [palette.CLASSES[int(size > 0)] for size in sizes]
        ax.barh(np.arange(len(names)), sizes, left=ends - sizes, color=colours)
        for place, (size, end) in enumerate(zip(sizes, ends, strict=True)):
            near = max(end, end - size)
            ax.annotate(
                f"{size:+.2g}".replace("-", "−"),
                (near, place),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
            )
        for value, style in ((self.constant, ":"), (float(ends[-1]), "-")):
            ax.axvline(value, color=palette.CHANCE, linewidth=0.9, linestyle=style)
        ax.set_yticks(np.arange(len(names)), [plain(name) for name in names], fontsize=8)
        ax.invert_yaxis()
        ax.margins(x=0.12)
        ax.spines[["top", "right"]].set_visible(False)
        said = f"from {self.constant:.3g} to {ends[-1]:.3g}".replace("-", "−")
        head(ax, plain(self.target[:1].upper() + self.target[1:]), said)
        return self

    def _bars(self) -> tuple[list[str], Array]:
        order = np.argsort(-np.abs(self.contributions), kind="stable")
        if len(order) <= self.max_terms:
            return [self.names[t] for t in order], self.contributions[order]
        first, rest = order[: self.max_terms - 1], order[self.max_terms - 1 :]
        names = [*(self.names[t] for t in first), f"{len(rest)} others"]
        return names, np.append(self.contributions[first], self.contributions[rest].sum())


terms = TermsDisplay.from_estimator
"""The same as ``TermsDisplay.from_estimator``."""


pair = PairDisplay.from_estimator
"""The same as ``PairDisplay.from_estimator``."""


explanation = ExplanationDisplay.from_estimator
"""The same as ``ExplanationDisplay.from_estimator``."""


def _glass_box(estimator: Any, drawn_of: str) -> Any:
    fitted = Fitted.of(estimator)
    if not hasattr(fitted.model, "term_names_"):
        raise fitted.refusal("terms", f"they are drawn of {drawn_of}")
    return fitted.model


def _function(model: Any, label: Any) -> tuple[int, str]:
    """Return the number of the function of a class, and what its values are."""
    if not is_classifier(model):
        return 0, "the prediction"
    classes = model.classes_.tolist()
    if label is not None and label not in classes:
        raise ValueError(f"There is no class {label!r}; the model has {classes}.")
    chosen = len(classes) - 1 if label is None else classes.index(label)
    return chosen if len(classes) > 2 else 0, f"the decision for {_cut(str(classes[chosen]))}"


def _hatch(ax: Axes, cells: Array) -> None:
    """Hatch some cells of a map of colours."""
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]])
    lines, columns = np.nonzero(cells)
    if not len(lines):
        return
    squares = [Path(corners + place) for place in np.column_stack([columns, lines])]
    whole = Path.make_compound_path(*squares)
    ax.add_patch(PathPatch(whole, fill=False, hatch="////", linewidth=0.0, color=palette.FACTS))


def _panels(count: int) -> Array:
    count = max(count, 1)
    lines, across = -(-count // _COLUMNS), min(count, _COLUMNS)
    size = (2.6 * across + 0.5, 2.35 * lines + 0.2)
    figure, axes = plt.subplots(lines, across, figsize=size, squeeze=False)
    figure.set_layout_engine("tight", pad=0.5, w_pad=1.1, h_pad=0.8)
    return np.asarray(axes.ravel())


def _draw_steps(ax: Axes, term: Any, function: int) -> None:
    edges, inner = term.edges[0], slice(1, None)
    values, errors = term.values[function, inner], term.errors[function, inner]
    span = float(np.ptp(edges)) if len(edges) else 0.0
    beside = 0.08 * span or 0.5
    middle = edges if len(edges) else np.zeros(1)
    ends = np.r_[middle[0] - beside, edges, middle[-1] + beside]
    ax.stairs(values + errors, ends, baseline=values - errors, fill=True, color=palette.REGIONS[0])
    ax.stairs(values, ends, baseline=None, color=palette.INK, linewidth=1.5)
    ax.set_xlim(ends[0], ends[-1])
    density = term.weight[inner] / np.maximum(np.diff(ends), 1e-300)
    edge = ax.get_xaxis_transform()
    tall = _DENSITY * density / max(float(density.max()), 1e-300)
    ax.stairs(tall, ends, fill=True, color=palette.TEST, alpha=0.4, transform=edge)
    if term.weight[0] > 0:
        _mark_missing(ax, float(term.values[function, 0]))


def _draw_points(ax: Axes, term: Any, function: int) -> None:
    shown = np.flatnonzero(term.weight > 0)
    values, errors = term.values[function, shown], term.errors[function, shown]
    places = np.arange(len(shown))
    ax.bar(places, values, 0.7, color=[palette.REGIONS[int(v > 0)] for v in values])
    ax.errorbar(places, values, errors, fmt="o", ms=4, color=palette.INK, elinewidth=1.2)
    share = term.weight[shown] / term.weight.max()
    edge = ax.get_xaxis_transform()
    ax.bar(places, _DENSITY * share, 0.9, color=palette.TEST, alpha=0.4, transform=edge)
    names = [plain(_cut(term.bins[0][k])) for k in shown]
    if len(names) <= 20:
        ax.set_xticks(places, names, **turn(names, _PANEL))
    else:
        ax.set_xticks([])
        ax.set_xlabel(f"{len(names)} categories", fontsize=8)


def _mark_missing(ax: Axes, value: float) -> None:
    edge = ax.get_yaxis_transform()
    ax.plot([1.0], [value], "<", ms=6, color=palette.BAYES, clip_on=False, transform=edge)
    words: Any = {"ha": "right", "fontsize": 8, "color": palette.BAYES}
    ax.annotate(
        "missing", (1.0, value), xycoords=edge, xytext=(-6, 4), textcoords="offset points", **words
    )


def _name_bins(axis: Any, names: Sequence[str], places: Array) -> None:
    """Name some bins along an axis of a map, as many as there is room for."""
    step = max(1, -(-len(places) // 8))
    some = places[::step]
    axis.set_ticks(
        0.5 + np.arange(0, len(places), step), labels=[plain(_cut(names[k])) for k in some]
    )
    axis.set_tick_params(labelsize=7)
    if axis.axis_name == "x":
        for text in axis.get_ticklabels():
            text.set(rotation=45, ha="right", rotation_mode="anchor")


def _cut(name: str) -> str:
    return name if len(name) <= _LONG else name[: _LONG - 1] + "…"
