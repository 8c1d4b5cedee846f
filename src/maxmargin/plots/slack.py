"""Slack as a distance: how far a row lies on the wrong side of the margin of its class.

Where f(x) = <w, x> + b, a row with t f(x) = 1 - xi lies xi / |w| = M xi from its margin, and the
nearest point there is x + t xi w / |w|^2 (Hastie, Tibshirani and Friedman, "The Elements of
Statistical Learning", 2009, figure 12.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.plots import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.quiver import Quiver
    from matplotlib.text import Annotation

Array: TypeAlias = NDArray[np.float64]

ARROW, BOTH_WAYS = r"$\rightarrow$", r"$\leftrightarrow$"  # as marks of legends

_EXACT = 1e-6  # of the largest value: how far from a plane rounding may carry a linear f
_TOUCHES = 1e-3  # of the width: shorter arrows than this would be a head alone
_NAMED = 9  # more arrows than these have no names
_CANDIDATES = 41  # places along the boundary at which its width may be written


@dataclass(frozen=True, eq=False)
class Affine:
    """f(x) = <w, x> + b, as read off a lattice; exact where the values lie on a tilted plane."""

    w: Array
    b: float
    exact: bool

    @classmethod
    def on(cls, xx0: Array, xx1: Array, values: Array) -> Affine:
        """Put the plane through the values that fits them best."""
        A = np.column_stack([xx0.ravel(), xx1.ravel(), np.ones(xx0.size)])
        theta: Array = np.linalg.lstsq(A, values.ravel(), rcond=None)[0].astype(np.float64)
        off, rounding = np.abs(A @ theta - values.ravel()).max(), _EXACT * np.abs(values).max()
        return cls(theta[:2], float(theta[2]), bool(off <= rounding < np.ptp(values)))

    def feet(self, X: Array, t: Array) -> Array:
        """Find where the margin of each row's class is nearest, for rows that fall short of it."""
        xi = np.maximum(0.0, 1.0 - t * (X @ self.w + self.b))
        return X + np.outer(t * xi, self.w) / (self.w @ self.w)

    def falls_short(self, feet: Array, X: Array) -> NDArray[np.intp]:
        """List the rows that lie away from their feet by more than rounding."""
        lengths = np.linalg.norm(X - feet, axis=1)
        return np.flatnonzero(lengths > _TOUCHES * self.half_width)

    @property
    def half_width(self) -> float:
        """M = 1 / |w|."""
        return float(1.0 / np.linalg.norm(self.w))


class Slack(NamedTuple):
    """What was drawn of the slack: the arrows, their names, and the half width of the margin."""

    arrows: Quiver
    names: list[Annotation]
    width: Annotation


def draw_slack(ax: Axes, feet: Array, X: Array, affine: Affine) -> Slack:
    """Draw an arrow from its margin to every row that falls short of it, and the half width."""
    short = affine.falls_short(feet, X)
    style: Any = {"angles": "xy", "scale_units": "xy", "scale": 1.0, "units": "inches"}
    arrows = ax.quiver(
        *feet[short].T, *(X - feet)[short].T, color=palette.BAYES, width=0.02, zorder=2.6, **style
    )
    named = short if len(short) <= _NAMED else short[:0]
    names = [_name(ax, number, X[row], X[row] - feet[row]) for number, row in enumerate(named, 1)]
    return Slack(arrows, names, _draw_width(ax, X, affine))


def _name(ax: Axes, number: int, place: Array, along: Array) -> Annotation:
    """Write the name of a slack beyond the point at the arrow's head."""
    shift = 13.0 * along / np.linalg.norm(along)
    words: Any = {"color": palette.BAYES, "fontsize": 9, "ha": "center", "va": "center"}
    return ax.annotate(
        rf"$\xi^*_{{{number}}}$",
        (place[0], place[1]),
        (shift[0], shift[1]),
        textcoords="offset points",
        zorder=6,
        **words,
    )


def _draw_width(ax: Axes, X: Array, affine: Affine) -> Annotation:
    """Mark M from the boundary to a margin, where the fewest points are near."""
    foot = _emptiest(ax, X, affine)
    head = foot + affine.w / (affine.w @ affine.w)
    both = {"arrowstyle": "<->", "color": palette.INK, "lw": 1.1, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (head[0], head[1]), (foot[0], foot[1]), arrowprops=both, zorder=6)
    middle = 0.5 * (foot + head)
    across = 9.0 * np.array([-affine.w[1], affine.w[0]]) * affine.half_width
    words: Any = {"fontsize": 10, "color": palette.INK, "ha": "center", "va": "center"}
    offset: Any = {"xytext": (across[0], across[1]), "textcoords": "offset points", "zorder": 6}
    return ax.annotate("$M$", (middle[0], middle[1]), **offset, **words)


def _emptiest(ax: Axes, X: Array, affine: Affine) -> Array:
    """Find the place on the boundary, within the picture, that is farthest from all points."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    corner, size = np.array([left, low]), np.array([right - left, high - low])
    centre = corner + 0.5 * size
    along = np.array([-affine.w[1], affine.w[0]]) * affine.half_width
    foot = centre - affine.w * (centre @ affine.w + affine.b) * affine.half_width**2
    places = foot + np.linspace(-0.6, 0.6, _CANDIDATES)[:, None] * np.linalg.norm(size) * along
    middles = places + 0.5 * affine.w * affine.half_width**2
    inside = (np.abs(middles - centre) < 0.36 * size).all(axis=1)
    apart = np.linalg.norm(middles[:, None] - X[None], axis=2).min(axis=1)
    chosen: Array = places[np.argmax(np.where(inside, apart, apart - np.linalg.norm(size)))]
    return chosen
