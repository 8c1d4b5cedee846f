"""The scan of an image at all scales: made smaller step by step, under a window of one size.

As OpenCV does it: at scale s the image has 1/s of its width and height, windows lie two pixels
apart where s < 2 and one otherwise, and behind a window that the first stage rejects the next is
left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.parameters import ParameterError
from maxmargin.ops.engine import engine_of
from maxmargin.ops.threads import Workers
from maxmargin.vision.haar import HaarFeatures, corners_of
from maxmargin.vision.image import Grey, resize
from maxmargin.vision.lbp import LBPFeatures

if TYPE_CHECKING:
    from maxmargin.vision.cascade import Cascade

Part = tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]

_WINDOWS = 1 << 13  # of a piece of work; its numbers stay in the cache
_ENTRIES = 1 << 24  # of integral images held at once


@dataclass(frozen=True, eq=False)
class Scan:
    """The result of a scan.

    Parameters
    ----------
    boxes : ndarray of int32 of shape (found, 4)
        x, y, width and height of the windows that passed all stages.
    scores : ndarray of float64 of shape (found,)
        The sums of the last stage.
    windows : int
        Number of windows scanned.
    passed : ndarray of int64 of shape (stages + 1,)
        Windows that were evaluated, and those that passed each stage. Haar features are not
        evaluated in a window whose standard deviation is less than 10 of 255.
    mean_features : float
        Average number of trees evaluated for a window.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.vision import Cascade, HaarFeatures, Stage, Tree
    >>> edges = HaarFeatures((8, 8), kinds="edge_x")[-1]
    >>> stages = [Stage(0.5, [Tree.stump(0, limit, 0.0, 1.0)]) for limit in (0.5, 1.0)]
    >>> image = np.zeros((20, 20))
    >>> image[4:12, 4:8] = 255
    >>> scan = Cascade(edges, stages).scan(image)
    >>> scan.windows, scan.passed.tolist()
    (115, [67, 39, 21])
    """

    boxes: NDArray[np.int32]
    scores: NDArray[np.float64]
    windows: int
    passed: NDArray[np.int64]
    mean_features: float


class Layer(NamedTuple):
    """The image at one scale, with as many rows and columns of windows."""

    scale: np.float32
    width: int
    height: int
    step: int
    rows: int
    columns: int


def scan(
    cascade: Cascade,
    grey: Grey,
    scale_factor: float,
    min_size: Any,
    max_size: Any,
    n_jobs: int | None,
) -> Scan:
    """Scan a grey image at all scales."""
    sizes = _check_size("min_size", min_size), _check_size("max_size", max_size)
    layers = list_layers(grey.shape, cascade.window, scale_factor, *sizes)
    with Workers(n_jobs) as workers:
        parts = [
            part for batch in _batches(layers) for part in _scan(cascade, grey, batch, workers)
        ]
    boxes = np.concatenate([np.zeros((0, 4), np.int32), *(part[0] for part in parts)])
    scores = np.concatenate([np.zeros(0), *(part[1] for part in parts)])
    passed = sum((part[2] for part in parts), np.zeros(len(cascade.stages) + 2, np.int64))
    trees = np.array([len(stage.trees) for stage in cascade.stages])
    mean = float(passed[1:-1] @ trees / max(passed[0], 1))
    return Scan(boxes, scores, int(passed[0]), passed[1:], mean)


def _scan(cascade: Cascade, grey: Grey, layers: list[Layer], workers: Workers) -> list[Part]:
    """Build some layers, then scan them, a few rows at a time."""
    pyramid = Pyramid(cascade, layers)
    workers.each(lambda k: pyramid.build(grey, k), range(len(layers)))
    pieces = pyramid.pieces()
    parts: dict[int, Part] = {}

    def work(k: int) -> None:
        parts[k] = pyramid.scan(*pieces[k])

    workers.each(work, range(len(pieces)))
    return [parts[k] for k in range(len(pieces))]


# scales


def _check_size(name: str, size: Any) -> tuple[float, float]:
    """Return a bound as (width, height), zeros for none; raise if it is invalid."""
    if size is None:
        return 0, 0
    sides = tuple(size) if isinstance(size, (tuple, list, np.ndarray)) else ()
    if len(sides) != 2 or not all(isinstance(side, Real) and float(side) >= 0 for side in sides):
        wanted = "(width, height), two numbers of at least 0, or None"
        raise ParameterError(
            f"The {name!r} parameter of detect must be {wanted}. Got {size!r} instead."
        )
    return sides


def list_layers(
    shape: tuple[int, ...],
    window: tuple[int, int],
    scale_factor: float,
    min_size: tuple[float, float],
    max_size: tuple[float, float] | None,
) -> list[Layer]:
    """List the scales at which an object is neither too small nor too large."""
    image = shape[1], shape[0]
    most = np.minimum(image, max_size if max_size and all(max_size) else image)
    factor, scales = 1.0, []
    while (size := [round(side * factor) for side in window])[0] <= most[0] and size[1] <= most[1]:
        if size[0] >= min_size[0] and size[1] >= min_size[1]:
            scales.append(np.float32(factor))
        factor *= scale_factor
    widest = _places(image[0], window[0], scales[0]) if scales else 0
    return [_layer(image, window, scale, -(-widest // 32)) for scale in scales]


def _layer(
    image: tuple[int, int], window: tuple[int, int], scale: np.float32, stripes: int
) -> Layer:
    step = 1 if scale >= 2 else 2
    columns, rows = (_places(image[k], window[k], scale) for k in range(2))
    # OpenCV cuts rows into stripes of one height, and these may leave out the last one.
    whole = stripes * max(-(-(rows // step) // stripes), 1) * step
    counts = -(-min(rows, whole) // step), -(-columns // step)
    return Layer(scale, _shrunk(image[0], scale), _shrunk(image[1], scale), step, *counts)


def _shrunk(side: int, scale: np.float32) -> int:
    return int(np.rint(np.float32(side) / scale))


def _places(side: int, window: int, scale: np.float32) -> int:
    """Count the pixels at which a window may begin."""
    return max(_shrunk(side, scale) + 1 - window, 0)


def _batches(layers: list[Layer]) -> Iterator[list[Layer]]:
    """Put layers together that have one step, as many as there is memory for."""
    batch: list[Layer] = []
    for layer in layers:
        entries = (layer.width + 2) * sum(each.height + 1 for each in [*batch, layer])
        if batch and (layer.step != batch[0].step or entries > _ENTRIES):
            yield batch
            batch = []
        batch.append(layer)
    if batch:
        yield batch


class Pyramid:
    """Integral images of a few layers, one below the other in rows of one length."""

    def __init__(self, cascade: Cascade, layers: list[Layer]) -> None:
        features, engine = cascade.features, engine_of(cascade.nodes.leaf)
        # Found here, not in threads: two that import at once, one compiling, wait for each other.
        self._cascade, self._integral, _ = engine.cascade, engine.integral, engine.cascade_resize
        self._layers, self._nodes, self._window = layers, cascade.nodes, cascade.window
        self._lbp, self._tilted = not isinstance(features, HaarFeatures), False
        self._step = layers[0].step
        self._pitch = self._step * max(-(-(each.width + 1) // self._step) for each in layers)
        self._tops = np.cumsum([0] + [each.height + 1 for each in layers]).tolist()
        if isinstance(features, HaarFeatures):
            self._tilted = bool(features.tilted.any())
        shape = (1 + self._tilted, self._tops[-1], self._pitch)
        self._sums = np.empty(shape, dtype=np.int32)
        self._squares = np.empty(shape[1:], dtype=np.int32)
        self._arrange(features)

    def _arrange(self, features: HaarFeatures | LBPFeatures) -> None:
        """Return the offsets of corners from the first entry of a window."""
        width, height = self._window
        offsets = self._entry(features.corners)
        self._weights = np.zeros((len(features), 3), dtype=np.float32)
        if isinstance(features, HaarFeatures):
            offsets = offsets + (features.tilted * self._squares.size)[:, None, None]
            self._weights = features.weights.copy()  # one that may be written, like that of LBP
        self._offsets = offsets.reshape(len(features), -1).astype(np.uint32)
        inner = corners_of(np.array([[(1, 1, width - 2, height - 2)]]), np.array([False]))
        self._border = self._entry(inner).ravel().astype(np.uint32)

    def _entry(self, corners: NDArray[np.int64]) -> NDArray[np.int64]:
        """Find columns and rows in folded rows: every step-th column is a neighbour."""
        column, row = corners[..., 0], corners[..., 1]
        half = self._pitch // self._step
        return column % self._step * half + column // self._step + row * self._pitch

    def build(self, grey: Grey, k: int) -> None:
        """Make the image smaller and sum it up."""
        layer, rows = self._layers[k], slice(self._tops[k], self._tops[k + 1])
        small = resize(grey, layer.width, layer.height)
        self._cascade.fold_integrals(small, self._step, self._sums[0, rows], self._squares[rows])
        if self._tilted:
            whole = np.empty((layer.height + 1, layer.width + 1), dtype=np.int32)
            self._integral.integral_tilted(small, whole)
            half = self._pitch // self._step
            for first in range(self._step):
                part = whole[:, first :: self._step]
                self._sums[1, rows, first * half : first * half + part.shape[1]] = part

    def pieces(self) -> list[tuple[int, int, int]]:
        """Cut all layers into rows of windows: layer, first row, rows."""
        pieces: list[tuple[int, int, int]] = []
        for k, layer in enumerate(self._layers):
            size = max(1, _WINDOWS // max(layer.columns, 1))
            begins = range(0, layer.rows if layer.columns else 0, size)
            pieces += [(k, first, min(size, layer.rows - first)) for first in begins]
        return pieces

    def scan(self, k: int, first: int, rows: int) -> Part:
        """Run the windows of a piece through the cascade."""
        layer, pitch = self._layers[k], self._pitch * self._step
        begin = self._tops[k] * self._pitch + first * pitch
        place = np.empty(rows * layer.columns, dtype=np.uint64)
        score, passed = (
            np.empty(len(place)),
            np.zeros(len(self._nodes.stage_threshold) + 2, np.int64),
        )
        width, height = self._window
        found = self._cascade.scan(
            self._lbp,
            self._sums.reshape(-1),
            self._squares.reshape(-1),
            self._border,
            float((width - 2) * (height - 2)),
            begin,
            rows,
            pitch,
            layer.columns,
            self._offsets,
            self._weights,
            *self._nodes,
            place,
            score,
            passed,
        )
        y, x = divmod(place[:found].astype(np.int64) - begin, pitch)
        return self._boxes(layer, x, y + first), score[:found].copy(), passed

    def _boxes(self, layer: Layer, x: Any, y: Any) -> NDArray[np.int32]:
        """Return windows in coordinates of the image, rounded in float32 as OpenCV does."""
        boxes = np.empty((len(x), 4), dtype=np.float32)
        boxes[:, 0], boxes[:, 1], boxes[:, 2:] = x * layer.step, y * layer.step, self._window
        return np.rint(boxes * layer.scale).astype(np.int32)
