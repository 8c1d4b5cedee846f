"""How much each kernel counts in a mixture that was learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette
from maxmargin.plots.display import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

Array: TypeAlias = NDArray[np.float64]

_LETTERS = 40  # of a kernel's name
_NONE = 5e-4  # of the largest weight is next to nothing: said as 0


class KernelWeightsDisplay(Display):
    """Bars of the weights of kernels, in the order in which they were given.

    For a MultipleKernelSVC, and pipelines that end in one. With ``normalize=True`` a weight is that
    of the kernel divided by its spread, so bars compare. Build it with :meth:`from_estimator`, or
    draw in one call with :func:`kernel_weights`.

    Parameters
    ----------
    weights : array-like of shape (kernels,)
    names : sequence of str
        Names of the kernels.
    p : float, default=1.0
        The norm in which weights have length 1.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    bars_ : BarContainer
        One bar a kernel.

    Examples
    --------
    >>> from maxmargin.plots import KernelWeightsDisplay
    >>> display = KernelWeightsDisplay(weights=[0.3, 0.7], names=["Linear()", "RBF(1.0)"]).plot()
    >>> display.ax_.get_xlabel()
    'weight d of the kernel; all add up to 1'
    """

    drawn_of: ClassVar[str] = "a MultipleKernelSVC, or a pipeline that ends in one"

    bars_: BarContainer

    def __init__(self, *, weights: ArrayLike, names: Sequence[str], p: float = 1.0) -> None:
        self.weights: Array = np.asarray(weights, dtype=np.float64)
        if len(names) != len(self.weights):
            raise ValueError(
                f"There are {len(self.weights)} kernels and {len(names)} names; give one a kernel."
            )
        self.names = [_short(name) for name in names]
        self.p = p

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, names: Sequence[str] | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw the weights of a fitted mixture.

        Parameters
        ----------
        estimator : MultipleKernelSVC, or a Pipeline that ends in one
            Fitted.
        names : sequence of str, optional
            Names of the kernels; by default their repr.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        KernelWeightsDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import MultipleKernelSVC, plots
        >>> from maxmargin.datasets import load_mixture
        >>> model = MultipleKernelSVC(["linear", "rbf"]).fit(*load_mixture(return_X_y=True))
        >>> len(plots.kernel_weights(model).bars_)
        2
        """
        fitted = Fitted.of(estimator)
        model = fitted.model
        if not (hasattr(model, "weights_") and hasattr(model, "kernels_")):
            raise fitted.refusal("weights_ of kernels", f"they are drawn of {cls.drawn_of}")
        if names is None:
            names = [each if isinstance(each, str) else repr(each) for each in model.kernels]
        return cls(weights=model.weights_, names=names, p=model.p).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        KernelWeightsDisplay
            Itself.
        """
        height = 1.2 + 0.42 * len(self.weights)
        ax = self._place(ax, 6.4, height)
        places = np.arange(len(self.weights))
        self.bars_ = ax.barh(places, self.weights, color=palette.TEST, height=0.62)
        said = ["0" if w < _NONE * self.weights.max() else f"{w:.2g}" for w in self.weights]
        ax.bar_label(self.bars_, said, padding=4, color=palette.FACTS, fontsize=9)
        ax.set_yticks(places, self.names)
        ax.invert_yaxis()  # the first kernel stands at the top, as in a list
        ax.set_xlim(0.0, 1.12 * max(float(self.weights.max(initial=0.0)), 1e-12))
        ax.set_xlabel(self._meaning())
        ax.set_title("How much each kernel counts", loc="left", fontsize=11)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(left=False)
        return self

    def _meaning(self) -> str:
        if self.p == 1.0:
            return "weight d of the kernel; all add up to 1"
        return f"weight d of the kernel; all have norm 1 for p = {self.p:g}"


def _short(name: str) -> str:
    """Cut the middle out of a long name: columns stand at its end."""
    half = _LETTERS // 2
    return name if len(name) <= _LETTERS else f"{name[: half - 1]}…{name[-half:]}"


kernel_weights = KernelWeightsDisplay.from_estimator
"""The same as ``KernelWeightsDisplay.from_estimator``."""
