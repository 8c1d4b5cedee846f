"""What finding neighbours costs as columns become more: time, and points compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from maxmargin.course.neighbor_search import SearchCosts
from maxmargin.plots import palette
from maxmargin.plots.text import head

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMES = {
    "brute": "brute force",
    "kd_tree": "kd-tree",
    "ball_tree": "ball tree",
    "lsh": "hashing (LSH)",
    "hnsw": "graph (HNSW)",
}
_MARKS = ("o", "s", "^", "D", "v")


class SearchDisplay:
    """Costs of searches for neighbours against the number of columns.

    For the result of ``search_costs_by_dimension``: microseconds a query at the left, rows
    compared with a query at the right. Where a line meets that of brute force, its structure no
    longer saves work. Build it with :meth:`from_costs`, or draw in one call with
    :func:`searches`.

    Parameters
    ----------
    costs : SearchCosts

    Attributes
    ----------
    axes_ : tuple of two matplotlib Axes
    figure_ : Figure

    Examples
    --------
    >>> from maxmargin.neighbors import search_costs_by_dimension
    >>> from maxmargin.plots import SearchDisplay
    >>> costs = search_costs_by_dimension((2, 4), n_rows=200, n_queries=5, methods=["kd_tree"])
    >>> SearchDisplay.from_costs(costs).axes_[1].get_ylabel()
    'points compared'
    """

    drawn_of: ClassVar[str] = "the SearchCosts of search_costs_by_dimension"

    axes_: tuple[Axes, Axes]
    figure_: Figure

    def __init__(self, *, costs: SearchCosts) -> None:
        self.costs = costs

    @classmethod
    def from_costs(cls, costs: SearchCosts, *, axes: Any = None) -> Self:
        """Draw costs.

        Parameters
        ----------
        costs : SearchCosts
        axes : two matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        SearchDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import plots
        >>> from maxmargin.neighbors import search_costs_by_dimension
        >>> costs = search_costs_by_dimension((2, 4), n_rows=200, n_queries=5, methods=["kd_tree"])
        >>> len(plots.searches(costs).axes_)
        2
        """
        if not isinstance(costs, SearchCosts) or not costs.costs:
            raise TypeError(
                f"{type(costs).__name__} holds no costs of searches; they are drawn of"
                f" {cls.drawn_of}."
            )
        return cls(costs=costs).plot(axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on two axes, or on a new figure.

        Parameters
        ----------
        axes : two matplotlib Axes, optional

        Returns
        -------
        SearchDisplay
            Itself.
        """
        own = axes is None
        if own:
            _, axes = plt.subplots(1, 2, figsize=(10.4, 4.4), layout="constrained")
        self.axes_ = tuple(axes)
        self.figure_ = self.axes_[0].get_figure(root=True)  # type: ignore[assignment]
        self._draw(self.axes_[0], lambda cost: 1e6 * cost.query_seconds)
        self._draw(self.axes_[1], lambda cost: cost.distances)
        self._finish()
        self._name_lines(own)
        return self

    def _draw(self, ax: Axes, number: Any) -> None:
        for k, method in enumerate(self.costs.methods):
            mine = self.costs.of(method)
            style: Any = {"color": palette.CURVES[k], "ls": palette.DASHES[k], "marker": _MARKS[k]}
            columns, values = [c.n_columns for c in mine], [number(c) for c in mine]
            ax.plot(columns, values, label=_NAMES[method], lw=1.7, ms=5, **style)

    def _finish(self) -> None:
        columns = sorted({cost.n_columns for cost in self.costs.costs})
        rows = max(cost.n_rows for cost in self.costs.costs)
        for ax in self.axes_:
            ax.set(xscale="log", yscale="log", xlabel="columns")
            ax.set_xticks(columns, [str(d) for d in columns])
            ax.xaxis.set_minor_formatter(NullFormatter())
            ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
            ax.yaxis.set_minor_formatter(NullFormatter())
            ax.spines[["top", "right"]].set_visible(False)
        self.axes_[0].set_ylabel("microseconds a query")
        self.axes_[1].set_ylabel("points compared")
        head(self.axes_[0], "Time", f"{rows:,} rows, one thread")
        head(self.axes_[1], "Work", "as the structures count it; brute force compares all")

    def _name_lines(self, own: bool) -> None:
        handles, names = self.axes_[0].get_legend_handles_labels()
        style: Any = {"frameon": False, "fontsize": "small"}
        if own:
            self.figure_.legend(handles, names, loc="outside lower center", ncols=5, **style)
        else:
            self.axes_[1].legend(handles, names, **style)


searches = SearchDisplay.from_costs
"""The same as ``SearchDisplay.from_costs``."""
