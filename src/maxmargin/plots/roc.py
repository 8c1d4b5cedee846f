"""Pictures of ROC curves, by scikit-learn's display."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
from sklearn.metrics import RocCurveDisplay

from maxmargin.evaluation import RocCurve
from maxmargin.plots import palette
from maxmargin.plots.text import plain, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INSIDE = 5  # more curves than these are named beside the axes,
_LONG = 2.6  # and those whose names take more inches


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
