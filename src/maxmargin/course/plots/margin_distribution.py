"""The margins of a voted classifier: which share of the rows has at most so much of the vote.

The margin of a row is t sum alpha_t h_t(x) / sum alpha_t in [-1, 1]: the weight of the votes for
its label less that of the others. A row is wrong where it is not positive, and the vote is sure
where it is near 1 (Schapire, Freund, Bartlett and Lee, Annals of Statistics 26, 1998).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter
from numpy.typing import ArrayLike, NDArray

from maxmargin.course.plots import replay
from maxmargin.evaluation.members import coefficients, is_bag
from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette
from maxmargin.plots.display import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

Array: TypeAlias = NDArray[np.float64]


class MarginDistributionDisplay(Display):
    """Cumulative distributions of normalised margins, one after each of some rounds.

    For a vote: that of an AdaBoostClassifier or a BaggingClassifier, ours or scikit-learn's, or of
    scikit-learn's forests, and for pipelines that end in one of these. The side of margins that are
    not positive, where the vote is wrong, is shaded.
    Build it with :meth:`from_estimator`, or draw in one call with :func:`margin_distribution`.

    Parameters
    ----------
    margins : mapping of int to ndarray of shape (n_samples,)
        Numbers of rounds, and the margins of the rows after them.
    unit : str, default="round"
        What is counted, in the singular.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    lines_ : dict of int to Line2D
        The curve after each of the rounds.
    legend_ : Legend
        Their names.

    Examples
    --------
    >>> from maxmargin.boosting import AdaBoostClassifier
    >>> from maxmargin.datasets import load_ten_points
    >>> from maxmargin.plots import MarginDistributionDisplay
    >>> X, y = load_ten_points(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> display = MarginDistributionDisplay.from_estimator(model, X, y, rounds=[1, 3])
    >>> print(f"{display.margins[3].min():.4f}")
    0.0753
    """

    drawn_of: ClassVar[str] = "a vote, that of an AdaBoostClassifier or a BaggingClassifier"

    lines_: dict[int, Line2D]
    legend_: Legend

    def __init__(self, *, margins: Mapping[int, Array], unit: str = "round") -> None:
        self.margins = margins
        self.unit = unit

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        rounds: Iterable[int] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Take the margins of rows after some rounds and draw their distributions.

        Parameters
        ----------
        estimator : AdaBoostClassifier or BaggingClassifier, or a Pipeline that ends in one
            Fitted.
        X : array-like of shape (n_samples, n_features)
            Rows, of the training set or others.
        y : array-like of shape (n_samples,)
            Their labels.
        rounds : iterable of int, optional
            After which rounds, from 1; when not given, after 5 and 100 and all of those there are.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        MarginDistributionDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import plots
        >>> from maxmargin.boosting import AdaBoostClassifier
        >>> from maxmargin.datasets import load_mixture
        >>> X, y = load_mixture(return_X_y=True)
        >>> model = AdaBoostClassifier(n_estimators=20).fit(X, y)
        >>> list(plots.margin_distribution(model, X, y).lines_)
        [5, 20]
        """
        fitted = Fitted.of(estimator)
        model = fitted.model
        if coefficients(model) is None and not is_bag(model):
            raise fitted.refusal("margins", f"they are drawn of {cls.drawn_of}")
        count = len(model.estimators_)
        default = [number for number in (5, 100) if number < count] + [count]
        chosen = replay.choose_rounds(rounds, default, count)
        margins = _margins(model, fitted.rows(X), y, chosen)
        return cls(margins=margins, unit="member" if is_bag(model) else "round").plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        MarginDistributionDisplay
            Itself.
        """
        ax = self._place(ax, 6.4, 4.4)
        self.lines_ = {number: self._draw(k, number) for k, number in enumerate(self.margins)}
        ax.axvspan(-1.0, 0.0, color=palette.WRONG, linewidth=0.0, zorder=0.5)
        self._finish_axes()
        wrong = Patch(fc=palette.WRONG, ec=palette.CHANCE, lw=0.8, label="wrong: margin ≤ 0")
        handles = [*self.lines_.values(), wrong]
        self.legend_ = ax.legend(handles=handles, loc="upper left", frameon=False, handlelength=2.8)
        return self

    def _draw(self, index: int, number: int) -> Line2D:
        return self.ax_.ecdf(
            self.margins[number],
            color=palette.CURVES[index % len(palette.CURVES)],
            linestyle=palette.DASHES[index % len(palette.DASHES)],
            linewidth=1.9,
            label=f"after {number:,} {self.unit}{'s' * (number > 1)}",
        )

    def _finish_axes(self) -> None:
        self.ax_.set(xlabel="margin", ylabel="share of rows with at most this margin")
        self.ax_.set(xlim=(-1.0, 1.0), ylim=(0.0, 1.02), xticks=[-1.0, -0.5, 0.0, 0.5, 1.0])
        self.ax_.yaxis.set_major_formatter(PercentFormatter(1.0))
        self.ax_.grid(visible=True, color=palette.CHANCE, alpha=0.25, linewidth=0.6)
        self.ax_.spines[["top", "right"]].set_visible(False)


margin_distribution = MarginDistributionDisplay.from_estimator
"""The same as ``MarginDistributionDisplay.from_estimator``."""


def _margins(model: Any, rows: Any, y: ArrayLike, chosen: Any) -> dict[int, Array]:
    if hasattr(model, "margins"):  # our AdaBoost has a faster way
        return {int(number): model.margins(rows, y, rounds=int(number)) for number in chosen}
    labels = np.asarray(y)
    if not np.isin(labels, model.classes_).all():
        raise ValueError(f"margins needs a label for each row, one of {model.classes_.tolist()}.")
    return replay.margins(model, rows, labels, chosen)
