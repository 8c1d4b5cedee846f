"""The plane of two features: where rows stand, a lattice over them, and what a model says there.

A column of words is an axis with a place for each word, 0, 1, ... in their order; rows of a word
stand around its place, so that none hides another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from maxmargin.inputs.parameters import check_number
from maxmargin.plots.text import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array: TypeAlias = NDArray[Any]

_GOLDEN = np.pi * (3.0 - np.sqrt(5.0))  # the angle from one seed of a sunflower to the next
_SPREAD = 0.36  # how far from the place of its word a row may stand


@dataclass(frozen=True)
class Axis:
    """One of the two columns."""

    name: str
    places: Array
    words: list[Any] | None = None
    """The words, in the order of their places; None for a column of numbers."""

    @classmethod
    def of(cls, name: str, column: Array, categorical: bool) -> Axis:
        """Take a column as numbers if it holds nothing else."""
        if not categorical:
            try:
                return cls(name, column.astype(np.float64))
            except (TypeError, ValueError):
                pass
        words = sorted({_word(value) for value in column}, key=lambda w: (w is None, str(w)))
        place = {word: k for k, word in enumerate(words)}
        return cls(name, np.array([place[_word(value)] for value in column], np.float64), words)

    def ends(self, share: float) -> tuple[float, float]:
        """Return the limits of a picture, with a margin."""
        if self.words is not None:
            return -0.5, len(self.words) - 0.5
        low, high = float(self.places.min()), float(self.places.max())
        spare = share * (high - low if high > low else 1.0)
        return low - spare, high + spare

    def values(self, grid: Array) -> tuple[Array, Array]:
        """Return the distinct values along a grid, and the index of the value at each point."""
        if self.words is None:
            return grid, np.arange(len(grid))
        words = np.empty(len(self.words), object)
        words[:] = self.words
        return words, np.clip(np.rint(grid), 0, len(words) - 1).astype(np.intp)


@dataclass(frozen=True)
class Plane:
    """Rows of two columns, to be drawn."""

    X: Any
    axes: tuple[Axis, Axis]

    @classmethod
    def of(
        cls,
        X: Any,
        what: str,
        categorical: Sequence[bool] | None = None,
        way_out: str = "fit the model to two of them.",
    ) -> Plane:
        """Check that X has two columns; what is drawn, and a way out, are for the refusal."""
        table: Array = check_array(X, dtype=None, ensure_all_finite=False)
        if table.shape[1] != 2:
            raise ValueError(
                f"X has {table.shape[1]} columns, but a picture of {what} needs 2: {way_out}"
            )
        words = _holds_words(X) if categorical is None else categorical
        names = [str(name) for name in getattr(X, "columns", ("x1", "x2"))]
        first, second = (Axis.of(names[j], table[:, j], bool(words[j])) for j in (0, 1))
        check_array(np.c_[first.places, second.places], input_name="X")
        return cls(X, (first, second))

    @property
    def names(self) -> tuple[str, str]:
        """What the axes are called."""
        return self.axes[0].name, self.axes[1].name

    @property
    def words(self) -> tuple[list[str] | None, list[str] | None]:
        """What to write at the places of words, for each axis."""
        first, second = ([_shown(w) for w in axis.words] if axis.words else None
                         for axis in self.axes)  # fmt: skip
        return first, second

    @property
    def points(self) -> Array:
        """Where to draw the rows: those of a word around its place, as seeds in a sunflower."""
        places = np.column_stack([axis.places for axis in self.axes])
        worded = np.array([axis.words is not None for axis in self.axes])
        if not worded.any():
            return places
        shifts = np.zeros_like(places)
        cells = np.where(worded, places, 0.0)
        for cell in np.unique(cells, axis=0):
            mine = (cells == cell).all(axis=1)
            shifts[mine] = _sunflower(int(mine.sum()), both=bool(worded.all()))
        return places + np.where(worded, shifts, 0.0)

    def corners(self, share: float) -> tuple[Array, Array]:
        """Return the corners of a rectangle around the rows."""
        low, high = np.array([axis.ends(share) for axis in self.axes]).T
        return low, high

    def ask(self, decide: Callable[[Any], Array], xx0: Array, xx1: Array) -> Array:
        """Evaluate a function of rows on a lattice; words are asked about once, not at each point.

        What the function gives for rows in its last dimension comes back on the lattice.
        """
        (first, at0), (second, at1) = (
            axis.values(grid) for axis, grid in zip(self.axes, (xx0[0], xx1[:, 0]), strict=True)
        )
        columns = np.tile(first, len(second)), np.repeat(second, len(first))
        said = np.asarray(decide(self._like(columns)))
        table = said.reshape(*said.shape[:-1], len(second), len(first))
        return np.asarray(table[..., at1[:, None], at0])

    def _like(self, columns: tuple[Array, Array]) -> Any:
        """Put columns into the container of X, so that names and kinds of features agree."""
        if not hasattr(self.X, "columns"):
            numbers = all(axis.words is None for axis in self.axes)
            return np.column_stack(columns).astype(np.float64 if numbers else object)
        data = {name: column.tolist() for name, column in zip(self.X.columns, columns, strict=True)}
        table = type(self.X)(data)
        kinds = {name: kind for name, kind in zip(self.X.columns, self.X.dtypes, strict=True)
                 if str(kind) == "category"}  # fmt: skip
        return table.astype(kinds) if kinds else table


def make_lattice(low: Array, high: Array, resolution: int) -> tuple[Array, Array]:
    """Return the lattice of a rectangle."""
    check_number("a picture", "grid_resolution", resolution, 2, whole=True)
    xx0, xx1 = np.meshgrid(*(np.linspace(low[k], high[k], resolution) for k in (0, 1)))
    return xx0, xx1


def number_labels(y: ArrayLike, classes: Array) -> Array:
    """Return the indices of labels among the sorted classes; raise for other labels."""
    labels = np.asarray(y)
    unknown = labels[~np.isin(labels, classes)]
    if unknown.size:
        raise ValueError(
            f"y holds {unknown[0].item()!r}, which is no class of the model; it knows"
            f" {classes.tolist()}."
        )
    return np.searchsorted(classes, labels)


def of_second(y: ArrayLike, classes: Array, drawn: str) -> Array:
    """Return which labels are of the second class; raise for more than two classes."""
    if len(classes) != 2:
        raise ValueError(
            f"The model knows {len(classes)} classes, but {drawn} drawn for 2: fit it to two of"
            " them."
        )
    return number_labels(y, classes) == 1


def frame(
    ax: Axes,
    xx0: Array,
    xx1: Array,
    names: tuple[str, str],
    words: tuple[list[str] | None, list[str] | None] = (None, None),
) -> None:
    """Set the limits and labels of axes to those of a lattice; categories are ticks."""
    ax.set(
        xlabel=plain(names[0]),
        ylabel=plain(names[1]),
        xlim=(xx0.min(), xx0.max()),
        ylim=(xx1.min(), xx1.max()),
    )
    for axis, each in zip((ax.xaxis, ax.yaxis), words, strict=True):
        if each is not None:
            axis.set_ticks(np.arange(len(each)), [plain(word) for word in each])


def _holds_words(X: Any) -> list[bool]:
    return [str(kind) == "category" for kind in getattr(X, "dtypes", ())] or [False, False]


def _word(value: Any) -> Any:
    """Take all that is missing for one word: NaN is not itself, and pandas' NA does not know."""
    same = value == value  # noqa: PLR0124
    return value if value is not None and isinstance(same, bool | np.bool_) and same else None


def _shown(word: Any) -> str:
    return "missing" if word is None else str(word)


def _sunflower(n: int, both: bool) -> Array:
    """Spread n points evenly around 0, over a disc or along each axis alone, in no order."""
    seeds = np.random.default_rng(0).permutation(n)
    if both:
        radius, angle = _SPREAD * np.sqrt(seeds / n), _GOLDEN * seeds
        return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    along = 2.0 * _SPREAD * ((seeds * _GOLDEN / (2.0 * np.pi) + 0.5) % 1.0 - 0.5)
    return np.column_stack([along, along])
