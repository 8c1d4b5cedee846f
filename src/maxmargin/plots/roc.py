"""ROC curves of decision values, drawn by scikit-learn's display."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import RocCurveDisplay, auc, roc_curve

from maxmargin.plots import palette
from maxmargin.plots.text import plain, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INSIDE = 5  # more curves than these are named beside the axes,
_LONG = 2.6  # and those whose names take more inches


@dataclass(frozen=True)
class RocCurve:
    """A ROC curve and the area below it.

    Attributes
    ----------
    fpr, tpr : ndarray
        False and true positive rates, both increasing.
    area : float
        The area under the curve.

    Examples
    --------
    >>> curve = RocCurve.from_scores([0, 0, 1, 1], [-2.0, 0.3, 0.1, 1.5], classes=[0, 1])
    >>> curve.area
    0.75
    """

    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]
    area: float

    @classmethod
    def from_scores(cls, y: ArrayLike, scores: ArrayLike, classes: ArrayLike) -> Self | None:
        """Make the curve of decision values.

        Two classes give one curve. More give the average of the curves of each class against the
        rest, over the classes that occur.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            True labels.
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)
            Decision values: of the second class, or one column a class.
        classes : array-like of shape (n_classes,)
            The labels in the order of the columns.

        Returns
        -------
        RocCurve or None
            None when ``y`` holds a single class, where no curve exists.
        """
        labels, values, names = np.asarray(y), np.asarray(scores), np.asarray(classes)
        columns = [(names[1], values)] if values.ndim == 1 else [*zip(names, values.T, strict=True)]
        curves = [
            roc_curve(labels == name, column, drop_intermediate=False)[:2]
            for name, column in columns
            if 0 < np.count_nonzero(labels == name) < len(labels)
        ]
        return cls._averaged(curves) if curves else None

    @classmethod
    def _averaged(cls, curves: list[tuple[Any, Any]]) -> Self:
        if len(curves) == 1:
            fpr, tpr = curves[0]
        else:
            fpr, tpr = _average(curves)
        return cls(fpr=fpr, tpr=tpr, area=float(auc(fpr, tpr)))


def _average(curves: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Average true positive rates at each false positive rate, keeping the vertical steps.

    Each rate stands twice on the grid, before and after the steps there: the area of the average
    is then exactly the average of the areas.
    """
    grid = np.unique(np.concatenate([fpr for fpr, _ in curves]))
    before = np.mean([np.interp(-grid, -fpr[::-1], tpr[::-1]) for fpr, tpr in curves], axis=0)
    after = np.mean([np.interp(grid, fpr, tpr) for fpr, tpr in curves], axis=0)
    return np.repeat(grid, 2), np.column_stack([before, after]).ravel()


def plot_roc(curves: Mapping[str, RocCurve], ax: Axes | None = None) -> Any:
    """Draw ROC curves with the chance line.

    Parameters
    ----------
    curves : mapping of str to RocCurve
        Legend names and curves, any number; the first is drawn strongest. For curves of a
        classifier, give ``RocCurve.from_scores`` its decision values or probabilities.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    sklearn.metrics.RocCurveDisplay
        With ``ax_``, ``figure_`` and ``line_``.

    Examples
    --------
    >>> curve = RocCurve.from_scores([0, 0, 1, 1], [-2.0, 0.3, 0.1, 1.5], classes=[0, 1])
    >>> len(plot_roc({"test": curve, "training": curve, "other": curve}).ax_.lines)
    4
    """
    _check(curves)
    longest = max(width(f"{plain(name)} (AUC = 0.00)", 10) for name in curves)
    beside = len(curves) > _INSIDE or longest > _LONG
    if ax is None:
        size = (5.2 + beside * (longest + 0.8), 5.0)
        _, ax = plt.subplots(figsize=size, layout="constrained")
    display = RocCurveDisplay(
        fpr=[curve.fpr for curve in curves.values()],
        tpr=[curve.tpr for curve in curves.values()],
        roc_auc=[curve.area for curve in curves.values()],
        name=[plain(name) for name in curves],
    ).plot(ax=ax, curve_kwargs=[_style(k) for k in range(len(curves))])
    ax.plot([0, 1], [0, 1], color=palette.CHANCE, linewidth=1, linestyle=":", label="chance")
    ax.set(xlabel="False positive rate", ylabel="True positive rate")
    place: Any = {"loc": "lower right"}
    if beside:
        place = {"loc": "center left", "bbox_to_anchor": (1.02, 0.5)}
        ax.set_anchor("W")  # square axes that were centred would push the legend out
    ax.legend(frameon=False, handlelength=2.8, **place)
    return display


def _style(k: int) -> dict[str, Any]:
    return {
        "color": palette.CURVES[k % len(palette.CURVES)],
        "linestyle": palette.DASHES[k % len(palette.DASHES)],
        "linewidth": 1.8 if k else 2.2,
        "alpha": 1.0,
    }


def _check(curves: Any) -> None:
    if not isinstance(curves, Mapping) or not curves:
        raise TypeError("curves must be a mapping of names to curves, such as {'test': curve}.")
    for name, curve in curves.items():
        if not isinstance(curve, RocCurve):
            raise TypeError(
                f"{name!r} is no RocCurve but {curve!r}: make it by RocCurve.from_scores, which"
                " gives None where all rows are of one class."
            )
