"""Errors of models as stacks of noise, bias and variance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from matplotlib.patches import Patch
from numpy.typing import NDArray

from maxmargin.course.bias_variance import BiasVariance
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.text import percent, plain, turn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

Array: TypeAlias = NDArray[np.float64]

_LOOKS: dict[str, dict[str, Any]] = {
    "noise": {"facecolor": "#C9C9C9"},
    "bias": {"facecolor": palette.TRAIN},
    "variance": {"facecolor": palette.TEST, "hatch": "///"},
}
_HELPS = {"facecolor": "white", "edgecolor": palette.TEST, "hatch": "///", "linewidth": 1.0}


class BiasVarianceDisplay(Display):
    """Errors of several models as stacks of noise, bias and variance.

    For the BiasVariance of models, or of one model with more and more members. A variance below
    zero, which 0-1 loss knows, is drawn down from the top of the bias.
    Build it with :meth:`from_results`, or draw in one call with :func:`bias_variance`.

    Parameters
    ----------
    results : mapping of object to BiasVariance
        Names, or numbers of members, and what their errors are made of.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    legend_ : Legend
        The three parts.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin.evaluation import BiasVariance
    >>> from maxmargin.plots import BiasVarianceDisplay
    >>> coin = BiasVariance.of_labels([[0, 1], [0, 1], [1, 0]], [[0.5, 0.5], [0.0, 1.0]])
    >>> display = BiasVarianceDisplay.from_results({"coin": coin}, ax=Figure().subplots())
    >>> display.ax_.texts[0].get_text()
    '41.7%'
    """

    drawn_of: ClassVar[str] = "a mapping of names to BiasVariance, as bias_variance gives"

    legend_: Legend

    def __init__(self, *, results: Mapping[Any, BiasVariance]) -> None:
        self.results = results

    @classmethod
    def from_results(cls, results: Any, *, ax: Axes | None = None, legend: bool = True) -> Self:
        """Draw what errors are made of.

        Parameters
        ----------
        results : mapping of object to BiasVariance
            All of one loss.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.
        legend : bool, default=True
            Whether to name the parts above the picture.

        Returns
        -------
        BiasVarianceDisplay
            The display, already plotted.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from maxmargin import plots
        >>> from maxmargin.boosting import DecisionStump
        >>> from maxmargin.datasets import load_mixture
        >>> from maxmargin.evaluation import bias_variance
        >>> found = bias_variance(DecisionStump(), *load_mixture(return_X_y=True), random_state=0)
        >>> plots.bias_variance(found, ax=Figure().subplots()).ax_.get_ylabel()
        'expected error'
        """
        _check(results, cls.drawn_of)
        return cls(results=results).plot(ax=ax, legend=legend)

    def plot(self, *, ax: Axes | None = None, legend: bool = True) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        legend : bool, default=True
            Whether to name the parts above the picture.

        Returns
        -------
        BiasVarianceDisplay
            Itself.
        """
        size = (2.2 + 0.85 * len(self.results), 4.2)
        ax = self._place(ax, *size)
        self._stack()
        self._write_errors()
        self._finish_axes()
        if legend:
            handles = [Patch(label=name, **_edged(look)) for name, look in _LOOKS.items()
                       if self._term(name).any()]  # fmt: skip
            self.legend_ = ax.legend(handles=handles, loc="lower center", ncols=3, frameon=False,
                                     bbox_to_anchor=(0.5, 1.0), handletextpad=0.5)  # fmt: skip
        return self

    def _term(self, name: str) -> Array:
        return np.array([getattr(each, name) for each in self.results.values()])

    def _stack(self) -> None:
        base, places = np.zeros(len(self.results)), np.arange(len(self.results))
        for name, look in _LOOKS.items():
            term = self._term(name)
            for k in places:
                style = _HELPS if term[k] < 0.0 else _edged(look)
                self.ax_.bar(places[k], term[k], 0.68, base[k], **style)
            base = base + term

    def _write_errors(self) -> None:
        tops = np.maximum(self._term("error"), self._term("noise") + self._term("bias"))
        for k, (error, top) in enumerate(zip(self._term("error"), tops, strict=True)):
            self.ax_.annotate(self._number(error), (k, top), (0, 2), textcoords="offset points",
                              ha="center", va="bottom", fontsize=9)  # fmt: skip

    def _number(self, error: float) -> str:
        return f"{100.0 * error:.1f}%" if self._of_shares() else f"{error:.3g}"

    def _of_shares(self) -> bool:
        return next(iter(self.results.values())).loss == "zero_one"

    def _finish_axes(self) -> None:
        names = [plain(name) for name in self.results]
        room = self.ax_.get_window_extent().width / self.figure_.dpi
        self.ax_.set_xticks(np.arange(len(names)), names, **turn(names, room, 9))
        self.ax_.tick_params(axis="x", length=0)
        self.ax_.margins(y=0.1)
        if self._of_shares():
            self.ax_.yaxis.set_major_formatter(percent)
        self.ax_.set_ylabel("expected error" if self._of_shares() else "expected squared error")
        self.ax_.set_axisbelow(True)
        self.ax_.grid(visible=True, axis="y", color=palette.CHANCE, alpha=0.25, linewidth=0.6)
        self.ax_.spines[["top", "right"]].set_visible(False)


bias_variance = BiasVarianceDisplay.from_results
"""The same as ``BiasVarianceDisplay.from_results``."""


def _edged(look: dict[str, Any]) -> dict[str, Any]:
    return {"edgecolor": "white", "linewidth": 0.6, **look}


def _check(results: Any, drawn_of: str) -> None:
    known = isinstance(results, Mapping) and len(results) > 0
    if not known or not all(isinstance(each, BiasVariance) for each in results.values()):
        raise TypeError(
            f"{type(results).__name__} holds no biases and variances, which are drawn of"
            f" {drawn_of}."
        )
    losses = {each.loss for each in results.values()}
    if len(losses) > 1:
        raise ValueError("Errors of one loss are drawn beside each other: give one or the other.")
