"""Fit what was asked for, and count what is compiled meanwhile."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter
from typing import IO

import numpy as np

from maxmargin.ops.compiler.event import CompileListener, listening
from maxmargin.ops.engine import engine_of
from maxmargin.warmup.problem import ESTIMATORS, KINDS, jobs

try:
    import fcntl
except ImportError:  # not on Windows, where two of these at a time are not kept apart
    fcntl = None  # type: ignore[assignment]

Tell = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Warmed:
    """What was compiled, where it lies and how long it took."""

    loops: int
    fits: int
    folder: Path
    seconds: float

    def __str__(self) -> str:
        what = f"Compiled {self.loops} loops" if self.loops else "Everything was compiled already"
        return f"{what} in {self.seconds:.1f} s ({self.fits} fits); they lie in {self.folder}."


class _Count(CompileListener):
    """Count our loops that are compiled."""

    def __init__(self) -> None:
        self.loops = 0

    def begin(self) -> None:
        """Count one more."""
        self.loops += 1


def warm(
    names: Sequence[str] = tuple(ESTIMATORS),
    kinds: Sequence[str] = KINDS,
    tell: Tell = lambda _done, _of, _what: None,
) -> Warmed:
    """Compile the loops of some estimators for some kinds of rows.

    Parameters
    ----------
    names : sequence of str
        Of ``ESTIMATORS``.
    kinds : sequence of str
        Of "float32", "float64" and "csr".
    tell : callable
        Called before each fit with its number, how many there are and what is fitted.

    Returns
    -------
    warmed : Warmed
    """
    start, count, folder = perf_counter(), _Count(), cache_folder()
    work = list(jobs(list(names), list(kinds)))
    with listening(count), _alone(folder), warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # problems are tiny and some are odd; the models are not kept
        for done, (name, kind) in enumerate(work):
            tell(done, len(work), f"{name} {kind}")
            ESTIMATORS[name].fit_and_predict(kind)
    return Warmed(count.loops, len(work), folder, perf_counter() - start)


def cache_folder() -> Path:
    """Find the folder in which compiled loops are kept; all of them lie beside each other.

    OSError if there is none, or if a folder is asked for that cannot be written: Numba would
    quietly take another.
    """
    if wanted := os.environ.get("NUMBA_CACHE_DIR"):
        Path(wanted).mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=wanted):
            pass
    found = engine_of(np.empty(0)).smo.smo_pairs.stats.cache_path
    if found is None:
        raise OSError("neither the package's folder nor one of the user is open to this process")
    return Path(found)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait for other processes that warm the same folder, and find what they compiled."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "maxmargin-warmup.lock").open("w") as file:
        _lock(file)
        yield


def _lock(file: IO[str]) -> None:
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)
