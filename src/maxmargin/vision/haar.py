"""Haar-like features: weighted sums of two or three rectangles in a window.

    value = (Σᵣ wᵣ · sum of the pixels in rectangle r) / (area · standard deviation)

Area and deviation are of the window without its outermost pixels, so that brightness and contrast
do not matter (Viola and Jones 2001). Of a kind, the white and black parts are cells of one size:

    edge_x  █░        edge_y  █     line_x  ░█░     line_y  ░    checker  █░
                              ░                             █             ░█
                                                            ░

The whole is rectangle 0 with weight −1, a black part is added with the weight that makes a flat
window 0. Tilted kinds are the same turned by 45 degrees (Lienhart and Maydt 2002).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.parameters import ParameterError
from maxmargin.ops.engine import engine_of
from maxmargin.vision.columns import FeatureColumns
from maxmargin.vision.windows import Windows, check_window

Rectangles = NDArray[np.int16]

# The grid of a kind, and the cells (x, y, w, h) that are black.
_CELLS: dict[str, tuple[tuple[int, int], list[tuple[int, int, int, int]]]] = {
    "edge_x": ((2, 1), [(0, 0, 1, 1)]),
    "edge_y": ((1, 2), [(0, 0, 1, 1)]),
    "line_x": ((3, 1), [(1, 0, 1, 1)]),
    "line_y": ((1, 3), [(0, 1, 1, 1)]),
    "checker": ((2, 2), [(0, 0, 1, 1), (1, 1, 1, 1)]),
    "wide_line_x": ((4, 1), [(1, 0, 2, 1)]),
    "wide_line_y": ((1, 4), [(0, 1, 1, 2)]),
    "center": ((3, 3), [(1, 1, 1, 1)]),
}
_TILTED = {f"tilted_{name}": name for name in _CELLS if name not in ("checker", "center")}
BASIC = tuple(_CELLS)[:5]
UPRIGHT = tuple(_CELLS)
ALL = UPRIGHT + tuple(_TILTED)
_NAMED = {"basic": BASIC, "upright": UPRIGHT, "all": ALL}


class HaarFeatures:
    """Haar-like features of a window, as arrays of rectangles.

    Parameters
    ----------
    window : (int, int), default=(24, 24)
        Width and height.
    kinds : {"basic", "upright", "all"} or list of str, default="basic"
        "basic" has the five kinds of Viola and Jones: edge_x, edge_y, line_x, line_y, checker.
        "upright" adds wide_line_x, wide_line_y and center. "all" adds the tilted versions of all
        but checker and center (tilted_edge_x, ...). All positions and sizes are used.

    Attributes
    ----------
    rectangles : ndarray of int16 of shape (features, 3, 4)
        x, y, width, height. A tilted one has its uppermost corner at (x, y), and reaches ``width``
        down to the right and ``height`` down to the left; its uppermost pixel is (x - 1, y).
    weights : ndarray of float32 of shape (features, 3)
        0 for the third rectangle of a feature with two.
    tilted : ndarray of bool of shape (features,)

    Examples
    --------
    >>> from maxmargin.vision import HaarFeatures
    >>> len(HaarFeatures())
    162336
    >>> features = HaarFeatures(window=(4, 4), kinds=["edge_x"])
    >>> features.values([[[9, 9, 1, 1]] * 4])[0, :3].round(2)
    array([0. , 0.5, 0. ], dtype=float32)
    """

    family = "HAAR"

    def __init__(
        self, window: tuple[int, int] = (24, 24), kinds: str | Iterable[str] = "basic"
    ) -> None:
        self.window = check_window(window)
        parts = [_all_of(name, *self.window) for name in _names(kinds)]
        self.rectangles = _frozen(np.concatenate([rectangles for rectangles, _, _ in parts]))
        self.weights = _frozen(np.concatenate([weights for _, weights, _ in parts]))
        self.tilted = _frozen(np.concatenate([tilted for _, _, tilted in parts]))

    @classmethod
    def from_rectangles(
        cls, window: tuple[int, int], rectangles: Any, weights: Any, tilted: Any = False
    ) -> Self:
        """Make features of given rectangles.

        Parameters
        ----------
        window : (int, int)
        rectangles : array-like of shape (features, 3, 4)
        weights : array-like of shape (features, 3)
        tilted : bool or array-like of bool of shape (features,), default=False

        Returns
        -------
        features : HaarFeatures

        Raises
        ------
        ValueError
            Where a rectangle reaches out of the window.
        """
        made = cls.__new__(cls)
        made.window = check_window(window)
        made.rectangles = _frozen(np.asarray(rectangles).reshape(-1, 3, 4).astype(np.int16))
        made.weights = _frozen(np.asarray(weights, dtype=np.float32).reshape(-1, 3))
        made.tilted = _frozen(np.broadcast_to(np.asarray(tilted, bool), len(made.rectangles)))
        made.__restored__()
        return made

    def __restored__(self) -> None:
        """Raise for arrays that compiled loops cannot use safely."""
        shapes = self.rectangles.shape[:2], self.weights.shape, (*self.tilted.shape, 3)
        if len(set(shapes)) != 1 or not np.isfinite(self.weights).all():
            raise ValueError("Rectangles, weights and tilted of Haar features do not fit together.")
        outside = ~_inside(self.rectangles, self.tilted, *self.window).all(axis=1)
        if outside.any():
            k, (width, height) = int(outside.argmax()), self.window
            raise ValueError(f"Feature {k} reaches out of the window of {width} x {height} pixels.")

    def __len__(self) -> int:
        return len(self.rectangles)

    def __getitem__(self, which: Any) -> Self:
        """Take some of them: a slice, a mask or numbers."""
        chosen = np.arange(len(self))[which].reshape(-1)
        parts = self.rectangles[chosen], self.weights[chosen], self.tilted[chosen]
        return type(self).from_rectangles(self.window, *parts)

    def __iter__(self) -> Iterator[Self]:
        return (self[k] for k in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HaarFeatures):
            return NotImplemented
        return self.window == other.window and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("rectangles", "weights", "tilted")
        )

    def __hash__(self) -> int:
        return hash((self.window, self.rectangles.tobytes(), self.tilted.tobytes()))

    def __repr__(self) -> str:
        return f"<{len(self)} Haar features of {self.window[0]} x {self.window[1]} pixels>"

    @cached_property
    def corners(self) -> NDArray[np.int64]:
        """Columns and rows of the corners of rectangles, of shape (features, 3, 4, 2)."""
        return corners_of(self.rectangles, self.tilted)

    def values(self, windows: Any) -> NDArray[np.float32]:
        """Evaluate all features in all windows.

        Parameters
        ----------
        windows : Windows, or what ``Windows.of`` takes

        Returns
        -------
        values : ndarray of float32 of shape (windows, features)
            0 in a window of one grey.
        """
        return self.columns(windows).block(np.arange(len(self))).T

    def columns(self, windows: Any) -> FeatureColumns:
        """Return the values in some windows as columns that are evaluated when they are read.

        Parameters
        ----------
        windows : Windows, or what ``Windows.of`` takes

        Returns
        -------
        source : FeatureColumns
            A row a window and a column a feature; ``Columns`` finds splits in it.
        """
        return FeatureColumns(self, Windows.of(windows))

    def fill(self, windows: Windows, chosen: NDArray[np.intp], out: NDArray[np.float32]) -> None:
        """out[k, i] = the value of feature chosen[k] in window i."""
        tilted = bool(self.tilted[chosen].any())
        planes = windows.sums_and_tilted if tilted else windows.sums
        width, height = self.window
        entry = self.corners[chosen] @ np.array([1, width + 1])
        entry += (self.tilted[chosen] * (width + 1) * (height + 1))[:, None, None]
        verbs = engine_of(planes).haar
        verbs.haar_values(planes, entry, self.weights[chosen], windows.norm, out)

    def template(self, feature: int) -> NDArray[np.float32]:
        """Draw a feature: what each pixel of the window is multiplied by.

        Parameters
        ----------
        feature : int

        Returns
        -------
        weights : ndarray of float32 of shape (height, width)
        """
        width, height = self.window
        out = np.zeros((height, width), dtype=np.float32)
        y, x = np.indices(out.shape)
        for (left, top, w, h), weight in zip(
            self.rectangles[feature].tolist(), self.weights[feature], strict=True
        ):
            if self.tilted[feature]:
                along, across = (x - left) + (y - top), (y - top) - (x - left)
                part = (along >= -1) & (along < 2 * w - 1) & (across > 0) & (across <= 2 * h)
            else:
                part = (left <= x) & (x < left + w) & (top <= y) & (y < top + h)
            out += weight * part
        return out


def _names(kinds: str | Iterable[str]) -> list[str]:
    names = list(_NAMED[kinds]) if isinstance(kinds, str) and kinds in _NAMED else kinds
    names = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in names if name not in ALL]
    if unknown or not names:
        choices = ", ".join(map(repr, (*_NAMED, *ALL)))
        got = unknown[0] if unknown else names
        raise ParameterError(f"Kinds of Haar features are {choices}. Got {got!r} instead.")
    return names


def _all_of(kind: str, width: int, height: int) -> tuple[Any, Any, Any]:
    """List a kind at all sizes of a cell and places, with its weights."""
    tilted = kind in _TILTED
    (across, down), black = _CELLS[_TILTED.get(kind, kind)]
    cell = np.indices((width // (1 if tilted else across), height)).reshape(2, -1).T + 1
    place = np.indices((height, width)).reshape(2, -1).T[:, ::-1]
    sizes = [(dx, dy) for dx, dy in cell.tolist() if across * dx <= width and down * dy <= height]
    found = []
    for dx, dy in sizes:
        whole = np.column_stack([place, np.full_like(place, (across * dx, down * dy))])
        whole = whole[_inside(whole[:, None], np.full(len(whole), tilted), width, height)[:, 0]]
        parts = [whole] + [_part(whole, dx, dy, part, tilted) for part in black]
        found.append(np.stack(parts + [np.zeros_like(whole)] * (3 - len(parts)), axis=1))
    rectangles = np.concatenate(found).astype(np.int16)
    share = across * down / sum(w * h for _, _, w, h in black)
    weights = np.zeros((len(rectangles), 3), dtype=np.float32)
    weights[:, : 1 + len(black)] = [-1.0] + [share] * len(black)
    return rectangles, weights, np.full(len(rectangles), tilted)


def _part(whole: Any, dx: int, dy: int, cells: tuple[int, int, int, int], tilted: bool) -> Any:
    """Return the rectangle of some cells within others."""
    x, y, w, h = cells[0] * dx, cells[1] * dy, cells[2] * dx, cells[3] * dy
    shift = (x - y, x + y) if tilted else (x, y)
    part = whole.copy()
    part[:, :2] += shift
    part[:, 2:] = w, h
    return part


def _inside(rectangles: Any, tilted: Any, width: int, height: int) -> NDArray[np.bool_]:
    """Return which rectangles have all corners in the window; empty ones count as inside."""
    at = corners_of(rectangles, tilted)
    good = (at >= 0).all(axis=(2, 3)) & (at <= (width, height)).all(axis=(2, 3))
    sides = rectangles[..., 2:]
    return good & ((sides > 0).all(axis=2) | (rectangles == 0).all(axis=2))


def corners_of(rectangles: Any, tilted: Any) -> NDArray[np.int64]:
    """Return column and row of the four entries of an integral image that make a sum.

    Upright (x, y), (x + w, y), (x, y + h), (x + w, y + h); tilted (x, y), (x - h, y + h),
    (x + w, y + w), (x + w - h, y + w + h).
    """
    x, y, w, h = np.moveaxis(np.asarray(rectangles, dtype=np.int64), -1, 0)
    turned = np.asarray(tilted)[:, None]
    right, low = np.where(turned, -h, w), np.where(turned, h, 0)
    down, deep = np.where(turned, w, 0), np.where(turned, w, h)
    corners = [(x, y), (x + right, y + low), (x + down, y + deep)]
    corners.append((x + right + down, y + low + deep))
    return np.stack([np.stack(corner, axis=-1) for corner in corners], axis=2)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return array
