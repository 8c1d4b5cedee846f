"""``cv2.CascadeClassifier`` under its own names: code that used it needs another import alone."""

# ruff: noqa: N802 - the names are OpenCV's

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from maxmargin.vision.cascade import Cascade
from maxmargin.vision.group import clip_boxes, group_rectangles
from maxmargin.vision.haar import HaarFeatures
from maxmargin.vision.image import grey_image
from maxmargin.vision.opencv import CascadeFileError

Size = tuple[int, int]


class CascadeClassifier:
    """A cascade with OpenCV's names, arguments and results.

    Parameters
    ----------
    filename : str, default=""
        A cascade to load. As in OpenCV, an invalid file leaves the classifier empty.

    Notes
    -----
    Colour channels are in the order blue, green, red, as from ``cv2.imread``. ``flags`` is for
    cascades of OpenCV 1 and has no effect, as in OpenCV 4. If nothing is found, an empty tuple is
    returned. In new code use ``Cascade``, whose errors explain what is wrong.

    Examples
    --------
    >>> from maxmargin.vision import CascadeClassifier
    >>> classifier = CascadeClassifier()
    >>> classifier.empty(), classifier.load("no such file.xml")
    (True, False)
    """

    def __init__(self, filename: str | Path = "") -> None:
        self._cascade: Cascade | None = None
        if filename:
            self.load(filename)

    def load(self, filename: str | Path) -> bool:
        """Read a file, and say whether it is a cascade."""
        try:
            self._cascade = Cascade.from_opencv(filename)
        except CascadeFileError:
            self._cascade = None
        return self._cascade is not None

    @staticmethod
    def convert(oldcascade: str | Path, newcascade: str | Path) -> bool:
        """Convert an older file to the newer format; return whether it could be read."""
        try:
            Cascade.from_opencv(oldcascade).to_opencv(newcascade)
        except CascadeFileError:
            return False
        return True

    def empty(self) -> bool:
        """Return whether no cascade is loaded."""
        return self._cascade is None

    def _loaded(self) -> Cascade:
        if self._cascade is None:
            raise ValueError("No cascade is loaded: call load() with an XML file of OpenCV first.")
        return self._cascade

    def getOriginalWindowSize(self) -> Size:
        """Return width and height of the window."""
        return self._loaded().window

    def getFeatureType(self) -> int:
        """Return 0 for Haar features and 1 for LBP."""
        return 0 if isinstance(self._loaded().features, HaarFeatures) else 1

    def isOldFormatCascade(self) -> bool:
        """Return False: as in OpenCV 4, older files are converted when they are read."""
        self._loaded()
        return False

    def detectMultiScale(
        self,
        image: Any,
        scaleFactor: float = 1.1,
        minNeighbors: int = 3,
        flags: int = 0,
        minSize: Size | None = None,
        maxSize: Size | None = None,
    ) -> Any:
        """Find boxes (x, y, width, height)."""
        return self._detect(image, scaleFactor, minNeighbors, flags, minSize, maxSize)[0]

    def detectMultiScale2(
        self,
        image: Any,
        scaleFactor: float = 1.1,
        minNeighbors: int = 3,
        flags: int = 0,
        minSize: Size | None = None,
        maxSize: Size | None = None,
    ) -> tuple[Any, Any]:
        """Find boxes, and from how many windows each was made."""
        return self._detect(image, scaleFactor, minNeighbors, flags, minSize, maxSize)[:2]

    def detectMultiScale3(
        self,
        image: Any,
        scaleFactor: float = 1.1,
        minNeighbors: int = 3,
        flags: int = 0,
        minSize: Size | None = None,
        maxSize: Size | None = None,
        outputRejectLevels: bool = False,
    ) -> tuple[Any, Any, Any]:
        """Find boxes; with ``outputRejectLevels`` also stages passed and sums of the last."""
        given = image, scaleFactor, minNeighbors, flags, minSize, maxSize
        boxes, _, scores = self._detect(*given)
        if not len(boxes) or not outputRejectLevels:
            return boxes, (), ()
        stages = len(self._loaded().stages)
        return boxes, np.full(len(boxes), stages, dtype=np.int32), scores

    def _detect(
        self,
        image: Any,
        scale_factor: float,
        min_neighbors: int,
        _flags: int,
        min_size: Size | None,
        max_size: Size | None,
    ) -> tuple[Any, Any, Any]:
        grey = grey_image(image, "bgr")
        found = self._loaded().scan(grey, scale_factor, min_size, max_size)
        boxes, scores = found.boxes, found.scores
        counts = np.ones(len(boxes), dtype=np.int64)
        if min_neighbors > 0:
            boxes, counts, scores = group_rectangles(boxes, min_neighbors, scores=scores)
        if not len(boxes):
            return (), (), ()
        return clip_boxes(boxes, grey.shape), counts.astype(np.int32), scores
