"""What a search found at every point of its grid: a heat map of two parameters, a line of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.text import head, plain, turn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array: TypeAlias = NDArray[np.float64]

_SCORES, _SPREAD, _PREFIX = "mean_test_score", "std_test_score", "param_"
_DEEPEST = 0.7  # opacity of the best cell, on which ink is still read
_ROOM = 0.36  # inches that a score takes in its cell


@dataclass(frozen=True)
class Grid:
    """The parameters that varied, by name, each with its values in order."""

    axes: dict[str, list[Any]]
    places: NDArray[np.intp]
    scores: Array
    spread: Array

    @classmethod
    def of(cls, results: Mapping[str, Any]) -> Grid:
        """Find what varied; of the two that took most values the map is drawn."""
        columns = {
            key.removeprefix(_PREFIX).rpartition("__")[2]: _values(results[key])
            for key in results
            if key.startswith(_PREFIX)
        }
        known = {name: _order(values) for name, values in columns.items()}
        varied = [name for name in known if len(known[name]) > 1]
        varied.sort(key=lambda name: -len(known[name]))
        names = varied or list(columns)[:1]
        places = [[known[name].index(value) for value in columns[name]] for name in names]
        scores = np.asarray(results[_SCORES], np.float64)
        spread = np.asarray(results.get(_SPREAD, np.zeros(len(scores))), np.float64)
        axes = {name: known[name] for name in names}
        return cls(axes, np.array(places, np.intp), scores, spread)

    @property
    def best(self) -> int:
        """Which point scored best, the first of several."""
        return int(np.nanargmax(self.scores))

    def table(self) -> Array:
        """Return the best score for each pair of values of the first two parameters."""
        first, second = (len(values) for values in list(self.axes.values())[:2])
        found = np.full((second, first), np.nan)
        for j, i, score in zip(*self.places[:2], self.scores, strict=True):
            found[i, j] = np.fmax(found[i, j], score)
        return found

    def line(self) -> tuple[Array, Array]:
        """Return score and deviation for each value of the only parameter."""
        order = np.argsort(self.places[0], kind="stable")
        return self.scores[order], self.spread[order]


class TuningDisplay(Display):
    """Scores of a search at every point of its grid.

    For what a GridSearchCV, an SVCCV or any other search leaves in ``cv_results_``. Two parameters
    give a heat map, one a line with the deviation over folds. Of more, the two that took the most
    values are drawn, each cell with the best of the rest.
    Build it with :meth:`from_results`, or draw in one call with :func:`tuning`.

    Parameters
    ----------
    grid : Grid
        What was tried, and how it scored.
    scoring : str, default="score"
        What the scores are.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> from maxmargin.plots import TuningDisplay
    >>> from sklearn.model_selection import GridSearchCV
    >>> search = GridSearchCV(SVC(), {"C": [0.1, 1.0], "gamma": [0.1, 1.0, 10.0]}, cv=3)
    >>> search = search.fit(*load_mixture(return_X_y=True))
    >>> display = TuningDisplay.from_results(search, ax=Figure().subplots())
    >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
    ('gamma', 'C')
    """

    drawn_of: ClassVar[str] = "a fitted search, such as a GridSearchCV, or of its results"

    def __init__(self, *, grid: Grid, scoring: str = "score") -> None:
        self.grid = grid
        self.scoring = scoring

    @classmethod
    def from_results(cls, results: Any, *, scoring: str = "score", ax: Axes | None = None) -> Self:
        """Draw a search.

        Parameters
        ----------
        results : search, or mapping
            Fitted, or its ``cv_results_``: values under names that begin with "param_", and
            "mean_test_score".
        scoring : str, default="score"
            Name of the scores.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        TuningDisplay
            The display, already plotted.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from maxmargin import plots
        >>> tried = {"param_C": [1.0, 10.0], "mean_test_score": [0.7, 0.8]}
        >>> plots.tuning(tried, ax=Figure().subplots()).grid.axes
        {'C': [1.0, 10.0]}
        """
        found = getattr(results, "cv_results_", results)
        drawn = isinstance(found, Mapping) and _SCORES in found
        if not drawn or not any(str(key).startswith(_PREFIX) for key in found):
            raise TypeError(
                f"{type(results).__name__} holds no scores of a search, and tuning is drawn of"
                f" {cls.drawn_of}."
            )
        if not np.isfinite(np.asarray(found[_SCORES], np.float64)).any():
            raise ValueError("No point of the search has a score, so there is nothing to draw.")
        return cls(grid=Grid.of(found), scoring=scoring).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None, title: bool = True) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        title : bool, default=True
            Whether to say above the picture what was found.

        Returns
        -------
        TuningDisplay
            Itself.
        """
        ax = self._place(ax, 5.6, 4.2)
        if len(self.grid.axes) > 1:
            self._draw_map()
        else:
            self._draw_line()
        if title:
            head(ax, "What was tried", plain(self.facts))
        return self

    @property
    def facts(self) -> str:
        """The best point and its score, in words."""
        best = self.grid.best
        chosen = ", ".join(
            f"{name} = {_shown(values[place])}"
            for (name, values), place in zip(
                self.grid.axes.items(), self.grid.places[:, best], strict=True
            )
        )
        return f"best {self.scoring} {self.grid.scores[best]:.4g} at {chosen}"

    def _draw_map(self) -> None:
        table, names = self.grid.table(), list(self.grid.axes)[:2]
        low, high = np.nanmin(table), np.nanmax(table)
        share = (table - low) / (high - low) if high > low else np.full_like(table, 0.5)
        depth = np.where(np.isnan(share), 0.0, 0.06 + (_DEEPEST - 0.06) * share)
        colour = np.array(to_rgba(palette.TEST))
        for (i, j), opacity in np.ndenumerate(depth):
            face = (*colour[:3], float(opacity))
            self.ax_.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=face, lw=0))
        left, below = self.grid.places[:2, self.grid.best] - 0.5
        self.ax_.add_patch(
            Rectangle((left, below), 1, 1, fill=False, ec=palette.INK, lw=1.6, zorder=3)
        )
        rows, columns = table.shape
        self.ax_.set(xlim=(-0.5, columns - 0.5), ylim=(-0.5, rows - 0.5))
        self._name(self.ax_.xaxis, names[0], self._width())
        self._name(self.ax_.yaxis, names[1])
        self._write(table)
        self.ax_.tick_params(length=0)
        self.ax_.spines[:].set_visible(False)

    def _width(self) -> float:
        box = self.ax_.get_window_extent()
        return float(box.width / self.figure_.dpi)

    def _name(self, axis: Any, name: str, room: float | None = None) -> None:
        words = [_shown(value) for value in self.grid.axes[name]]
        style = {"fontsize": 9} if room is None else turn(words, room, 9)
        axis.set_ticks(np.arange(len(words)), [plain(word) for word in words], **style)
        axis.set_label_text(plain(name))

    def _write(self, table: Array) -> None:
        """Write the scores into their cells, where there is room."""
        if self._width() / table.shape[1] < _ROOM:
            return
        finite = table[np.isfinite(table)]
        digits = ".3f" if np.abs(finite).max() < 10 else ".3g"
        for (i, j), score in np.ndenumerate(table):
            if np.isfinite(score):
                text = f"{score:{digits}}"
                self.ax_.text(j, i, text, ha="center", va="center", fontsize=9, color=palette.INK)

    def _draw_line(self) -> None:
        (name, values), (score, spread) = next(iter(self.grid.axes.items())), self.grid.line()
        x = self.grid.places[0][np.argsort(self.grid.places[0], kind="stable")]
        self.ax_.errorbar(x, score, spread, color=palette.TEST, lw=1.8, marker="o", capsize=3)
        best = self.grid.best
        self.ax_.plot(self.grid.places[0, best], self.grid.scores[best], "o", ms=11, mfc="none",
                      color=palette.INK)  # fmt: skip
        self.ax_.set(ylabel=self.scoring, xlim=(-0.5, len(values) - 0.5))
        self._name(self.ax_.xaxis, name, self._width())
        self.ax_.grid(visible=True, axis="y", color=palette.CHANCE, alpha=0.25, linewidth=0.6)
        self.ax_.spines[["top", "right"]].set_visible(False)


tuning = TuningDisplay.from_results
"""The same as ``TuningDisplay.from_results``."""


def _values(column: Any) -> list[Any]:
    """List the values of a parameter; None where a part of the search did without it."""
    plain_values = column.tolist() if hasattr(column, "tolist") else column
    return [
        value if isinstance(value, int | float | str | None) else repr(value)
        for value in plain_values
    ]


def _order(values: list[Any]) -> list[Any]:
    """Sort distinct values where they are numbers; words stay as they came."""
    distinct = list(dict.fromkeys(values))
    numbers = all(isinstance(value, int | float) for value in distinct)
    return sorted(distinct) if numbers else distinct


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
