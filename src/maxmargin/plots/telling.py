"""The features with the largest weights: of texts and strings, the most telling substrings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.text import head, plain
from maxmargin.svm.feature_weights import FeatureWeights, feature_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer


class TellingDisplay(Display):
    """Bars of the largest weights on the features of a kernel, both ways.

    For what :func:`maxmargin.feature_weights` gives: of an SVC whose kernel has features, or of a
    pipeline of such features and a linear model. Build it with :meth:`from_weights`, or draw in one
    call with :func:`telling_substrings`.

    Parameters
    ----------
    weights : FeatureWeights
        Names and weights.
    count : int, default=20
        How many of the largest weights are drawn.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    bars_ : BarContainer
        A bar a feature, from below in the order of the weights.

    Examples
    --------
    >>> from maxmargin import SVC, feature_weights
    >>> from maxmargin.kernels import Spectrum
    >>> from maxmargin.plots import TellingDisplay
    >>> model = SVC(kernel=Spectrum(2)).fit(["aab", "ab", "bba", "bb"], [1, 1, 0, 0])
    >>> display = TellingDisplay.from_weights(feature_weights(model))
    >>> [tick.get_text() for tick in display.ax_.get_yticklabels()]
    ['bb', 'ab']
    """

    drawn_of: ClassVar[str] = "what feature_weights gives of a model"

    bars_: BarContainer

    def __init__(self, *, weights: FeatureWeights, count: int = 20) -> None:
        self.weights = weights
        self.count = count

    @classmethod
    def from_weights(cls, weights: Any, *, count: int = 20, ax: Axes | None = None) -> Self:
        """Draw the largest weights.

        Parameters
        ----------
        weights : FeatureWeights
            Of a model.
        count : int, default=20
            How many of the largest weights are drawn.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        TellingDisplay
            The display, already plotted.
        """
        if not isinstance(weights, FeatureWeights):
            raise TypeError(
                f"{type(weights).__name__} is no FeatureWeights: telling features are drawn of "
                f"{cls.drawn_of}."
            )
        return cls(weights=weights, count=count).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        TellingDisplay
            Itself.
        """
        chosen = self.weights.largest(self.count)
        height = 1.3 + 0.16 * len(chosen)
        ax = self._place(ax, 5.6, height)
        values = self.weights.values[chosen]
        colours = [palette.CLASSES[int(value > 0)] for value in values]
        self.bars_ = ax.barh(np.arange(len(chosen)), values, color=colours, height=0.72)
        self._finish_axes([_visible(name) for name in self.weights.names[chosen]])
        return self

    def _finish_axes(self, names: list[str]) -> None:
        self.ax_.axvline(0.0, color=palette.INK, lw=0.8)
        self.ax_.set_yticks(np.arange(len(names)), names, family="monospace", fontsize=8)
        self.ax_.set(xlabel="weight", ylim=(-0.7, len(names) - 0.3))
        self.ax_.spines[["top", "right", "left"]].set_visible(False)
        self.ax_.tick_params(axis="y", length=0)
        title = f"{len(names)} of {len(self.weights.values):,} features"
        against, towards = plain(self.weights.against), plain(self.weights.towards)
        head(self.ax_, title, f"to the left for {against}, to the right for {towards}")


def _visible(name: Any) -> str:
    """Show spaces, of which a substring may be made."""
    return plain(str(name).replace(" ", "␣").replace("\n", "↵"))


def telling_substrings(
    model: Any, *, classes: Any = None, count: int = 20, ax: Axes | None = None
) -> TellingDisplay:
    """Draw the features with the largest weights: of a kernel of strings, substrings.

    Parameters
    ----------
    model : SVC, or a Pipeline that ends in a linear model
        Fitted; see :func:`maxmargin.feature_weights`.
    classes : object or pair of objects, optional
        Of more than two classes, which one against the others, or which two.
    count : int, default=20
        Number of features drawn.
    ax : matplotlib Axes, optional
        Axes to draw into; by default a new figure.

    Returns
    -------
    TellingDisplay
        With ``ax_``, ``figure_`` and ``bars_``.

    Examples
    --------
    >>> from maxmargin import SVC, plots
    >>> from maxmargin.kernels import Spectrum
    >>> model = SVC(kernel=Spectrum(2)).fit(["aab", "ab", "bba", "bb"], [1, 1, 0, 0])
    >>> len(plots.telling_substrings(model).bars_)
    2
    """
    return TellingDisplay.from_weights(feature_weights(model, classes), count=count, ax=ax)
