"""The one door for images: any container, grey or colour, whole or broken numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.parameters import check_choice
from maxmargin.ops.engine import engine_of

Grey = NDArray[np.uint8]

# Shares of red, green and blue in grey (ITU-R BT.601), in 32,768ths: those of OpenCV.
_GREY = np.array([9798, 19235, 3735], dtype=np.int32)
_PIXELS = 2**18  # whose colours are mixed at a time
_FROM_ARRAY = ("1", "L", "I", "F", "RGB", "RGBA")  # modes of PIL that an array shows as they are


class ImageError(ValueError):
    """Raised for input that is not a readable image."""


def grey_image(image: Any, order: str = "rgb") -> Grey:
    """Convert any image to grey, with 8 bits a pixel.

    Parameters
    ----------
    image : array-like of shape (height, width[, channels]) or PIL image
        Grey with one or no channel, colour with three; a fourth is ignored. Integers are 0 to 255,
        True is 255 and False 0. Floats are 0 to 1 if none is larger, otherwise 0 to 255; they are
        rounded.
    order : {"rgb", "bgr"}, default="rgb"
        Order of the colour channels in an array; OpenCV reads files as "bgr".

    Returns
    -------
    grey : ndarray of uint8 of shape (height, width)
        For a colour (9798 R + 19235 G + 3735 B + 16384) // 32768, as in ``cv2.cvtColor``.

    Raises
    ------
    ImageError
        For anything that is not an image, with a one-sentence message.

    Examples
    --------
    >>> from maxmargin.vision import grey_image
    >>> grey_image([[[255, 0, 0], [0, 255, 0], [0, 0, 255]]])
    array([[ 76, 150,  29]], dtype=uint8)
    """
    check_choice("grey_image", "order", order, ("rgb", "bgr"))
    pixels = eight_bits(pixels_of(image))
    if pixels.ndim == 2:
        return np.ascontiguousarray(pixels)
    shares = _GREY if order == "rgb" or _is_pil(image) else _GREY[::-1]
    out = np.empty(pixels.shape[:2], dtype=np.uint8)
    step = max(1, _PIXELS // pixels.shape[1])
    for top in range(0, len(out), step):
        rows = slice(top, top + step)
        out[rows] = (pixels[rows].astype(np.int32) @ shares + (1 << 14)) >> 15
    return out


def pixels_of(image: Any) -> NDArray[Any]:
    """Return the numbers of an image, of shape (height, width) or (height, width, 3)."""
    if _is_pil(image) and image.mode not in _FROM_ARRAY and not image.mode.startswith("I;"):
        image = image.convert("RGB")
    try:
        pixels = np.asarray(image)
    except ValueError:
        raise ImageError("The rows of this image have different lengths.") from None
    if pixels.dtype.kind not in "buif":
        found = f"a {type(image).__name__} of {pixels.dtype}"
        raise ImageError(f"Expected an image as an array of numbers or of PIL, got {found}.")
    return _without_alpha(pixels)


def _without_alpha(pixels: NDArray[Any]) -> NDArray[Any]:
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    if pixels.ndim == 3 and pixels.shape[2] in (3, 4):
        pixels = pixels[:, :, :3]
    elif pixels.ndim != 2:
        wanted = "(height, width), (height, width, 3) or (height, width, 4)"
        raise ImageError(f"Expected an image of shape {wanted}, got {pixels.shape}.")
    if pixels.size == 0:
        raise ImageError(f"This image of shape {pixels.shape} has no pixels.")
    if pixels.dtype.kind == "f" and not np.isfinite(pixels).all():
        raise ImageError("This image has pixels that are NaN or infinite; replace them first.")
    return pixels


def _is_pil(image: Any) -> bool:
    return hasattr(image, "convert") and hasattr(image, "mode")


def eight_bits(pixels: NDArray[Any]) -> Grey:
    """Return pixels as integers from 0 to 255."""
    if pixels.dtype == np.uint8:
        return pixels
    if pixels.dtype == bool:
        return pixels.astype(np.uint8) * np.uint8(255)
    low, high = pixels.min(), pixels.max()
    if low < 0 or high > 255:
        raise ImageError(
            f"This image has pixels from {low:g} to {high:g}; scale them to 0 to 255 first."
        )
    if pixels.dtype.kind == "f":
        pixels = np.rint(pixels * 255.0 if high <= 1 else pixels)
    return pixels.astype(np.uint8)


def resize(grey: Grey, width: int, height: int) -> Grey:
    """Make a grey image smaller or larger, by weighing the four nearest pixels.

    Pixel x of the result lies at (x + 1/2) w / width - 1/2 of the w columns before; the weights are
    256ths and the sum is rounded once, so it is what OpenCV calls INTER_LINEAR_EXACT.

    Parameters
    ----------
    grey : ndarray of uint8 of shape (h, w)
    width, height : int
        Of the result.

    Returns
    -------
    resized : ndarray of uint8 of shape (height, width)

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.vision.image import resize
    >>> resize(np.array([[0, 100, 200, 200]], dtype=np.uint8), 2, 1)
    array([[ 50, 200]], dtype=uint8)
    """
    if (height, width) == grey.shape:
        return grey
    out = np.empty((height, width), dtype=np.uint8)
    rows, columns = _between(grey.shape[0], height), _between(grey.shape[1], width)
    engine_of(grey).cascade_resize.resize(grey, *rows, *columns, out)
    return out


def _between(size: int, wanted: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the source pixel before each target pixel, and the distance in 256ths."""
    at = 1.0 / (wanted / size) * (np.arange(wanted) + 0.5) - 0.5
    before = np.clip(np.floor(at), 0, size - 1)
    beyond = (at < 0) | (at >= size - 1)
    share = np.where(beyond, 0, np.rint((at - before) * 256))
    return before.astype(np.uint32), share.astype(np.uint32)
