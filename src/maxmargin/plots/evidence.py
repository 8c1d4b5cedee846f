"""The training rows that decide about a row of a table, and by which columns they are near."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from maxmargin.plots import palette
from maxmargin.plots.text import head, plain, turn
from maxmargin.tabular import Explanation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

Array: TypeAlias = NDArray[Any]

_LETTERS = 22  # of a label or a column's name
_MOST_COLUMNS = 10  # in which rows differ most


class EvidenceDisplay:
    """Bars of the contributions of the deciding rows, and their distances in every column.

    For an Explanation, which ``TableSVC.explain`` and ``TableSVR.explain`` return. At the left the
    training rows that count most, for and against; at the right, how far each is from the explained
    row in each column, compared with the mean of all training rows: blue is nearer, red is farther.
    Build it with :meth:`from_explanation`, or draw in one call with :func:`evidence`.

    Parameters
    ----------
    explanation : Explanation
    k : int, default=6
        Number of rows drawn for, and against.

    Attributes
    ----------
    axes_ : tuple of two matplotlib Axes
    figure_ : Figure
    bars_ : BarContainer
        One bar a row.
    image_ : AxesImage
        A line a row, a column a column of the table.

    Examples
    --------
    >>> from maxmargin import TableSVC
    >>> from maxmargin.datasets import load_mixture
    >>> from maxmargin.plots import EvidenceDisplay
    >>> X, y = load_mixture(return_X_y=True)
    >>> found = TableSVC().fit(X, y).explain(X[0])
    >>> display = EvidenceDisplay.from_explanation(found, k=3)
    >>> len(display.bars_)
    6
    """

    drawn_of: ClassVar[str] = "the Explanation that explain of a TableSVC or TableSVR returns"

    axes_: tuple[Axes, Axes]
    figure_: Figure
    bars_: BarContainer
    image_: AxesImage

    def __init__(self, *, explanation: Explanation, k: int = 6) -> None:
        self.explanation = explanation
        found = [explanation.strongest(k, sign=sign) for sign in (1, -1)]
        self.positions: Array = np.concatenate([found[0], found[1][::-1]])

    @classmethod
    def from_explanation(cls, explanation: Explanation, *, k: int = 6, axes: Any = None) -> Self:
        """Draw an explanation.

        Parameters
        ----------
        explanation : Explanation
        k : int, default=6
            Number of rows drawn for, and against.
        axes : two matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        EvidenceDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import TableSVC, plots
        >>> from maxmargin.datasets import load_mixture
        >>> X, y = load_mixture(return_X_y=True)
        >>> found = TableSVC().fit(X, y).explain(X[0], X, y)
        >>> plots.evidence(found).axes_[0].get_yticklabels()[0].get_text()[:3]
        'row'
        """
        if not isinstance(explanation, Explanation):
            raise TypeError(
                f"{type(explanation).__name__} holds no evidence; it is drawn of {cls.drawn_of}."
            )
        if len(explanation.rows) == 0:
            raise ValueError("No training row decides here, so there is no evidence to draw.")
        return cls(explanation=explanation, k=k).plot(axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on two axes, or on a new figure.

        Parameters
        ----------
        axes : two matplotlib Axes, optional

        Returns
        -------
        EvidenceDisplay
            Itself.
        """
        columns = self._columns()
        if axes is None:
            size = (6.6 + 0.42 * len(columns), 2.0 + 0.3 * len(self.positions))
            ratios = [5.0, 0.6 * len(columns) + 0.6]
            _, axes = plt.subplots(
                1, 2, figsize=size, layout="constrained", sharey=True, width_ratios=ratios
            )
        self.axes_ = tuple(axes)
        self.figure_ = self.axes_[0].get_figure(root=True)  # type: ignore[assignment]
        self._draw_bars(self.axes_[0])
        self._draw_distances(self.axes_[1], columns)
        return self

    def _columns(self) -> Array:
        """Choose the columns in which the drawn rows differ most from the typical distance."""
        ratio = self._ratios(np.arange(len(self.explanation.names)))
        contrast = np.abs(ratio - 1.0).sum(axis=0)
        contrast[self.explanation.typical == 0] = -1.0  # dropped, or alike everywhere
        chosen = np.argsort(-contrast, kind="stable")[:_MOST_COLUMNS]
        return np.sort(chosen[contrast[chosen] >= 0])

    def _ratios(self, columns: Array) -> Array:
        typical = self.explanation.typical[columns]
        distances = self.explanation.distances[np.ix_(self.positions, columns)]
        return np.asarray(distances / np.where(typical > 0, typical, 1.0))

    def _draw_bars(self, ax: Axes) -> None:
        parts = self.explanation.contributions[self.positions]
        places = np.arange(len(parts))
        colours = np.where(parts > 0, palette.TEST, palette.TRAIN)
        self.bars_ = ax.barh(places, parts, color=colours.tolist(), height=0.62)
        ax.axvline(0.0, color=palette.INK, linewidth=0.8)
        ax.set_yticks(places, [self._label(i) for i in self.positions.tolist()], fontsize=9)
        ax.set_ylim(len(parts) - 0.5, -0.5)  # the strongest for it stand at the top
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(left=False)
        quantity = self.explanation.quantity
        ax.set_xlabel(
            "what the row adds to the " + ("prediction" if quantity else "decision value")
        )
        value = f"{self.explanation.decision:.4g}"
        title = (
            f"Predicted {value}"
            if quantity
            else f"Predicted {self._short(self.explanation.predicted)}"
        )
        facts = (
            f"the middle is {self.explanation.offset:.4g}"
            if quantity
            else f"decision value {value}"
        )
        head(ax, title, f"{facts}; {len(self.explanation.rows):,} rows count")

    def _label(self, position: int) -> str:
        row = f"row {self.explanation.rows[position]}"
        if self.explanation.targets is None:
            return row
        target = self.explanation.targets[position]
        said = f"{target:.4g}" if isinstance(target, float) else self._short(target)
        return f"{row}: {said}"

    def _short(self, name: object) -> str:
        text = str(name)
        return plain(text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…")

    def _draw_distances(self, ax: Axes, columns: Array) -> None:
        names = [self._short(self.explanation.names[j]) for j in columns.tolist()]
        style: Any = {"cmap": "RdBu_r", "vmin": 0.0, "vmax": 2.0, "aspect": "auto"}
        self.image_ = ax.imshow(self._ratios(columns), interpolation="nearest", **style)
        room = 0.4 * len(columns)
        ax.set_xticks(range(len(names)), names, **turn(names, room, 9))
        ax.tick_params(left=False, bottom=False, labelleft=False)
        ax.spines[:].set_visible(False)
        bar = self.figure_.colorbar(self.image_, ax=ax, ticks=[0.0, 1.0, 2.0], pad=0.03)
        bar.ax.set_yticklabels(["equal", "typical", "twice that\nor more"], fontsize=8)
        bar.outline.set_visible(False)
        head(ax, "Distance in each column", "")


evidence = EvidenceDisplay.from_explanation
"""The same as ``EvidenceDisplay.from_explanation``."""
