"""A stump as a tree: its question, and what lies on either side of it, weighted."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from matplotlib.patches import FancyBboxPatch
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length

from maxmargin.course.plots import replay
from maxmargin.course.plots.rounds_table import column_names
from maxmargin.evaluation.members import coefficients, nameless
from maxmargin.inputs.container import as_table, take_columns
from maxmargin.inputs.fitted import Fitted
from maxmargin.inputs.weights import read_weight
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.question import SplitQuestion
from maxmargin.plots.text import head, plain
from maxmargin.trees.stump import DecisionStump

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array: TypeAlias = NDArray[Any]

_LEAVES = ((0.01, 0.475), (0.525, 0.99))  # from where to where across the axes
_ROOT = (0.5, 0.88)
_TOP = 0.56  # of the leaves
_LINE = 22  # letters of a branch before it is broken
_CLASSES = 5  # of more, those with the most weight are listed


class StumpDisplay(Display):
    """A stump drawn as a tree: the root asks, two leaves answer.

    For a DecisionStump, a round of an AdaBoostClassifier of stumps, and pipelines that end in one
    of these. Each leaf lists its rows by class, with a bar as long as their share of all weight;
    those of other classes than it says are hatched, and together they are the weighted error.
    Deeper trees are drawn by ``sklearn.tree.plot_tree``.
    Build it with :meth:`from_estimator`, or draw in one call with :func:`tree`.

    Parameters
    ----------
    question : SplitQuestion or None
        What is asked; None of a stump that asks nothing and has one leaf.
    said : ndarray of int of shape (2,)
        The class that each leaf says, left and right.
    counts : ndarray of shape (2, n_classes)
        Rows in each leaf, by class.
    weights : ndarray of shape (2, n_classes)
        Their weights, which sum to 1.
    class_names : list of str
        Names of the classes.
    title : str, default="stump"
        What stands above the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    error : float
        The weight of the rows whose class is not that of their leaf.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin.boosting import DecisionStump
    >>> from maxmargin.datasets import load_going_to_class
    >>> from maxmargin.plots import StumpDisplay
    >>> X, y = load_going_to_class(return_X_y=True)
    >>> stump = DecisionStump(categorical_features=[0]).fit(X[:, [1]], y)
    >>> display = StumpDisplay.from_estimator(
    ...     stump, X[:, [1]], y, feature_names=["health"], ax=Figure().subplots()
    ... )
    >>> print(display.question.left, "|", display.question.right, "|", display.error)
    Sick | Average, Good | 0.125
    """

    drawn_of: ClassVar[str] = "a DecisionStump, or of a round of an AdaBoostClassifier of stumps"

    def __init__(
        self,
        *,
        question: SplitQuestion | None,
        said: Array,
        counts: Array,
        weights: Array,
        class_names: list[str],
        title: str = "stump",
    ) -> None:
        self.question = question
        self.said = said
        self.counts = counts
        self.weights = weights
        self.class_names = class_names
        self.title = title

    @property
    def error(self) -> float:
        """The weight of the rows whose class is not that of their leaf."""
        wrong = np.arange(len(self.class_names)) != self.said[:, None]
        return float(self.weights[wrong].sum())

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        round: int | None = None,  # noqa: A002 - the word of the field
        sample_weight: ArrayLike | None = None,
        feature_names: Any = None,
        title: str | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw a stump, or that of a round, on the rows it was fitted to.

        Parameters
        ----------
        estimator : DecisionStump, AdaBoostClassifier of stumps, or a Pipeline that ends in one
            Fitted to ``X`` and ``y``.
        X : array-like or DataFrame of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        round : int, default=None
            Which round of AdaBoost, from 1; the first when not given.
        sample_weight : array-like of shape (n_samples,), optional
            The weights that were given to ``fit``.
        feature_names : sequence of str, optional
            Names of the columns; those of a DataFrame, or else x1, x2, ...
        title : str, optional
            What stands above the picture; the round and its coefficient when not given.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        StumpDisplay
            The display, already plotted.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from maxmargin import plots
        >>> from maxmargin.boosting import AdaBoostClassifier
        >>> from maxmargin.datasets import load_ten_points
        >>> X, y = load_ten_points(return_X_y=True)
        >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
        >>> display = plots.tree(model, X, y, round=3, ax=Figure().subplots())
        >>> display.question.feature, round(display.error, 4)
        ('x2', 0.1364)
        """
        fitted, labels = Fitted.of(estimator), np.asarray(y)
        number = _check(fitted, cls.drawn_of, round)
        check_consistent_length(X, labels)
        rows = fitted.rows(X)
        stump, weight, called = _stump(fitted.model, rows, labels, number, sample_weight)
        names = column_names(rows, feature_names)
        right = stump._right_side(nameless(rows) if number else rows).astype(np.intp)
        cell = right, np.searchsorted(fitted.model.classes_, labels)
        counts, weights = (np.zeros((2, len(fitted.model.classes_))) for _ in range(2))
        np.add.at(counts, cell, weight > 0)
        np.add.at(weights, cell, weight)
        display = cls(
            question=SplitQuestion.of(stump, names, _has_missing(rows, stump.split_.feature)),
            said=stump._leaf_classes(),
            counts=counts.astype(np.intp),
            weights=weights,
            class_names=[plain(label) for label in fitted.model.classes_],
            title=called if title is None else title,
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        StumpDisplay
            Itself.
        """
        ax = self._place(ax, 4.6, 3.4)
        ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0), xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        if self.question is None:
            self._draw_leaf(0, (0.25, 0.75))
        else:
            self._draw_root(self.question)
            for side in (0, 1):
                self._draw_leaf(side, _LEAVES[side])
        head(ax, self.title, f"weighted error {self.error:.4f}")
        return self

    def _draw_root(self, question: SplitQuestion) -> None:
        box = {"boxstyle": "round,pad=0.5", "fc": "white", "ec": palette.INK}
        for side, answer in enumerate((question.left, question.right)):
            middle = sum(_LEAVES[side]) / 2
            self.ax_.plot([_ROOT[0], middle], [_ROOT[1], _TOP], color=palette.INK, lw=1.2, zorder=1)
            place = ((_ROOT[0] + middle) / 2, (_ROOT[1] + _TOP) / 2)
            words = textwrap.fill(answer, _LINE)
            self.ax_.text(*place, words, ha="center", va="center", fontsize=9, zorder=2,
                          bbox={"fc": "white", "ec": "none", "pad": 1.5})  # fmt: skip
        self.ax_.text(*_ROOT, f"{question.feature}?", ha="center", va="center", bbox=box,
                      fontweight="bold", fontsize=11, zorder=3)  # fmt: skip

    def _draw_leaf(self, side: int, across: tuple[float, float]) -> None:
        low, high = across
        said = int(self.said[side])
        self.ax_.add_patch(
            FancyBboxPatch((low + 0.015, 0.03), high - low - 0.03, _TOP - 0.045, zorder=2,
                           boxstyle="round,pad=0.015", fc=self._region(said), ec=palette.INK)
        )  # fmt: skip
        self.ax_.text((low + high) / 2, _TOP - 0.09, f"says {self.class_names[said]}", ha="center",
                      va="center", fontweight="bold", fontsize=10, zorder=3)  # fmt: skip
        listed = self._listed(side)
        step = min(0.17, (_TOP - 0.19) / len(listed))
        for line, k in enumerate(listed):
            self._draw_class(side, k, (low + 0.03, high - 0.03), _TOP - 0.19 - step * line, step)

    def _draw_class(
        self, side: int, k: int, across: tuple[float, float], y: float, step: float
    ) -> None:
        low, high = across
        count, weight = int(self.counts[side, k]), float(self.weights[side, k])
        size = 8.5 if step > 0.1 else 7.0
        rows = f"{count} row" if count == 1 else f"{count} rows"
        self.ax_.text(low, y, f"{self.class_names[k]}: {rows}", fontsize=size, va="center",
                      zorder=3)  # fmt: skip
        self.ax_.text(high, y, f"{weight:.4f}", fontsize=size, va="center", ha="right", zorder=3)
        wrong = k != self.said[side]
        # The whole width would be the weight of all rows.
        self.ax_.barh(y - 0.45 * step, (high - low) * weight, 0.24 * step, low,
                      color=self._colour(k), hatch="/////" if wrong else None,
                      edgecolor="white", linewidth=0.0, zorder=3)  # fmt: skip

    def _listed(self, side: int) -> list[int]:
        """List all classes while they are few, else those of most weight."""
        count = len(self.class_names)
        if count <= _CLASSES:
            return list(range(count))
        return sorted(np.argsort(-self.weights[side], kind="stable")[:_CLASSES].tolist())

    def _colour(self, k: int) -> str:
        colours = palette.CLASSES if len(self.class_names) == 2 else palette.CURVES
        return colours[k % len(colours)]

    def _region(self, k: int) -> str:
        return palette.REGIONS[k] if len(self.class_names) == 2 else "#F4F4F4"


tree = StumpDisplay.from_estimator
"""The same as ``StumpDisplay.from_estimator``."""


def _check(fitted: Fitted, drawn_of: str, number: int | None) -> int:
    """Return the index of the round, 0 for a single stump; raise for other models."""
    model = fitted.model
    if isinstance(model, DecisionStump):
        if number is not None:
            raise ValueError("A DecisionStump has no rounds: leave round away.")
        return 0
    if coefficients(model) is None:
        hint = ", and sklearn.tree.plot_tree draws trees" if hasattr(model, "tree_") else ""
        raise fitted.refusal("split_", f"trees are drawn of {drawn_of}{hint}")
    asked = None if number is None else [number]
    chosen = int(replay.choose_rounds(asked, [1], len(model.estimators_))[0])
    member = model.estimators_[chosen - 1]
    if not isinstance(member, DecisionStump):
        raise TypeError(
            f"{fitted.name} has a {type(member).__name__} in round {chosen}, and trees are drawn of"
            f" {drawn_of}: sklearn.tree.plot_tree draws those of scikit-learn."
        )
    return chosen


def _stump(
    model: Any, rows: Any, labels: Array, number: int, given: ArrayLike | None
) -> tuple[Any, Array, str]:
    """Return the stump, the weights it was fitted to, and its title."""
    if not number:
        weight = read_weight(given, len(labels))
        return model, weight / weight.sum(), "stump"
    first = replay.first_weights(model, labels, given)
    weights, _ = replay.learned(model, rows, labels, np.array([number]), first)
    alphas = coefficients(model)
    assert alphas is not None
    title = f"round {number}    α = {alphas[number - 1]:.4f}"
    return model.estimators_[number - 1], weights[0], title


def _has_missing(rows: Any, feature: int) -> bool:
    """Return whether a value of the column is missing: NaN, which differs from itself, or NA."""
    if feature < 0:
        return False
    column = nameless(take_columns(as_table(rows), np.array([feature])))
    values = column.toarray().ravel() if hasattr(column, "toarray") else column.ravel()
    return any(value is None or (value == value) is not True for value in values.tolist())  # noqa: PLR0124
