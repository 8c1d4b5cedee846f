"""Errors on other rows after every round, over repeated training sets: where they begin to rise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from matplotlib.ticker import MaxNLocator, NullFormatter

from maxmargin.course.round_errors import RoundErrors
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.text import percent, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D


class OverfittingDisplay(Display):
    """Mean errors against rounds, each in the band of its interval, with the best round marked.

    For the RoundErrors of ensembles. A ring marks the smallest mean error; a curve that ends above
    its ring has overfitted. Build it with :meth:`from_results`, or draw in one call
    with :func:`overfitting`.

    Parameters
    ----------
    results : mapping of str to RoundErrors
        Names, and the errors after each round.
    level : float, default=0.95
        Confidence level of the intervals.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    lines_ : dict of str to Line2D
        The mean errors.
    legend_ : Legend
        Their names.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from maxmargin.evaluation import RoundErrors
    >>> from maxmargin.plots import OverfittingDisplay
    >>> errors = RoundErrors(np.array([[0.3, 0.2, 0.25], [0.3, 0.1, 0.1]]), np.array([3, 3]))
    >>> display = OverfittingDisplay.from_results({"stumps": errors}, ax=Figure().subplots())
    >>> list(display.lines_)
    ['stumps']
    """

    drawn_of: ClassVar[str] = "a mapping of names to RoundErrors, as round_errors gives"

    lines_: dict[str, Line2D]
    legend_: Legend

    def __init__(self, *, results: Mapping[str, RoundErrors], level: float = 0.95) -> None:
        self.results = results
        self.level = level

    @classmethod
    def from_results(
        cls,
        results: Any,
        *,
        level: float = 0.95,
        log_rounds: bool = False,
        ax: Axes | None = None,
    ) -> Self:
        """Draw errors against rounds.

        Parameters
        ----------
        results : mapping of str to RoundErrors
            Names, and the errors after each round.
        level : float, default=0.95
            Confidence level of the intervals.
        log_rounds : bool, default=False
            Use a logarithmic axis of rounds.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        OverfittingDisplay
            The display, already plotted.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from maxmargin import plots
        >>> from maxmargin.boosting import AdaBoostClassifier
        >>> from maxmargin.datasets import load_mixture
        >>> from maxmargin.evaluation import round_errors
        >>> model = AdaBoostClassifier(n_estimators=30)
        >>> found = round_errors({"stumps": model}, *load_mixture(return_X_y=True), random_state=0)
        >>> plots.overfitting(found, ax=Figure().subplots()).ax_.get_xlabel()
        'rounds'
        """
        known = isinstance(results, Mapping) and len(results) > 0
        if not known or not all(isinstance(each, RoundErrors) for each in results.values()):
            raise TypeError(
                f"{type(results).__name__} holds no errors of rounds, which are drawn of"
                f" {cls.drawn_of}."
            )
        return cls(results=results, level=level).plot(log_rounds=log_rounds, ax=ax)

    def plot(self, *, log_rounds: bool = False, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        log_rounds : bool, default=False
            Use a logarithmic axis of rounds.
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        OverfittingDisplay
            Itself.
        """
        ax = self._place(ax, 6.4, 4.4)
        self.lines_ = {name: self._draw(k, name) for k, name in enumerate(self.results)}
        self._finish_axes(log_rounds)
        self.legend_ = ax.legend(frameon=False, handlelength=2.8)
        return self

    def _draw(self, index: int, name: str) -> Line2D:
        found, colour = self.results[name], palette.CURVES[index % len(palette.CURVES)]
        rounds = np.arange(1, len(found.mean) + 1)
        self.ax_.fill_between(rounds, *found.band(self.level), color=colour, alpha=0.18, lw=0)
        dash = palette.DASHES[index % len(palette.DASHES)]
        (line,) = self.ax_.plot(
            rounds, found.mean, color=colour, ls=dash, lw=1.9, label=plain(name)
        )
        best = found.best
        self.ax_.plot(best, found.mean[best - 1], "o", ms=8, mfc="white", mec=colour, mew=1.8,
                      zorder=4, clip_on=False)  # fmt: skip
        return line

    def _finish_axes(self, log_rounds: bool) -> None:
        last = max(len(each.mean) for each in self.results.values())
        self.ax_.set(xlabel="rounds", xlim=(1, max(last, 2)), ylabel="error on other rows")
        if log_rounds:
            self.ax_.set_xscale("log")
            self.ax_.xaxis.set_major_formatter("{x:g}")
            self.ax_.xaxis.set_minor_formatter(NullFormatter())
        else:
            self.ax_.xaxis.set_major_locator(MaxNLocator(integer=True))
        self.ax_.yaxis.set_major_formatter(percent)
        self.ax_.grid(visible=True, color=palette.CHANCE, alpha=0.25, linewidth=0.6)
        self.ax_.spines[["top", "right"]].set_visible(False)


overfitting = OverfittingDisplay.from_results
"""The same as ``OverfittingDisplay.from_results``."""
