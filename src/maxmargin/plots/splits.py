"""Which rows were used for what: a line for each step, a column for each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch
from numpy.typing import NDArray

from maxmargin.evaluation import Trail
from maxmargin.evaluation.trail import PURPOSES
from maxmargin.inputs.parameters import check_choice
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.text import head, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = (palette.WRONG, palette.CURVES[0], palette.CURVES[5], palette.INK)
_WORDS = {"unused": "not used", "train": "learn", "validate": "validate", "test": "test"}
_ORDERS = ("use", "data")
_NAMED = 40  # more steps than these are not all named
_FIRST = np.array([2, 1, 0, 3])  # rows judged by a step come first: folds make a staircase


class SplitsDisplay(Display):
    """The audit trail of a protocol as a picture.

    For the Trail of a Selection or of nested cross-validation.
    Build it with :meth:`from_trail`, or draw in one call with :func:`splits`.

    Parameters
    ----------
    trail : Trail
        Which rows were used for what.
    order : {"use", "data"}, default="use"
        Whether rows of the same uses stand together, or all as in the data.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    rows_ : ndarray
        The rows in the order of the columns.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> from maxmargin.evaluation import select
    >>> chosen = select(SVC(gamma=1.0), *load_mixture(return_X_y=True), 5, random_state=0)
    >>> display = SplitsDisplay.from_trail(chosen.trail, ax=Figure().subplots())
    >>> [label.get_text() for label in display.ax_.get_yticklabels()][-2:]
    ['fold 5', 'refit']
    """

    drawn_of: ClassVar[str] = "a Trail, or a Selection or nested cross-validation that has one"

    rows_: NDArray[np.intp]

    def __init__(self, *, trail: Trail, order: str = "use") -> None:
        self.trail = trail
        self.order = order

    @classmethod
    def from_trail(cls, trail: Any, *, order: str = "use", ax: Axes | None = None) -> Self:
        """Draw a trail.

        Parameters
        ----------
        trail : Trail, Selection or Nested
            An object with a trail, or the trail.
        order : {"use", "data"}, default="use"
            Whether rows of the same uses stand together, or all as in the data.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        SplitsDisplay
            The display, already plotted.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from maxmargin import SVC, plots
        >>> from maxmargin.datasets import load_mixture
        >>> from maxmargin.evaluation import select
        >>> chosen = select(SVC(gamma=1.0), *load_mixture(return_X_y=True), random_state=0)
        >>> len(plots.splits(chosen, ax=Figure().subplots()).rows_)
        200
        """
        found = getattr(trail, "trail", trail)
        if not isinstance(found, Trail) or not found.uses:
            raise TypeError(
                f"{type(trail).__name__} has no trail of rows, and splits are drawn of"
                f" {cls.drawn_of}."
            )
        check_choice("splits", "order", order, _ORDERS)
        return cls(trail=found, order=order).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None, title: bool = True) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        title : bool, default=True
            Whether to say above the picture what it shows and whether all is well.

        Returns
        -------
        SplitsDisplay
            Itself.
        """
        codes = self.trail.matrix()
        height = 1.7 + 0.3 * min(len(codes), 20)
        ax = self._place(ax, 7.2, height)
        self.rows_ = _sorted(codes) if self.order == "use" else np.arange(codes.shape[1])
        self._paint(codes[:, self.rows_])
        self._finish_axes(len(codes))
        self._name_purposes(codes)
        if title:
            self._say()
        return self

    def _paint(self, codes: NDArray[np.int8]) -> None:
        """Paint columns that are alike as one."""
        changes = 1 + np.flatnonzero((codes[:, 1:] != codes[:, :-1]).any(axis=0))
        edges = np.concatenate([[0], changes, [codes.shape[1]]])
        self.ax_.pcolormesh(
            edges,
            np.arange(len(codes) + 1),
            codes[:, edges[:-1]],
            cmap=ListedColormap(_COLOURS),
            vmin=0,
            vmax=len(PURPOSES) - 1,
            edgecolors="face",  # no seams between cells of one colour
            linewidth=0.3,
        )

    def _finish_axes(self, steps: int) -> None:
        if steps <= _NAMED:
            for step in range(1, steps):
                self.ax_.axhline(step, color="white", linewidth=2)
        shown = np.unique(np.linspace(0, steps - 1, min(steps, _NAMED)).astype(int))
        names = [plain(self.trail.steps[step]) for step in shown]
        self.ax_.set_yticks(shown + 0.5, names, fontsize="small")
        self.ax_.tick_params(axis="y", length=0)
        self.ax_.invert_yaxis()
        self.ax_.spines[:].set_visible(False)
        alike = ", those of the same use together" if self.order == "use" else ""
        self.ax_.set_xlabel(f"rows{alike}")

    def _say(self) -> None:
        problems = self.trail.problems
        facts = "; ".join(problems) or "no row is judged by a model that learned from it"
        head(self.ax_, "Which rows were used for what", plain(f"{self.trail.n_rows} rows; {facts}"))

    def _name_purposes(self, codes: NDArray[np.int8]) -> None:
        present = [k for k in (1, 2, 3, 0) if (codes == k).any()]
        patches = [Patch(color=_COLOURS[k], label=_WORDS[PURPOSES[k]]) for k in present]
        self.ax_.legend(
            handles=patches, frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5)
        )


splits = SplitsDisplay.from_trail
"""The same as ``SplitsDisplay.from_trail``."""


def _sorted(codes: NDArray[np.int8]) -> NDArray[np.intp]:
    """Sort rows by what the step of most rows did with them, then the next, and so on."""
    steps = np.argsort(-np.count_nonzero(codes, axis=1), kind="stable")
    return np.lexsort(_FIRST[codes[steps]][::-1])
