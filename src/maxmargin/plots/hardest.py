"""The rows that boosting finds hardest: those that ended with the most weight.

They are the mislabelled and the ambiguous ones: a row that the ensemble keeps getting wrong has
its weight raised in round after round (Freund and Schapire, ICML 1996).
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Patch
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing, check_consistent_length

from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette
from maxmargin.plots.text import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array: TypeAlias = NDArray[Any]

_WRONG, _RIGHT = palette.TRAIN, palette.TEST
_COLUMNS = 10  # images in a line
_LETTER = 0.075  # inches that a letter of the note takes


class HardestDisplay:
    """The rows with the most weight, as pictures where they are images and as bars otherwise.

    For an AdaBoostClassifier of ours or an LPBoostClassifier, and pipelines that end in one. Each
    row is shown with its label, with what the model says instead where it disagrees, and with its
    weight in multiples of the average. Build it with :meth:`from_estimator`, or draw in one call
    with :func:`hardest`.

    Parameters
    ----------
    rows : ndarray of shape (k,)
        Numbers of the rows, the heaviest first.
    weights : ndarray of shape (k,)
        Their weights, in multiples of the average weight.
    labels, predictions : ndarray of shape (k,)
        Their labels, and what the model says.
    images : ndarray of shape (k, height, width), optional
        The rows as images; bars are drawn without them.
    cmap : str or Colormap, default="gray"
        From numbers to shades: large ones are white with "gray", as in a photograph, and black with
        "gray_r", as of ink. All images share one scale.
    suspects : ndarray of bool of shape (k,), optional
        Rows known to be mislabelled, which are marked.

    Attributes
    ----------
    axes_ : ndarray of Axes
        One for bars, one a row for images.
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> from maxmargin.boosting import AdaBoostClassifier
    >>> from maxmargin.datasets import load_mixture
    >>> from maxmargin.plots import HardestDisplay
    >>> X, y = load_mixture(return_X_y=True)
    >>> display = HardestDisplay.from_estimator(AdaBoostClassifier().fit(X, y), X, y, k=5)
    >>> len(display.rows)
    5
    """

    drawn_of: ClassVar[str] = "an AdaBoostClassifier or LPBoostClassifier"

    axes_: NDArray[np.object_]
    figure_: Figure

    def __init__(
        self,
        *,
        rows: Array,
        weights: Array,
        labels: Array,
        predictions: Array,
        images: Array | None = None,
        suspects: Array | None = None,
        cmap: Any = "gray",
    ) -> None:
        self.rows = rows
        self.weights = weights
        self.labels = labels
        self.predictions = predictions
        self.images = images
        self.cmap = cmap
        self.suspects = np.zeros(len(rows), dtype=bool) if suspects is None else suspects

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        k: int = 20,
        image_shape: tuple[int, int] | None = None,
        cmap: Any = "gray",
        suspects: ArrayLike | None = None,
        axes: Any = None,
    ) -> Self:
        """Draw the hardest rows of the training set of a fitted model.

        Parameters
        ----------
        estimator : AdaBoostClassifier, or a Pipeline that ends in one
            Fitted to ``X`` and ``y``.
        X : array-like of shape (n_samples, n_features)
            The training set.
        y : array-like of shape (n_samples,)
            Its labels.
        k : int, default=20
            Number of rows.
        image_shape : pair of int, optional
            Height and width, where each row is an image.
        cmap : str or Colormap, default="gray"
            Shades of an image: "gray" for photographs, "gray_r" where large numbers are ink.
        suspects : array-like of int or of bool of shape (n_samples,), optional
            Numbers or mask of rows known to be mislabelled.
        axes : Axes or array of Axes, optional
            Where to draw: one for bars, k for images; a new figure otherwise.

        Returns
        -------
        HardestDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import plots
        >>> from maxmargin.boosting import AdaBoostClassifier
        >>> from maxmargin.datasets import load_mixture
        >>> X, y = load_mixture(return_X_y=True)
        >>> print(plots.hardest(AdaBoostClassifier().fit(X, y), X, y, k=3).axes_[0].get_xlabel())
        weight, in multiples of the average
        """
        fitted, labels = Fitted.of(estimator), np.asarray(y)
        _check(fitted, cls.drawn_of, X, labels)
        hardest = fitted.model.hardest(k)
        rows = np.asarray(hardest.rows)
        chosen = _safe_indexing(X, rows)
        display = cls(
            rows=rows,
            weights=np.asarray(hardest.weights) * np.count_nonzero(fitted.model.weights_),
            labels=labels[rows],
            predictions=np.asarray(fitted.model.predict(fitted.rows(chosen))),
            images=None if image_shape is None else _images(chosen, image_shape),
            suspects=None if suspects is None else _mask(suspects, len(labels))[rows],
            cmap=cmap,
        )
        return display.plot(axes=axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on ``axes``, or on a new figure.

        Parameters
        ----------
        axes : Axes or array of Axes, optional
            One for bars, one a row for images.

        Returns
        -------
        HardestDisplay
            Itself.
        """
        self.axes_ = self._axes() if axes is None else np.atleast_1d(np.asarray(axes, object))
        self.axes_ = self.axes_.ravel()
        self.figure_ = self.axes_[0].get_figure(root=True)
        if self.images is None:
            self._draw_bars(self.axes_[0])
        else:
            self._draw_images(self.images)
        return self

    def _axes(self) -> Any:
        count = len(self.rows)
        if self.images is None:
            size = (6.4, 0.65 + 0.26 * count + 0.22 * -(-len(self._handles()) // 2))
            return np.array([plt.subplots(figsize=size, layout="constrained")[1]], object)
        lines = -(-count // _COLUMNS)
        wide = max(1.2 * min(count, _COLUMNS), 2.4)
        size = (wide, 1.74 * lines + 0.2 + 0.17 * len(self._note(wide)))
        _, axes = plt.subplots(
            lines, min(count, _COLUMNS), figsize=size, layout="constrained", squeeze=False
        )
        return axes

    def _draw_images(self, images: Array) -> None:
        for ax in self.axes_[len(images) :]:
            ax.set_axis_off()
        shades: Any = {"cmap": self.cmap, "vmin": np.min(images), "vmax": np.max(images)}
        for k, image in enumerate(images):
            ax = self.axes_[k]
            ax.imshow(image, interpolation="nearest", **shades)
            ax.set(xticks=[], yticks=[])
            colour = self._colours()[k]
            for spine in ax.spines.values():
                spine.set(color=colour, linewidth=3.0 if self.suspects[k] else 1.0)
            ax.set_title(f"labelled {plain(self.labels[k])}", fontsize=8, color=colour, pad=3)
            # Two lines, or what stands below one image would run into the next.
            below = f"×{self._multiple(k)}" + self._says(k, after="\n")
            ax.set_xlabel(below, fontsize=8, labelpad=2, linespacing=1.1)
        note = self._note(self.figure_.get_figwidth())
        self.figure_.supxlabel("\n".join(note), fontsize=9)

    def _note(self, wide: float) -> list[str]:
        """Explain what stands below images, in lines that fit a figure."""
        note = "below: weight in multiples of the average, and what the model says instead"
        known = "; thick frame: known to be mislabelled" if self.suspects.any() else ""
        return textwrap.wrap(note + known, max(int(wide / _LETTER), 16))

    def _draw_bars(self, ax: Axes) -> None:
        spots = np.arange(len(self.rows))
        hatches = ["////" if suspect else "" for suspect in self.suspects]
        ax.barh(spots, self.weights, height=0.72, color=self._colours(), hatch=hatches,
                edgecolor="white", linewidth=0.0)  # fmt: skip
        names = [
            f"row {row}, labelled {plain(self.labels[k])}{self._says(k)}"
            for k, row in enumerate(self.rows)
        ]
        ax.set_yticks(spots, names, fontsize=9)
        ax.axvline(1.0, color=palette.CHANCE, linewidth=1.0, linestyle=":")
        ax.set_ylim(len(spots) - 0.4, -0.6)
        ax.set(xlabel="weight, in multiples of the average")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        ax.legend(handles=self._handles(), loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2,
                  frameon=False, fontsize="small", borderaxespad=0.0)  # fmt: skip

    def _handles(self) -> list[Patch]:
        handles, wrong = [], self._wrong()
        if wrong.any():
            handles.append(Patch(color=_WRONG, label="the model says otherwise"))
        if not wrong.all():
            handles.append(Patch(color=_RIGHT, label="the model agrees"))
        if self.suspects.any():
            known = {"facecolor": "#BBBBBB", "edgecolor": "white", "hatch": "////"}
            handles.append(Patch(label="known to be mislabelled", **known))  # type: ignore[arg-type]
        return handles

    def _wrong(self) -> Array:
        return np.asarray(self.labels != self.predictions)

    def _colours(self) -> list[str]:
        return [_WRONG if wrong else _RIGHT for wrong in self._wrong()]

    def _multiple(self, k: int) -> str:
        return f"{self.weights[k]:.0f}" if self.weights[k] >= 10 else f"{self.weights[k]:.1f}"

    def _says(self, k: int, after: str = ", ") -> str:
        return f"{after}model: {plain(self.predictions[k])}" if self._wrong()[k] else ""


hardest = HardestDisplay.from_estimator
"""The same as ``HardestDisplay.from_estimator``."""


def _check(fitted: Fitted, drawn_of: str, X: Any, labels: Array) -> None:
    if not hasattr(fitted.model, "hardest"):
        raise fitted.refusal("hardest rows", f"they are drawn of {drawn_of} of maxmargin")
    check_consistent_length(X, labels)
    rows = len(fitted.model.weights_)
    if len(labels) != rows:
        raise ValueError(
            f"X has {len(labels)} rows, but the model was fitted to {rows}:"
            " pass the rows it was fitted to."
        )


def _images(rows: Any, shape: tuple[int, int]) -> Array:
    pixels = np.asarray(rows.toarray() if sparse.issparse(rows) else rows)
    if len(shape) != 2:
        raise ValueError(f"image_shape must be a height and a width. Got {shape!r}.")
    if pixels.shape[1] != shape[0] * shape[1]:
        raise ValueError(
            f"image_shape={shape} has {shape[0] * shape[1]} pixels, but X has"
            f" {pixels.shape[1]} columns."
        )
    return pixels.reshape(-1, *shape)


def _mask(suspects: ArrayLike, count: int) -> Array:
    given = np.asarray(suspects)
    if given.dtype == bool:
        return given
    return np.isin(np.arange(count), given)
