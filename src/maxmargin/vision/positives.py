"""Windows that show the object: from crops, a folder of them, or photographs with boxes.

An annotation file is that of OpenCV's tools: a line a photograph, its path from the file's
folder, the number of boxes, and x, y, width and height of each:

    photos/one.jpg 2 10 20 48 48 90 15 40 40
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import affine_transform, gaussian_filter

from maxmargin.inputs.opening import read_ordinary
from maxmargin.inputs.parameters import check_flag, check_number
from maxmargin.vision.image import Grey, ImageError, grey_image, resize
from maxmargin.vision.picture_file import MOST_BYTES, list_images, read_grey
from maxmargin.vision.stage import Features, evaluated

Pixels = NDArray[np.uint8]
Named = tuple[str, Grey | ImageError]

_NUMBER = re.compile(r"-?[0-9]{1,9}")  # more digits than any photograph has pixels in a row
_STRETCH = 1.25  # by which sides may differ from those of the window


@dataclass(frozen=True)
class Variation:
    """Small changes that make more windows of each one.

    Parameters
    ----------
    mirror : bool, default=True
        Add the mirror image of each window.
    copies : int, default=0
        Copies of each window, shifted, rotated and scaled at random.
    shift : float, default=0.03
        Largest shift, as a fraction of the window's side.
    rotation : float, default=5.0
        Largest rotation, in degrees.
    scale : float, default=0.05
        Largest relative change of size.
    blur : float, default=0.0
        Largest standard deviation of the Gaussian blur of copies, in pixels of the window.
    noise : float, default=0.0
        Largest standard deviation of the noise added to copies, in grey levels of 255.

    Examples
    --------
    >>> from maxmargin.vision import Variation
    >>> Variation(mirror=False, copies=2, rotation=0.0)
    Variation(mirror=False, copies=2, shift=0.03, rotation=0.0, scale=0.05, blur=0.0, noise=0.0)
    """

    mirror: bool = True
    copies: int = 0
    shift: float = 0.03
    rotation: float = 5.0
    scale: float = 0.05
    blur: float = 0.0
    noise: float = 0.0

    def __post_init__(self) -> None:
        check_flag("Variation", "mirror", self.mirror)
        check_number("Variation", "copies", self.copies, 0, whole=True)
        for name in ("shift", "rotation", "scale", "blur", "noise"):
            check_number("Variation", name, getattr(self, name), 0.0)

    def windows(self, crops: Sequence[Grey], window: tuple[int, int], seed: int) -> Pixels:
        """Cut all crops, and their copies, to the window; mirrors follow at the end."""
        rng = np.random.default_rng(seed)
        whole = [resize(crop, *window) for crop in crops]
        moved = [self._moved(crop, window, rng) for _ in range(self.copies) for crop in crops]
        pixels = np.stack(whole + moved)
        return np.concatenate([pixels, pixels[:, :, ::-1]]) if self.mirror else pixels

    def _moved(self, crop: Grey, window: tuple[int, int], rng: np.random.Generator) -> Grey:
        """Take the crop through a frame that is moved, turned and scaled a little."""
        angle = np.deg2rad(self.rotation) * rng.uniform(-1, 1)
        size = np.exp(np.log1p(self.scale) * rng.uniform(-1, 1))
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        ratio = np.array([crop.shape[0] / window[1], crop.shape[1] / window[0]])
        matrix = turn * size * ratio
        middle = (np.array(crop.shape) - 1) / 2 + self.shift * rng.uniform(-1, 1, 2) * crop.shape
        offset = middle - matrix @ ((np.array([window[1], window[0]]) - 1) / 2)
        shape = window[1], window[0]
        made = affine_transform(crop.astype(float), matrix, offset, shape, order=1, mode="nearest")
        made = self._worsened(made, rng)
        return np.rint(np.clip(made, 0, 255)).astype(np.uint8)

    def _worsened(self, window: NDArray[np.float64], rng: np.random.Generator) -> Any:
        """Blur a window and add noise, as much as chance says."""
        if self.blur:
            window = gaussian_filter(window, self.blur * rng.uniform())
        if self.noise:
            window = window + rng.normal(0.0, self.noise * rng.uniform(), window.shape)
        return window


def read_positives(
    source: Any, window: tuple[int, int], features: Features | None = None
) -> tuple[list[Grey], list[str]]:
    """Read crops of the object.

    Parameters
    ----------
    source : path of a folder of crops or of an annotation file, or sequence of images
    window : (int, int)
        Smaller crops, and those of another shape, are left out.
    features : HaarFeatures or LBPFeatures, default=None
        Crops that no detector with such features could find are left out too.

    Returns
    -------
    crops : list of ndarray of uint8
    notes : list of str
        A sentence for each that was left out.

    Raises
    ------
    ImageError
        Where nothing is left.
    """
    crops: list[Grey] = []
    notes: list[str] = []
    for name, crop in _named_crops(source):
        if isinstance(crop, ImageError):
            notes.append(str(crop))
        elif wrong := _misfit(name, crop, window) or _flatness(name, crop, window, features):
            notes.append(wrong)
        else:
            crops.append(crop)
    if not crops:
        why = notes[0] if notes else "The sequence is empty."
        raise ImageError(f"There are no positives to train on. {why}")
    return crops, notes


def _misfit(name: str, crop: Grey, window: tuple[int, int]) -> str:
    """Return why a crop cannot become a window."""
    height, width = crop.shape
    size, wanted = f"{width} x {height} pixels", f"{window[0]} x {window[1]}"
    if width < window[0] or height < window[1]:
        return f"{name} is of {size}, smaller than the window of {wanted}."
    stretch = (width / height) / (window[0] / window[1])
    if not 1 / _STRETCH <= stretch <= _STRETCH:
        return f"{name} is of {size}, not of the shape of the window of {wanted}."
    return ""


def _flatness(name: str, crop: Grey, window: tuple[int, int], features: Features | None) -> str:
    """Return why a crop could never be found."""
    if features is None or evaluated(features, resize(crop, *window)[None])[0]:
        return ""
    return (
        f"{name} deviates by no more than 10 of 255 greys; Haar features are not evaluated there."
    )


def _named_crops(source: Any) -> Iterator[Named]:
    if isinstance(source, str | Path):
        path = Path(source)
        return _annotated(path) if path.is_file() else _in_folder(path)
    return _in_sequence(source)


def _in_folder(folder: Path) -> Iterator[Named]:
    for path in list_images(folder):
        yield _opened(path)


def _opened(path: Path) -> Named:
    try:
        return repr(str(path)), read_grey(path)
    except ImageError as error:
        return repr(str(path)), error


def _in_sequence(images: Any) -> Iterator[Named]:
    if not isinstance(images, Iterable):
        found = type(images).__name__
        raise ImageError(f"Expected a path or a sequence of images as positives, got {found}.")
    for k, image in enumerate(images):
        if isinstance(image, str | Path):
            yield _opened(Path(image))
            continue
        try:
            yield f"Image {k}", grey_image(image)
        except ImageError as error:
            yield f"Image {k}", ImageError(f"Image {k}: {error}")


def _annotated(file: Path) -> Iterator[Named]:
    """Cut the boxes of an annotation file out of its photographs."""
    try:
        lines = read_ordinary(file, MOST_BYTES).decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise ImageError(f"{str(file)!r} cannot be read as a text of annotations.") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield from _boxes_of(file, number, line)


def _boxes_of(file: Path, number: int, line: str) -> Iterator[Named]:
    place = f"Line {number} of {str(file)!r}"
    path, count, *numbers = _taken_apart(line)
    if len(numbers) != 4 * count:
        wanted = "a path, a count and x, y, width, height of each box"
        yield place, ImageError(f"{place} is not {wanted}.")
        return
    name, photograph = _opened(file.parent / path)
    for k in range(0, len(numbers), 4):
        if isinstance(photograph, ImageError):
            yield name, photograph
            return
        yield f"{place}, box {k // 4 + 1},", _cut(place, photograph, *numbers[k : k + 4])


def _taken_apart(line: str) -> tuple[Any, ...]:
    """Return the path, which may contain spaces, and the numbers after it; -1 if there are none."""
    words = list(re.finditer(r"\S+", line))
    first = len(words)
    while first > 1 and _NUMBER.fullmatch(words[first - 1][0]):
        first -= 1
    numbers = [int(word[0]) for word in words[first:]]
    return line[words[0].start() : words[first - 1].end()], *(numbers or [-1])


def _cut(place: str, photograph: Grey, x: int, y: int, w: int, h: int) -> Grey | ImageError:
    height, width = photograph.shape
    if not (0 <= x < x + w <= width and 0 <= y < y + h <= height):
        return ImageError(f"{place} has a box {x} {y} {w} {h} outside of its image.")
    return np.ascontiguousarray(photograph[y : y + h, x : x + w])
