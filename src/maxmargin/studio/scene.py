"""A scene as the page sends it: points with classes, a model with its numbers, what to draw.

Nothing of a scene is trusted: counts, sizes, names and numbers are checked here, each with a
sentence, and everything else reads the checked value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.studio.error import SceneError

MOST_POINTS: Final = 5_000
MOST_CLASSES: Final = 4
LARGEST: Final = 1e6
"""Of a coordinate."""
GRID: Final = (96, 72)
"""Columns and rows of the points that a picture is made of."""
MOST_GRID: Final = 512


@dataclass(frozen=True)
class Number:
    """A number of a model: its default and its range."""

    default: float
    low: float
    high: float
    whole: bool = False

    def read(self, name: str, value: Any) -> float:
        """Return a value in the range, or raise."""
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            raise SceneError(f"{name} must be a number, got {str(value)[:40]!r}.")
        if not self.low <= value <= self.high:
            raise SceneError(f"{name} must lie between {self.low:g} and {self.high:g}.")
        return int(value) if self.whole else float(value)


KERNELS: Final = ("linear", "rbf", "poly", "sigmoid", "laplacian", "matern", "rational")
KINDS: Final = (
    "hard",
    "svc",
    "nu",
    "logistic_kernel",
    "linear",
    "logistic",
    "neighbors",
    "adaboost",
    "boosting",
    "glass_box",
)
SOLVERS: Final = ("working_set", "smo", "smo_first_order", "coordinate_ascent")
NUMBERS: Final = {
    "C": Number(1.0, 1e-6, 1e9),
    "gamma": Number(1.0, 1e-6, 1e6),
    "degree": Number(3, 1, 12, whole=True),
    "coef0": Number(1.0, 0.0, 1e3),
    "nu": Number(0.5, 1e-3, 1.0),
    "neighbors": Number(5, 1, 500, whole=True),
    "rounds": Number(100, 1, 500, whole=True),
    "rate": Number(0.1, 1e-3, 1.0),
}


@dataclass(frozen=True)
class Model:
    """Which model, with which numbers."""

    kind: str = "svc"
    kernel: str = "rbf"
    solver: str = "working_set"
    numbers: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, given: Any) -> Model:
        """Check a model of the page."""
        if not isinstance(given, Mapping):
            raise SceneError("A scene needs a model.")
        kind = _one_of("kind of model", given.get("kind", "svc"), KINDS)
        kernel = _one_of("kernel", given.get("kernel", "rbf"), KERNELS)
        solver = _one_of("solver", given.get("solver", "working_set"), SOLVERS)
        numbers = {k: n.read(k, given.get(k, n.default)) for k, n in NUMBERS.items()}
        return cls(kind, kernel, solver, numbers)

    def __getitem__(self, name: str) -> Any:
        return self.numbers[name]


@dataclass(frozen=True)
class Scene:
    """Points, a model, the part of the plane to draw, and after how many steps."""

    X: NDArray[np.float64]
    y: NDArray[np.intp]
    model: Model
    box: tuple[float, float, float, float]
    grid: tuple[int, int] = GRID
    step: int | None = None

    @classmethod
    def read(cls, given: Any) -> Scene:
        """Check a scene of the page."""
        if not isinstance(given, Mapping):
            raise SceneError("A scene is an object with points and a model.")
        X, y = _points(given.get("points"))
        return cls(
            X,
            y,
            Model.read(given.get("model")),
            _box(given.get("box"), X),
            _grid(given.get("grid", GRID)),
            _step(given.get("step")),
        )

    @property
    def classes(self) -> NDArray[np.intp]:
        """The classes that have points."""
        return np.unique(self.y)


def _one_of(what: str, value: Any, known: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in known:
        raise SceneError(f"The {what} must be one of {', '.join(known)}; got {str(value)[:40]!r}.")
    return value


def _points(given: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    if not isinstance(given, list) or not given:
        raise SceneError("Draw some points first.")
    if len(given) > MOST_POINTS:
        raise SceneError(f"The playground takes {MOST_POINTS:,} points at most; sample the rows.")
    try:
        table = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise SceneError("A point is a list of two coordinates and a class.") from None
    if table.ndim != 2 or table.shape[1] != 3 or not np.isfinite(table).all():
        raise SceneError("A point is a list of two finite coordinates and a class.")
    X, y = table[:, :2], table[:, 2].astype(np.intp)
    if np.abs(X).max() > LARGEST:
        raise SceneError(f"Coordinates lie between -{LARGEST:g} and {LARGEST:g}.")
    if y.min() < 0 or y.max() >= MOST_CLASSES or (y != table[:, 2]).any():
        raise SceneError(f"Classes are numbers from 0 to {MOST_CLASSES - 1}.")
    if len(np.unique(y)) < 2:
        raise SceneError("Points of two classes are needed: draw some of another colour.")
    return X, y


def _box(given: Any, X: NDArray[np.float64]) -> tuple[float, float, float, float]:
    if given is None:
        (a, c), (b, d) = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
        return float(a), float(b), float(c), float(d)
    limits = [float(v) for v in given if isinstance(v, int | float) and math.isfinite(v)]
    if len(limits) != 4 or limits[0] >= limits[1] or limits[2] >= limits[3]:
        raise SceneError("The box is left, right, bottom and top.")
    return limits[0], limits[1], limits[2], limits[3]


def _grid(given: Any) -> tuple[int, int]:
    sizes = [v for v in given if isinstance(v, int) and 2 <= v <= MOST_GRID]
    if len(sizes) != 2:
        raise SceneError(f"The grid has 2 to {MOST_GRID} columns and rows.")
    return sizes[0], sizes[1]


def _step(given: Any) -> int | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= 10_000_000:
        raise SceneError("A step is a whole number.")
    return given
