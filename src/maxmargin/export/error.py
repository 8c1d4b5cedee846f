"""What cannot be expressed outside of Python is refused by its name."""

from __future__ import annotations

from typing import Any


class ExportError(ValueError):
    """A model, or a part of one, that cannot be exported."""


def refuse(value: Any, why: str) -> ExportError:
    """Return an error that names what cannot be exported.

    Parameters
    ----------
    value : object
    why : str
        The end of the sentence.

    Returns
    -------
    ExportError
    """
    name = value if isinstance(value, str) else type(value).__name__
    return ExportError(f"{name} cannot be exported: {why}.")
