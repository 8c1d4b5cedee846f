"""The cascade of frontal faces that comes with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from maxmargin.vision.cascade import Cascade

FILE = Path(__file__).parent / "data" / "frontal_face.xml"


@cache
def face_cascade() -> Cascade:
    """Return the cascade of frontal faces that comes with the package.

    It was trained on 1,134 official portraits of members of the United States Congress and has the
    licence of the package. Portraits by the government are in the public domain; for 111 the
    collection names no source. docs/vision.md says how good the cascade is, and where it is not.

    Returns
    -------
    cascade : Cascade

    Examples
    --------
    >>> from maxmargin.vision import face_cascade
    >>> face_cascade().window
    (24, 24)
    """
    return Cascade.from_opencv(FILE)
