"""What a loss asks a model to say where a class has probability eta: its minimiser against eta."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from maxmargin.losses import Loss, MarginLoss, named
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.loss import listed
from maxmargin.plots.text import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

_POINTS = 501  # of each curve
_TOP = 3.0  # where the axis of decision values ends
_USUAL = ("hinge", "squared", "exponential", "logistic")
_WORDS = {
    "hinge": r"hinge: sign$(2\eta-1)$",
    "squared": r"squared: $2\eta-1$",
    "squared_hinge": r"squared hinge: $2\eta-1$",
    "modified_huber": r"modified Huber: $2\eta-1$",
    "exponential": r"exponential: $\frac{1}{2}\,\log\,\eta/(1-\eta)$",
    "logistic": r"logistic: $\log\,\eta/(1-\eta)$",
    "zero_one": "0-1: the Bayes rule",
}


class PopulationDisplay(Display):
    """Minimisers of expected losses against the probability of the positive class.

    For losses of the margin, the package's and those that users write. Where t = +1 has probability
    eta, f*(eta) minimises eta phi(f) + (1 - eta) phi(-f). A loss whose curve stays in the shaded
    quadrants has the sign of the Bayes rule everywhere. Build it with :meth:`from_losses`, or draw
    in one call with :func:`population_minimisers`.

    Parameters
    ----------
    eta : ndarray of shape (n,)
        Probabilities of the positive class.
    values : mapping of str to ndarray of shape (n,)
        Names of losses, and their minimisers there.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    lines_ : dict of str to Line2D
        The curve of each loss.
    legend_ : Legend
        Their names.

    Examples
    --------
    >>> from maxmargin.plots import PopulationDisplay
    >>> list(PopulationDisplay.from_losses(["hinge", "logistic"]).lines_)
    ['hinge', 'logistic']
    """

    drawn_of: ClassVar[str] = "losses of the margin"

    lines_: dict[str, Line2D]
    legend_: Legend

    def __init__(
        self, *, eta: NDArray[np.float64], values: Mapping[str, NDArray[np.float64]]
    ) -> None:
        self.eta = eta
        self.values = values

    @classmethod
    def from_losses(cls, losses: Sequence[str | Loss] = _USUAL, *, ax: Axes | None = None) -> Self:
        """Find the minimisers of some losses and draw them.

        Parameters
        ----------
        losses : sequence of str or Loss
            Losses of the margin; the hinge, squared, exponential and logistic ones when not given.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        PopulationDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import plots
        >>> len(plots.population_minimisers().lines_)
        4
        """
        chosen = [_of_margin(named(loss)) for loss in listed(losses)]
        eta = np.linspace(0.0, 1.0, _POINTS)
        values = {loss.name: loss.population_minimiser(eta) for loss in chosen}
        return cls(eta=eta, values=values).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        PopulationDisplay
            Itself.
        """
        ax = self._place(ax, 6.4, 4.6)
        self._shade()
        self.lines_ = {name: self._draw(k, name) for k, name in enumerate(self.values)}
        ax.set(
            xlabel=r"$\eta = P(t=+1\,|\,x)$",
            ylabel=r"$f^*(\eta)$",
            xlim=(0.0, 1.0),
            ylim=(-_TOP, _TOP),
        )
        ax.spines[["top", "right"]].set_visible(False)
        self.legend_ = ax.legend(loc="upper left", frameon=False, handlelength=2.8)
        return self

    def _shade(self) -> None:
        """Fill the quadrants in which f has the sign of 2 eta - 1."""
        for side, (low, high) in enumerate(((0.0, 0.5), (0.5, 1.0))):
            edges = (-_TOP, 0.0) if side == 0 else (0.0, _TOP)
            self.ax_.fill_between([low, high], *edges, color=palette.REGIONS[side], zorder=0)
        self.ax_.axhline(0.0, color=palette.CHANCE, lw=0.8, zorder=1)

    def _draw(self, number: int, name: str) -> Line2D:
        style: dict[str, Any] = {
            "color": palette.CURVES[number % len(palette.CURVES)],
            "ls": palette.DASHES[number % len(palette.DASHES)],
        }
        label = _WORDS.get(name, plain(name.replace("_", " ")))
        return self.ax_.plot(self.eta, self.values[name], lw=2.0, label=label, **style)[0]


population_minimisers = PopulationDisplay.from_losses
"""The same as ``PopulationDisplay.from_losses``."""


def _of_margin(loss: Loss) -> MarginLoss:
    if not isinstance(loss, MarginLoss):
        raise TypeError(
            f"{type(loss).__name__} has no probability to stand against: give losses of the margin,"
            " such as Hinge()."
        )
    return loss
