"""Images in files: which there are, and what is in them or why not."""

from __future__ import annotations

import warnings
from pathlib import Path

from maxmargin.vision.image import Grey, ImageError, grey_image

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
    """Read an image of any format that Pillow knows, as grey.

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
    from PIL import Image  # noqa: PLC0415  (whoever trains on arrays needs none)

    try:
        with warnings.catch_warnings(), Image.open(path) as image:
            warnings.simplefilter("ignore")
            image.load()
            return grey_image(image.convert("RGB") if image.mode == "P" else image)
    except ImageError as error:
        raise ImageError(f"{str(path)!r}: {error}") from None
    except FileNotFoundError:
        raise ImageError(f"There is no file {str(path)!r}.") from None
    except Exception as error:  # whatever a decoder may raise of a broken file
        why = str(error) or type(error).__name__
        raise ImageError(f"{str(path)!r} cannot be read as an image: {why}.") from None
