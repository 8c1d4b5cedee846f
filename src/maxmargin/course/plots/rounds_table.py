"""The rounds of AdaBoost beside a table of words: a line for each row, a column for each round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from matplotlib.patches import FancyBboxPatch, Rectangle
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import check_consistent_length

from maxmargin.course.plots import replay
from maxmargin.evaluation.members import coefficients
from maxmargin.inputs.container import take_rows
from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.question import SplitQuestion
from maxmargin.plots.text import plain, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array: TypeAlias = NDArray[Any]

_ROWS = 24  # that are drawn unless others are asked for
_LINE = 0.27  # height of a line in inches
_HEAD = 0.95  # height of the head in inches
_PAD = 0.14  # room beside a column in inches
_NUMBER = 0.5  # width of a weight in inches
_BAR = 0.85  # width of the longest bar in inches


class RoundsTableDisplay(Display):
    """Rounds of AdaBoost beside the table they learned from.

    For an AdaBoostClassifier, ours or scikit-learn's, and pipelines that end in one. A line for
    each row: its values and its label, then for every round the weight that the weak learner saw,
    as a number and a bar; rows that it gets wrong are framed. Above stands what a stump asks. The
    last column is what all rounds up to the last that is drawn say together.
    Build it with :meth:`from_estimator`, or draw with :func:`rounds`.

    Parameters
    ----------
    cells : ndarray of str of shape (n_lines, n_features)
        The values of the rows that are drawn.
    labels : ndarray of int of shape (n_lines,)
        Their classes, as places among ``class_names``.
    rows : ndarray of int of shape (n_lines,)
        Their numbers.
    rounds : ndarray of shape (n_rounds,)
        The numbers of the rounds, from 1.
    weights : ndarray of shape (n_rounds, n_lines)
        The weights that the weak learners saw; those of all rows sum to 1.
    said : ndarray of int of shape (n_rounds, n_lines)
        The classes that they named.
    ensemble : ndarray of int of shape (n_lines,)
        What all rounds say together.
    heads : list of tuple of str
        What stands above each round.
    class_names, axis_names : list of str
        Names of the classes and of the columns.
    error : float
        The share of all rows that the ensemble gets wrong.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.

    Examples
    --------
    >>> from maxmargin.boosting import AdaBoostClassifier
    >>> from maxmargin.datasets import load_going_to_class
    >>> from maxmargin.plots import RoundsTableDisplay
    >>> X, y = load_going_to_class(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=3, categorical_features=[0, 1, 2, 3]).fit(X, y)
    >>> display = RoundsTableDisplay.from_estimator(model, X, y)
    >>> display.weights[1].round(2)
    array([0.07, 0.07, 0.5 , 0.07, 0.07, 0.07, 0.07, 0.07])
    """

    drawn_of: ClassVar[str] = "an AdaBoostClassifier"

    def __init__(
        self,
        *,
        cells: Array,
        labels: Array,
        rows: Array,
        rounds: Array,
        weights: Array,
        said: Array,
        ensemble: Array,
        heads: list[tuple[str, ...]],
        class_names: list[str],
        axis_names: list[str],
        error: float,
    ) -> None:
        self.cells = cells
        self.labels = labels
        self.rows = rows
        self.rounds = rounds
        self.weights = weights
        self.said = said
        self.ensemble = ensemble
        self.heads = heads
        self.class_names = class_names
        self.axis_names = axis_names
        self.error = error

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        rounds: Iterable[int] | None = None,
        rows: Sequence[int] | None = None,
        feature_names: Any = None,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw rounds of a fitted AdaBoost beside the rows it was fitted to.

        Parameters
        ----------
        estimator : AdaBoostClassifier, or a Pipeline that ends in one
            Fitted to ``X`` and ``y``.
        X : array-like or DataFrame of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        rounds : iterable of int, optional
            Which rounds, from 1; the first four when not given.
        rows : sequence of int, optional
            Which rows, from 0; the first 24 when not given.
        feature_names : sequence of str, optional
            Names of the columns; those of a DataFrame, or else x1, x2, ...
        sample_weight : array-like of shape (n_samples,), optional
            The weights that were given to ``fit``.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        RoundsTableDisplay
            The display, already plotted.
        """
        fitted, labels = Fitted.of(estimator), np.asarray(y)
        model, alphas = fitted.model, coefficients(fitted.model)
        if alphas is None:
            raise fitted.refusal("alphas_", f"rounds are drawn of {cls.drawn_of}")
        replay.refuse_corrected(model)
        check_consistent_length(X, labels)
        chosen = replay.choose_rounds(rounds, range(1, min(len(alphas), 4) + 1), len(alphas))
        lines, names = _lines(rows, len(labels)), column_names(X, feature_names)
        seen, first = fitted.rows(X), replay.first_weights(model, labels, sample_weight)
        weights, said = replay.learned(model, seen, labels, chosen, first)
        place = np.searchsorted(model.classes_, labels)
        errors = (weights * (said != place)).sum(axis=1)
        ensemble = replay.leader(model, seen, int(chosen[-1]))
        classes = [plain(label) for label in model.classes_]
        heads = [
            _head(model, int(number), names if not fitted.steps else None, classes, error, alphas)
            for number, error in zip(chosen, errors, strict=True)
        ]
        display = cls(
            cells=_texts(X, lines),
            labels=place[lines],
            rows=lines,
            rounds=chosen,
            weights=weights[:, lines],
            said=said[:, lines],
            ensemble=ensemble[lines],
            heads=heads,
            class_names=classes,
            axis_names=[plain(name) for name in names],
            error=float(np.mean(ensemble != place)),
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
        RoundsTableDisplay
            Itself.
        """
        plain_columns = self._plain_columns()
        edges = np.cumsum([0.0, *(_wide(head, cells) for head, cells in plain_columns),
                           *(self._round_width(k) for k in range(len(self.rounds))),
                           self._ensemble_width()])  # fmt: skip
        size = float(edges[-1]), _HEAD + _LINE * len(self.rows)
        ax = self._place(ax, size[0] + 0.1, size[1] + 0.1)
        ax.set(xlim=(0.0, size[0]), ylim=(size[1], 0.0), xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        self._rule(size[0])
        for left, (head, cells) in zip(edges, plain_columns, strict=False):
            self._write_column(left, head, cells)
        first = len(plain_columns)
        for k in range(len(self.rounds)):
            self._draw_round(k, edges[first + k], edges[first + k + 1])
        self._draw_ensemble(edges[-2], edges[-1])
        return self

    def _plain_columns(self) -> list[tuple[str, list[str]]]:
        """Return the columns of the table, with their headings."""
        numbers = [str(row + 1) for row in self.rows]
        columns = zip(self.axis_names, self.cells.T.tolist(), strict=True)
        return [("row", numbers), *columns, ("label", self._names(self.labels))]

    def _names(self, places: Array) -> list[str]:
        return [self.class_names[k] for k in places]

    def _round_width(self, k: int) -> float:
        return max(_NUMBER + _BAR, *(width(line, 8) for line in self.heads[k])) + 2 * _PAD

    def _ensemble_width(self) -> float:
        return max(_wide(self._sum(), self.class_names), _wide(self._error(), []))

    def _sum(self) -> str:
        return f"H after {self.rounds[-1]}"

    def _error(self) -> str:
        return f"error {self.error:.4f}"

    def _rule(self, wide: float) -> None:
        """Draw a line below the heads, and shade every other line of the table."""
        self.ax_.plot([0.0, wide], [_HEAD - 0.02] * 2, color=palette.INK, lw=1.0)
        for line in range(1, len(self.rows), 2):
            corner = (0.0, _HEAD + _LINE * line)
            self.ax_.add_patch(Rectangle(corner, wide, _LINE, fc="#F5F5F5", ec="none", zorder=0))

    def _middle(self, line: int) -> float:
        return _HEAD + _LINE * (line + 0.5)

    def _write_column(self, left: float, head: str, cells: list[str]) -> None:
        self.ax_.text(left + _PAD, _HEAD - 0.12, head, fontsize=9, fontweight="bold")
        for line, cell in enumerate(cells):
            self.ax_.text(left + _PAD, self._middle(line), cell, fontsize=9, va="center",
                          color=self._ink(line, head))  # fmt: skip

    def _ink(self, line: int, head: str) -> str:
        if head != "label" or len(self.class_names) != 2:
            return palette.INK
        return palette.CLASSES[int(self.labels[line])]

    def _draw_round(self, k: int, left: float, right: float) -> None:
        lines = (f"round {self.rounds[k]}", *self.heads[k])
        for line, text in enumerate(lines):
            self.ax_.text(left + _PAD, _HEAD - 0.12 - 0.19 * (len(lines) - 1 - line), text,
                          fontsize=9 if line == 0 else 8, color=palette.FACTS if line else "black",
                          fontweight="normal" if line else "bold")  # fmt: skip
        scale = _BAR / max(float(self.weights.max()), 1e-300)
        wrong = self.said[k] != self.labels
        for line, weight in enumerate(self.weights[k]):
            y = self._middle(line)
            colour = palette.TRAIN if wrong[line] else palette.TEST
            self.ax_.barh(y, scale * weight, 0.5 * _LINE, left + _PAD + _NUMBER, color=colour)
            self.ax_.text(left + _PAD, y, f"{weight:.4f}", fontsize=8.5, va="center")
            if wrong[line]:
                self._frame(left + 0.07, right - 0.07, y)

    def _draw_ensemble(self, left: float, right: float) -> None:
        self.ax_.text(left + _PAD, _HEAD - 0.12, self._error(), fontsize=8, color=palette.FACTS)
        self.ax_.text(left + _PAD, _HEAD - 0.31, self._sum(), fontsize=9, fontweight="bold")
        for line, name in enumerate(self._names(self.ensemble)):
            self.ax_.text(left + _PAD, self._middle(line), name, fontsize=9, va="center")
            if self.ensemble[line] != self.labels[line]:
                self._frame(left + 0.06, right - 0.06, self._middle(line))

    def _frame(self, left: float, right: float, y: float) -> None:
        self.ax_.add_patch(
            FancyBboxPatch((left, y - 0.42 * _LINE), right - left, 0.84 * _LINE, fc="none",
                           ec=palette.INK, lw=1.2, boxstyle="round,pad=0,rounding_size=0.08")
        )  # fmt: skip


def column_names(X: Any, given: Any) -> list[Any]:
    """Name the columns of X as given, as a table does, or x1, x2, ..."""
    count = X.shape[1] if hasattr(X, "shape") else len(X[0])
    names = list(given if given is not None else getattr(X, "columns", ()))
    if given is not None and len(names) != count:
        raise ValueError(f"feature_names has {len(names)} names, but X has {count} columns.")
    return names or [f"x{j + 1}" for j in range(count)]


def _wide(head: str, cells: Sequence[str]) -> float:
    inside = max((width(cell, 9) for cell in cells), default=0.0)
    return max(width(head, 9, "bold"), inside) + 2 * _PAD


def _lines(rows: Sequence[int] | None, count: int) -> Array:
    lines = np.arange(min(count, _ROWS)) if rows is None else np.asarray(rows, np.intp)
    if lines.size == 0 or lines.min() < 0 or lines.max() >= count:
        raise ValueError(f"rows must be some of 0, ..., {count - 1}, those of X. Got {rows!r}.")
    return lines


def _texts(X: Any, lines: Array) -> Array:
    some = take_rows(X, lines)
    cells = np.asarray(some.toarray() if sparse.issparse(some) else some, dtype=object)
    return np.array([[_text(cell) for cell in line] for line in cells], dtype=object)


def _text(cell: Any) -> str:
    if isinstance(cell, float | np.floating):
        return f"{cell:.4g}"
    return plain(cell)


def _head(
    model: Any,
    number: int,
    names: list[Any] | None,
    classes: list[str],
    error: float,
    alphas: Array,
) -> tuple[str, ...]:
    """Write what stands above a round: the question of a stump of columns that are drawn."""
    facts = f"error {error:.4f}   α = {alphas[number - 1]:.4f}"
    member = model.estimators_[number - 1]
    question = SplitQuestion.of(member, names) if names and hasattr(member, "split_") else None
    if question is None:
        return (facts,)
    return (*question.answer([classes[k] for k in member._leaf_classes()]), facts)
