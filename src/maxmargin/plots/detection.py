"""What a detector finds: boxes on a photograph, and objects found against false positives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike, NDArray

from maxmargin.evaluation import DetectorEvaluation, clopper_pearson
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.text import percent, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_DOTS = 100  # an inch: a pixel of the photograph is one of the picture


class DetectionsDisplay:
    """A photograph with the boxes found in it.

    For the result of ``Cascade.detect``, and its image. Build it with
    :meth:`from_boxes`, or draw in one call with :func:`detections`.

    Parameters
    ----------
    image : ndarray of shape (height, width[, channels])
    boxes : ndarray of shape (objects, 4)
        x, y, width and height.
    scores : ndarray of shape (objects,), default=None
    truth : ndarray of shape (objects, 4), default=None
        Where objects are, drawn dashed.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    boxes_, truth_ : list of Rectangle
        What was drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.plots import DetectionsDisplay
    >>> display = DetectionsDisplay.from_boxes(np.zeros((60, 80)), [[10, 20, 24, 24]])
    >>> len(display.boxes_)
    1
    """

    drawn_of: ClassVar[str] = "an image: rows of greys, or of colours"

    ax_: Axes
    figure_: Figure
    boxes_: list[Rectangle]
    truth_: list[Rectangle]

    def __init__(self, *, image: Any, boxes: Any, scores: Any = None, truth: Any = None) -> None:
        self.image, self.boxes, self.scores, self.truth = image, boxes, scores, truth

    @classmethod
    def from_boxes(
        cls,
        image: Any,
        boxes: ArrayLike = (),
        scores: ArrayLike | None = None,
        truth: ArrayLike | None = None,
        *,
        ax: Axes | None = None,
    ) -> Self:
        """Draw boxes on an image.

        Parameters
        ----------
        image : array-like of shape (height, width[, channels]) or PIL image
        boxes : array-like of shape (objects, 4), optional
            As ``Cascade.detect`` gives them.
        scores : array-like of shape (objects,), optional
            Written above the boxes.
        truth : array-like of shape (objects, 4), optional
        ax : matplotlib Axes, optional
            Where to draw; otherwise a new figure of the size of the image.

        Returns
        -------
        DetectionsDisplay
            The display, already plotted.

        Examples
        --------
        >>> import numpy as np
        >>> from maxmargin import plots
        >>> len(plots.detections(np.zeros((60, 80)), [[10, 20, 24, 24], [40, 5, 30, 30]]).boxes_)
        2
        """
        pixels = np.asarray(image)
        if pixels.dtype.kind not in "buif" or pixels.ndim not in (2, 3):
            raise TypeError(
                f"{type(image).__name__} is not what detections draws on: {cls.drawn_of}."
            )
        known = [None if each is None else np.asarray(each) for each in (scores, truth)]
        found = np.asarray(boxes).reshape(-1, 4)
        return cls(image=pixels, boxes=found, scores=known[0], truth=known[1]).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        DetectionsDisplay
            Itself.
        """
        height, width = self.image.shape[:2]
        if ax is None:
            figure = plt.figure(figsize=(width / _DOTS, height / _DOTS), dpi=_DOTS)
            ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.ax_, self.figure_ = ax, ax.get_figure(root=True)  # type: ignore[assignment]
        ax.imshow(self.image, cmap="gray", interpolation="nearest", aspect="equal")
        ax.set_axis_off()
        known = [] if self.truth is None else self.truth.reshape(-1, 4)
        self.truth_ = [self._frame(box, "white", (0, (3, 2))) for box in known]
        self.boxes_ = [self._frame(box, palette.CLASSES[1], "-") for box in self.boxes]
        if self.scores is not None:
            self._write_scores()
        return self

    def _frame(self, box: NDArray[Any], colour: str, dash: Any) -> Rectangle:
        """Draw a frame on a dark one, so that it is seen on any grey."""
        x, y, width, height = map(float, box)
        for ink, wide in ((palette.INK, 3.6), (colour, 1.8)):
            style = {"edgecolor": ink, "linewidth": wide, "linestyle": dash, "facecolor": "none"}
            patch = Rectangle((x - 0.5, y - 0.5), width, height, **style)
            self.ax_.add_patch(patch)
        return patch

    def _write_scores(self) -> None:
        ground = {"facecolor": palette.CLASSES[1], "edgecolor": "none", "pad": 1.0}
        for (x, y, *_), score in zip(self.boxes, self.scores, strict=True):
            at = max(float(y) - 3.0, 8.0)
            self.ax_.text(
                x, at, f"{score:.2f}", color="white", fontsize=7, bbox=ground, va="bottom"
            )


detections = DetectionsDisplay.from_boxes
"""The same as ``DetectionsDisplay.from_boxes``."""


class DetectorRocDisplay(Display):
    """Objects found against false positives, of one detector or several.

    For the result of ``evaluate_detector``. Build it with :meth:`from_evaluations`, or draw in one
    call with :func:`detector_roc`.

    Parameters
    ----------
    evaluations : mapping of str to DetectorEvaluation
    published : mapping of str to mapping of float to float, default=None
        Names, and detection rates by false positives an image, as other papers print them.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    lines_ : dict of str to Line2D
    """

    drawn_of: ClassVar[str] = "a mapping of names to what evaluate_detector gave"

    lines_: dict[str, Line2D]

    def __init__(
        self,
        *,
        evaluations: Mapping[str, DetectorEvaluation],
        published: Mapping[str, Mapping[float, float]] | None = None,
    ) -> None:
        self.evaluations, self.published = evaluations, published or {}

    @classmethod
    def from_evaluations(
        cls,
        evaluations: DetectorEvaluation | Mapping[str, DetectorEvaluation],
        published: Mapping[str, Mapping[float, float]] | None = None,
        *,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the curves of detectors, in bands of exact intervals.

        Parameters
        ----------
        evaluations : DetectorEvaluation or mapping of str to DetectorEvaluation
            Result of ``evaluate_detector``, with names for several.
        published : mapping of str to mapping of float to float, optional
            Names, and detection rates by false positives an image.
        ax : matplotlib Axes, optional

        Returns
        -------
        DetectorRocDisplay
            The display, already plotted.
        """
        if isinstance(evaluations, DetectorEvaluation):
            evaluations = {"detector": evaluations}
        if not isinstance(evaluations, Mapping) or not evaluations:
            raise TypeError(f"evaluations must be {cls.drawn_of}.")
        for name, each in evaluations.items():
            if not isinstance(each, DetectorEvaluation):
                raise TypeError(
                    f"{name!r} is {type(each).__name__}, not what evaluate_detector gave."
                )
        return cls(evaluations=evaluations, published=published).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        DetectorRocDisplay
            Itself.
        """
        ax = self._place(ax, 6.4, 4.4)
        self.lines_ = {name: self._curve(name, k) for k, name in enumerate(self.evaluations)}
        for k, (name, points) in enumerate(self.published.items(), len(self.lines_)):
            colour = palette.CURVES[k % len(palette.CURVES)]
            ax.plot(list(points), list(points.values()), "o", color=colour, label=plain(name))
        ax.set(xlabel="false positives an image", ylabel="objects found", ylim=(0.0, 1.0))
        ax.set_xlim(0.0, 1.25 * max(self._reached(), 0.4))
        ax.yaxis.set_major_formatter(percent)
        ax.grid(visible=True, color=palette.CHANCE, alpha=0.25, linewidth=0.6)
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, loc="lower right")
        return self

    def _reached(self) -> float:
        """Find where the last curve gets to its top, or the last published point lies."""
        points = [x for each in self.published.values() for x in each]
        for evaluation in self.evaluations.values():
            x, best, *_ = envelope(evaluation)
            points.append(float(x[best.argmax()]))
        return max(points)

    def _curve(self, name: str, k: int) -> Line2D:
        x, best, low, high = envelope(self.evaluations[name])
        colour = palette.CURVES[k % len(palette.CURVES)]
        self.ax_.fill_between(x, low, high, step="post", color=colour, alpha=0.18, linewidth=0)
        dash = palette.DASHES[k % len(palette.DASHES)]
        style: dict[str, Any] = {"color": colour, "linestyle": dash, "drawstyle": "steps-post"}
        (line,) = self.ax_.plot(x, best, label=plain(name), linewidth=2.0, **style)
        return line


def envelope(evaluation: DetectorEvaluation) -> tuple[NDArray[np.float64], ...]:
    """Return the best detection rate for each number of false positives, with its interval.

    Parameters
    ----------
    evaluation : DetectorEvaluation

    Returns
    -------
    x, best, low, high : ndarray of shape (points,)
    """
    counts, first = np.unique(evaluation.false_positives, return_index=True)
    most = np.maximum.reduceat(evaluation.detected, first)
    shares = [
        clopper_pearson(int(k), evaluation.objects) for k in np.maximum.accumulate(most).tolist()
    ]
    ends = np.array([(each.value, each.low, each.high) for each in shares])
    return counts / evaluation.images, ends[:, 0], ends[:, 1], ends[:, 2]


detector_roc = DetectorRocDisplay.from_evaluations
"""The same as ``DetectorRocDisplay.from_evaluations``."""
