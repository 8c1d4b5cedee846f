"""Complementary slackness: the dual variable of each row against how far it falls short."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.text import head
from maxmargin.svm.duality import KINDS, DualExplanation, explain_dual
from maxmargin.svm.kernel_classifier import has_unit_margin

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D

Array: TypeAlias = NDArray[np.float64]

_MARKS = dict(zip(KINDS, ("o", "D", "^"), strict=True))
_COLOURS = dict(zip(KINDS, (palette.CURVES[0], palette.CURVES[4], palette.CURVES[1]), strict=True))
_ABOVE = 1.12  # of the tallest thing is the axis high


class SlacknessDisplay(Display):
    """alpha_i against 1 - t_i f(x_i), which is the slack xi_i where it is positive.

    For an SVC, SVCCV, HardMarginSVC or SlackBudgetSVC of two classes, and for pipelines and other
    searches that end in one. At the optimum every row lies on the bent line that is drawn:
    alpha = 0 outside the margin, anything from 0 to C on it, and alpha = C inside it or on the
    wrong side. Build it with :meth:`from_estimator` or :meth:`from_explanation`, or draw in one
    call with :func:`slackness`.

    Parameters
    ----------
    shortfall : array-like of shape (n,)
        1 - t_i f(x_i).
    alpha : array-like of shape (n,)
        The dual variables, or their shares of C_i.
    kind : array-like of shape (n,)
        "outside", "on the margin" or "inside or wrong".
    bound : float
        C, or 1 for shares; infinite for the hard margin.
    quantity : str, default="α"
        What ``alpha`` is called.
    facts : str, default=""
        A line below the title.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    line_ : Line2D
        Where rows lie at the optimum.
    points_ : dict of str to PathCollection
        The rows of each kind.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import make_overlapping
    >>> from maxmargin.plots import SlacknessDisplay
    >>> X, y = make_overlapping(40, random_state=0)
    >>> display = SlacknessDisplay.from_estimator(SVC(kernel="linear").fit(X, y), X, y)
    >>> list(display.points_)
    ['outside', 'on the margin', 'inside or wrong']
    """

    drawn_of: ClassVar[str] = "an SVC, HardMarginSVC or SlackBudgetSVC of two classes"

    line_: Line2D
    points_: dict[str, PathCollection]

    def __init__(
        self,
        *,
        shortfall: ArrayLike,
        alpha: ArrayLike,
        kind: ArrayLike,
        bound: float,
        quantity: str = "α",
        facts: str = "",
    ) -> None:
        self.shortfall: Array = np.asarray(shortfall, dtype=np.float64)
        self.alpha: Array = np.asarray(alpha, dtype=np.float64)
        self.kind = np.asarray(kind)
        self.bound = bound
        self.quantity = quantity
        self.facts = facts

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the rows of a fitted machine.

        Parameters
        ----------
        estimator : SVC, HardMarginSVC or SlackBudgetSVC, or a Pipeline or search that ends in one
            Fitted to two classes.
        X, y, sample_weight
            The training data.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        SlacknessDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import HardMarginSVC, plots
        >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]
        >>> list(plots.slackness(HardMarginSVC().fit(X, y), X, y).points_)
        ['outside', 'on the margin']
        """
        fitted = Fitted.of(estimator)
        if not has_unit_margin(fitted.model):
            raise fitted.refusal("dual variables", f"slackness is drawn of {cls.drawn_of}")
        explanation = explain_dual(fitted.model, fitted.rows(X), y, sample_weight)
        return cls.from_explanation(explanation, ax=ax)

    @classmethod
    def from_explanation(cls, explanation: DualExplanation, *, ax: Axes | None = None) -> Self:
        """Draw the rows that ``explain_dual`` describes.

        Parameters
        ----------
        explanation : DualExplanation
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        SlacknessDisplay
            The display, already plotted.
        """
        cost = explanation.cost
        alike = bool((cost == cost[0]).all())
        return cls(
            shortfall=1.0 - explanation.margin,
            alpha=explanation.alpha if alike else explanation.alpha / cost,
            kind=explanation.kind,
            bound=float(cost[0]) if alike else 1.0,
            quantity="α" if alike else "α / C",
            facts=f"primal {explanation.primal:.5g}, dual {explanation.dual:.5g}",
        ).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        SlacknessDisplay
            Itself.
        """
        ax = self._place(ax, 6.0, 4.2)
        self._draw_line()
        present = [kind for kind in KINDS if (self.kind == kind).any()]
        self.points_ = {kind: self._draw(kind) for kind in present}
        ax.set(
            xlabel="1 − t f(x), the slack ξ where it is positive", ylabel=f"dual {self.quantity}"
        )
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, fontsize="small", loc="upper left")
        head(ax, "Complementary slackness", self.facts)
        return self

    def _draw_line(self) -> None:
        """Draw 0, then up at 0, then C: the slope of the hinge, times C."""
        left, right = min(self.shortfall.min(), -0.5), max(self.shortfall.max(), 0.5)
        tallest = float(self.alpha.max()) if np.isinf(self.bound) else self.bound
        top = _ABOVE * tallest if tallest > 0 else 1.0
        bend = [(left, 0.0), (0.0, 0.0)]
        hard = np.isinf(self.bound)  # there is no way to the right of 0
        bend += [(0.0, top)] if hard else [(0.0, self.bound), (right, self.bound)]
        (self.line_,) = self.ax_.plot(*np.array(bend).T, color=palette.CHANCE, lw=1.2, zorder=1)
        self.ax_.set(xlim=(left - 0.04 * (right - left), right + 0.04 * (right - left)))
        self.ax_.set(ylim=(-0.06 * top, top))

    def _draw(self, kind: str) -> PathCollection:
        mine = self.kind == kind
        return self.ax_.scatter(
            self.shortfall[mine],
            self.alpha[mine],
            s=34,
            marker=_MARKS[kind],
            color=_COLOURS[kind],
            edgecolors="white",
            linewidths=0.6,
            label=f"{kind} ({int(mine.sum())})",
            zorder=3,
            clip_on=False,
        )


slackness = SlacknessDisplay.from_estimator
"""The same as ``SlacknessDisplay.from_estimator``."""
