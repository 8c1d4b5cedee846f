"""The rounds of AdaBoost side by side: the weights, the weak learner, the ensemble so far."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length

from maxmargin.course.plots import replay
from maxmargin.course.plots.rounds_table import RoundsTableDisplay
from maxmargin.evaluation.members import coefficients
from maxmargin.inputs.fitted import Fitted
from maxmargin.inputs.parameters import check_choice
from maxmargin.plots import palette
from maxmargin.plots.plane import Plane, make_lattice
from maxmargin.plots.text import head, plain, turn, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

Array: TypeAlias = NDArray[Any]

_INK_A_PANEL = 2000.0  # area that all points together may cover, in points squared
_AREAS = (18.0, 150.0)  # between which the area of a point with the average weight lies
_LARGEST = 900.0  # area of the heaviest point, whatever its weight
_SMALLEST = 6.0  # below which a point could not be seen
_CROWD = 100  # rows above which rings and edges become thinner
_ROOM = 2.9  # inches across a panel
_TERMS = 6  # ensembles of more are not written out


class RoundsDisplay:
    """Rounds of AdaBoost on two features, a column a round.

    For an AdaBoostClassifier of two classes, ours or scikit-learn's, and pipelines that end in one;
    features may be numbers or words. Above, the weak learner: its two sides, and the points by
    class with an area that is proportional to the weight it was fitted with. Below, the ensemble
    with it. Points on the wrong side are ringed. Build it with :meth:`from_estimator`, or draw with
    :func:`rounds`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, 2)
        The training points.
    t : ndarray of shape (n_samples,)
        Their class: -1 for the first, +1 for the second.
    rounds : ndarray of shape (n_rounds,)
        The numbers of the rounds, from 1.
    weights : ndarray of shape (n_rounds, n_samples)
        The weights that the weak learner of each round saw; they sum to 1.
    members, ensembles : ndarray of shape (n_rounds, n_samples)
        What the weak learner (-1 or +1) and the ensemble up to it say of the points.
    xx0, xx1 : ndarray of shape (rows, columns)
        A lattice.
    member_grid, ensemble_grid : ndarray of shape (n_rounds, rows, columns)
        The same on the lattice.
    alphas : ndarray of shape (n_alphas,)
        The coefficients of all rounds up to the last that is drawn.
    class_names, axis_names : pair of str
        How the legend calls the classes, and labels of the axes.
    axis_words : pair of list of str or None
        For an axis of words, what stands at 0, 1, ...

    Attributes
    ----------
    axes_ : ndarray of Axes of shape (2, n_rounds)
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure.
    legend_ : Legend or None
        The legend, below all panels.

    Examples
    --------
    >>> from maxmargin.boosting import AdaBoostClassifier
    >>> from maxmargin.datasets import load_ten_points
    >>> from maxmargin.plots import RoundsDisplay
    >>> X, y = load_ten_points(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> display = RoundsDisplay.from_estimator(model, X, y)
    >>> display.axes_.shape
    (2, 3)
    """

    drawn_of: ClassVar[str] = "an AdaBoostClassifier"

    axes_: NDArray[np.object_]
    figure_: Figure
    legend_: Legend | None
    _room: float  # inches that a title may be wide

    def __init__(
        self,
        *,
        X: Array,
        t: Array,
        rounds: Array,
        weights: Array,
        members: Array,
        ensembles: Array,
        xx0: Array,
        xx1: Array,
        member_grid: Array,
        ensemble_grid: Array,
        alphas: Array,
        class_names: tuple[str, str],
        axis_names: tuple[str, str] = ("x1", "x2"),
        axis_words: tuple[list[str] | None, list[str] | None] = (None, None),
    ) -> None:
        self.X = X
        self.t = t
        self.rounds = rounds
        self.weights = weights
        self.members = members
        self.ensembles = ensembles
        self.xx0 = xx0
        self.xx1 = xx1
        self.member_grid = member_grid
        self.ensemble_grid = ensemble_grid
        self.alphas = alphas
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
        rounds: Iterable[int] | None = None,
        sample_weight: ArrayLike | None = None,
        grid_resolution: int = 300,
        axes: Any = None,
        legend: bool = True,
    ) -> Self:
        """Draw rounds of a fitted AdaBoost of two classes on the points it was fitted to.

        Parameters
        ----------
        estimator : AdaBoostClassifier, or a Pipeline that ends in one
            Fitted to ``X`` and ``y``.
        X : array-like or DataFrame of shape (n_samples, 2)
            The training points; columns may hold words.
        y : array-like of shape (n_samples,)
            Their labels.
        rounds : iterable of int, optional
            Which rounds, from 1; the first four when not given.
        sample_weight : array-like of shape (n_samples,), optional
            The weights that were given to ``fit``.
        grid_resolution : int, default=300
            Lattice points an axis.
        axes : array of Axes of shape (2, n_rounds), optional
            Axes to draw into; by default a new figure.
        legend : bool, default=True
            Whether to put a legend below the panels.

        Returns
        -------
        RoundsDisplay
            The display, already plotted.
        """
        fitted = Fitted.of(estimator)
        alphas = _check(fitted, cls.drawn_of)
        way_out = 'fit the model to two of them, or ask for kind="table".'
        plane = Plane.of(X, "rounds", fitted.categorical, way_out)
        points, classes = plane.points, _two_classes(fitted.model)
        check_consistent_length(points, y)
        chosen = replay.choose_rounds(rounds, range(1, min(len(alphas), 4) + 1), len(alphas))
        t = np.where(np.asarray(y) == classes[1], 1.0, -1.0)
        first = replay.first_weights(fitted.model, np.asarray(y), sample_weight)
        xx0, xx1 = make_lattice(*plane.corners(0.09), grid_resolution)

        def replayed(rows: Any) -> Array:
            return np.array(replay.votes(fitted.model, fitted.rows(rows), chosen))

        members, ensembles = replayed(X)
        member_grid, ensemble_grid = plane.ask(replayed, xx0, xx1)
        before = ensembles - alphas[chosen - 1, None] * members
        weights = replay.weights(before, t, first)
        replay.refuse_other_rows(fitted.model, chosen, (weights * (members != t)).sum(axis=1))
        display = cls(
            X=points,
            t=t,
            rounds=chosen,
            weights=weights,
            members=members,
            ensembles=ensembles,
            xx0=xx0,
            xx1=xx1,
            member_grid=member_grid,
            ensemble_grid=ensemble_grid,
            alphas=alphas[: chosen[-1]],
            class_names=(plain(classes[0]), plain(classes[1])),
            axis_names=plane.names,
            axis_words=plane.words,
        )
        return display.plot(axes=axes, legend=legend)

    def plot(self, axes: Any = None, *, legend: bool = True) -> Self:
        """Draw on ``axes``, or on a new figure.

        Parameters
        ----------
        axes : array of Axes of shape (2, n_rounds), optional
            Where to draw.
        legend : bool, default=True
            Whether to put a legend below the panels.

        Returns
        -------
        RoundsDisplay
            Itself.
        """
        count = len(self.rounds)
        if axes is None:
            size = (3.1 * count + 0.3, 7.4 + 0.4 * legend)
            figure, axes = plt.subplots(2, count, figsize=size, squeeze=False)
            figure.set_layout_engine("compressed", w_pad=0.08, h_pad=0.08)
            self._room = _ROOM
        else:
            given = np.asarray(axes, dtype=object).flat[0]
            self._room = given.get_window_extent().width / given.get_figure(root=True).dpi
        self.axes_ = np.asarray(axes, dtype=object).reshape(2, count)
        self.figure_ = self.axes_[0, 0].get_figure(root=True)
        for column in range(count):
            self._draw_member(column)
            self._draw_ensemble(column)
        self._name_axes()
        self.legend_ = self._add_legend() if legend else None
        return self

    def legend_handles(self) -> list[Line2D]:
        """Return what a legend needs: one mark for each kind of thing drawn.

        Returns
        -------
        list of Line2D
            With their labels.
        """
        classes = zip(palette.MARKERS, palette.CLASSES, self.class_names, strict=True)
        handles = [
            Line2D([], [], ls="none", marker=marker, color=colour, label=f"class {name}")
            for marker, colour, name in classes
        ]
        ring = Line2D([], [], ls="none", marker="o", ms=11, mfc="none", mec=palette.INK)
        ring.set_label("on the wrong side")
        return [*handles, ring]

    def _draw_member(self, column: int) -> None:
        ax, number = self.axes_[0, column], int(self.rounds[column])
        weight = self.weights[column]
        wrong = self.t * self.members[column] <= 0
        self._draw_sides(ax, self.member_grid[column])
        self._draw_points(ax, _areas(weight), wrong)
        facts = f"error {weight[wrong].sum():.4f}    α = {self.alphas[number - 1]:.4f}"
        head(ax, f"round {number}", facts)

    def _draw_ensemble(self, column: int) -> None:
        ax, number = self.axes_[1, column], int(self.rounds[column])
        wrong = self.t * self.ensembles[column] <= 0
        self._draw_sides(ax, self.ensemble_grid[column])
        self._draw_points(ax, np.full(len(self.X), 0.6 * _average_area(len(self.X))), wrong)
        head(ax, self._sum(number), f"training error {wrong.mean():.4f}")

    def _sum(self, number: int) -> str:
        """Write H out while it fits above a panel, then with its first and last term."""
        name = f"H{_subscript(number)}"
        terms = [f"{alpha:.2f} h{_subscript(k)}" for k, alpha in enumerate(self.alphas[:number], 1)]
        for some in (terms, [terms[0], "…", terms[-1]]):
            title = f"{name} = " + " + ".join(some)
            if len(some) <= _TERMS and width(title, 10, "bold") <= self._room:
                return title
        return name

    def _draw_sides(self, ax: Axes, values: Array) -> None:
        ax.contourf(
            self.xx0, self.xx1, np.sign(values), levels=[-2.0, 0.0, 2.0], colors=palette.REGIONS
        )
        if values.min() < 0.0 < values.max():  # matplotlib warns about levels outside the data
            line: Any = {"colors": palette.INK, "linewidths": 1.8}
            ax.contour(self.xx0, self.xx1, np.sign(values), levels=[0.0], **line)

    def _draw_points(self, ax: Axes, areas: Array, wrong: Array) -> None:
        thin = min(1.0, np.sqrt(_CROWD / len(self.X)))
        looks = zip((-1.0, 1.0), palette.CLASSES, palette.MARKERS, strict=True)
        for side, colour, marker in looks:
            mine = self.t == side
            x0, x1 = self.X[mine].T
            ax.scatter(x0, x1, s=areas[mine], color=colour, marker=marker, zorder=3,
                       edgecolors="white", linewidths=0.5 * thin, clip_on=False)  # fmt: skip
        x0, x1 = self.X[wrong].T
        rings = (1.1 * np.sqrt(areas[wrong]) + 4 * thin) ** 2
        # In a crowd points lie above all rings, or these would be all that is seen of it.
        level = 4.0 if thin == 1.0 else 2.9
        ax.scatter(x0, x1, s=rings, facecolors="none", edgecolors=palette.INK,
                   linewidths=0.9 * thin, zorder=level, clip_on=False)  # fmt: skip
        ax.set(xticks=[], yticks=[], box_aspect=1)

    def _name_axes(self) -> None:
        for ax in self.axes_[1]:
            ax.set_xlabel(plain(self.axis_names[0]))
        for ax in self.axes_[:, 0]:
            ax.set_ylabel(plain(self.axis_names[1]))
        across, up = ([plain(word) for word in words or ()] for words in self.axis_words)
        for ax in self.axes_[1]:
            ax.set_xticks(np.arange(len(across)), across, **turn(across, self._room))
        for ax in self.axes_[:, 0]:
            ax.set_yticks(np.arange(len(up)), up, fontsize=8)

    def _add_legend(self) -> Legend:
        return self.figure_.legend(
            handles=self.legend_handles(), loc="outside lower center", ncols=3, frameon=False
        )


def rounds(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    rounds: Iterable[int] | None = None,
    sample_weight: ArrayLike | None = None,
    axes: Any = None,
    legend: bool = True,
    kind: str | None = None,
    feature_names: Any = None,
) -> RoundsDisplay | RoundsTableDisplay:
    """Draw rounds of AdaBoost side by side: weights, weak learner and the ensemble so far.

    Two columns are drawn as a plane; a table of words with more or fewer of them as a table, a line
    for each row and a column for each round.

    Parameters
    ----------
    estimator : AdaBoostClassifier, or a Pipeline that ends in one
        Fitted to ``X`` and ``y``; of two classes for a plane.
    X : array-like or DataFrame of shape (n_samples, 2) or (n_samples, n_features)
        The training rows; columns may hold words.
    y : array-like of shape (n_samples,)
        Their labels.
    rounds : iterable of int, optional
        Which rounds, from 1; the first four when not given.
    sample_weight : array-like of shape (n_samples,), optional
        The weights that were given to ``fit``.
    axes : array of Axes of shape (2, n_rounds), or Axes, optional
        Where to draw; a table needs one. A new figure otherwise.
    legend : bool, default=True
        Whether to put a legend below the panels.
    kind : {"plane", "table"}, optional
        How to draw; None decides by the columns.
    feature_names : sequence of str, optional
        Names of the columns of a table; those of a DataFrame, or else x1, x2, ...

    Returns
    -------
    RoundsDisplay or RoundsTableDisplay
        With ``figure_``, and ``axes_`` or ``ax_``.

    Examples
    --------
    >>> from maxmargin import plots
    >>> from maxmargin.boosting import AdaBoostClassifier
    >>> from maxmargin.datasets import load_ten_points
    >>> X, y = load_ten_points(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> print(plots.rounds(model, X, y).axes_[1, 2].get_title(loc="left"))
    H₃ = 0.42 h₁ + 0.65 h₂ + 0.92 h₃
    """
    given: dict[str, Any] = {"rounds": rounds, "sample_weight": sample_weight}
    if kind is not None:
        check_choice("rounds", "kind", kind, ("plane", "table"))
    if kind == "table" or (kind is None and _is_table_of_words(Fitted.of(estimator))):
        names = {"feature_names": feature_names}
        return RoundsTableDisplay.from_estimator(estimator, X, y, **given, **names, ax=axes)
    return RoundsDisplay.from_estimator(estimator, X, y, **given, axes=axes, legend=legend)


def _is_table_of_words(fitted: Fitted) -> bool:
    words = fitted.categorical
    return words is not None and bool(np.any(words)) and len(words) != 2


def _subscript(number: int) -> str:
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def _check(fitted: Fitted, drawn_of: str) -> Array:
    """Return the coefficients; raise for what cannot be drawn."""
    alphas = coefficients(fitted.model)
    if alphas is None:
        raise fitted.refusal("alphas_", f"rounds are drawn of {drawn_of}")
    replay.refuse_corrected(fitted.model)
    return alphas


def _two_classes(model: Any) -> Array:
    if len(model.classes_) != 2:
        raise ValueError(
            f"The model knows {len(model.classes_)} classes, but rounds are drawn for 2:"
            " fit it to two of them."
        )
    return np.asarray(model.classes_)


def _average_area(count: int) -> float:
    return float(np.clip(_INK_A_PANEL / count, *_AREAS))


def _areas(weight: Array) -> Array:
    """Make areas proportional to weights, as large as leaves the heaviest within bounds."""
    scale = min(_average_area(len(weight)) * len(weight), _LARGEST / weight.max())
    return np.maximum(scale * weight, _SMALLEST)
