"""Warnings that point at the user's line, however deep in the package they are raised."""

from __future__ import annotations

import sys
import warnings


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the nearest line outside this package."""
    package = __name__.partition(".")[0]
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _in(frame.f_globals, package):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _in(names: dict[str, object], package: str) -> bool:
    return str(names.get("__name__", "")).partition(".")[0] == package
