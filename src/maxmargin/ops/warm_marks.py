"""Marks beside compiled loops that say which estimators have been compiled ahead.

A mark is an empty file in the folder of compiled loops. Its name holds a digest of what compiled
code depends on: the sources, the version of Numba and the processor. So marks of an older version
count for nothing, and marks vanish with the folder.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from maxmargin.ops.compiler.processor import processor
from maxmargin.ops.engine import engine_of


def is_marked(name: str) -> bool:
    """Return whether the loops of an estimator have been compiled ahead.

    Parameters
    ----------
    name : str
        The estimator's.

    Returns
    -------
    bool
    """
    path = _path(name)
    return path is not None and path.exists()


def mark(name: str) -> None:
    """Note that the loops of an estimator have been compiled ahead, if notes can be kept.

    Parameters
    ----------
    name : str
    """
    path = _path(name)
    if path is not None:
        with suppress(OSError):  # then they are compiled ahead once more
            path.touch()


def can_mark() -> bool:
    """Return whether compiled loops are kept on disk for other processes."""
    return _folder() is not None


def _path(name: str) -> Path | None:
    folder = _folder()
    return None if folder is None else folder / f"{name}.{_digest()}.warm"


@cache
def _folder() -> Path | None:
    found = getattr(engine_of(np.empty(0)).smo.smo_pairs.stats, "cache_path", None)
    if found is None:
        return None
    folder = Path(found)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder


@cache
def _digest() -> str:
    sources = sorted(Path(__file__).parents[1].rglob("*.py"))
    facts = [(path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in sources]
    text = repr((facts, processor()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
