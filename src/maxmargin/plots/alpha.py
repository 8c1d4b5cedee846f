"""The coefficient of a weak learner as a function of its weighted error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from maxmargin.plots import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

Array: TypeAlias = NDArray[np.float64]

_NAMED = 6  # more rounds than these are drawn without their numbers


class AlphaDisplay:
    """The curve alpha = 1/2 log((1 - e) / e), with the rounds of a model on it.

    A learner that is right more often than not has a positive vote, one that guesses has none, and
    one that is wrong more often than not votes against itself. Build it with
    :meth:`from_estimator`, or draw in one call with :func:`alphas`.

    Parameters
    ----------
    errors : array-like of shape (n_rounds,)
        Weighted errors of the rounds, in the order of the rounds.
    alphas : array-like of shape (n_rounds,)
        Their coefficients.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    line_ : Line2D
        The curve.
    rounds_ : PathCollection
        A point a round.

    Examples
    --------
    >>> from maxmargin.plots import AlphaDisplay
    >>> display = AlphaDisplay(errors=[0.3], alphas=[0.42]).plot()
    >>> display.ax_.get_xlabel()
    'weighted error e'
    """

    ax_: Axes
    figure_: Figure
    line_: Line2D
    rounds_: PathCollection

    def __init__(self, *, errors: ArrayLike, alphas: ArrayLike) -> None:
        self.errors: Array = np.asarray(errors, dtype=np.float64)
        self.alphas: Array = np.asarray(alphas, dtype=np.float64)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Draw the curve with the rounds of a fitted AdaBoost of two classes.

        Parameters
        ----------
        estimator : AdaBoostClassifier
            Fitted.
        ax : matplotlib Axes, optional
            Where to draw; a new figure otherwise.

        Returns
        -------
        AlphaDisplay
            The display, already plotted.
        """
        check_is_fitted(estimator)
        alphas = np.asarray(estimator.alphas_)
        errors = np.asarray(estimator.estimator_errors_)[: len(alphas)]
        return cls(errors=errors, alphas=alphas).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        AlphaDisplay
            Itself.
        """
        if ax is None:
            _, ax = plt.subplots(figsize=(5.6, 4.2), layout="constrained")
        self.ax_ = ax
        self.figure_ = ax.get_figure(root=True)  # type: ignore[assignment]
        error = np.linspace(0.002, 0.998, 499)
        for line in (ax.axhline, ax.axvline):
            line(0.0 if line == ax.axhline else 0.5, color=palette.CHANCE, lw=1.0, ls=":")
        curve = 0.5 * np.log((1.0 - error) / error)
        (self.line_,) = ax.plot(error, curve, color=palette.TEST, lw=2.2)
        self.rounds_ = ax.scatter(self.errors, self.alphas, s=38, color=palette.TRAIN, zorder=3,
                                  edgecolors="white", linewidths=0.6)  # fmt: skip
        self._name_rounds()
        self._finish_axes()
        return self

    def _name_rounds(self) -> None:
        if len(self.errors) > _NAMED:
            return
        for number, spot in enumerate(zip(self.errors, self.alphas, strict=True), 1):
            self.ax_.annotate(f"round {number}", spot, xytext=(7, 3), textcoords="offset points",
                              fontsize="small", color=palette.FACTS)  # fmt: skip

    def _finish_axes(self) -> None:
        self.ax_.set(xlabel="weighted error e", xlim=(0.0, 1.0), ylim=(-3.0, 3.0))
        self.ax_.set_ylabel(r"coefficient $\alpha = \frac{1}{2}\,\log\,\frac{1-e}{e}$")
        words: Any = {"size": 9, "color": palette.FACTS, "ha": "center"}
        self.ax_.text(0.25, -2.6, "better than chance", **words)
        self.ax_.text(0.75, 2.5, "worse: votes against itself", **words)
        self.ax_.spines[["top", "right"]].set_visible(False)


def alphas(estimator: Any = None, *, ax: Axes | None = None) -> AlphaDisplay:
    """Draw the coefficient of a weak learner as a function of its weighted error.

    Parameters
    ----------
    estimator : AdaBoostClassifier, optional
        Fitted to two classes; its rounds are put on the curve.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    AlphaDisplay
        With ``ax_``, ``figure_``, ``line_`` and ``rounds_``.

    Examples
    --------
    >>> from maxmargin import plots
    >>> from maxmargin.boosting import AdaBoostClassifier
    >>> from maxmargin.datasets import load_ten_points
    >>> model = AdaBoostClassifier(n_estimators=3).fit(*load_ten_points(return_X_y=True))
    >>> len(plots.alphas(model).rounds_.get_offsets())
    3
    """
    if estimator is None:
        return AlphaDisplay(errors=[], alphas=[]).plot(ax=ax)
    return AlphaDisplay.from_estimator(estimator, ax=ax)
