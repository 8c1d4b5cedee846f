"""The cascade of frontal faces that comes with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from maxmargin.vision.cascade import Cascade

FILE = Path(__file__).parent / "data" / "frontal_face.xml"


@cache
def face_cascade() -> Cascade:
    """Return the cascade of frontal faces that comes with the package.

    It was trained on official portraits of members of the United States Congress, which are in the
    public domain, and has the licence of the package. docs/vision.md says how good it is, and
    where it is not.

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
