"""Names that a room still exports although ``course`` holds them: found when they are asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from importlib import import_module
from typing import Any


def names_of_course(room: str, exported: Collection[str], home: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a room, which imports the course when a name of it is used.

    Parameters
    ----------
    room : str
        The room's module name.
    exported : collection of str
        Its public names: ``__all__``.
    home : str
        The module of the course that has those which the room does not define.

    Returns
    -------
    callable
    """

    def find(name: str) -> Any:
        if name not in exported:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        value = getattr(import_module(home), name)
        setattr(sys.modules[room], name, value)
        return value

    return find
