"""Hard negatives: windows without the object that the cascade so far takes for it.

All background images are made smaller step by step and scanned, as in detection. Of an image only
some windows are kept, so that many images have a say. Where one pass over all images does not give
enough, the next look at them turned and mirrored, from another pixel and another size on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import Clock
from maxmargin.ops.threads import Workers
from maxmargin.vision.backgrounds import Backgrounds
from maxmargin.vision.cascade import Cascade
from maxmargin.vision.image import Grey, resize
from maxmargin.vision.stage import Features, evaluated

Pixels = NDArray[np.uint8]

PASSES = 8  # as many as there are ways to turn and mirror an image
_STEP = 1.25  # from size to size
_TOGETHER = 16  # images between two looks at the clock


@dataclass(frozen=True, eq=False)
class Mined:
    """What was found.

    Parameters
    ----------
    windows : ndarray of uint8 of shape (found, height, width)
    scanned : int
        Number of windows scanned.
    passed : int
        Those that the cascade took for the object, kept or not.
    flat : int
        Those that no detector evaluates; before the first stage, of the windows drawn.
    """

    windows: Pixels
    scanned: int
    passed: int
    flat: int

    @property
    def rate(self) -> float:
        """Share of the windows that pass."""
        return self.passed / max(self.scanned, 1)

    def joined(self, later: Mined) -> Mined:
        """Put what was found later behind this; it counts what was looked at last."""
        return replace(later, windows=np.concatenate([self.windows, later.windows]))


class Miner:
    """Who looks for negatives.

    Parameters
    ----------
    backgrounds : Backgrounds
    features : HaarFeatures or LBPFeatures
        Of the detector, and with its window.
    seed : int
    workers : Workers
    """

    def __init__(
        self, backgrounds: Backgrounds, features: Features, seed: int, workers: Workers
    ) -> None:
        self._backgrounds, self._features, self._window = backgrounds, features, features.window
        self._seed, self._workers = seed, workers

    def mine(
        self,
        cascade: Cascade | None,
        wanted: int,
        stage: int,
        clock: Clock,
        passes: int = PASSES,
    ) -> Mined:
        """Find a number of windows that a cascade passes; without a cascade, any windows.

        Parameters
        ----------
        cascade : Cascade or None
        wanted : int
        stage : int
            Which number the draws depend on.
        clock : Clock
        passes : int, default=8
            How often all images may be looked at.

        Returns
        -------
        mined : Mined
            With fewer windows where there are no more.
        """
        parts = [self._none()]
        counts, found = np.zeros(3, dtype=np.int64), 0
        for visits in self._visits(wanted, stage, passes):
            clock.stop_if_over()
            for part in self._together(cascade, visits):
                parts.append(part.windows)
                counts += part.scanned, part.passed, part.flat
                found += len(part.windows)
            if found >= wanted:
                break
        return Mined(np.concatenate(parts)[:wanted], *counts.tolist())

    def _none(self) -> Pixels:
        return np.zeros((0, self._window[1], self._window[0]), dtype=np.uint8)

    def _visits(
        self, wanted: int, stage: int, passes: int
    ) -> Iterator[list[tuple[int, int, int, int]]]:
        """List images in random order, pass after pass: stage, pass, image, windows to keep."""
        count = len(self._backgrounds)
        for turn in range(passes):
            order = np.random.default_rng([self._seed, stage, turn]).permutation(count).tolist()
            most = 2**turn * -(-2 * wanted // count)
            for first in range(0, count, _TOGETHER):
                yield [(stage, turn, k, most) for k in order[first : first + _TOGETHER]]

    def _together(
        self, cascade: Cascade | None, visits: list[tuple[int, int, int, int]]
    ) -> list[Mined]:
        found: dict[int, Mined] = {}

        def visit(place: int) -> None:
            found[place] = self._visit(cascade, *visits[place])

        self._workers.each(visit, range(len(visits)))
        return [found[place] for place in range(len(visits))]

    def _visit(self, cascade: Cascade | None, stage: int, turn: int, k: int, most: int) -> Mined:
        """Take some of the windows of an image that pass."""
        rng = np.random.default_rng([self._seed, stage, turn, k])
        image = self._backgrounds.image(k)
        layers = [] if image is None else list(_layers(image, self._window, turn, rng))
        looks = [_look(cascade, layer, self._window) for layer in layers]
        passed = sum(look.count for look in looks)
        chosen = np.sort(rng.choice(passed, min(most, passed), replace=False))
        ends = np.cumsum([look.count for look in looks])
        cut = []
        for number in chosen.tolist():
            place = int(np.searchsorted(ends, number, side="right"))
            look = looks[place]
            cut.append(look.cut(number - int(ends[place]) + look.count))
        windows = np.stack(cut) if cut else self._none()
        varied = windows[evaluated(self._features, windows)]  # a cascade passes no others
        flat = len(windows) - len(varied) + sum(look.flat for look in looks)
        return Mined(varied, sum(look.scanned for look in looks), passed, flat)


@dataclass(frozen=True, eq=False)
class _Look:
    """The windows of a layer that pass: all of them, or those at given places."""

    layer: Grey
    window: tuple[int, int]
    scanned: int
    places: NDArray[Any] | None
    flat: int = 0

    @property
    def count(self) -> int:
        return self.scanned if self.places is None else len(self.places)

    def cut(self, number: int) -> Grey:
        width, height = self.window
        if self.places is None:
            y, x = divmod(number, self.layer.shape[1] - width + 1)
        else:
            x, y = self.places[number]
        return self.layer[y : y + height, x : x + width]


def _look(cascade: Cascade | None, layer: Grey, window: tuple[int, int]) -> _Look:
    if cascade is None:
        count = (layer.shape[0] - window[1] + 1) * (layer.shape[1] - window[0] + 1)
        return _Look(layer, window, count, None)
    scan = cascade.scan(layer, 2.0, window, window, n_jobs=1)
    return _Look(layer, window, scan.windows, scan.boxes[:, :2], scan.windows - int(scan.passed[0]))


def _layers(
    image: Grey, window: tuple[int, int], turn: int, rng: np.random.Generator
) -> Iterator[Grey]:
    """Turn and mirror an image, cut off a pixel, and make it smaller from some size on."""
    turned = np.rot90(image[:, ::-1] if turn % 2 else image, turn // 2)
    down, right = rng.integers(0, 2, size=2) if turn else (0, 0)
    begin = np.ascontiguousarray(turned[down:, right:])
    scale = rng.uniform(1.0, _STEP) if turn else 1.0
    while True:
        height, width = (int(side / scale) for side in begin.shape)
        if height < window[1] or width < window[0]:
            return
        yield resize(begin, width, height)
        scale *= _STEP
