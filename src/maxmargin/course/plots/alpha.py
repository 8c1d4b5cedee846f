"""The coefficient of a weak learner as a function of its weighted error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.evaluation.members import coefficients
from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette
from maxmargin.plots.display import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D

Array: TypeAlias = NDArray[np.float64]

_NAMED = 6  # more rounds than these are drawn without their numbers
_HEIGHT = 3.0  # of the axis of coefficients, up and down
_LINE = 12.0  # points from a name to the next


class AlphaDisplay(Display):
    """The curve alpha = rate / 2 (log((1 - e) / e) + log(K - 1)), with the rounds of a model on it.

    For an AdaBoostClassifier, ours or scikit-learn's, and pipelines that end in one.
    The coefficient is positive for a learner that is better than guessing among K classes, 0 for
    guessing, and negative for a worse one. Build it with :meth:`from_estimator`, or
    draw in one call with :func:`alphas`.

    Parameters
    ----------
    errors : array-like of shape (n_rounds,)
        Weighted errors of the rounds, in the order of the rounds.
    alphas : array-like of shape (n_rounds,)
        Their coefficients.
    n_classes : int, default=2
        K; a guess errs on 1 - 1/K of the weight.
    learning_rate : float, default=1.0
        By which every coefficient is multiplied.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    line_ : Line2D
        The curve.
    rounds_ : PathCollection
        A point a round.

    Examples
    --------
    >>> from maxmargin.plots import AlphaDisplay
    >>> display = AlphaDisplay(errors=[0.3], alphas=[0.42]).plot()
    >>> display.ax_.get_xlabel()
    'weighted error e'
    """

    drawn_of: ClassVar[str] = "an AdaBoostClassifier"

    line_: Line2D
    rounds_: PathCollection

    def __init__(
        self,
        *,
        errors: ArrayLike,
        alphas: ArrayLike,
        n_classes: int = 2,
        learning_rate: float = 1.0,
    ) -> None:
        self.errors: Array = np.asarray(errors, dtype=np.float64)
        self.alphas: Array = np.asarray(alphas, dtype=np.float64)
        self.n_classes = n_classes
        self.learning_rate = learning_rate

    @classmethod
    def from_estimator(cls, estimator: Any = None, *, ax: Axes | None = None) -> Self:
        """Draw the curve with the rounds of a fitted AdaBoost.

        Parameters
        ----------
        estimator : AdaBoostClassifier, or a Pipeline that ends in one, optional
            Fitted; its rounds are put on the curve, which is that of its number of classes and of
            its learning rate. Without one, the curve alone is drawn.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        AlphaDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import plots
        >>> from maxmargin.boosting import AdaBoostClassifier
        >>> from maxmargin.datasets import load_ten_points
        >>> model = AdaBoostClassifier(n_estimators=3).fit(*load_ten_points(return_X_y=True))
        >>> len(plots.alphas(model).rounds_.get_offsets())
        3
        """
        if estimator is None:
            return cls(errors=[], alphas=[]).plot(ax=ax)
        fitted = Fitted.of(estimator)
        model, alphas = fitted.model, coefficients(fitted.model)
        if alphas is None:
            raise fitted.refusal("alphas_", f"coefficients are drawn of {cls.drawn_of}")
        return cls(
            errors=np.asarray(model.estimator_errors_)[: len(alphas)],
            alphas=alphas,
            n_classes=len(model.classes_),
            learning_rate=model.learning_rate,
        ).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        AlphaDisplay
            Itself.
        """
        ax = self._place(ax, 5.6, 4.2)
        error = np.linspace(0.002, 0.998, 499)
        for line, place in ((ax.axhline, 0.0), (ax.axvline, self._chance())):
            line(place, color=palette.CHANCE, lw=1.0, ls=":")
        odds = (1.0 - error) / error
        curve = 0.5 * self.learning_rate * (np.log(odds) + np.log(self.n_classes - 1.0))
        (self.line_,) = ax.plot(error, curve, color=palette.TEST, lw=2.2)
        self.rounds_ = ax.scatter(self.errors, self.alphas, s=38, color=palette.TRAIN, zorder=3,
                                  edgecolors="white", linewidths=0.6)  # fmt: skip
        self._finish_axes()
        self._name_rounds()
        return self

    def _chance(self) -> float:
        return 1.0 - 1.0 / self.n_classes

    def _name_rounds(self) -> None:
        """Name the rounds to the right of the curve, from below, each clear of the one before."""
        if len(self.errors) > _NAMED:
            return
        points = 72.0 * self.ax_.get_window_extent().height / self.figure_.dpi
        line = _LINE * 2.0 * _HEIGHT / points
        floor = -_HEIGHT
        words: Any = {"fontsize": "small", "color": palette.FACTS, "va": "center"}
        thread = {"arrowstyle": "-", "color": palette.CHANCE, "lw": 0.6, "shrinkA": 0, "shrinkB": 4}
        for k in np.lexsort((-self.errors, self.alphas)):
            spot = (self.errors[k], self.alphas[k])
            floor = max(self.alphas[k] + 0.5 * line, floor)
            place = (self.errors[k] + 0.03, floor)
            self.ax_.annotate(f"round {k + 1}", spot, place, arrowprops=thread, **words)
            floor += line

    def _finish_axes(self) -> None:
        self.ax_.set(xlabel="weighted error e", xlim=(0.0, 1.0), ylim=(-_HEIGHT, _HEIGHT))
        self.ax_.set_ylabel(f"coefficient  α = {self._formula()}")
        words: Any = {"size": 9, "color": palette.FACTS, "ha": "center"}
        chance = self._chance()
        self.ax_.text(0.5 * chance, -2.6, "better than chance", **words)
        worse = "worse: votes against itself" if chance == 0.5 else "worse"
        self.ax_.text(0.5 * (1.0 + chance), 2.5, worse, **words)
        self.ax_.spines[["top", "right"]].set_visible(False)

    def _formula(self) -> str:
        rate = "" if self.learning_rate == 1.0 else f"{self.learning_rate:g} × "
        odds = "log((1 − e) / e)"
        if self.n_classes == 2:
            return f"{rate}½ {odds}"
        return f"{rate}½ ({odds} + log {self.n_classes - 1})"


alphas = AlphaDisplay.from_estimator
"""The same as ``AlphaDisplay.from_estimator``."""
