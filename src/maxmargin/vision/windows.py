"""Windows of one size, summed up side by side, ready for any feature."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.parameters import ParameterError
from maxmargin.ops.engine import engine_of
from maxmargin.vision.image import ImageError, grey_image

LARGEST = 256
"""Longest side of a window: sums of squares then fit in 32 bits."""

_LARGEST_INVERSE = 0.1  # of a deviation, as in ops/cpu/cascade.py


def check_window(window: Any) -> tuple[int, int]:
    """Return a window as (width, height); raise if it is invalid."""
    sides = tuple(window) if isinstance(window, (tuple, list, np.ndarray)) else ()
    whole = all(isinstance(side, (int, np.integer)) for side in sides)
    if len(sides) != 2 or not whole or not all(3 <= side <= LARGEST for side in sides):
        wanted = f"two whole numbers (width, height) from 3 to {LARGEST}"
        raise ParameterError(f"A window must be {wanted}. Got {window!r} instead.")
    return int(sides[0]), int(sides[1])


@dataclass(frozen=True, eq=False)
class Windows:
    """Grey windows of one size.

    Parameters
    ----------
    pixels : ndarray of uint8 of shape (windows, height, width)

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.vision import Windows
    >>> windows = Windows.of(np.eye(24)[None] * 255)
    >>> len(windows), windows.size
    (1, (24, 24))
    """

    pixels: NDArray[np.uint8]

    @classmethod
    def of(cls, images: Any, order: str = "rgb") -> Windows:
        """Take images of one size, in an array or a list, grey or colour.

        Parameters
        ----------
        images : Windows, ndarray of shape (windows, height, width[, channels]) or list of images
        order : {"rgb", "bgr"}, default="rgb"

        Returns
        -------
        windows : Windows
        """
        if isinstance(images, Windows):
            return images
        if isinstance(images, np.ndarray) and images.ndim == 3 and images.dtype == np.uint8:
            return cls(np.ascontiguousarray(images))
        grey = [grey_image(image, order) for image in images]
        for k, image in enumerate(grey):
            if image.shape != grey[0].shape:
                sizes = f"{image.shape[1]} x {image.shape[0]}, image 0 is "
                sizes += f"{grey[0].shape[1]} x {grey[0].shape[0]}"
                raise ImageError(f"Windows must have one size: image {k} is {sizes}.")
        return cls(np.stack(grey) if grey else np.zeros((0, 3, 3), np.uint8))

    def __len__(self) -> int:
        return len(self.pixels)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.pixels.shape[2], self.pixels.shape[1]

    @cached_property
    def sums(self) -> NDArray[np.int32]:
        """Integral images, entry after entry: of shape ((height + 1) (width + 1), windows)."""
        return self._planes("integral")

    @cached_property
    def sums_and_tilted(self) -> NDArray[np.int32]:
        """The same, followed by the entries of tilted integral images."""
        return np.concatenate([self.sums, self._planes("integral_tilted")])

    def _planes(self, verb: str) -> NDArray[np.int32]:
        width, height = self.size
        each = np.empty((len(self), height + 1, width + 1), dtype=np.int32)
        add_up = getattr(engine_of(self.pixels).integral, verb)
        for window, out in zip(self.pixels, each, strict=True):
            add_up(window, out)
        return np.ascontiguousarray(each.reshape(len(self), -1).T)

    @cached_property
    def norm(self) -> NDArray[np.float32]:
        """1 / (area times deviation), both without the outermost pixels; 0 where all are equal."""
        inner = self.pixels[:, 1:-1, 1:-1].astype(np.int64)
        total, squares = inner.sum(axis=(1, 2)), np.square(inner).sum(axis=(1, 2))
        spread = inner[0].size * squares - total**2 if len(self) else np.zeros(0, np.int64)
        return np.where(spread > 0, 1 / np.sqrt(np.maximum(spread, 1)), 0).astype(np.float32)

    @property
    def varied(self) -> NDArray[np.bool_]:
        """Whether greys deviate by more than 10: a scan evaluates no Haar feature in others."""
        area = (self.size[0] - 2) * (self.size[1] - 2)
        return (self.norm > 0) & (area * self.norm.astype(np.float64) < _LARGEST_INVERSE)
