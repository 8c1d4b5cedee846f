"""What the search of a kernel machine for a table tried, and how good each candidate was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter
from numpy.typing import ArrayLike, NDArray

from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.text import head, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

Array: TypeAlias = NDArray[Any]

_MARKS = ("o", "s", "^", "D", "v", "P", "X")
_HALF = 0.36  # of the width between two stages that one stage's points take
_WORST = 1.15  # losses above this say no more than that: left out of the picture
_WIDE = 4.0  # times the least loss from which on the axis is logarithmic
_LETTERS = 100  # of the best candidate's name that stand in a line


class TableSearchDisplay(Display):
    """The loss of every candidate of a search, by the stage that judged it and its kernel.

    For a fitted TableSVC or TableSVR, and pipelines that end in one. Stages look at more and more
    rows and at fewer candidates; in each the kernels stand side by side. A loss of 1 is that of
    predicting the mean. The best of the last stage is ringed. Build it with
    :meth:`from_estimator`, or draw in one call with :func:`table_search`.

    Parameters
    ----------
    names : sequence of str
        Of the candidates: the kernel, then after a comma all else.
    rows : array-like of int
        How many rows each was judged on.
    losses : array-like of float

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    points_ : list of PathCollection
        Of each kernel.
    best : int
        The number of the best candidate.

    Examples
    --------
    >>> from maxmargin.plots import TableSearchDisplay
    >>> names = ["exponential of absolute distance, gamma 1", "matern of squared distance, gamma 1"]
    >>> display = TableSearchDisplay(names=names, rows=[600, 600], losses=[0.4, 0.3]).plot()
    >>> display.best
    1
    """

    drawn_of: ClassVar[str] = "a TableSVC or TableSVR, or a pipeline that ends in one"

    points_: list[PathCollection]

    def __init__(self, *, names: Sequence[str], rows: ArrayLike, losses: ArrayLike) -> None:
        self.names = [str(name) for name in names]
        self.rows: Array = np.asarray(rows)
        self.losses: Array = np.asarray(losses, dtype=np.float64)
        if not len(self.names) == len(self.rows) == len(self.losses) > 0:
            raise ValueError(
                f"There are {len(self.names)} names, {len(self.rows)} numbers of rows and "
                f"{len(self.losses)} losses; give each candidate one of each."
            )
        last = np.flatnonzero(self.rows == self.rows.max())
        self.best = int(last[self.losses[last].argmin()])

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Draw the search of a fitted model.

        Parameters
        ----------
        estimator : TableSVC, TableSVR, or a Pipeline that ends in one
            Fitted.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        TableSearchDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import TableSVC, plots
        >>> from maxmargin.datasets import load_mixture
        >>> model = TableSVC().fit(*load_mixture(return_X_y=True))
        >>> plots.table_search(model).ax_.get_xticklabels()[0].get_text().split()[0]
        '200'
        """
        fitted = Fitted.of(estimator)
        if not hasattr(fitted.model, "search_results"):
            raise fitted.refusal("search of a table's kernel", f"it is drawn of {cls.drawn_of}")
        found = fitted.model.search_results()
        names = found["candidate"].tolist()
        return cls(names=names, rows=found["rows"], losses=found["loss"]).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        TableSearchDisplay
            Itself.
        """
        own = ax is None
        ax = self._place(ax, 8.0, 5.0)
        kernels = [name.split(",")[0] for name in self.names]
        stages, stage = np.unique(self.rows, return_inverse=True)
        families, family = np.unique(kernels, return_inverse=True)
        x = _places(stage, family, len(families))
        self.points_ = [
            self._scatter(x, family == k, str(name), k) for k, name in enumerate(families)
        ]
        self._mark_best(float(x[self.best]))
        counts = np.bincount(stage)
        said = [
            f"{rows:,} rows\n{count:,} tried" for rows, count in zip(stages, counts, strict=True)
        ]
        ax.set_xticks(range(len(stages)), said)
        self._finish(len(stages))
        self._name_kernels(own)
        return self

    def _scatter(self, x: Array, mine: Array, name: str, k: int) -> PathCollection:
        colour = palette.CURVES[k % len(palette.CURVES)]
        style: Any = {"marker": _MARKS[k % len(_MARKS)], "s": 13, "linewidths": 0, "alpha": 0.55}
        return self.ax_.scatter(x[mine], self.losses[mine], color=colour, label=name, **style)

    def _mark_best(self, x: float) -> None:
        style: Any = {"facecolors": "none", "edgecolors": palette.INK, "linewidths": 1.4}
        self.ax_.scatter([x], [self.losses[self.best]], s=90, zorder=3, **style)

    def _finish(self, stages: int) -> None:
        beyond = int((self.losses > _WORST).sum())
        self._scale_losses(float(self.losses.min()), min(float(self.losses.max()), _WORST))
        self.ax_.set_xlim(-0.5, stages - 0.5)
        self.ax_.set_ylabel("loss of rows left out (1: the mean)")
        self.ax_.spines[["top", "right"]].set_visible(False)
        facts = f"the best: {_short(plain(self.names[self.best]))}"
        more = f"; {beyond:,} above {_WORST:g} left out" if beyond else ""
        head(self.ax_, f"What the search tried: {len(self.names):,} candidates{more}", facts)

    def _scale_losses(self, low: float, high: float) -> None:
        if low <= 0.0 or high < _WIDE * low:
            room = 0.06 * abs(high - low) or 0.1
            self.ax_.set_ylim(min(low, high) - room, max(low, high) + room)
            return
        room = (high / low) ** 0.06
        self.ax_.set(yscale="log", ylim=(low / room, high * room))
        self.ax_.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        self.ax_.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        self.ax_.yaxis.set_minor_formatter(NullFormatter())

    def _name_kernels(self, own: bool) -> None:
        handles, names = self.ax_.get_legend_handles_labels()
        style: Any = {"frameon": False, "fontsize": "small", "markerscale": 1.5}
        if own:
            self.figure_.legend(handles, names, loc="outside lower center", ncols=3, **style)
        else:
            self.ax_.legend(handles, names, **style)


def _places(stage: Array, family: Array, families: int) -> Array:
    """Place candidates: stages apart, in them kernels side by side, in these in order."""
    x = np.zeros(len(stage))
    wide = 2.0 * _HALF / families
    for s in np.unique(stage):
        for k in range(families):
            mine = np.flatnonzero((stage == s) & (family == k))
            inside = (np.arange(len(mine)) + 0.5) / max(1, len(mine)) * 0.8 + 0.1
            x[mine] = s - _HALF + wide * (k + inside)
    return x


def _short(name: str) -> str:
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"


table_search = TableSearchDisplay.from_estimator
"""The same as ``TableSearchDisplay.from_estimator``."""
