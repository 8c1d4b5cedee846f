"""Rounds as steps in the space of functions: their angle to the negative gradient, and the loss."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.course.plots.replay import choose_rounds
from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

Array: TypeAlias = NDArray[np.float64]

_DRAWN = 3  # rounds in the plane, unless others are asked for
_FEW = 30  # up to this number, rounds are marked


class DescentDisplay:
    """Steps of boosting beside the negative gradient of the loss, all as vectors over the rows.

    For an AdaBoostClassifier of two classes, a BoostingClassifier, BoostingRegressor or
    BoostingRanker, and pipelines that end in one. The first panel is the plane of the negative
    gradient and the step, both of length 1: every step whose angle is below 90 degrees leads
    downhill at first. The second has the cosine of that angle after every round, the third the loss
    with what the tangent predicted. Build it with :meth:`from_estimator`, or draw in one call with
    :func:`descent`.

    Parameters
    ----------
    cosines : array-like of shape (n_rounds,)
        Between the negative gradient and the step of every round.
    before, first_order, after : array-like of shape (n_rounds,)
        The mean loss before a round, as its tangent predicts it, and after the round.
    rounds : array-like of int, default=None
        Which of them are drawn as vectors, from 1; None for the first, one between and the last.

    Attributes
    ----------
    axes_ : ndarray of Axes of shape (3,)
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure.
    steps_ : dict of int to Annotation
        The arrows of the rounds.
    lines_ : dict of str to Line2D
        The curves "cosine", "after" and "first_order".

    Examples
    --------
    >>> from maxmargin.plots import DescentDisplay
    >>> losses = {"before": [1.0], "first_order": [0.8], "after": [0.9]}
    >>> display = DescentDisplay(cosines=[0.5], **losses).plot()
    >>> display.axes_[1].get_ylabel()
    'cosine of the angle to −∇L'
    """

    drawn_of: ClassVar[str] = (
        "an AdaBoostClassifier, BoostingClassifier, BoostingRegressor or BoostingRanker"
    )

    axes_: NDArray[np.object_]
    figure_: Figure
    steps_: dict[int, Any]
    lines_: dict[str, Line2D]

    def __init__(
        self,
        *,
        cosines: ArrayLike,
        before: ArrayLike,
        first_order: ArrayLike,
        after: ArrayLike,
        rounds: ArrayLike | None = None,
    ) -> None:
        self.cosines: Array = np.asarray(cosines, dtype=np.float64)
        self.before: Array = np.asarray(before, dtype=np.float64)
        self.first_order: Array = np.asarray(first_order, dtype=np.float64)
        self.after: Array = np.asarray(after, dtype=np.float64)
        count = len(self.cosines)
        some = _spread(count) if rounds is None else rounds
        self.rounds: NDArray[np.intp] = np.asarray(some, dtype=np.intp)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, rounds: Iterable[int] | None = None, axes: Any = None
    ) -> Self:
        """Draw the steps that a boosted model noted while it was fitted.

        Parameters
        ----------
        estimator : AdaBoostClassifier of two classes, BoostingClassifier, BoostingRegressor or \
BoostingRanker, or a Pipeline that ends in one
            Fitted.
        rounds : iterable of int, optional
            Which rounds are drawn as vectors, from 1; the first, one between and the last when not
            given.
        axes : array of three Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        DescentDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import plots
        >>> from maxmargin.boosting import AdaBoostClassifier
        >>> from maxmargin.datasets import load_ten_points
        >>> model = AdaBoostClassifier(n_estimators=3).fit(*load_ten_points(return_X_y=True))
        >>> list(plots.descent(model).steps_)
        [1, 2, 3]
        """
        fitted = Fitted.of(estimator)
        descent = getattr(fitted.model, "descent_", None)
        if descent is None:
            raise fitted.refusal("descent_", f"steps down a loss are drawn of {cls.drawn_of}")
        if len(descent) == 0 or np.isnan(descent.cosine).any():
            raise ValueError(
                f"This {fitted.name} has no gradient to compare its rounds with; it has none of "
                "more than two classes, and none without rounds."
            )
        chosen = None if rounds is None else choose_rounds(rounds, (), len(descent))
        numbers = {name: descent[name] for name in ("before", "first_order", "after")}
        return cls(cosines=descent.cosine, **numbers, rounds=chosen).plot(axes=axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on ``axes``, or on a new figure.

        Parameters
        ----------
        axes : array of three Axes, optional
            Where to draw.

        Returns
        -------
        DescentDisplay
            Itself.
        """
        if axes is None:
            _, axes = plt.subplots(1, 3, figsize=(12.6, 4.2), layout="constrained")
        self.axes_ = np.asarray(axes, dtype=object).reshape(3)
        self.figure_ = self.axes_[0].get_figure(root=True)
        self.steps_, self.lines_ = {}, {}
        self._draw_plane(self.axes_[0])
        self._draw_cosines(self.axes_[1])
        self._draw_losses(self.axes_[2])
        for ax in self.axes_[1:]:
            ax.xaxis.get_major_locator().set_params(integer=True)
            ax.spines[["top", "right"]].set_visible(False)
        return self

    def _draw_plane(self, ax: Axes) -> None:
        """Draw unit vectors from the origin: the gradient to the right, steps above it."""
        ax.axvspan(0.0, 1.3, color=palette.REGIONS[0], zorder=0)
        ax.axvline(0.0, color=palette.CHANCE, lw=1.0, ls=":")
        _arrow(ax, (1.0, 0.0), palette.INK)
        ax.text(1.03, 0.0, "−∇L", va="center", color=palette.INK)
        for k, number in enumerate(self.rounds.tolist()):
            self._draw_step(ax, number, palette.CURVES[k % len(palette.CURVES)])
        words: Any = {"size": 9, "color": palette.FACTS}
        ax.text(1.27, -0.09, "the loss falls", ha="right", va="top", **words)
        ax.text(-0.03, -0.09, "it rises", ha="right", va="top", **words)
        ax.set(xlim=(-0.3, 1.3), ylim=(-0.22, 1.2), aspect="equal", xlabel="along −∇L")
        ax.set(ylabel="across", title="the step h beside −∇L, both of length 1")

    def _draw_step(self, ax: Axes, number: int, colour: str) -> None:
        """Draw one step with its parts along the gradient and across it."""
        along = float(self.cosines[number - 1])
        across = float(np.sqrt(max(0.0, 1.0 - along**2)))
        self.steps_[number] = _arrow(ax, (along, across), colour)
        ax.plot([along, along], [0.0, across], color=colour, lw=0.9, ls=(0, (2, 2)))
        ax.plot([along], [0.0], color=colour, marker="o", ms=4, zorder=4)
        degrees = np.degrees(np.arccos(np.clip(along, -1.0, 1.0)))
        line = 1.14 - 0.075 * len(self.steps_) + 0.075
        ax.text(1.27, line, f"round {number}: {degrees:.0f}°", color=colour, ha="right", size=9)

    def _draw_cosines(self, ax: Axes) -> None:
        rounds = np.arange(1, len(self.cosines) + 1)
        (self.lines_["cosine"],) = ax.plot(rounds, self.cosines, **self._mark(palette.TEST))
        for k, number in enumerate(self.rounds.tolist()):
            colour = palette.CURVES[k % len(palette.CURVES)]
            ax.plot([number], [self.cosines[number - 1]], color=colour, marker="o", ms=7, zorder=4)
        ax.axhline(0.0, color=palette.CHANCE, lw=1.0, ls=":")
        ax.set(xlabel="round", ylabel="cosine of the angle to −∇L")
        ax.set(ylim=(min(-0.05, float(self.cosines.min())), 1.02), title="within 90°, so downhill")

    def _draw_losses(self, ax: Axes) -> None:
        """Draw the loss after every round, and below it the tangent's end."""
        rounds = np.arange(len(self.after) + 1)
        after = np.concatenate([self.before[:1], self.after])
        solid, dashed = self._mark(palette.TRAIN), self._mark(palette.TEST, "--")
        drawn = ax.plot(rounds, after, label="loss", **solid)
        drawn += ax.plot(rounds[1:], self.first_order, label="predicted by the tangent", **dashed)
        self.lines_ |= dict(zip(("after", "first_order"), drawn, strict=True))
        ax.set(xlabel="round", ylabel="mean loss", title="predicted and actual decrease")
        ax.legend(frameon=False)

    def _mark(self, colour: str, dash: str = "-") -> dict[str, Any]:
        few = len(self.cosines) <= _FEW
        return {"color": colour, "lw": 1.8, "ls": dash, "marker": "." if few else ""}


def _spread(count: int) -> list[int]:
    """Choose rounds from the first to the last, by equal factors: early ones differ the most."""
    return sorted({round(float(k)) for k in np.geomspace(1, count, min(_DRAWN, count))})


def _arrow(ax: Axes, tip: tuple[float, float], colour: str) -> Any:
    style = {"arrowstyle": "-|>", "color": colour, "lw": 2.0, "shrinkA": 0, "shrinkB": 0}
    return ax.annotate("", tip, (0.0, 0.0), arrowprops=style, zorder=3)


descent = DescentDisplay.from_estimator
"""The same as ``DescentDisplay.from_estimator``."""
