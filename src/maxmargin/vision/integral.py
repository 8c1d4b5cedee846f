"""Integral images: the sum of any rectangle in four looks.

With pixels p[y, x] and S[Y, X] the sum over y < Y, x < X,

    sum over the rectangle (x, y, w, h) = S[y, x] − S[y, x + w] − S[y + h, x] + S[y + h, x + w]

(Crow 1984; Viola and Jones 2001). The tilted one does the same for rectangles turned by 45 degrees
(Lienhart and Maydt 2002).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.parameters import check_choice
from maxmargin.ops.engine import engine_of
from maxmargin.vision.image import ImageError, grey_image, pixels_of

_VERBS = {"sum": "integral", "squared": "integral_squared", "tilted": "integral_tilted"}


def integral_image(image: Any, kind: str = "sum", *, order: str = "rgb") -> NDArray[Any]:
    """Compute the integral image: sums from the upper left corner.

    Parameters
    ----------
    image : array-like of shape (height, width[, channels]) or PIL image
        Grey images keep their values; colour images are converted as in ``grey_image``.
    kind : {"sum", "squared", "tilted"}, default="sum"
        What entry [Y, X] is the sum of: the pixels p[y, x] with y < Y and x < X; their squares; or
        those with y < Y and abs(x - X + 1) <= Y - y - 1, a triangle.
    order : {"rgb", "bgr"}, default="rgb"
        Order of the colour channels.

    Returns
    -------
    sums : ndarray of int64 or float64 of shape (height + 1, width + 1)
        Exact if pixels are integers.

    Examples
    --------
    >>> from maxmargin.vision import integral_image
    >>> integral_image([[1, 2], [3, 4]])
    array([[ 0,  0,  0],
           [ 0,  1,  3],
           [ 0,  4, 10]])
    """
    check_choice("integral_image", "kind", kind, tuple(_VERBS))
    pixels = pixels_of(image)
    if pixels.ndim == 3:
        pixels = grey_image(image, order)
    whole = pixels.dtype.kind != "f"
    if whole and pixels.dtype != np.uint8:
        pixels = _fitting(pixels, kind)
    pixels = (
        pixels if pixels.dtype == np.uint8 else pixels.astype(np.int64 if whole else np.float64)
    )
    out = np.empty((pixels.shape[0] + 1, pixels.shape[1] + 1), np.int64 if whole else np.float64)
    getattr(engine_of(pixels).integral, _VERBS[kind])(np.ascontiguousarray(pixels), out)
    return out


def _fitting(pixels: NDArray[Any], kind: str) -> NDArray[Any]:
    """Raise for integers whose sums could overflow."""
    largest = max(abs(int(pixels.min())), abs(int(pixels.max())))
    if (largest**2 if kind == "squared" else largest) * pixels.size >= 2**63:
        raise ImageError(f"Sums of pixels as large as {largest} do not fit in 64 bits; scale them.")
    return pixels


def rectangle_sum(sums: NDArray[Any], x: Any, y: Any, width: Any, height: Any) -> Any:
    """Compute the sum over a rectangle, or over many.

    Parameters
    ----------
    sums : ndarray
        An integral image of kind "sum" or "squared".
    x, y, width, height : int or ndarray of int
        Its upper left corner and its size.

    Returns
    -------
    total : number or ndarray

    Examples
    --------
    >>> from maxmargin.vision import integral_image, rectangle_sum
    >>> int(rectangle_sum(integral_image([[1, 2, 3], [4, 5, 6]]), 1, 0, 2, 2))
    16
    """
    low, right = y + height, x + width
    return sums[y, x] - sums[y, right] - sums[low, x] + sums[low, right]
