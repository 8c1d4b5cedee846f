"""Images in files: which there are, and what is in them or why not."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin.inputs.extra import require
from maxmargin.inputs.opening import read_ordinary
from maxmargin.vision.image import Grey, ImageError, eight_bits, grey_image, pixels_of

_BYTE = 255  # the brightest grey of eight bits
_WORD = 65535  # the brightest grey of sixteen bits

MOST_BYTES = 1 << 28
"""Of a file with an image or a list, unless more are allowed."""

# Those of cameras and screens; for some others Pillow starts programs.
FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")

SUFFIXES = (
    ".bmp",
    ".gif",
    ".jpeg",
    ".jpg",
    ".pbm",
    ".pgm",
    ".png",
    ".ppm",
    ".tif",
    ".tiff",
    ".webp",
)


def list_images(folder: Path) -> list[Path]:
    """List the images in a folder and those in it, in order of their names."""
    if not folder.is_dir():
        raise ImageError(f"There is no folder {str(folder)!r}.")
    found = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in SUFFIXES]
    if not found:
        kinds = ", ".join(suffix[1:] for suffix in SUFFIXES)
        raise ImageError(f"There are no images in the folder {str(folder)!r} ({kinds}).")
    return found


def read_grey(path: Path) -> Grey:
    """Read an image as grey.

    Parameters
    ----------
    path : Path

    Returns
    -------
    grey : ndarray of uint8 of shape (height, width)

    Raises
    ------
    ImageError
        In one sentence that names the file.
    """
    return grey_image(read_picture(path))


def read_picture(path: Path, max_bytes: int = MOST_BYTES) -> Any:
    """Read an image of one of ``FORMATS``, turned as its camera was held.

    Parameters
    ----------
    path : Path
    max_bytes : int, default=256 MiB
        The longest file that is read.

    Returns
    -------
    pixels : ndarray of uint8 of shape (height, width) or (height, width, 3)

    Raises
    ------
    ImageError
        In one sentence that names the file.
    """
    require("Reading pictures", "plots", "PIL")
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415  (arrays need none)

    try:
        content = read_ordinary(path, max_bytes)
        with Image.open(BytesIO(content), formats=FORMATS) as image:
            image.load()
            upright = _upright(image)
            return _eight_bits(upright.convert("RGB") if upright.mode == "P" else upright)
    except ImageError as error:
        raise ImageError(f"{str(path)!r}: {error}") from None
    except FileNotFoundError:
        raise ImageError(f"There is no file {str(path)!r}.") from None
    except UnidentifiedImageError:
        raise _unreadable(path, "it is none, or of a format that is not read") from None
    except Exception as error:  # whatever a decoder may raise of a broken file
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise _unreadable(path, why) from None


def _unreadable(path: Path, why: str) -> ImageError:
    return ImageError(f"{str(path)!r} cannot be read as an image: {why.rstrip('.')}.")


def _upright(image: Any) -> Any:
    """Turn an image as its camera was held; with tags that are broken it stays as it lies."""
    from PIL import ImageOps  # noqa: PLC0415

    try:
        return ImageOps.exif_transpose(image)
    except MemoryError:
        raise
    except Exception:  # whatever a reader of tags may raise
        return image


def _eight_bits(image: Any) -> Any:
    """Return the pixels; of 16 bits the upper eight, as OpenCV does."""
    pixels = pixels_of(image)
    if pixels.dtype.kind in "ui" and image.mode.startswith("I") and pixels.max() > _BYTE:
        pixels = np.clip(pixels, 0, _WORD) >> 8
    return eight_bits(pixels)
