"""Losses of the margin on one axis, as in The Elements of Statistical Learning, section 10.6."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from maxmargin.losses import Loss, MarginLoss, named
from maxmargin.plots import palette
from maxmargin.plots.display import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

_POINTS = 801  # odd, so that a symmetric interval has a point on the step at 0
_BLUE, _VERMILION, _GREEN, _PURPLE, _INK, _ORANGE, _SKY = palette.CURVES
_SOLID, _DASHED, _DASH_DOT, _DOTTED, _ = palette.DASHES

# The three squares coincide near m = 0: the first is drawn widest and the last thinnest, so that
# each is seen. The legend has this order, that of the curves at a margin of -2.
_KNOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "squared": ("squared: $(1-m)^2$", {"color": _ORANGE, "lw": 6.5, "ls": _SOLID, "alpha": 0.55}),
    "squared_hinge": (
        r"squared hinge: $\max(0,1-m)^2$",
        {"color": _VERMILION, "lw": 2.6, "ls": _SOLID},
    ),
    "modified_huber": (
        "modified Huber: $-4m$ below $-1$",
        {"color": _INK, "lw": 1.5, "ls": _DOTTED},
    ),
    "exponential": ("exponential: $e^{-m}$", {"color": _PURPLE, "lw": 2.0, "ls": _DASH_DOT}),
    "logistic": (r"logistic: $\log_2(1+e^{-m})$", {"color": _GREEN, "lw": 2.0, "ls": _DASHED}),
    "hinge": (r"hinge: $\max(0,1-m)$", {"color": _BLUE, "lw": 2.2, "ls": _SOLID}),
    "zero_one": (r"0-1: $I[m\leq 0]$", {"color": _INK, "lw": 2.0, "ls": _SOLID, "zorder": 1.9}),
}


class LossDisplay(Display):
    """Losses as functions of the margin m = t f(x).

    For losses rather than estimators: names such as "hinge", or values of ``maxmargin.losses``.
    Build it with :meth:`from_losses`, or draw in one call with :func:`losses`.

    Parameters
    ----------
    margin : ndarray of shape (n,)
        The margins.
    values : mapping of str to ndarray of shape (n,)
        Names of losses, and their values there.

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
    >>> from maxmargin.plots import LossDisplay
    >>> display = LossDisplay.from_losses(["hinge", "logistic"])
    >>> list(display.lines_)
    ['hinge', 'logistic']
    """

    lines_: dict[str, Line2D]
    legend_: Legend

    def __init__(
        self, *, margin: NDArray[np.float64], values: Mapping[str, NDArray[np.float64]]
    ) -> None:
        self.margin = margin
        self.values = values

    @classmethod
    def from_losses(
        cls,
        losses: Sequence[str | Loss] | None = None,
        *,
        margin: tuple[float, float] = (-2.0, 2.0),
        ax: Axes | None = None,
    ) -> Self:
        """Evaluate losses on an interval of margins and draw them.

        The logistic loss is divided by log 2, so that it too passes through (0, 1): then every
        convex one lies above the 0-1 loss.

        Parameters
        ----------
        losses : sequence of str or Loss, optional
            Losses of the margin; all that the package has when not given.
        margin : pair of float, default=(-2, 2)
            The interval.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        LossDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import plots
        >>> len(plots.losses().lines_)
        7
        """
        chosen = [named(loss) for loss in (_KNOWN if losses is None else listed(losses))]
        grid = _grid(margin)
        values = {loss.name: _scaled(loss, grid) for loss in chosen}
        return cls(margin=grid, values=values).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        LossDisplay
            Itself.
        """
        ax = self._place(ax, 6.4, 5.0)
        self.lines_ = {name: self._draw(name) for name in self.values}
        self._finish_axes()
        self.legend_ = ax.legend(loc="upper right", frameon=False, handlelength=2.8)
        return self

    def _draw(self, name: str) -> Line2D:
        strangers = [each for each in self.values if each not in _KNOWN]
        label, style = _KNOWN.get(name) or (_words(name), _spare_style(strangers.index(name)))
        (line,) = self.ax_.plot(self.margin, self.values[name], label=label, **style)
        return line

    def _finish_axes(self) -> None:
        low, high = float(self.margin[0]), float(self.margin[-1])
        largest = max((float(np.max(each)) for each in self.values.values()), default=1.0)
        # No higher than the squared loss, or the exponential would flatten all others.
        top = min(largest, max(1.0, (1.0 - low) ** 2, (1.0 - high) ** 2))
        self.ax_.set(xlabel=r"margin $m = t\,f(x)$", ylabel="loss", xlim=(low, high))
        self.ax_.set_ylim(-0.03 * top, 1.03 * top)
        self.ax_.spines[["top", "right"]].set_visible(False)


losses = LossDisplay.from_losses
"""The same as ``LossDisplay.from_losses``."""


def listed(chosen: Sequence[str | Loss]) -> Sequence[str | Loss]:
    """Take one loss for a list of it, and refuse none."""
    several = isinstance(chosen, Iterable) and not isinstance(chosen, str)
    losses: list[Any] = list(chosen) if several else [chosen]
    if not losses:
        raise ValueError("There is no loss to draw: give one at least, such as 'hinge'.")
    return losses


def _grid(margin: tuple[float, float]) -> NDArray[np.float64]:
    low, high = margin
    if not (np.isfinite([low, high]).all() and low < high):
        raise ValueError(f"margin must be an interval (low, high) with low < high. Got {margin!r}.")
    # Both sides of the 0-1 loss's step stand on the grid, so that it is drawn upright.
    step = np.array([0.0, np.nextafter(0.0, 1.0)])
    inside = step[(step > low) & (step < high)]
    return np.union1d(np.linspace(low, high, _POINTS), inside)


def _scaled(loss: Loss, grid: NDArray[np.float64]) -> NDArray[np.float64]:
    if not isinstance(loss, MarginLoss):
        raise TypeError(
            f"{type(loss).__name__} is not drawn against the margin: give losses of the margin, "
            "such as Hinge()."
        )
    values = loss.value(grid, 1.0)
    return values / np.log(2.0) if loss.name == "logistic" else values


def _words(name: str) -> str:
    return name.replace("_", " ").replace("$", r"\$")


def _spare_style(index: int) -> dict[str, Any]:
    """Return a colour and a dash for a user's loss that no built-in loss uses."""
    dashes = palette.DASHES
    return {"color": _SKY, "lw": 2.0, "ls": dashes[(index + len(dashes) - 1) % len(dashes)]}
