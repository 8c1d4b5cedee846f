"""Pictures of ROC curves, by scikit-learn's display."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
from sklearn.metrics import RocCurveDisplay

from maxmargin.evaluation import Band, RocCurve
from maxmargin.plots import palette
from maxmargin.plots.scores import curves_of
from maxmargin.plots.text import plain, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INSIDE = 5  # more curves than these are named beside the axes,
LONG = 2.6  # and those whose names take more inches


_DRAWN_OF = "fitted classifiers with X and y, or a mapping of names to RocCurves and Bands"


def roc(curves: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None) -> Any:
    """Draw ROC curves with the chance line, of fitted models or of curves.

    Parameters
    ----------
    curves : classifier, mapping of str to classifier, or mapping of str to RocCurve or Band
        With ``X`` and ``y`` fitted classifiers, which are judged on these rows. Otherwise legend
        names and curves, any number; the first is drawn strongest. For a mean curve in the band
        of its folds, give what ``Run.roc`` returns.
    X, y : array-like, optional
        Rows that the classifiers have not seen, and their labels. More than two classes give the
        average of the curves of each class against the rest.
    ax : matplotlib Axes, optional
        Axes to draw into; by default a new figure.

    Returns
    -------
    sklearn.metrics.RocCurveDisplay
        With ``ax_``, ``figure_`` and ``line_``.

    Examples
    --------
    >>> curve = RocCurve.from_scores([0, 0, 1, 1], [-2.0, 0.3, 0.1, 1.5], classes=[0, 1])
    >>> len(roc({"test": curve, "training": curve, "other": curve}).ax_.lines)
    4
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> roc(SVC(gamma=1.0).fit(X[::2], y[::2]), X[1::2], y[1::2]).ax_.get_legend_handles_labels()[1]
    ['SVC (AUC = 0.85)', 'chance']
    """
    if y is not None:
        curves = curves_of(curves, X, y, RocCurve, _DRAWN_OF)
    check_curves(curves, RocCurve)
    labels = [_label(name, curve) for name, curve in curves.items()]
    longest = max(width(label, 10) for label in labels)
    beside = len(curves) > INSIDE or longest > LONG
    if ax is None:
        size = (5.2 + beside * (longest + 0.8), 5.0)
        _, ax = plt.subplots(figsize=size, layout="constrained")
    points = [_points(curve) for curve in curves.values()]
    display = RocCurveDisplay(
        fpr=[fpr for fpr, _ in points],
        tpr=[tpr for _, tpr in points],
        roc_auc=[curve.area for curve in curves.values()],
        name=[plain(name) for name in curves],
    ).plot(ax=ax, curve_kwargs=[style(k) for k in range(len(curves))])
    for line, label in zip(ax.lines[-len(labels) :], labels, strict=True):
        line.set_label(label)
    fill_bands(ax, list(curves.values()))
    ax.plot([0, 1], [0, 1], color=palette.CHANCE, linewidth=1, linestyle=":", label="chance")
    ax.set(xlabel="False positive rate", ylabel="True positive rate")
    place_legend(ax, beside, "lower right")
    return display


def _points(curve: RocCurve | Band) -> tuple[Any, Any]:
    return (curve.x, curve.mean) if isinstance(curve, Band) else (curve.fpr, curve.tpr)


def _label(name: str, curve: RocCurve | Band) -> str:
    return f"{plain(name)} (AUC = {shown_area(curve)})"


# what curves of either kind share


def shown_area(curve: Any) -> str:
    """Write the area of a curve, or those of a band with their deviation."""
    spread = f" ± {curve.deviation:.2f}" if isinstance(curve, Band) else ""
    return f"{curve.area:.2f}{spread}"


def fill_bands(ax: Axes, curves: list[Any], **how: Any) -> None:
    """Fill the bands among curves in the colour of their lines."""
    for k, band in enumerate(curves):
        if isinstance(band, Band):
            colour = palette.CURVES[k % len(palette.CURVES)]
            ax.fill_between(band.x, band.low, band.high, color=colour, alpha=0.18, lw=0, **how)


def place_legend(ax: Axes, beside: bool, inside: str) -> None:
    """Name the curves, inside the axes or beside them."""
    place: Any = {"loc": inside}
    if beside:
        place = {"loc": "center left", "bbox_to_anchor": (1.02, 0.5)}
        ax.set_anchor("W")  # square axes that were centred would push the legend out
    ax.legend(frameon=False, handlelength=2.8, **place)


def style(k: int) -> dict[str, Any]:
    """Return the line style of the k-th curve."""
    return {
        "color": palette.CURVES[k % len(palette.CURVES)],
        "linestyle": palette.DASHES[k % len(palette.DASHES)],
        "linewidth": 1.8 if k else 2.2,
        "alpha": 1.0,
    }


def check_curves(curves: Any, kind: type) -> None:
    """Raise for anything but named curves, or bands of curves, of one kind."""
    if not isinstance(curves, Mapping) or not curves:
        raise TypeError(
            "curves must be a mapping such as {'test': curve}, of names to curves; of a fitted "
            "classifier give its rows and their labels too."
        )
    for name, curve in curves.items():
        if not isinstance(curve, kind) and not (isinstance(curve, Band) and curve.kind is kind):
            found = "None" if curve is None else f"a {type(curve).__name__}"
            raise TypeError(
                f"{name!r} is no {kind.__name__} but {found}: make it by"
                f" {kind.__name__}.from_scores, which gives None where all rows are of one class."
            )
