"""How often what was given a probability came true, with how many rows each point stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.evaluation import wilson
from maxmargin.evaluation.reliability import BINS, Reliability
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.roc import style
from maxmargin.plots.scores import named_models, probabilities_of
from maxmargin.plots.text import percent, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array: TypeAlias = NDArray[np.float64]


class CalibrationDisplay(Display):
    """Observed frequencies against predicted probabilities, with Wilson's intervals.

    For probabilities of any classifier, ours or not: a row counts as hit if what was given the
    probability came true. On the diagonal the probabilities are well calibrated.
    Build it with :meth:`from_estimator` or :meth:`from_probabilities`, or draw in one
    call with :func:`calibration`.

    Parameters
    ----------
    curves : mapping of str to Reliability

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin.plots import CalibrationDisplay
    >>> said = {"test": ([False, True, True], [0.1, 0.8, 0.9])}
    >>> display = CalibrationDisplay.from_probabilities(said, ax=Figure().subplots())
    >>> display.ax_.get_xlabel()
    'probability that was given'
    """

    drawn_of: ClassVar[str] = (
        "a classifier with predict_proba, or a mapping of names to pairs (hit, probability)"
    )

    def __init__(self, *, curves: Mapping[str, Reliability]) -> None:
        self.curves = curves

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        name: str | None = None,
        n_bins: int = BINS,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the probabilities of a fitted classifier.

        Of two classes those of the second; of more those of the class that is predicted.

        Parameters
        ----------
        estimator : classifier
            Fitted, with ``predict_proba``.
        X, y : array-like
            Rows that it has not seen, and their labels.
        name : str, optional
            In the legend; the estimator's class otherwise.
        n_bins : int, default=10
            Of equal width; those without rows are left out.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        CalibrationDisplay
            The display, already plotted.
        """
        models = estimator if name is None else {name: estimator}
        said = {
            each: probabilities_of(model, X, y, cls.drawn_of)
            for each, model in named_models(models).items()
        }
        return cls.from_probabilities(said, n_bins=n_bins, ax=ax)

    @classmethod
    def from_probabilities(
        cls,
        said: Mapping[str, tuple[ArrayLike, ArrayLike]],
        *,
        n_bins: int = BINS,
        ax: Axes | None = None,
    ) -> Self:
        """Draw probabilities by name.

        Parameters
        ----------
        said : mapping of str to pair of array-like
            Names, and for each row whether it came true and its probability.
        n_bins : int, default=10
            Of equal width; those without rows are left out.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        CalibrationDisplay
            The display, already plotted.
        """
        pairs = isinstance(said, Mapping) and all(isinstance(v, tuple) for v in said.values())
        if not pairs or not said:
            raise TypeError(
                f"{type(said).__name__} holds no probabilities, and calibration is drawn of"
                f" {cls.drawn_of}."
            )
        curves = {name: Reliability.of(*pair, n_bins=n_bins) for name, pair in said.items()}
        return cls(curves=curves).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        CalibrationDisplay
            Itself.
        """
        ax = self._place(ax, 5.2, 5.0)
        ax.plot([0, 1], [0, 1], color=palette.CHANCE, linewidth=1, ls=":", label="as was said")
        for k, name in enumerate(self.curves):
            self._draw(k, name)
            self._count(k, name)
        ax.set(xlabel="probability that was given", ylabel="share that came true")
        ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03 + 0.05 * len(self.curves)))
        ax.xaxis.set_major_formatter(percent)
        ax.yaxis.set_major_formatter(percent)
        ax.set_aspect("equal")
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, handlelength=2.8, loc="lower right")
        return self

    def _draw(self, k: int, name: str) -> None:
        curve, look = self.curves[name], style(k)
        ends = [wilson(int(h), int(n)) for h, n in zip(curve.hits, curve.counts, strict=True)]
        bars = np.abs([[end.low, end.high] for end in ends] - curve.observed[:, None]).T
        self.ax_.errorbar(curve.predicted, curve.observed, bars, fmt="none", elinewidth=1.2,
                          capsize=2.5, color=look["color"], alpha=0.6)  # fmt: skip
        self.ax_.plot(
            curve.predicted,
            curve.observed,
            label=plain(name),
            **look | {"linewidth": 1.2, "alpha": 0.5},
        )
        # The area of a point is that of its rows, within what can be seen and does not hide.
        sizes = 14.0 + 150.0 * curve.counts / curve.counts.max()
        self.ax_.scatter(curve.predicted, curve.observed, sizes, color=look["color"], zorder=3,
                         edgecolors="white", linewidths=0.6)  # fmt: skip

    def _count(self, k: int, name: str) -> None:
        """Write above each point how many rows it stands for."""
        curve, height = self.curves[name], 1.05 + 0.05 * k
        words: Any = {"fontsize": 8, "ha": "center", "color": style(k)["color"]}
        for p, count in zip(curve.predicted, curve.counts, strict=True):
            self.ax_.text(p, height, str(count), **words)


def calibration(
    said: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None, n_bins: int = BINS
) -> CalibrationDisplay:
    """Draw how often what was given a probability came true.

    Parameters
    ----------
    said : classifier, or mapping of str to pair of array-like
        With ``X`` and ``y`` a fitted classifier; otherwise names, and for each row whether it came
        true and its probability.
    X, y : array-like, optional
        Rows that the classifier has not seen, and their labels.
    ax : matplotlib Axes, optional
        Axes to draw into; by default a new figure.
    n_bins : int, default=10
        Of equal width; those without rows are left out.

    Returns
    -------
    CalibrationDisplay
        With ``ax_``, ``figure_`` and ``curves``.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin import plots
    >>> said = {"test": ([False, True, True], [0.1, 0.8, 0.9])}
    >>> plots.calibration(said, ax=Figure().subplots()).curves["test"].counts.tolist()
    [1, 1, 1]
    """
    if y is not None:
        return CalibrationDisplay.from_estimator(said, X, y, n_bins=n_bins, ax=ax)
    return CalibrationDisplay.from_probabilities(said, n_bins=n_bins, ax=ax)
