"""Precision-recall curves as steps, with the bands of folds and the precision of guessing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from maxmargin.evaluation import Band, PrecisionRecallCurve
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.roc import (
    INSIDE,
    LONG,
    check_curves,
    fill_bands,
    place_legend,
    shown_area,
    style,
)
from maxmargin.plots.scores import curves_of
from maxmargin.plots.text import plain, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


class PrecisionRecallDisplay(Display):
    """Precision-recall curves of one model or several.

    For any fitted classifier, the numbers of a PrecisionRecallCurve, or the Band of several that
    ``Run.precision_recall`` gives.
    Build it with :meth:`from_estimator` or :meth:`from_curves`, or draw in one call with
    :func:`precision_recall`.

    Parameters
    ----------
    curves : mapping of str to PrecisionRecallCurve or Band
        Names and curves.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    lines_ : dict of str to Line2D
        The curve of each name.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin.evaluation import PrecisionRecallCurve
    >>> curve = PrecisionRecallCurve.from_scores([0, 0, 1, 1], [-2.0, 0.3, 0.1, 1.5], [0, 1])
    >>> display = PrecisionRecallDisplay.from_curves({"test": curve}, ax=Figure().subplots())
    >>> display.lines_["test"].get_label()
    'test (AP = 0.83)'
    """

    drawn_of: ClassVar[str] = "a fitted classifier, a PrecisionRecallCurve or a Band of them"

    lines_: dict[str, Line2D]

    def __init__(self, *, curves: Mapping[str, PrecisionRecallCurve | Band]) -> None:
        self.curves = curves

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, name: str | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw the curve of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            Fitted, in a pipeline or not.
        X, y : array-like
            Rows that it has not seen, and their labels.
        name : str, optional
            In the legend; the estimator's class otherwise.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        PrecisionRecallDisplay
            The display, already plotted.
        """
        models = estimator if name is None else {name: estimator}
        curves = curves_of(models, X, y, PrecisionRecallCurve, cls.drawn_of)
        return cls(curves=curves).plot(ax=ax)

    @classmethod
    def from_curves(
        cls, curves: Mapping[str, PrecisionRecallCurve | Band], *, ax: Axes | None = None
    ) -> Self:
        """Draw curves by name.

        Parameters
        ----------
        curves : mapping of str to PrecisionRecallCurve or Band
            Legend names and curves, any number; the first is drawn strongest.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        PrecisionRecallDisplay
            The display, already plotted.
        """
        check_curves(curves, PrecisionRecallCurve)
        return cls(curves=curves).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        PrecisionRecallDisplay
            Itself.
        """
        labels = {n: f"{plain(n)} (AP = {shown_area(c)})" for n, c in self.curves.items()}
        longest = max(width(label, 10) for label in labels.values())
        beside = len(labels) > INSIDE or longest > LONG
        size = (5.2 + beside * (longest + 0.8), 5.0)
        ax = self._place(ax, *size)
        self.lines_ = {name: self._draw(k, name, labels[name]) for k, name in enumerate(labels)}
        fill_bands(ax, list(self.curves.values()), step="pre")
        self._guess()
        ax.set(xlabel="Recall", ylabel="Precision", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
        ax.set_aspect("equal")
        place_legend(ax, beside, self._corner())
        return self

    def _draw(self, k: int, name: str, label: str) -> Line2D:
        curve = self.curves[name]
        x, y = (curve.x, curve.mean) if isinstance(curve, Band) else (curve.recall, curve.precision)
        (line,) = self.ax_.plot(x, y, drawstyle="steps-pre", label=label, **style(k))
        return line

    def _guess(self) -> None:
        """Draw the precision of guessing, once where it is the same for all."""
        chances = {round(_chance(curve), 3) for curve in self.curves.values()}
        for k, chance in enumerate(sorted(chances)):
            label = "chance" if k == 0 else None
            self.ax_.axhline(chance, color=palette.CHANCE, linewidth=1, linestyle=":", label=label)

    def _corner(self) -> str:
        """Put the legend below curves that stay high, above those that do not."""
        return "lower left" if min(map(_lowest, self.curves.values())) > 0.4 else "upper right"


def precision_recall(
    curves: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None
) -> PrecisionRecallDisplay:
    """Draw precision-recall curves with the precision of guessing.

    Parameters
    ----------
    curves : classifier, or mapping of str to classifier, PrecisionRecallCurve or Band
        With ``X`` and ``y`` fitted classifiers, otherwise legend names and curves; the first is
        drawn strongest.
    X, y : array-like, optional
        Rows that the classifiers have not seen, and their labels.
    ax : matplotlib Axes, optional
        Axes to draw into; by default a new figure.

    Returns
    -------
    PrecisionRecallDisplay
        With ``ax_``, ``figure_`` and ``lines_``.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin import SVC, plots
    >>> from maxmargin.datasets import load_mixture
    >>> from maxmargin.evaluation import evaluate
    >>> X, y = load_mixture(return_X_y=True)
    >>> run = evaluate(SVC(gamma=1.0), X, y, decisions=True, random_state=0)["SVC"]
    >>> curves = {"radial": run.precision_recall()}
    >>> plots.precision_recall(curves, ax=Figure().subplots()).ax_.get_xlabel()
    'Recall'
    """
    if y is not None:
        curves = curves_of(curves, X, y, PrecisionRecallCurve, PrecisionRecallDisplay.drawn_of)
    return PrecisionRecallDisplay.from_curves(curves, ax=ax)


def _chance(curve: Any) -> float:
    if isinstance(curve, Band):
        return float(np.mean([each.chance for each in curve.curves]))
    return float(curve.chance)


def _lowest(curve: Any) -> float:
    """Find how low a curve comes on the left half, where a legend below it would stand."""
    x, y = (curve.x, curve.low) if isinstance(curve, Band) else (curve.recall, curve.precision)
    return float(np.min(y[x <= max(0.5, x[0])]))
