"""What a cascade looks at, and how few windows come to its later stages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from maxmargin.evaluation import DetectorEvaluation
from maxmargin.inputs.parameters import check_number
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.vision import Cascade, LBPFeatures, Scan, Windows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure

_DARK, _LIGHT = palette.CLASSES


class FirstFeaturesDisplay:
    """The first features of a cascade over the mean of the objects.

    For a ``Cascade``: orange is added, blue is taken away. Build it with :meth:`from_cascade`, or
    draw in one call with :func:`first_features`.

    Parameters
    ----------
    mean : ndarray of shape (height, width)
        The mean window.
    templates : list of ndarray of shape (height, width)
        What each feature multiplies pixels by.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes
        One a feature.
    figure_ : matplotlib Figure
    """

    drawn_of: ClassVar[str] = "a cascade of vision"

    axes_: NDArray[Any]
    figure_: Figure

    def __init__(self, *, mean: NDArray[Any], templates: list[NDArray[Any]]) -> None:
        self.mean, self.templates = mean, templates

    @classmethod
    def from_cascade(cls, cascade: Cascade, objects: Any = None, *, count: int = 5) -> Self:
        """Draw the features that a cascade asks about first.

        Parameters
        ----------
        cascade : Cascade
        objects : sequence of images of the size of the window, optional
            Whose mean is drawn below; without them it is white.
        count : int, default=5
            Number of features, in the order of stages and trees.

        Returns
        -------
        FirstFeaturesDisplay
            The display, already plotted.

        Examples
        --------
        >>> import numpy as np
        >>> from maxmargin import plots
        >>> from maxmargin.vision import Cascade, HaarFeatures, Stage, Tree
        >>> edge = HaarFeatures((8, 8), kinds="edge_x")[-1]
        >>> cascade = Cascade(edge, [Stage(0.5, [Tree.stump(0, 1.2, 0.0, 1.0)])])
        >>> len(plots.first_features(cascade, np.zeros((3, 8, 8))).axes_)
        1
        """
        if not isinstance(cascade, Cascade):
            raise TypeError(
                f"{type(cascade).__name__} is not what first_features draws: {cls.drawn_of}."
            )
        check_number("first_features", "count", count, 1, whole=True)
        asked = [k for stage in cascade.stages for tree in stage.trees for k in tree.feature]
        templates = [template_of(cascade, k) for k in asked[:count]]
        return cls(mean=_mean(objects, cascade.window), templates=templates).plot()

    def plot(self) -> Self:
        """Draw on a new figure.

        Returns
        -------
        FirstFeaturesDisplay
            Itself.
        """
        count = len(self.templates)
        size = (1.7 * count, 2.0)
        self.figure_, axes = plt.subplots(
            1, count, figsize=size, layout="constrained", squeeze=False
        )
        self.axes_ = axes.ravel()
        for k, (ax, template) in enumerate(zip(self.axes_, self.templates, strict=True), 1):
            ax.imshow(self.mean, cmap="gray", vmax=max(1.0, self.mean.max()))
            ax.imshow(_paint(template), interpolation="nearest")
            ax.set_title(f"feature {k}", fontsize=9)
            ax.set(xticks=[], yticks=[])
        return self


def _mean(objects: Any, window: tuple[int, int]) -> NDArray[np.float64]:
    if objects is None:
        return np.ones(window[::-1])
    windows = Windows.of(objects)
    if windows.size != window or len(windows) == 0:
        raise ValueError(f"Give objects of {window[0]} x {window[1]} pixels, as the window has.")
    mean: NDArray[np.float64] = windows.pixels.mean(axis=0)
    return mean


def template_of(cascade: Cascade, feature: int) -> NDArray[Any]:
    """Draw a feature: what pixels are multiplied by, or a pattern's middle and what is around."""
    features = cascade.features
    if not isinstance(features, LBPFeatures):
        return features.template(feature)
    x, y, w, h = features.cells[feature].tolist()
    out = np.zeros(features.window[::-1])
    out[y : y + 3 * h, x : x + 3 * w] = -1.0
    out[y + h : y + 2 * h, x + w : x + 2 * w] = 1.0
    return out


def _paint(template: NDArray[Any]) -> NDArray[np.float64]:
    """Colour positive and negative parts, and leave the rest clear."""
    out = np.zeros((*template.shape, 4))
    for colour, part in ((_DARK, template < 0), (_LIGHT, template > 0)):
        out[part, :3] = to_rgb(colour)
        out[part, 3] = 0.6
    return out


first_features = FirstFeaturesDisplay.from_cascade
"""The same as ``FirstFeaturesDisplay.from_cascade``."""


class SurvivalDisplay(Display):
    """Windows that are left after each stage.

    For what ``Cascade.scan`` and ``evaluate_detector`` give. Build it with :meth:`from_scan`, or
    draw in one call with :func:`survival`.

    Parameters
    ----------
    windows : int
        Looked at.
    passed : ndarray of int of shape (stages + 1,)
        Windows evaluated, and left after each stage.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    bars_ : BarContainer
    """

    drawn_of: ClassVar[str] = "the Scan or the DetectorEvaluation of a cascade"

    bars_: BarContainer

    def __init__(self, *, windows: int, passed: NDArray[Any]) -> None:
        self.windows, self.passed = windows, passed

    @classmethod
    def from_scan(cls, found: Scan | DetectorEvaluation, *, ax: Axes | None = None) -> Self:
        """Draw how far windows came.

        Parameters
        ----------
        found : Scan or DetectorEvaluation
        ax : matplotlib Axes, optional

        Returns
        -------
        SurvivalDisplay
            The display, already plotted.

        Examples
        --------
        >>> import numpy as np
        >>> from maxmargin import plots
        >>> from maxmargin.vision import Cascade, HaarFeatures, Stage, Tree
        >>> edge = HaarFeatures((8, 8), kinds="edge_x")[-1]
        >>> stages = [Stage(0.5, [Tree.stump(0, limit, 0.0, 1.0)]) for limit in (0.5, 1.0)]
        >>> scan = Cascade(edge, stages).scan(np.eye(40) * 255)
        >>> len(plots.survival(scan).bars_)
        2
        """
        if not isinstance(found, Scan | DetectorEvaluation):
            raise TypeError(f"{type(found).__name__} is not what survival draws: {cls.drawn_of}.")
        return cls(windows=found.windows, passed=found.passed).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        SurvivalDisplay
            Itself.
        """
        ax = self._place(ax, 6.4, 4.0)
        left = self.passed[1:]
        stages = np.arange(1, len(left) + 1)
        self.bars_ = ax.bar(stages, np.maximum(left, 0.5), color=palette.CLASSES[0], width=0.8)
        ax.axhline(self.windows, color=palette.INK, linewidth=1.2, linestyle="--")
        note = f"{self.windows:,} windows looked at"
        ax.text(stages[-1] + 0.4, self.windows * 0.8, note, ha="right", va="top", fontsize=9)
        ax.set_yscale("log")
        ax.set(xlabel="stage", ylabel="windows left after it", ylim=(0.5, self.windows * 2))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.spines[["top", "right"]].set_visible(False)
        return self


survival = SurvivalDisplay.from_scan
"""The same as ``SurvivalDisplay.from_scan``."""
