"""The duals of a support vector machine against its cost C, along the whole path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from matplotlib.collections import LineCollection
from numpy.typing import ArrayLike, NDArray

from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.text import plain
from maxmargin.svm.path import SvmPath

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array: TypeAlias = NDArray[np.float64]

_BETWEEN = 200  # costs between the corners: a share of C is no straight line
_BELOW = 0.5  # of the first corner, where the picture begins


class PathDisplay(Display):
    """The dual variables of all rows against C: a line a row, in the colour of its class.

    For the result of ``svm_path``. A row inside its margin has alpha = C, a row beyond it alpha =
    0, and a row on it a value between. Build it with :meth:`from_path`, or draw in one call with
    :func:`path`.

    Parameters
    ----------
    costs : array-like of shape (costs,)
        Ascending and positive.
    alphas : array-like of shape (costs, rows)
        What is drawn: duals, or their shares of C.
    labels : array-like of int of shape (rows,)
        The class number of each row, 0 or 1.
    names : sequence of str, default=("0", "1")
        What the classes are called.
    corners : array-like, default=()
        The costs where the path turns, marked at the top.
    quantity : str, default="alpha / C"
        The label of the vertical axis.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    lines_ : list of LineCollection
        The rows of each class.

    Examples
    --------
    >>> from maxmargin.datasets import load_mixture
    >>> from maxmargin.plots import PathDisplay
    >>> from maxmargin.svm.path import svm_path
    >>> path = svm_path(*load_mixture(return_X_y=True), gamma=1.0, C_max=10.0)
    >>> PathDisplay.from_path(path).ax_.get_xlabel()
    'C'
    """

    drawn_of: ClassVar[str] = "what svm_path gives"

    lines_: list[LineCollection]

    def __init__(
        self,
        *,
        costs: ArrayLike,
        alphas: ArrayLike,
        labels: ArrayLike,
        names: Any = ("0", "1"),
        corners: ArrayLike = (),
        quantity: str = "alpha / C",
    ) -> None:
        self.costs: Array = np.asarray(costs, dtype=np.float64)
        self.alphas: Array = np.asarray(alphas, dtype=np.float64)
        self.labels = np.asarray(labels)
        self.names = names
        self.corners: Array = np.asarray(corners, dtype=np.float64)
        self.quantity = quantity

    @classmethod
    def from_path(cls, path: SvmPath, *, scaled: bool = True, ax: Axes | None = None) -> Self:
        """Draw a path.

        Parameters
        ----------
        path : SvmPath
        scaled : bool, default=True
            Whether to draw alpha / C, from 0 to 1, rather than alpha.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        PathDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import plots
        >>> from maxmargin.datasets import load_mixture
        >>> from maxmargin.svm.path import svm_path
        >>> found = svm_path(*load_mixture(return_X_y=True), kernel="linear", C_max=1.0)
        >>> [len(lines.get_paths()) for lines in plots.path(found).lines_]
        [100, 100]
        """
        if not isinstance(path, SvmPath):
            raise TypeError(f"{type(path).__name__} is no path; draw {cls.drawn_of}.")
        corners = path.costs[1:]
        between = np.geomspace(_BELOW * corners[0], corners[-1], _BETWEEN)
        costs = np.union1d(between.clip(max=corners[-1]), corners)
        alphas = np.array([path.at(C).alpha for C in costs.tolist()])
        return cls(
            costs=costs,
            alphas=alphas / costs[:, None] if scaled else alphas,
            labels=path.labels,
            names=[str(name) for name in path.classes],
            corners=corners[:-1],
            quantity="alpha / C" if scaled else "alpha",
        ).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        PathDisplay
            Itself.
        """
        ax = self._place(ax, 6.4, 4.2)
        self.lines_ = [self._draw(number) for number in (0, 1)]
        inside = ax.get_xaxis_transform()
        marks: Any = {"marker": "|", "ls": "", "ms": 5.0, "color": palette.CHANCE, "alpha": 0.6}
        ax.plot(self.corners, np.full(len(self.corners), 0.985), transform=inside, **marks)
        ax.set(xscale="log", xlabel="C", ylabel=self.quantity.replace("alpha", "α"))
        ax.set_xlim(self.costs[0], self.costs[-1])
        above: Any = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": 2}
        ax.legend(handles=self.lines_, frameon=False, **above)
        ax.spines[["top", "right"]].set_visible(False)
        return self

    def _draw(self, number: int) -> LineCollection:
        """Draw the rows of a class, the second's dashed, to distinguish them on grey paper."""
        rows = self.alphas[:, self.labels == number].T
        points = [np.column_stack([self.costs, row]) for row in rows]
        lines = LineCollection(
            points,
            colors=palette.CLASSES[number],
            linewidths=0.8,
            alpha=0.6,
            linestyles=[palette.DASHES[number]],
            label=plain(self.names[number]),
        )
        self.ax_.add_collection(lines)
        self.ax_.autoscale_view()
        return lines


path = PathDisplay.from_path
"""The same as ``PathDisplay.from_path``."""
