"""Photographs without the object, read when they are wanted."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any

from maxmargin.inputs.opening import read_ordinary
from maxmargin.vision.image import Grey, ImageError, grey_image, pixels_of
from maxmargin.vision.picture_file import MOST_BYTES, list_images, read_grey

_KEPT = 1 << 28  # bytes of images kept in memory; others are read again


class Backgrounds:
    """Images to take windows without the object from.

    Parameters
    ----------
    source : path of a folder or of a text with a path a line, or sequence of images or paths
    window : (int, int)
        Smaller images are left out.
    """

    def __init__(self, source: Any, window: tuple[int, int]) -> None:
        self._window, self._lock = window, threading.Lock()
        self._items = _listed(source)
        if len(self._items) == 0:
            raise ImageError("There are no background images to take negatives from.")
        self._kept: dict[int, Grey] = {}
        self._room = _KEPT
        self._faults: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._items)

    @property
    def notes(self) -> list[str]:
        """A sentence for each image that could not be used, of those looked at so far."""
        return [self._faults[k] for k in sorted(self._faults)]

    def image(self, k: int) -> Grey | None:
        """Return an image, or None if it is unusable; threads may call this concurrently."""
        with self._lock:
            if k in self._faults:
                return None
            if k in self._kept:
                return self._kept[k]
        try:
            grey = self._usable(k)
        except ImageError as error:
            with self._lock:
                self._faults[k] = str(error)
            return None
        with self._lock:
            if grey.nbytes <= self._room and k not in self._kept:
                self._kept[k], self._room = grey, self._room - grey.nbytes
        return grey

    def _usable(self, k: int) -> Grey:
        item, name = self._items[k], f"Background {k}"
        if isinstance(item, Path):
            grey, name = read_grey(item), repr(str(item))
        else:
            grey = _grey(item, name)
        width, height = self._window
        if grey.shape[0] < height or grey.shape[1] < width:
            size = f"{grey.shape[1]} x {grey.shape[0]} pixels"
            raise ImageError(f"{name} is of {size}, smaller than the window.")
        return grey

    def digest(self) -> str:
        """Sum up which images these are: files by their bytes, others by their pixels."""
        total = blake2b(digest_size=16)
        for item in self._items:
            total.update(_trace(item))
        return total.hexdigest()


def _grey(item: Any, name: str) -> Grey:
    try:
        return grey_image(item)
    except ImageError as error:
        raise ImageError(f"{name}: {error}") from None


def _trace(item: Any) -> bytes:
    """Return a key that is equal for equal images; for other objects, their type."""
    try:
        if isinstance(item, Path):
            return _sum_of(read_ordinary(item, MOST_BYTES))
        pixels = pixels_of(item)
        return f"{pixels.shape} {pixels.dtype}".encode() + _sum_of(pixels.tobytes())
    except (OSError, ImageError) as error:
        return type(error).__name__.encode()


def _sum_of(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def _listed(source: Any) -> list[Any]:
    if isinstance(source, str | Path):
        path = Path(source)
        return _lines(path) if path.is_file() else list(list_images(path))
    if not isinstance(source, Iterable):
        found = type(source).__name__
        raise ImageError(f"Expected a path or a sequence of images as backgrounds, got {found}.")
    return [Path(item) if isinstance(item, str | Path) else item for item in source]


def _lines(file: Path) -> list[Path]:
    """Read a list of images, a path a line, from the folder of the list."""
    try:
        lines = read_ordinary(file, MOST_BYTES).decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise ImageError(f"{str(file)!r} cannot be read as a list of images.") from None
    return [file.parent / line.strip() for line in lines if line.strip()]
